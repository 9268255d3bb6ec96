package instrument

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"tracerec/trace/wire"
)

// WaitGroup is a [sync.WaitGroup]. The zero value is ready for use. It must not be copied after first use.
type WaitGroup struct {
	wg sync.WaitGroup
	object
}

// Add adds delta, which may be negative, to the number of things to wait for. It panics if that becomes
// negative.
func (w *WaitGroup) Add(delta int) {
	if current.Load() != nil && delta != 0 {
		w.add(delta)
	} else {
		w.wg.Add(delta)
	}
}

//go:noinline
func (w *WaitGroup) add(delta int) {
	se := current.Load()
	switch {
	case se == nil:
	case delta > 0:
		se.point(wire.Add, 0, wire.ObjectWord(w.of(se, wire.WaitGroup, 0, "add"), uint32(delta)))
	default:
		se.point(wire.Done, 0, wire.ObjectWord(w.of(se, wire.WaitGroup, 0, "done"), uint32(-delta)))
	}
	g := mine()
	g.quiet()
	defer g.loud() // it may panic
	w.wg.Add(delta)
}

// Done is Add(-1).
func (w *WaitGroup) Done() { w.Add(-1) }

// Wait waits until the number of things to wait for is zero.
func (w *WaitGroup) Wait() {
	if current.Load() != nil {
		w.wait()
	} else {
		w.wg.Wait()
	}
}

//go:noinline
func (w *WaitGroup) wait() {
	se := current.Load()
	if se == nil {
		w.wg.Wait()
		return
	}
	op := se.begin(wire.JoinBegin, se.site("wait"), uint64(w.of(se, wire.WaitGroup, 0, "wait")))
	outcome := wire.Panicked // until it did not: Wait panics when the WaitGroup is misused
	waits := !joinsVisible || joinCount(&w.wg) != 0
	g := mine()
	g.quiet()
	defer func() {
		g.loud()
		op.leave(outcome, waits)
	}()
	if waits {
		op.blocked()
	}
	w.wg.Wait()
	outcome = wire.OK
}

// Go runs f in a new goroutine, for the end of which Wait waits. f must not panic.
func (w *WaitGroup) Go(f func()) { goFor(w, f) }

// goFor is Go of a WaitGroup.
func goFor(w interface {
	Add(int)
	Done()
}, f func()) {
	w.Add(1)
	body := func() {
		defer func() {
			if x := recover(); x != nil {
				// The program will end by this panic. Done would let Wait return, and the
				// program perhaps end otherwise before.
				panic(x)
			}
			w.Done()
		}()
		f()
	}
	if current.Load() != nil && f != nil {
		spawn(body, entryPC(f))
	} else {
		go body()
	}
}

// joinsVisible says that joinCount is right.
var joinsVisible bool

// joinCount returns the number of things that a WaitGroup waits for: the upper half of the word with which it
// begins. That is not documented, therefore tested.
func joinCount(w *sync.WaitGroup) uint32 {
	return uint32(atomic.LoadUint64((*uint64)(unsafe.Pointer(w))) >> 32)
}

func testJoins() bool {
	if unsafe.Sizeof(sync.WaitGroup{}) < 8 || unsafe.Sizeof(uintptr(0)) != 8 {
		return false
	}
	var w sync.WaitGroup
	for n := range 5 {
		if joinCount(&w) != uint32(n) {
			return false
		}
		w.Add(1)
	}
	w.Add(-5)
	return joinCount(&w) == 0
}
