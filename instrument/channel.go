package instrument

import (
	"iter"
	"runtime"
	"unsafe"

	"tracerec/trace/wire"
)

// Send does ch <- v. When the type of v is not the element type of ch, it has to be given:
// instrument.Send[error](ch, &myError{}).
func Send[T any](ch chan<- T, v T) {
	if current.Load() != nil {
		send(ch, v)
	} else {
		ch <- v
	}
}

//go:noinline
func send[T any](ch chan<- T, v T) {
	se := current.Load()
	if se == nil {
		ch <- v
		return
	}
	op := se.beginChannel(wire.SendBegin, se.site("send"), pointerOf(ch), cap(ch))
	outcome, waited := wire.Panicked, false // until it did not
	g := mine()
	g.quiet()
	defer func() {
		g.loud()
		op.went(outcome, g.passed(), waited)
	}()
	select {
	case ch <- v:
	default:
		waited = true
		op.blocked()
		ch <- v
	}
	outcome = wire.OK
}

// Recv does <-ch.
func Recv[T any](ch <-chan T) T {
	if current.Load() != nil {
		v, _ := receive(ch)
		return v
	}
	return <-ch
}

// Recv2 does v, ok := <-ch.
func Recv2[T any](ch <-chan T) (v T, ok bool) {
	if current.Load() != nil {
		return receive(ch)
	}
	v, ok = <-ch
	return v, ok
}

//go:noinline
func receive[T any](ch <-chan T) (v T, ok bool) {
	se := current.Load()
	if se == nil {
		v, ok = <-ch
		return v, ok
	}
	op := se.beginChannel(wire.RecvBegin, se.site("recv"), pointerOf(ch), cap(ch))
	waited := false
	g := mine()
	g.quiet()
	select {
	case v, ok = <-ch:
	default:
		waited = true
		op.blocked()
		v, ok = <-ch
	}
	outcome := wire.OK
	if !ok {
		outcome = wire.Closed
	}
	g.loud()
	op.went(outcome, g.passed(), waited)
	return v, ok
}

// beginChannel begins an operation on a channel. The caller keeps the channel alive.
func (se *session) beginChannel(k wire.Kind, region uint32, p unsafe.Pointer, capacity int) Span {
	return se.begin(k, region, uint64(se.channelID(p, capacity, region)))
}

// Range is for v := range ch:
//
//	for v := range instrument.Range(ch) { … }
func Range[T any](ch <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			v, ok := Recv2(ch)
			if !ok || !yield(v) {
				return
			}
		}
	}
}

// Close does close(ch).
func Close[T any](ch chan<- T) {
	if current.Load() != nil {
		closeRecorded(ch)
	} else {
		close(ch)
	}
}

//go:noinline
func closeRecorded[T any](ch chan<- T) {
	if se := current.Load(); se != nil {
		region := se.site("close")
		se.point(wire.Close, region, uint64(se.channelID(pointerOf(ch), cap(ch), region)))
	}
	g := mine()
	g.quiet()
	defer g.loud() // it may panic
	close(ch)
}

// Selection is a select statement in progress.
type Selection struct{ span Span }

// Select goes before a select statement, and one of the methods of the Selection to the beginning of each case, whatever
// the case does then:
//
//	sel := instrument.Select()
//	select {
//	case v, ok := <-in:
//		sel.Received(in, ok)
//	case out <- w:
//		sel.Sent(out)
//	case <-ctx.Done():
//		sel.Received(ctx.Done(), false)
//		return
//	default:
//		sel.Default()
//	}
//
// A case without one leaves the operation open in the record. The analysis ends it at the next thing that the goroutine
// does and warns, but what the select waited for is then not known. For the same reason, what the statement
// evaluates (channels, values to send) may not call this package: do it before Select.
func Select() Selection {
	if current.Load() != nil {
		return beginSelect()
	}
	return Selection{}
}

//go:noinline
func beginSelect() Selection {
	se := current.Load()
	if se == nil {
		return Selection{}
	}
	s := Selection{se.enter(wire.SelectBegin, se.site("select"))}
	mine().expects(true)
	return s
}

// Sent says that the select sent to ch, a channel.
func (s Selection) Sent(ch any) {
	if s.span.slot != nil {
		s.span.chose(wire.Sent, ch)
	}
}

// Received says that the select received from ch, a channel, with the given ok.
func (s Selection) Received(ch any, ok bool) {
	if s.span.slot != nil {
		s.received(ch, ok)
	}
}

//go:noinline
func (s Selection) received(ch any, ok bool) {
	outcome := wire.Received
	if !ok {
		outcome = wire.Closed
	}
	s.span.chose(outcome, ch)
}

// Default says that the select took its default case.
func (s Selection) Default() {
	if s.span.slot != nil {
		s.span.chose(wire.Failed, nil)
	}
}

// chosenID returns the object id of a channel that a select chose. What was not used before is defined at the case: where the select
// is, it may be any of the channels.
func (se *session) chosenID(p unsafe.Pointer, capacity int) uint32 {
	if id, ok := se.knownChannel(p); ok {
		return id
	}
	return se.newChannel(p, capacity, se.site("select"))
}

// chose closes the level of a select.
//
//go:noinline
//go:norace
func (x Span) chose(outcome wire.Outcome, ch any) {
	se := current.Load()
	s := x.slot
	if se == nil || s.number != se.number {
		return
	}
	var object uint64
	if ch != nil {
		object = uint64(se.chosenID(channelIn(ch)))
		runtime.KeepAlive(ch)
	}
	number := uint32(0)
	if outcome != wire.Failed {
		number = mine().passed()
	}
	mine().expects(false)
	g, t := se.nowFenced()
	x.choseAt(se, g, t, outcome, object, number)
}

// choseAt is chose at a time, for an object id, and the number of the value.
func (x Span) choseAt(se *session, g unsafe.Pointer, t uint64, outcome wire.Outcome, object uint64, number uint32) {
	x.leaveWith(se, g, t, wire.Chose, uint32(outcome), wire.ObjectWord(uint32(object), number), true)
}

// went closes the level of a send or receive. The value that went through the channel has this number, if it is not 0.
func (x Span) went(outcome wire.Outcome, number uint32, waited bool) {
	if se := current.Load(); se != nil && x.slot != nil && x.slot.number == se.number {
		g, t := se.nowFenced()
		x.wentAt(se, g, t, outcome, number, waited)
	}
}

// wentAt is went at a time.
//
//go:norace
func (x Span) wentAt(se *session, g unsafe.Pointer, t uint64, outcome wire.Outcome, number uint32, waited bool) {
	if number == 0 || outcome != wire.OK {
		x.leaveAt(se, g, t, outcome, waited)
	} else {
		x.leaveWith(se, g, t, wire.Passed, uint32(wire.OK), uint64(number), waited)
	}
}
