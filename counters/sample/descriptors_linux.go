package sample

import (
	"syscall"
	"unsafe"

	"tracerec/internal/perfevent"
)

// Perf events are the only descriptors that a recording keeps in the program, which may close them, be it without knowing them, and open files
// of its own under their numbers. To read or close these in the event's place would take what is the program's. So events have numbers that programs
// hardly get, and are marked: only what bears the mark is read or closed. Package autoinst/exact does the same in the scheduler.

// mark is the signal that the kernel is told to send for events, which it never does: SIGSTKFLT. The open file bears it, not the number, and
// looking costs a fifth of a reading.
const mark = 16

// isEvent reports whether a descriptor is an event of this package.
func isEvent(fd int) bool {
	sig, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETSIG, 0)
	return errno == 0 && sig == mark
}

// handle is the descriptor of an event, and the lower half of the id that this event alone has: a thread that opens events after the program
// closed all gets the numbers of these.
type handle int64

const noEvent handle = -1

// handleOf returns the handle of an event that is open.
func handleOf(fd int) (handle, syscall.Errno) {
	var id uint64
	_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), perfevent.IoctlID, uintptr(unsafe.Pointer(&id)))
	return handle(id&idMask<<32 | uint64(fd)), errno
}

const idMask = 1<<31 - 1

func (h handle) fd() int { return int(int32(h)) }

func (h handle) is(id uint64) bool { return uint64(h)>>32 == id&idMask }

// perfOpen opens an event on a thread, 0 for the calling one.
func perfOpen(a *perfevent.Attr, tid, group int) (int, syscall.Errno) {
	fd, _, errno := syscall.RawSyscall6(syscall.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(a)), uintptr(tid), ^uintptr(0), uintptr(group), perfevent.OpenCloseExec, 0)
	if errno != 0 {
		return int(fd), errno
	}
	syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_SETSIG, mark)
	defer closeEvent(int(fd))
	moved, _, errno := syscall.RawSyscall(syscall.SYS_FCNTL, fd, syscall.F_DUPFD_CLOEXEC, outOfTheWay())
	if errno == syscall.EINVAL { // the limit has become so low
		errno = syscall.EMFILE
	}
	return int(moved), errno
}

// outOfTheWay returns the least number of an event's descriptor. Programs that close descriptors which they do not know get the low ones for
// their next files, and these would be read, or closed, in the event's place; so the event is missed instead. Those that need many find at
// least half of all free, also when each of many threads left events behind.
func outOfTheWay() uintptr {
	const high = 8192 // the kernel's table of descriptors takes 8 bytes for each number below
	var l syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l) != nil {
		return high
	}
	return uintptr(min(high, l.Cur/2))
}

func closeAll(fds []int) {
	for _, fd := range fds {
		closeEvent(fd)
	}
}

func closeEvent(fd int) {
	if isEvent(fd) {
		syscall.Close(fd)
	}
}
