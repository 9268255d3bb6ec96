package counters

import "golang.org/x/sys/unix"

// thread returns the calling thread's number.
func thread() int { return unix.Gettid() }
