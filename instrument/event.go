package instrument

import (
	"unsafe"

	"tracerec/counters/sample"
	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// Span is an open region, or operation. The zero Span is none: its End does nothing.
type Span struct {
	slot  *slot
	depth uint32 // that the region has
	stamp uint32 // low half of the ticks of its begin
}

// enter opens a level by an event without words.
//
//go:norace
func (se *session) enter(k wire.Kind, id uint32) Span {
	g, t := se.now()
	s := se.find(g)
	if s == nil || s.pos+8 > s.end || t-s.last > wire.MaxDelta || se.counters != nil {
		return se.openSlow(g, t, k, id, 0)
	}
	s.put(k, id, t)
	return s.opened(t)
}

// roomOfOperation is what an operation reserves when it begins, for its begin, Blocked and Chose events: so its record is in one chunk.
const roomOfOperation = 2 + 1 + 2

// begin opens the level of an operation on an object.
//
//go:norace
func (se *session) begin(k wire.Kind, id uint32, object uint64) Span {
	g, t := se.now()
	s := se.find(g)
	if s == nil || s.pos+8*roomOfOperation > s.end || t-s.last > wire.MaxDelta {
		return se.openSlow(g, t, k, id, object)
	}
	s.put1(k, id, t, object)
	return s.opened(t)
}

// opened counts a level that begins at t.
//
//go:norace
func (s *slot) opened(t uint64) Span {
	if s.depth < guarded {
		s.stamp[s.depth] = uint32(t)
	}
	s.depth++
	return Span{s, s.depth, uint32(t)}
}

//go:noinline
//go:norace
func (se *session) openSlow(g unsafe.Pointer, t uint64, k wire.Kind, id uint32, object uint64) Span {
	announce()
	quiet(1)
	defer quiet(-1)
	s := se.slotOf(g)
	if now, ok := se.prepare(s, roomOfOperation+se.readingRoom, t); ok {
		t = now
		if k == wire.Enter || k == wire.SelectBegin {
			se.readCounters(s, g, t, k == wire.SelectBegin)
		}
		if wire.WordsOf(k, id) == 0 {
			s.put(k, id, t)
		} else {
			s.put1(k, id, t, object)
		}
	}
	return s.opened(t)
}

// point records an event that opens and closes nothing.
//
//go:norace
func (se *session) point(k wire.Kind, id uint32, value uint64) {
	g, t := se.now()
	if s := se.find(g); s != nil && s.pos+16 <= s.end && t-s.last <= wire.MaxDelta {
		s.put1(k, id, t, value)
		return
	}
	se.pointSlow(g, t, k, id, value)
}

// locked records that a lock was acquired at once: by one event, with the time after it.
//
//go:norace
func (se *session) locked(region uint32, lock uint64) {
	g, t := se.nowFenced()
	lock = wire.ObjectWord(uint32(lock), uint32(lock>>32)|wire.AtOnce)
	if s := se.find(g); s != nil && s.pos+16 <= s.end && t-s.last <= wire.MaxDelta {
		s.put1(wire.LockBegin, region, t, lock)
		return
	}
	se.pointSlow(g, t, wire.LockBegin, region, lock)
}

//go:noinline
//go:norace
func (se *session) pointSlow(g unsafe.Pointer, t uint64, k wire.Kind, id uint32, value uint64) {
	s := se.slotOf(g)
	if now, ok := se.prepare(s, 2, t); ok {
		s.put1(k, id, now, value)
	} else if k == wire.LockBegin { // acquired at once, which is two events
		se.loses(s, t)
	}
}

// exit closes the level of a region.
//
//go:noinline
//go:norace
func (x Span) exit() {
	se := current.Load()
	s := x.slot
	if se == nil || s.number != se.number {
		return
	}
	g, t := se.now()
	if s.g != g || s.goid != goidAt(g) || s.depth != x.depth ||
		x.depth <= guarded && s.stamp[x.depth-1] != x.stamp ||
		s.pos+8 > s.end || t-s.last > wire.MaxDelta || se.counters != nil {
		x.closeSlow(se, g, t, wire.Exit, 0, 0, false)
		return
	}
	s.put(wire.Exit, 0, t)
	s.depth--
}

// blocked records that the operation could not finish at once.
//
//go:norace
func (x Span) blocked() {
	se := current.Load()
	s := x.slot
	if se == nil || s == nil || s.number != se.number {
		return
	}
	g, t := se.nowFenced()
	if se.counters != nil || s.pos+8 > s.end || t-s.last > wire.MaxDelta {
		now, ok := se.prepare(s, 1+se.readingRoom, t)
		if !ok {
			return
		}
		t = now
		se.readCounters(s, g, t, true)
	}
	s.put(wire.Blocked, 0, t)
	mine().waits()
}

// leave closes the level of an operation that waited for others, or might have.
//
//go:norace
func (x Span) leave(outcome wire.Outcome, waited bool) {
	se := current.Load()
	s := x.slot
	if se == nil || s == nil || s.number != se.number {
		return
	}
	g, t := se.nowFenced()
	x.leaveAt(se, g, t, outcome, waited)
}

// leaveAt is leave at a time.
//
//go:norace
func (x Span) leaveAt(se *session, g unsafe.Pointer, t uint64, outcome wire.Outcome, waited bool) {
	s := x.slot
	if s.g != g || s.depth != x.depth || s.pos+8 > s.end && !se.tellSoon(s, t, 1) || t-s.last > wire.MaxDelta || waited && se.counters != nil {
		x.closeSlow(se, g, t, wire.Leave, uint32(outcome), 0, waited)
		return
	}
	s.put(wire.Leave, uint32(outcome), t)
	s.depth--
}

// leaveWith closes the level of an operation by an event with a word.
//
//go:norace
func (x Span) leaveWith(se *session, g unsafe.Pointer, t uint64, k wire.Kind, id uint32, word uint64, waited bool) {
	s := x.slot
	if s.g != g || s.goid != goidAt(g) || s.depth != x.depth || s.pos+16 > s.end && !se.tellSoon(s, t, 2) || t-s.last > wire.MaxDelta ||
		waited && se.counters != nil {
		x.closeSlow(se, g, t, k, id, word, waited)
		return
	}
	s.put1(k, id, t, word)
	s.depth--
}

// closeSlow closes a level: if it is one of this goroutine and still open, together with the levels in it
// that nobody closed.
//
//go:noinline
//go:norace
func (x Span) closeSlow(se *session, g unsafe.Pointer, t uint64, k wire.Kind, id uint32, word uint64, waited bool) {
	s := x.slot
	if !se.mine(s, g) {
		se.buffer.Count(shm.WrongGoroutine, 1)
		return
	}
	if x.depth > s.depth || x.depth <= guarded && s.stamp[x.depth-1] != x.stamp {
		return // closed before
	}
	missing := s.depth - x.depth
	if missing > 0 {
		se.buffer.Count(shm.MissingEnds, uint64(missing))
	}
	quiet(1)
	defer quiet(-1)
	now, ok := se.prepare(s, 3+se.readingRoom, t)
	s.depth = x.depth - 1
	if !ok {
		if s.depth < s.recorded {
			s.loss.Close(s.recorded - s.depth)
			s.recorded = s.depth
		}
		return
	}
	t = now
	if k == wire.Exit || waited {
		se.readCounters(s, g, t, false)
	}
	switch {
	case k == wire.Exit:
		s.put(k, min(missing, wire.MaxID), t)
		return
	case missing > 0:
		s.put(wire.Exit, min(missing-1, wire.MaxID), t)
	}
	if wire.WordsOf(k, id) > 0 {
		s.put1(k, id, t, word)
	} else {
		s.put(k, id, t)
	}
}

// mine tells whether s is the running goroutine's slot.
//
//go:norace
func (se *session) mine(s *slot, g unsafe.Pointer) bool {
	if se.byID != nil {
		return s.goid == printedGoid()
	}
	return s.g == g && s.goid == goidAt(g)
}

// readCounters records the values of the event set, if there is one, as part of the event to follow; waits says that this is the
// begin of a wait.
//
//go:norace
func (se *session) readCounters(s *slot, g unsafe.Pointer, t uint64, waits bool) {
	if se.counters == nil {
		return
	}
	quiet(1)
	defer quiet(-1)
	if se.readingRoom > 1+sample.MaxWords {
		se.readMany(s, g, t, waits)
		return
	}
	var values [sample.MaxWords]uint64
	se.putReading(s, t, values[:se.counters.Read(g, s.reading(), values[:], t, waits, s.depth == 0)])
}

// readMany is readCounters for sets that only the simulator has.
//
//go:noinline
//go:norace
func (se *session) readMany(s *slot, g unsafe.Pointer, t uint64, waits bool) {
	var values [1 + sample.MaxSimulated]uint64
	se.putReading(s, t, values[:se.counters.Read(g, s.reading(), values[:], t, waits, s.depth == 0)])
}

// putReading writes a reading of the counters, if it is one: this call may have begun before the recording ended. There must be room, and
// t in reach.
//
//go:norace
func (se *session) putReading(s *slot, t uint64, values []uint64) {
	n := len(values)
	if n == 0 {
		return
	}
	if n == 1 && se.buffer != nil { // there is none yet while costOfEvent measures
		se.buffer.Count(shm.ReadingsRefused, 1)
		if se.refused.CompareAndSwap(false, true) {
			se.buffer.Define(wire.Def{Type: wire.DefMissing, Unit: se.counters.Refused()})
		}
	}
	head := word(s.pos)
	for i, v := range values {
		*word(s.pos + 8 + uintptr(i)*8) = v
	}
	s.pos += 8 * uintptr(1+n)
	delta := t - s.last
	s.last = t
	publish(head, wire.Head(wire.Counters, uint32(n), delta))
}
