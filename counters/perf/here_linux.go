package perf

import (
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"tracerec/internal/goid"
	"tracerec/internal/witness"
)

// here tells whether a reading was taken on the thread that a group counts for, by a goroutine that nothing disturbed.
type here struct {
	tid     int // 0: the group counts for something else
	witness witness.Witness

	// What was found at the last reading. A goroutine with the same sequence number has not left its thread since, so the
	// system need not be asked for the thread again, which would cost a quarter of a reading.
	g      unsafe.Pointer
	seq    uint8
	thread uint64
}

var theWitness = sync.OnceValue(func() witness.Witness { return witness.Find(goid.G) })

// bindHere makes readings tell whether they were taken on the calling thread.
func (g *group) bindHere() {
	if w := theWitness(); w.Found() {
		g.here = here{tid: unix.Gettid(), witness: w}
	}
}

// on reports whether the goroutine, of that sequence number, runs on the group's thread.
func (h *here) on(g unsafe.Pointer, seq uint8) bool {
	thread := h.witness.Thread()
	if g == h.g && seq == h.seq && thread == h.thread {
		return true
	}
	tid, _, _ := unix.RawSyscall(unix.SYS_GETTID, 0, 0, 0)
	if int(tid) != h.tid {
		return false
	}
	h.g, h.seq, h.thread = g, seq, thread
	return true
}

// readHere reads the group and returns who read it: the goroutine and its sequence number.
func (g *group) readHere(dst []uint64) (where uint64, err error) {
	me := goid.G()
	w := g.here.witness
	for range 4 {
		seq := w.Sequence(me)
		on := g.here.on(me, seq)
		if !on || !g.readPages(dst) {
			if err := g.readAll(dst, nil, nil); err != nil {
				return 0, err
			}
		}
		if w.Sequence(me) == seq {
			if on {
				return place(me, seq), nil
			}
			return 0, nil
		}
	}
	return 0, g.readAll(dst, nil, nil)
}

// place returns the number for a goroutine between two times that it leaves its thread.
func place(g unsafe.Pointer, seq uint8) uint64 { return uint64(uintptr(g))>>3<<8 | uint64(seq) }

// lockForever binds the calling goroutine to its thread, which ends with it.
func lockForever() { runtime.LockOSThread() }
