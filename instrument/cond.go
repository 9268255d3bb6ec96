package instrument

import (
	"sync"

	"tracerec/trace/wire"
)

// Cond is a [sync.Cond]. It must not be copied after first use.
type Cond struct {
	// L is held while the condition is looked at or changed.
	L sync.Locker

	ready sync.Once
	cond  sync.Cond
	object
}

// NewCond returns a Cond with the lock l.
func NewCond(l sync.Locker) *Cond { return &Cond{L: l} }

// Wait unlocks c.L and suspends the goroutine until Signal or Broadcast wakes it; then it locks c.L again.
func (c *Cond) Wait() {
	if current.Load() != nil {
		c.wait()
	} else {
		c.ready.Do(c.prepare)
		c.cond.Wait()
	}
}

func (c *Cond) prepare() { c.cond.L = (*condLock)(c) }

// condLock is the lock of a Cond as it is at the time.
type condLock Cond

func (c *condLock) Lock() {
	g := mine()
	g.loud()
	defer g.quiet()
	c.L.Lock()
}

func (c *condLock) Unlock() {
	g := mine()
	g.loud()
	defer func() {
		g.quiet()
		g.waits()
	}()
	c.L.Unlock()
}

// Events of the lock, if it is one of this package, nest in the operation.
//
//go:noinline
func (c *Cond) wait() {
	g := mine()
	g.quiet()
	defer g.loud()
	c.ready.Do(c.prepare)
	se := current.Load()
	if se == nil {
		c.cond.Wait()
		return
	}
	op := se.begin(wire.CondBegin, se.site("condwait"), uint64(c.of(se, wire.Cond, 0, "condwait")))
	outcome := wire.Panicked
	defer func() { op.leave(outcome, true) }()
	op.blocked()
	c.cond.Wait()
	outcome = wire.OK
}

// Signal wakes the goroutine that has waited longest, if there is one.
func (c *Cond) Signal() {
	if current.Load() != nil {
		c.recorded(wire.Signal, "signal", (*sync.Cond).Signal)
	} else {
		c.cond.Signal()
	}
}

// Broadcast wakes all goroutines that wait.
func (c *Cond) Broadcast() {
	if current.Load() != nil {
		c.recorded(wire.Broadcast, "broadcast", (*sync.Cond).Broadcast)
	} else {
		c.cond.Broadcast()
	}
}

//go:noinline
func (c *Cond) recorded(k wire.Kind, name string, signal func(*sync.Cond)) {
	if se := current.Load(); se != nil {
		region := se.site(name)
		se.point(k, region, uint64(c.of(se, wire.Cond, 0, name)))
	}
	g := mine()
	g.quiet()
	defer g.loud() // it panics if it was copied
	signal(&c.cond)
}
