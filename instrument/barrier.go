package instrument

import (
	"sync"

	"tracerec/trace/wire"
)

// Barrier lets a fixed number of goroutines wait for each other, again and again.
type Barrier struct {
	mu         sync.Mutex
	size       int
	missing    int // to the end of this generation
	generation uint32
	complete   chan struct{} // closed by the last to come
	object
}

// NewBarrier returns a barrier for n goroutines. It panics if n is less than 1.
func NewBarrier(n int) *Barrier {
	if n < 1 {
		panic("instrument: barrier of fewer than one goroutine")
	}
	return &Barrier{size: n, missing: n, complete: make(chan struct{})}
}

// Wait waits until it has been called by as many goroutines as the barrier is for. What they did before
// happens before any of these calls returns.
func (b *Barrier) Wait() {
	op, complete := b.arrive()
	if complete == nil {
		op.leave(wire.OK, false)
		return
	}
	op.blocked()
	g := mine()
	g.quiet()
	<-complete
	g.loud()
	op.leave(wire.OK, true)
}

// arrive records the call, in the order of arrival. The result is nil for the last to come.
//
//go:noinline
func (b *Barrier) arrive() (op Span, complete chan struct{}) {
	quiet(1)
	defer quiet(-1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if se := current.Load(); se != nil {
		op = se.begin(wire.BarrierBegin, se.site("barrier"),
			wire.ObjectWord(b.of(se, wire.Barrier, uint64(b.size), "barrier"), b.generation))
	}
	if b.missing--; b.missing > 0 {
		return op, b.complete
	}
	close(b.complete)
	b.missing, b.generation, b.complete = b.size, b.generation+1, make(chan struct{})
	return op, nil
}
