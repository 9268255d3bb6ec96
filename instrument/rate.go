package instrument

import (
	"cmp"
	"runtime"
	"slices"
	"sync/atomic"

	"tracerec/internal/shm"
)

// Recording visits of functions may take a small part of the program's processor time, that of all functions together. Whenever it has taken a
// moment, this is compared with the processor time that the program has used meanwhile. If it is too much, and there is nothing left from before,
// those functions are not recorded any more that tell least for what they cost: the ones with the shortest visits, as many as it takes. Their
// visits are counted, and the recorder warns of them. A function that takes long on average stays, and so does one that often waits.
//
// One in lookedAt visits is looked at.
const (
	lookedAt = 64
	share    = 40      // of processor time, one in so many may go into recording visits
	part     = 50      // a visit is long if recording it takes one in so many of its time, or less
	most     = 64      // a visit counts as so many long ones at most: it may have waited for a processor
	known    = 8       // so many visits looked at tell how long those of a function take
	little   = 64      // one in so many of all visits is too little to leave a function out for
	moment   = 500_000 // ns, for each processor that the program may use
	spare    = 8       // so many moments can be left from before
)

// rate is how often functions may be visited.
type rate struct {
	ns     uint64        // that recording a visit costs
	long   uint64        // ticks that a long visit takes
	enough uint64        // visits looked at that stand for a moment
	looks  atomic.Uint64 // visits looked at since the functions were judged
	cpu    uint64        // processor time of the process then, ns
	left   int64         // of what recording might have cost until then, ns
}

// recorders is how many times as long as the program the recorder takes for an event: it encodes and compresses it.
const recorders = 3

// begin sets the limits, given what an event costs the program in picoseconds, and the ticks per second.
func (r *rate) begin(cost, frequency uint64) {
	r.ns = max(1, 2*(1+recorders)*cost/1000)
	r.long = uint64(float64(part*r.ns) * float64(frequency) / 1e9)
	r.enough = max(known, uint64(runtime.GOMAXPROCS(0))*moment/(lookedAt*r.ns))
	r.cpu, r.left = shm.CPUTime(), 2*int64(lookedAt*r.ns*r.enough)
}

// visits are those of a function that were looked at.
type visits struct {
	of    *function
	count uint64
	mean  uint64 // ticks
}

// tooMany returns the functions that are not to be recorded any more, of those whose visits are known, when r.enough visits were looked at while
// the program used cpu ns of processor time. It is not known what it used if that is 0.
func (r *rate) tooMany(all []visits, cpu uint64) []visits {
	cost, may := int64(lookedAt*r.ns*r.enough), int64(cpu/share)
	if r.left = min(r.left+may-cost, spare*cost); r.left >= 0 || cpu == 0 {
		return nil
	}
	r.left = 0
	all = slices.DeleteFunc(all, func(v visits) bool { return v.mean >= r.long || v.count*little < r.enough })
	slices.SortStableFunc(all, func(a, b visits) int { return cmp.Compare(a.mean, b.mean) })
	n := 0
	for ; n < len(all) && cost > may; n++ {
		cost -= int64(lookedAt * r.ns * all[n].count)
	}
	return all[:n]
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
	f.ticks.Add(min(uint64(uint32(t)-v.stamp), most*se.rate.long))
	f.looks.Add(1)
	if se.rate.looks.Add(1) == se.rate.enough { // one goroutine finds that, and it begins anew when it is done
		quiet(1)
		se.judge()
		quiet(-1)
	}
}

// judge stops recording functions if recording all of them cost too much.
func (se *session) judge() {
	cpu := shm.CPUTime()
	se.mu.Lock()
	functions := se.functions
	se.mu.Unlock()
	var all []visits
	for _, f := range functions {
		if n := f.looks.Load(); n >= known {
			all = append(all, visits{f, n, f.ticks.Load() / n})
			f.looks.Store(0)
			f.ticks.Store(0)
		}
	}
	for _, v := range se.rate.tooMany(all, cpu-min(se.rate.cpu, cpu)) {
		se.thin(v.of)
	}
	se.rate.cpu = cpu
	se.rate.looks.Store(0)
}

// thin stops recording a function.
func (se *session) thin(f *function) {
	name := se.nameOf(uint32(f.id.Load()))
	se.mu.Lock()
	defer se.mu.Unlock()
	if i := slices.Index(se.functions, f); i >= 0 {
		if u := se.buffer.NewUnrecorded(name); u != nil {
			f.count(u.Counts())
		}
	}
}

// recordAll makes functions ready for the next session, when this one has ended.
func (se *session) recordAll() {
	se.mu.Lock()
	defer se.mu.Unlock()
	for _, f := range se.functions {
		f.count(nil)
	}
	se.functions = nil
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
