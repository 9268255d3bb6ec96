package counters

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// thread returns the calling thread's number.
func thread() int { return unix.Gettid() }

// threadTime returns the processor time of the calling thread in ns.
func threadTime() (int64, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, fmt.Errorf("thread's processor time: %w: %w", ErrUnavailable, err)
	}
	return t.Nano(), nil
}
