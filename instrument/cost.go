package instrument

import (
	"unsafe"

	"tracerec/counters/sample"
	"tracerec/internal/clock"
	"tracerec/trace/wire"
)

// scratch is where events are written that only measure what one costs.
var scratch [4 << 10]byte

// costOfEvent measures what it costs the program to record an event in this session, in picoseconds: the fastest of a
// few batches that enter a region without end, with the event set if there is one. Waiting, caches that the program
// needs for itself and what operations do beside it are not in it. It takes about 10 µs. No event of the session may have
// been recorded yet.
//
//go:norace
func (se *session) costOfEvent() uint64 {
	if se.byID != nil {
		start := clock.Now(clock.Monotonic)
		printedGoid() // next to it nothing else counts
		return (clock.Now(clock.Monotonic) - start) * 1000
	}
	g, _ := se.now()
	s := se.newSlot(g)
	s.goid = goidAt(g)
	most, perEnter := uint64(128), uint64(1) // regions in a batch; events in a region
	if se.counters != nil {
		most, perEnter = 8, 2
	}
	rewind := func() {
		s.pos = uintptr(unsafe.Pointer(&scratch))
		s.end = s.pos + unsafe.Sizeof(scratch)
		_, s.last = se.now()
	}
	rewind()
	se.enter(wire.Enter, unknownRegion) // the first reading of counters opens them
	const limit = 10_000                // ns in all
	best, start := ^uint64(0), clock.Now(clock.Monotonic)
	for began := start; began-start < limit; {
		rewind()
		n := uint64(0)
		for room := 8 * (roomOfOperation + se.readingRoom + 8); n < most && s.pos+room < s.end; n++ {
			se.enter(wire.Enter, unknownRegion)
		}
		now := clock.Now(clock.Monotonic)
		best = min(best, (now-began)*1000/(n*perEnter))
		began = now
	}
	*s = slot{g: s.g, number: s.number}
	if se.counters != nil {
		*s.reading() = sample.Reading{}
	}
	return best
}
