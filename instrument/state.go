//go:build tracerec_runtime

package instrument

import (
	"unsafe"

	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// The runtime notes in a goroutine's descriptor what its scheduler does with it: where that happens nothing can be recorded. The next event
// of the goroutine finds these stretches and records them before itself.
//
// So that this costs nothing where there are none, the runtime makes the chunk of the goroutine look full: it divides slot.end, the first
// word of the slot, by 8.

// hooked says whether the runtime tells what goroutines do.
const hooked = true

// stretch is what the runtime notes: for some time the goroutine did something else than run.
type stretch struct {
	from, until uint64 // ticks
	by          uint64 // location that made it ready
	what        uint32 // a state, as wire.Kind; above it a wire.Cause
	processor   uint32 // on which it ran then
}

// stretches is how many the runtime keeps; it merges those that are nearest to each other if there are more.
const stretches = 4

// stateAt is where the runtime's goroutine is in a descriptor.
//
//go:linkname stateAt runtime.tracerecStateAt
var stateAt uintptr

//go:norace
func (s *slot) goroutine() *goroutine { return (*goroutine)(unsafe.Add(s.g, stateAt)) }

// kept returns the slot that a descriptor has in the session; nil if it has none.
//
//go:norace
func (se *session) kept(g unsafe.Pointer) *slot {
	if s := (*goroutine)(unsafe.Add(g, stateAt)).slot; s != nil && s.number == se.number {
		return s
	}
	return nil
}

// keep gives a descriptor its slot in the session.
//
//go:norace
func (se *session) keep(g unsafe.Pointer, e *entry[slot]) {
	*(*uintptr)(unsafe.Pointer(&(*goroutine)(unsafe.Add(g, stateAt)).slot)) = uintptr(unsafe.Pointer(&e.value))
}

// prepareTold is prepare where the scheduler tells. It gets memory first: while the goroutine waits for that it may lose its processor, and what it
// waited for a processor is no overhead. An Overhead event ends no earlier than what was told before, and takes no more than the time since then.
//
//go:norace
func (se *session) prepareTold(s *slot, words uintptr, t uint64) (uint64, bool) {
	var waited uint64
	if s.chunk != 0 && s.pos+8*(words+wordsOfTime) > s.limit() {
		if waited = se.buffer.Reserve(); waited > 0 {
			se.buffer.Count(shm.HeldUp, waited)
			t += waited
			words += 2
		}
	}
	se.tellStates(s, t)
	t, ok := se.room(s, words, t)
	if ok && waited > 0 {
		s.put1(wire.Overhead, 0, t, waited)
	}
	s.awaitStates()
	return t, ok
}

// awaitStates lets the next event look for stretches, if there are any.
//
//go:norace
func (s *slot) awaitStates() {
	if g := s.goroutine(); g.head != g.tail && s.end > s.chunk {
		s.end /= 8
	}
}

// limit is the end of the chunk.
//
//go:norace
func (s *slot) limit() uintptr {
	if s.end < s.chunk {
		return s.end * 8
	}
	return s.end
}

// tellStates records the stretches up to the time t. It does not lose any that the goroutine is put into meanwhile: these begin after t.
//
//go:norace
func (se *session) tellStates(s *slot, t uint64) {
	g := s.goroutine()
	s.end = s.limit()
	for g.head != g.tail {
		x := g.ring[g.head%stretches]
		if int64(t-x.until) < 0 {
			return
		}
		g.head++
		if x.from >= se.start {
			se.tellState(s, &x)
		}
	}
}

// tellSoon is prepare for the usual case: there are stretches, and there is room for them and so many words. Otherwise it returns false.
//
//go:norace
func (se *session) tellSoon(s *slot, t uint64, words uintptr) bool {
	g := s.goroutine()
	end := s.end * 8
	if s.end >= s.chunk || t-s.last > wire.MaxDelta || s.pos+8*(3*uintptr(g.tail-g.head)+words) > end {
		return false
	}
	for g.head != g.tail {
		x := &g.ring[g.head%stretches]
		if x.from < s.last || x.from < se.start || t < x.until {
			return false
		}
		switch k := wire.Kind(x.what); k {
		case wire.Ready:
			s.put1(k, x.what>>8, x.from, x.by)
		case wire.Overhead:
			s.put1(k, 0, x.until, x.until-x.from)
		case wire.SleepBegin:
			s.put(k, se.asleep(x.what), x.from)
			s.put(wire.Leave, 0, x.until)
		default:
			s.put(k, 0, x.from)
		}
		s.put(wire.Running, onProcessor(x.processor), x.until)
		g.head++
	}
	s.end = end
	return true
}

// tellState records one.
//
//go:norace
func (se *session) tellState(s *slot, x *stretch) {
	k := wire.Kind(x.what)
	begin := x.from
	if k == wire.Overhead {
		begin = x.until
	}
	at, ok := se.room(s, 4, begin)
	switch {
	case !ok:
		return
	case k == wire.Overhead:
		s.put1(k, 0, at, x.until-x.from)
	case k == wire.Ready:
		s.put1(k, x.what>>8, at, x.by)
	case k == wire.SleepBegin:
		s.put(k, se.asleep(x.what), at)
		s.reach(x.until)
		s.put(wire.Leave, 0, x.until)
	default:
		s.put(k, 0, at)
	}
	if t, ok := se.room(s, 1, x.until); ok {
		s.put(wire.Running, onProcessor(x.processor), t)
	}
}

// runs records that the goroutine, of which nothing was recorded before, runs from the time t on.
//
//go:norace
func (se *session) runs(s *slot, t uint64, processor uint32) {
	if t, ok := se.prepare(s, 1, t); ok {
		s.put(wire.Running, onProcessor(processor), t)
	}
}

// onProcessor is the id of an event.
func onProcessor(number uint32) uint32 { return min(number+1, wire.MaxID) }

// waits is what the runtime says of a goroutine that waits in an operation; it says 0 of one that runs.
const waits = 1

// final records what a goroutine, which is stopped for good, has done up to the time t, unless that is known from the operation that it is in. It may
// have been stopped in the middle of recording, so it only does what no lock is needed for.
//
//go:norace
func (se *session) final(g unsafe.Pointer, what uint32, t uint64) {
	s := se.find(g)
	if s == nil || s.chunk == 0 || what == waits {
		return
	}
	of := s.goroutine()
	pending := uintptr(of.tail - of.head)
	words := 3*pending + 2*2 + 2
	if t-s.last > wire.MaxDelta {
		words += 2 * (2*pending + 2)
	}
	if s.end = s.limit(); of.busy != 0 || int64(t-s.last) < 0 || s.pos+8*words > s.end {
		return
	}
	se.tellStates(s, t)
	if what == 0 {
		s.reach(t)
		s.put(wire.Running, onProcessor(of.processor), t)
		return
	}
	for _, at := range []uint64{max(of.since, s.last), t} {
		s.reach(at)
		if k := wire.Kind(what); k == wire.SleepBegin {
			s.put(k, se.asleep(what), at)
			return
		} else if k == wire.Ready {
			s.put1(k, what>>8, at, of.by)
		} else {
			s.put(k, 0, at)
		}
	}
}
