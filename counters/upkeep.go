package counters

import (
	"math"
	"slices"
	"time"
	"weak"
)

// Narrow counters are widened to 64 bits by reading them before they have begun again at 0 twice (Browne et al., section
// 3.5): by the set's user, and by a timer in case that he does not.

// maxRate is how often events can happen, per second: several in a cycle of a fast processor.
const maxRate = 1e10

// minUpkeep bounds the work for counters that are narrower than those of any processor.
const minUpkeep = time.Millisecond

// startUpkeep reads the set from time to time if it has narrow counters, or events of which slices are to be seen.
func (s *EventSet) startUpkeep() {
	bits := 64
	for _, n := range s.natives {
		if n.event.Bits > 0 && !n.event.Gauge {
			bits = min(bits, n.event.Bits)
		}
	}
	interval := time.Duration(math.MaxInt64)
	if bits < 60 { // not centuries
		interval = max(minUpkeep, time.Duration(float64(uint64(1)<<bits)/2/maxRate*1e9))
	}
	if slices.ContainsFunc(s.parts, func(p part) bool { g, ok := p.(*groupPart); return ok && g.timed != nil }) {
		interval = min(interval, sliceInterval)
	}
	if interval == math.MaxInt64 {
		return
	}
	here := weak.Make(s) // a set that nobody has any more ends
	s.upkeep = time.AfterFunc(interval, func() {
		s := here.Value()
		if s == nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.state&Running != 0 && s.upkeep != nil {
			s.read() // an error comes again when the user reads
			s.upkeep.Reset(interval)
		}
	})
}

func (s *EventSet) stopUpkeep() {
	if s.upkeep != nil {
		s.upkeep.Stop()
		s.upkeep = nil
	}
}
