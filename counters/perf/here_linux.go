package perf

import (
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"tracerec/internal/goid"
	"tracerec/internal/witness"
)

// here tells whether a reading was taken on the thread that a group counts for, by a goroutine that nothing disturbed.
type here struct {
	tid     int // 0: the group counts for something else
	witness witness.Witness
	stay    uint64 // one that was found to be on the thread, so that the system need not be asked again
	lost    uint64 // hits of watchpoints up to the last reading
}

// lostHits is how many hits of watchpoints the hypervisor has lost in this process.
var lostHits atomic.Uint64

// unlessLost returns the stay if no hit was lost since the last reading, and otherwise that nothing is known of the reading.
func (h *here) unlessLost(stay uint64) uint64 {
	lost := lostHits.Load()
	if lost == h.lost {
		return stay
	}
	h.lost = lost
	return 0
}

// bindHere makes readings tell whether they were taken on that thread.
func (g *group) bindHere(tid int) {
	if w := witness.Find(); w.Found() {
		g.here = here{tid: tid, witness: w, lost: lostHits.Load()}
	}
}

// on reports whether the calling goroutine, in that stay, is on the group's thread.
func (h *here) on(stay uint64) bool {
	if stay == h.stay {
		return true
	}
	tid, _, _ := unix.RawSyscall(unix.SYS_GETTID, 0, 0, 0)
	return int(tid) == h.tid
}

// readHere reads the group and returns in which stay that was.
func (g *group) readHere(dst []uint64) (where uint64, err error) {
	me := goid.G()
	w := g.here.witness
	for range 4 {
		stay := w.Stay(me)
		on := g.here.on(stay)
		if !on || !g.readPages(dst) {
			if err := g.readAll(dst, nil, nil); err != nil {
				return 0, err
			}
		}
		switch {
		case !w.Stands(me, stay): // the goroutine may have been elsewhere, and the values those of before or after
		case on:
			g.here.stay = stay
			return g.here.unlessLost(stay), nil
		default:
			return 0, nil
		}
	}
	return 0, g.readAll(dst, nil, nil)
}

// lockForever binds the calling goroutine to its thread, which ends with it.
func lockForever() { runtime.LockOSThread() }
