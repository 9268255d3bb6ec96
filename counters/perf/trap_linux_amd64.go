package perf

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A hit of a watchpoint is a debug exception, and register DR6 says of which watchpoint. Some hypervisors lose what it says when they take the
// processor away just then. The kernel then takes the exception for one that the program asked for by the instruction INT1, and sends SIGTRAP with the
// code TRAP_BRKPT, of which Go programs die. Nothing else has that code: breakpoints of debuggers have SI_KERNEL, and watchpoints TRAP_HWBKPT.

// nextTrap is the handler of the signals that are not such.
var nextTrap uintptr

// onTrap is the handler. It is never called from Go.
func onTrap()

// trapHandler returns the address of onTrap.
func trapHandler() uintptr

// sigaction is the kernel's.
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

// surviveLostHits makes this process survive hits of which the hypervisor has lost what they are. They are not counted, and the next
// readings not certain. All other signals are handled as before.
var surviveLostHits = sync.OnceFunc(func() {
	var a sigaction
	if sigactionOf(nil, &a) != 0 || a.handler <= 1 { // the default, or none
		return
	}
	nextTrap = a.handler
	a.handler = trapHandler()
	sigactionOf(&a, nil)
})

func sigactionOf(set, old *sigaction) unix.Errno {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(unix.SIGTRAP), uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)),
		unsafe.Sizeof(set.mask), 0, 0)
	return errno
}
