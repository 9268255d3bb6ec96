package instrument

import (
	"sync"
	"sync/atomic"

	"tracerec/trace/wire"
)

// Once is a [sync.Once]: it runs one function once. It must not be copied after first use.
type Once struct {
	done atomic.Bool
	mu   sync.Mutex
	object
}

// Do calls f if it is the first call of Do, and otherwise waits until that call has ended. It counts as
// ended when f panics.
func (o *Once) Do(f func()) {
	if !o.done.Load() {
		o.do(f)
	}
}

//go:noinline
func (o *Once) do(f func()) {
	var op Span
	waited := false
	se := current.Load()
	if se != nil {
		op = se.begin(wire.OnceBegin, se.site("once"), uint64(o.of(se, wire.Once, 0, "once")))
	}
	g := mine()
	g.quiet()
	if !o.mu.TryLock() {
		op.blocked()
		waited = true
		o.mu.Lock()
	}
	g.loud()
	defer func() {
		g.quiet()
		o.mu.Unlock()
		g.loud()
	}()
	if o.done.Load() {
		op.leave(wire.OK, waited)
		return
	}
	outcome := wire.Panicked // until it did not
	// Before others may go on, as all stamps that release them.
	defer func() { op.leave(outcome, waited) }()
	defer o.done.Store(true)
	if se != nil {
		se.pointInside(op)
		// A region of its own: its time is work, not synchronization.
		defer se.enter(wire.Enter, se.entryOf(entryPC(f))).End()
	}
	f()
	outcome = wire.OK
}

// pointInside records that the Once in progress runs its function.
//
//go:norace
func (se *session) pointInside(op Span) {
	if se != current.Load() || op.slot == nil {
		return
	}
	_, t := se.now()
	if t, ok := se.prepare(op.slot, 1, t); ok {
		op.slot.put(wire.OnceRun, 0, t)
	}
}
