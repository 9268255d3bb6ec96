package instrument

import (
	"tracerec/internal/clock"
	"tracerec/internal/shm"
)

// Functions that are visited often for a short time are not recorded any more, once that has been so for a while: recording their visits would
// change the program more than it tells. These visits are counted, and the recorder warns of them.
//
// One in lookedAt visits is looked at, and when there have been that many of these, they are judged.
const (
	lookedAt = 64
	patience = 16 // how many times in a row recording a function has to cost too much
	share    = 50 // of the program's processor time, one in so many is too much
	part     = 20 // of a visit's time, likewise
	most     = 256
)

// rate is how often functions may be visited.
type rate struct {
	ns      uint64 // that recording a visit costs
	short   uint64 // ticks that a visit takes at most, of which recording takes too much
	thinned [most]*shm.Unrecorded
	used    uint32
}

// limit sets the limits, given what an event costs in picoseconds.
func (r *rate) limit(cost uint64, kind clock.Kind) {
	r.ns = max(1, 2*cost/1000)
	r.short = part * r.ns
	if kind != clock.Monotonic {
		r.short = uint64(float64(r.short) * float64(clock.Frequency(kind)) / 1e9)
	}
}

// tooMuch tells whether recording so many visits cost too much. They took ticks when lookedAt of them were looked at; the program used cpu
// ns of processor time meanwhile, of which it is not known what it was if it is 0.
func (r *rate) tooMuch(ticks, cpu uint64) bool {
	return ticks < lookedAt*r.short && cpu > 0 && lookedAt*lookedAt*r.ns*share > cpu
}

// look looks at a visit that ends.
//
//go:noinline
func (v *visit) look() {
	se, f := current.Load(), v.of
	if se == nil || v.slot == nil || v.slot.number != se.number {
		return
	}
	_, t := se.now()
	f.ticks.Add(uint64(uint32(t) - v.stamp))
	seen := f.seen.Add(1)
	if uint32(seen) != lookedAt {
		return
	}
	quiet(1)
	defer quiet(-1)
	now := shm.CPUTime()
	before := f.cpu.Swap(now)
	much := uint32(0)
	if before > 0 && before <= now && se.rate.tooMuch(f.ticks.Load(), now-before) {
		much = uint32(seen>>32) + 1
	}
	f.ticks.Store(0)
	f.seen.Store(uint64(much) << 32)
	if much == patience {
		se.thin(f)
	}
}

// thin stops recording a function.
func (se *session) thin(f *function) {
	id := f.id.Load()
	name := se.nameOf(uint32(id))
	se.mu.Lock()
	defer se.mu.Unlock()
	if n := se.rate.used; n < most && f.id.Load() == id && uint32(id>>32) == se.number {
		if se.rate.thinned[n] = se.buffer.NewUnrecorded(name); se.rate.thinned[n] != nil {
			se.rate.used++
			f.id.Store(uint64(^se.number)<<32 | uint64(n))
		}
	}
}

// nameOf returns the name of a region.
func (se *session) nameOf(region uint32) string {
	c := se.sites.cells.Load()
	for i := range c.at {
		if e := c.at[i].Load(); e != nil && e.value.region == region && !e.value.inside {
			return e.value.name
		}
	}
	return "unknown"
}
