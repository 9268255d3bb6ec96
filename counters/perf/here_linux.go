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
	tid      int // 0: the group counts for something else
	witness  witness.Witness
	interval uint64 // one that was found to be on the thread, so that the system need not be asked again
	lost     uint64 // hits of watchpoints up to the last reading
}

// lostHits is how many hits of watchpoints the hypervisor has lost in this process.
var lostHits atomic.Uint64

// unlessLost returns the interval if no hit was lost since the last reading, and otherwise that nothing is known of the reading.
func (h *here) unlessLost(interval uint64) uint64 {
	lost := lostHits.Load()
	if lost == h.lost {
		return interval
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

// on reports whether the calling goroutine, in that interval, is on the group's thread.
func (h *here) on(interval uint64) bool {
	if interval == h.interval {
		return true
	}
	tid, _, _ := unix.RawSyscall(unix.SYS_GETTID, 0, 0, 0)
	return int(tid) == h.tid
}

// readHere reads the group and returns in which interval that was.
func (g *group) readHere(dst []uint64) (where uint64, err error) {
	me := goid.G()
	w := g.here.witness
	for range 4 {
		interval := w.Interval(me)
		on := g.here.on(interval)
		if !on || !g.readPages(dst) {
			if err := g.readAll(dst, nil, nil); err != nil {
				return 0, err
			}
		}
		switch {
		case !w.Undisturbed(me, interval): // the goroutine may have been elsewhere, and the values those of before or after
		case on:
			g.here.interval = interval
			return g.here.unlessLost(interval), nil
		default:
			return 0, nil
		}
	}
	return 0, g.readAll(dst, nil, nil)
}

// lockForever binds the calling goroutine to its thread, which ends with it.
func lockForever() { runtime.LockOSThread() }
