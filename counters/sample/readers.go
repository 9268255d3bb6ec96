package sample

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// readers counts the readings in progress. Descriptors are closed when there is none any more: their numbers may be those of the program's
// own files in the next moment, and what is read of a pipe is gone.
type readers struct {
	over  atomic.Bool
	cells [64]struct {
		n atomic.Int64
		_ [56]byte // goroutines that do not share a cell do not share a cache line
	}
}

// begin returns where the reading of the goroutine is counted until its end, nil if there are no readings any more.
func (r *readers) begin(g unsafe.Pointer) *atomic.Int64 {
	n := &r.cells[uintptr(g)>>8%uintptr(len(r.cells))].n
	n.Add(1)
	if r.over.Load() {
		n.Add(-1)
		return nil
	}
	return n
}

// end lets no reading begin any more, and waits for those in progress, which wait for nobody.
func (r *readers) end() {
	r.over.Store(true)
	for i := range r.cells {
		for r.cells[i].n.Load() != 0 {
			runtime.Gosched()
		}
	}
}
