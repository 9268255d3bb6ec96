package instrument

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"tracerec/trace/wire"
)

// What follows is for source that package autoinst/operations has rewritten, not for people. Values of package sync keep their types there: they
// are converted where a method is called, and known by their addresses.

// PlainMutex is a [sync.Mutex] whose methods record.
type PlainMutex sync.Mutex

// Lock is Lock of [sync.Mutex].
func (m *PlainMutex) Lock() {
	if current.Load() != nil {
		m.lock()
	} else {
		(*sync.Mutex)(m).Lock()
	}
}

//go:noinline
func (m *PlainMutex) lock() {
	se := current.Load()
	if se == nil || m == nil {
		(*sync.Mutex)(m).Lock()
		return
	}
	op := se.begin(wire.LockBegin, se.site("lock"), uint64(se.objectAt(uintptr(unsafe.Pointer(m)), wire.Mutex, "lock")))
	waits := !(*sync.Mutex)(m).TryLock()
	if waits {
		op.blocked()
		(*sync.Mutex)(m).Lock()
	}
	op.leave(wire.OK, waits)
}

// TryLock is TryLock of [sync.Mutex].
func (m *PlainMutex) TryLock() bool {
	if current.Load() != nil {
		return m.tryLock()
	}
	return (*sync.Mutex)(m).TryLock()
}

//go:noinline
func (m *PlainMutex) tryLock() bool {
	op := beginAt(uintptr(unsafe.Pointer(m)), wire.Mutex, wire.Exclusive, "lock")
	return op.tried((*sync.Mutex)(m).TryLock())
}

// Unlock is Unlock of [sync.Mutex].
func (m *PlainMutex) Unlock() {
	if current.Load() != nil {
		releaseAt(uintptr(unsafe.Pointer(m)), wire.Mutex, wire.Exclusive)
	}
	(*sync.Mutex)(m).Unlock()
}

// beginAt begins to take the lock at an address. Without one, all panics.
func beginAt(at uintptr, kind wire.ObjectKind, mode uint32, name string) Span {
	se := current.Load()
	if se == nil || at == 0 {
		return Span{}
	}
	return se.begin(wire.LockBegin, se.site(name), wire.ObjectWord(se.objectAt(at, kind, name), mode))
}

// tried ends the try to take a lock.
func (x Span) tried(locked bool) bool {
	outcome := wire.OK
	if !locked {
		outcome = wire.Failed
	}
	x.leave(outcome, false)
	return locked
}

// releaseAt records that the lock at an address is about to be given up.
//
//go:noinline
func releaseAt(at uintptr, kind wire.ObjectKind, mode uint32) {
	if se := current.Load(); se != nil && at != 0 {
		se.point(wire.Release, 0, wire.ObjectWord(se.objectAt(at, kind, "unlock"), mode))
	}
}

// PlainRWMutex is a [sync.RWMutex] whose methods record.
type PlainRWMutex sync.RWMutex

// Lock is Lock of [sync.RWMutex].
func (m *PlainRWMutex) Lock() {
	if current.Load() != nil {
		m.lock()
	} else {
		(*sync.RWMutex)(m).Lock()
	}
}

//go:noinline
func (m *PlainRWMutex) lock() {
	se := current.Load()
	if se == nil || m == nil {
		(*sync.RWMutex)(m).Lock()
		return
	}
	object := wire.ObjectWord(se.objectAt(uintptr(unsafe.Pointer(m)), wire.RWMutex, "lock"), wire.Exclusive)
	op := se.begin(wire.LockBegin, se.site("lock"), object)
	waits := !(*sync.RWMutex)(m).TryLock()
	if waits {
		op.blocked()
		(*sync.RWMutex)(m).Lock()
	}
	op.leave(wire.OK, waits)
}

// TryLock is TryLock of [sync.RWMutex].
func (m *PlainRWMutex) TryLock() bool {
	if current.Load() != nil {
		return m.tryLock()
	}
	return (*sync.RWMutex)(m).TryLock()
}

//go:noinline
func (m *PlainRWMutex) tryLock() bool {
	op := beginAt(uintptr(unsafe.Pointer(m)), wire.RWMutex, wire.Exclusive, "lock")
	return op.tried((*sync.RWMutex)(m).TryLock())
}

// Unlock is Unlock of [sync.RWMutex].
func (m *PlainRWMutex) Unlock() {
	if current.Load() != nil {
		releaseAt(uintptr(unsafe.Pointer(m)), wire.RWMutex, wire.Exclusive)
	}
	(*sync.RWMutex)(m).Unlock()
}

// RLock is RLock of [sync.RWMutex].
func (m *PlainRWMutex) RLock() {
	if current.Load() != nil {
		m.rlock()
	} else {
		(*sync.RWMutex)(m).RLock()
	}
}

//go:noinline
func (m *PlainRWMutex) rlock() {
	se := current.Load()
	if se == nil || m == nil {
		(*sync.RWMutex)(m).RLock()
		return
	}
	object := wire.ObjectWord(se.objectAt(uintptr(unsafe.Pointer(m)), wire.RWMutex, "rlock"), wire.Shared)
	op := se.begin(wire.LockBegin, se.site("rlock"), object)
	waits := !(*sync.RWMutex)(m).TryRLock()
	if waits {
		op.blocked()
		(*sync.RWMutex)(m).RLock()
	}
	op.leave(wire.OK, waits)
}

// TryRLock is TryRLock of [sync.RWMutex].
func (m *PlainRWMutex) TryRLock() bool {
	if current.Load() != nil {
		return m.tryRLock()
	}
	return (*sync.RWMutex)(m).TryRLock()
}

//go:noinline
func (m *PlainRWMutex) tryRLock() bool {
	op := beginAt(uintptr(unsafe.Pointer(m)), wire.RWMutex, wire.Shared, "rlock")
	return op.tried((*sync.RWMutex)(m).TryRLock())
}

// RUnlock is RUnlock of [sync.RWMutex].
func (m *PlainRWMutex) RUnlock() {
	if current.Load() != nil {
		releaseAt(uintptr(unsafe.Pointer(m)), wire.RWMutex, wire.Shared)
	}
	(*sync.RWMutex)(m).RUnlock()
}

// RLocker is RLocker of [sync.RWMutex].
func (m *PlainRWMutex) RLocker() sync.Locker { return (*sync.RWMutex)(m).RLocker() }

// plainReader is what RLocker of [sync.RWMutex] returns, with methods that record.
type plainReader PlainRWMutex

func (m *plainReader) Lock()   { (*PlainRWMutex)(m).RLock() }
func (m *plainReader) Unlock() { (*PlainRWMutex)(m).RUnlock() }

var typeOfReader = reflect.TypeOf(new(sync.RWMutex).RLocker())

// LockerOf returns a lock that does what l does, and records if l is a lock of package sync.
func LockerOf(l sync.Locker) sync.Locker {
	if current.Load() == nil {
		return l
	}
	switch m := l.(type) {
	case *sync.Mutex:
		return (*PlainMutex)(m)
	case *sync.RWMutex:
		return (*PlainRWMutex)(m)
	case nil:
		return nil
	}
	if v := reflect.ValueOf(l); v.Type() == typeOfReader {
		return (*plainReader)(v.UnsafePointer())
	}
	return l
}

// PlainWaitGroup is a [sync.WaitGroup] whose methods record.
type PlainWaitGroup sync.WaitGroup

// Add is Add of [sync.WaitGroup].
func (w *PlainWaitGroup) Add(delta int) {
	if current.Load() != nil && delta != 0 && w != nil {
		w.recordAdd(delta)
	}
	(*sync.WaitGroup)(w).Add(delta)
}

//go:noinline
func (w *PlainWaitGroup) recordAdd(delta int) {
	at := uintptr(unsafe.Pointer(w))
	switch se := current.Load(); {
	case se == nil:
	case delta > 0:
		se.point(wire.Add, 0, wire.ObjectWord(se.objectAt(at, wire.WaitGroup, "add"), uint32(delta)))
	default:
		se.point(wire.Done, 0, wire.ObjectWord(se.objectAt(at, wire.WaitGroup, "done"), uint32(-delta)))
	}
}

// Done is Done of [sync.WaitGroup].
func (w *PlainWaitGroup) Done() { w.Add(-1) }

// Wait is Wait of [sync.WaitGroup].
func (w *PlainWaitGroup) Wait() {
	if current.Load() != nil {
		w.wait()
	} else {
		(*sync.WaitGroup)(w).Wait()
	}
}

//go:noinline
func (w *PlainWaitGroup) wait() {
	se := current.Load()
	if se == nil || w == nil {
		(*sync.WaitGroup)(w).Wait()
		return
	}
	op := se.begin(wire.JoinBegin, se.site("wait"), uint64(se.objectAt(uintptr(unsafe.Pointer(w)), wire.WaitGroup, "wait")))
	outcome := wire.Panicked // until it did not
	waits := !joinsVisible || joinCount((*sync.WaitGroup)(w)) != 0
	defer func() { op.leave(outcome, waits) }()
	if waits {
		op.blocked()
	}
	(*sync.WaitGroup)(w).Wait()
	outcome = wire.OK
}

// Go is Go of [sync.WaitGroup].
func (w *PlainWaitGroup) Go(f func()) { goFor(w, f) }

// PlainCond is a [sync.Cond] whose methods record.
type PlainCond sync.Cond

// Wait is Wait of [sync.Cond]. It gives up the lock, and takes it again, where nobody sees it.
func (c *PlainCond) Wait() {
	if current.Load() != nil {
		c.wait()
	} else {
		(*sync.Cond)(c).Wait()
	}
}

//go:noinline
func (c *PlainCond) wait() {
	se := current.Load()
	if se == nil || c == nil {
		(*sync.Cond)(c).Wait()
		return
	}
	op := se.begin(wire.CondBegin, se.site("condwait"), uint64(se.objectAt(uintptr(unsafe.Pointer(c)), wire.Cond, "condwait")))
	outcome := wire.Panicked // until it did not
	defer func() { op.leave(outcome, true) }()
	lock, kind, mode := lockIn(c.L)
	op.blocked()
	if lock != 0 {
		releaseAt(lock, kind, mode)
	}
	(*sync.Cond)(c).Wait()
	if lock != 0 {
		op := beginAt(lock, kind, mode, "lock")
		op.leave(wire.OK, false)
	}
	outcome = wire.OK
}

// lockIn returns the address and the kind of a lock of package sync, 0 if it is none.
func lockIn(l sync.Locker) (at uintptr, kind wire.ObjectKind, mode uint32) {
	switch m := LockerOf(l).(type) {
	case *PlainMutex:
		return uintptr(unsafe.Pointer(m)), wire.Mutex, wire.Exclusive
	case *PlainRWMutex:
		return uintptr(unsafe.Pointer(m)), wire.RWMutex, wire.Exclusive
	case *plainReader:
		return uintptr(unsafe.Pointer(m)), wire.RWMutex, wire.Shared
	}
	return 0, 0, 0
}

// Signal is Signal of [sync.Cond].
func (c *PlainCond) Signal() {
	if current.Load() != nil {
		c.recordSignal(wire.Signal, "signal")
	}
	(*sync.Cond)(c).Signal()
}

// Broadcast is Broadcast of [sync.Cond].
func (c *PlainCond) Broadcast() {
	if current.Load() != nil {
		c.recordSignal(wire.Broadcast, "broadcast")
	}
	(*sync.Cond)(c).Broadcast()
}

//go:noinline
func (c *PlainCond) recordSignal(k wire.Kind, name string) {
	if se := current.Load(); se != nil {
		se.point(k, se.site(name), uint64(se.objectAt(uintptr(unsafe.Pointer(c)), wire.Cond, name)))
	}
}

// PlainOnce is a [sync.Once] whose method records.
type PlainOnce sync.Once

// Do is Do of [sync.Once].
func (o *PlainOnce) Do(f func()) {
	if current.Load() != nil {
		o.do(f)
	} else {
		(*sync.Once)(o).Do(f)
	}
}

//go:noinline
func (o *PlainOnce) do(f func()) {
	se := current.Load()
	done, runs := onceState((*sync.Once)(o))
	if se == nil || done {
		(*sync.Once)(o).Do(f)
		return
	}
	op := se.begin(wire.OnceBegin, se.site("once"), uint64(se.objectAt(uintptr(unsafe.Pointer(o)), wire.Once, "once")))
	if runs {
		op.blocked()
	}
	outcome, mine := wire.OK, false
	defer func() {
		if !mine {
			op.leave(outcome, runs)
		}
	}()
	(*sync.Once)(o).Do(func() {
		outcome, mine = wire.Panicked, true
		defer func() { op.leave(outcome, runs) }() // before others may go on
		se.pointInside(op)
		if f != nil { // else it panics
			defer se.enter(wire.Enter, se.entryOf(entryPC(f))).End()
		}
		f()
		outcome = wire.OK
	})
}

// onceVisible says that onceState is right.
var onceVisible bool

// onceState tells whether a Once has run its function, and whether somebody runs it. That Once begins with the first, and with its lock four
// bytes behind, is not documented, therefore tested.
func onceState(o *sync.Once) (done, runs bool) {
	if !onceVisible {
		return false, false
	}
	words := (*[2]uint32)(unsafe.Pointer(o))
	return atomic.LoadUint32(&words[0]) != 0, atomic.LoadUint32(&words[1])&1 != 0
}

func testOnce() bool {
	var o sync.Once
	if unsafe.Sizeof(o) < 8 {
		return false
	}
	onceVisible = true
	done, runs := onceState(&o)
	good := !done && !runs
	o.Do(func() {
		done, runs = onceState(&o)
		good = good && !done && runs
	})
	done, runs = onceState(&o)
	return good && done && !runs
}

// GoAs is Go for a function that stands for another one, which has arguments or results.
func GoAs[F any](stands F, f func()) {
	entry := *(*func())(unsafe.Pointer(&stands))
	switch {
	case entry == nil:
		go entry() // ends the program
	case current.Load() != nil:
		spawn(f, entryPC(entry))
	default:
		go f()
	}
}

// SendTo is a channel to send to.
type SendTo[T any] struct{ ch chan<- T }

// Sender returns ch for a value that has to be converted.
func Sender[T any](ch chan<- T) SendTo[T] { return SendTo[T]{ch} }

// Send does ch <- v.
func (s SendTo[T]) Send(v T) { Send(s.ch, v) }

// Case is the channel of a case of a select statement.
type Case struct {
	channel  unsafe.Pointer
	capacity int
}

// From notes the channel of a case that receives.
func From[T any](c *Case, ch <-chan T) <-chan T {
	c.channel, c.capacity = pointerOf(ch), cap(ch)
	return ch
}

// Into notes the channel of a case that sends.
func Into[T any](c *Case, ch chan<- T) chan<- T {
	c.channel, c.capacity = pointerOf(ch), cap(ch)
	return ch
}

// Choice is the select statements of a function, of which one is in progress at a time.
type Choice struct {
	span  Span
	guard *Guard // nil if the function has none, or has deferred other things since
}

// Guard ends a select statement that panics.
type Guard struct{ span Span } // of the one in progress

// Guard returns what to defer before a select statement that may panic, nil if there is no need.
func (c *Choice) Guard() *Guard {
	if c.guard != nil || current.Load() == nil {
		return nil
	}
	c.guard = new(Guard)
	return c.guard
}

// Panicked says that the function ends, so that a select statement in progress has panicked.
func (g *Guard) Panicked() { g.span.leave(wire.Panicked, true) }

// Unguard says that the function has deferred something that is done before what the guard does.
func (c *Choice) Unguard() { c.guard = nil }

// Begin stands in a case of its own, the last one, so that it is called when all else is evaluated. It returns the channel of a case that never
// is chosen. The select statement is at this line.
func (c *Choice) Begin(line uint32) <-chan struct{} {
	if c.span = (Span{}); current.Load() != nil {
		c.span = beginSelectAt(line)
		c.guards(c.span)
	}
	return nil
}

// guards tells the guard, if there is one, of the statement in progress.
func (c *Choice) guards(s Span) {
	if c.guard != nil {
		c.guard.span = s
	}
}

//go:noinline
func beginSelectAt(line uint32) Span {
	se := current.Load()
	if se == nil {
		return Span{}
	}
	return se.enter(wire.SelectBegin, se.siteOnLine("select", line))
}

// Received says that the select received from the channel of a case.
func (c *Choice) Received(from *Case, ok bool) {
	if c.span.slot != nil {
		outcome := wire.Received
		if !ok {
			outcome = wire.Closed
		}
		c.chose(outcome, from)
	}
}

// Sent says that the select sent to the channel of a case.
func (c *Choice) Sent(to *Case) {
	if c.span.slot != nil {
		c.chose(wire.Sent, to)
	}
}

// Default says that the select took its default case.
func (c *Choice) Default() {
	if c.span.slot != nil {
		c.guards(Span{})
		c.span.chose(wire.Failed, nil)
	}
}

//go:noinline
func (c *Choice) chose(outcome wire.Outcome, of *Case) {
	c.guards(Span{})
	se := current.Load()
	if se == nil || c.span.slot.number != se.number {
		return
	}
	chosen := uint64(se.chosenID(of.channel, of.capacity))
	g, t := se.nowFenced()
	c.span.choseAt(se, g, t, outcome, chosen, 0)
}

// Ranged returns a channel with a variable for a loop over what comes from it.
func Ranged[C ~chan T | ~<-chan T, T any](ch C) (c C, v T) { return ch, v }
