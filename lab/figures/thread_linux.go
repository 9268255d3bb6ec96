package main

import (
	"time"

	"golang.org/x/sys/unix"
)

func gettid() int { return unix.Gettid() }

// threadTime returns for how long the calling thread has run.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
