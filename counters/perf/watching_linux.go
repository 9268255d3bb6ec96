package perf

import (
	"errors"
	"runtime"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"

	"tracerec/internal/perfevent"
)

// errBlind is why no watchpoint is opened: some virtual machines let the kernel set debug registers, and never tell it of a hit, so that all counts would be 0.
var errBlind = errors.New("watchpoints never count")

// What is known of this machine's watchpoints.
const (
	notKnown int32 = iota
	counts
	blind
)

var watching atomic.Int32

// watches says whether watchpoints count on this machine, as far as that can be known: by one on two stores. Where it cannot be set, the one that is wanted tells why.
func (s *system) watches() bool {
	if watching.Load() == notKnown {
		switch n, ok := s.watched(); {
		case !ok:
			return true
		case n == 0:
			watching.Store(blind)
		default:
			watching.Store(counts)
		}
	}
	return watching.Load() == counts
}

// watched returns what a watchpoint of the calling thread counts of two stores.
func (s *system) watched() (n uint64, ok bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	x := new(uint64)
	a := attribute(&Encoded{Event: perfevent.Event{Type: perfevent.Breakpoint, Config1: uint64(uintptr(unsafe.Pointer(x))), Config2: 8, BPType: 2, Flags: perfevent.FlagExcludeKernel}})
	fd, err := s.open(a, 0, -1, -1, perfevent.OpenCloseExec)
	if err != nil {
		return 0, false
	}
	defer unix.Close(fd)
	stores(x)
	if size, errno := s.read(fd, &n, unsafe.Sizeof(n)); errno != 0 || size != unsafe.Sizeof(n) {
		return 0, false
	}
	return n, true
}

// stores stores twice.
//
//go:noinline
func stores(x *uint64) {
	atomic.StoreUint64(x, 1)
	atomic.StoreUint64(x, 2)
}
