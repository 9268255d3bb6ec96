package instrument

import (
	"unsafe"

	"tracerec/counters/sample"
	"tracerec/internal/clock"
	"tracerec/trace/wire"
)

// scratch is where events are written that only measure what one costs.
var scratch [4 << 10]byte

// costOfEvent measures what it costs the program to record an event in this session, in picoseconds: by the least costly of many
// short batches that enter a region without end, with the event set if there is one. Waiting, caches that the program
// needs for itself and what operations do beside it are not in it. It takes about 20 µs. No event of the session may have
// been recorded yet.
//
//go:norace
func (se *session) costOfEvent() uint64 {
	if se.byID != nil {
		return least(8, func() uint64 {
			start := clock.Now(clock.Monotonic)
			printedGoid() // next to it nothing else counts
			return (clock.Now(clock.Monotonic) - start) * 1000
		})
	}
	g, _ := se.now()
	s := se.newSlot(g)
	s.goid = goidAt(g)
	batch, perEnter, batches := uint64(64), uint64(1), 32 // regions in a batch; events in a region
	if se.counters != nil {
		batch, perEnter, batches = 4, 2, 16
	}
	best := least(batches, func() uint64 {
		s.pos = uintptr(unsafe.Pointer(&scratch))
		s.end = s.pos + unsafe.Sizeof(scratch)
		_, s.last = se.now()
		began, n := clock.Now(clock.Monotonic), uint64(0)
		for room := 8 * (roomOfOperation + se.readingRoom + 8); n < batch && s.pos+room < s.end; n++ {
			se.enter(wire.Enter, unknownRegion)
		}
		return (clock.Now(clock.Monotonic) - began) * 1000 / (n * perEnter)
	})
	*s = slot{g: s.g, number: s.number}
	if se.counters != nil {
		*s.reading() = sample.Reading{}
	}
	return best
}

// least returns the least that batches cost, of which there are so many at least. What disturbs a batch, such as another process on the
// processor, only adds to it: so it goes on until a good part of the batches, one in four, cost about the least, or for four
// times as many where everything is disturbed.
func least(batches int, cost func() uint64) uint64 {
	best, near := ^uint64(0), 0
	cost() // fills caches, and opens counters
	for i := 1; i <= batches || near < batches/4 && i <= 4*batches; i++ {
		c := cost()
		if c < best-best/8 {
			near = 0
		}
		best = min(best, c)
		if c <= best+best/8 {
			near++
		}
	}
	return best
}
