package clock

import (
	"syscall"
	"time"
)

// Pause blocks the calling thread for a moment. The first timer of a process, such as that of [time.Sleep], starts Go's network poller, with
// two descriptors that a measured program did not ask for.
func Pause(d time.Duration) {
	t := syscall.NsecToTimespec(int64(d))
	syscall.Nanosleep(&t, nil) // a signal may end it early
}
