package trace

import (
	"math"
	"math/bits"
	"sort"
)

// maxUnits bounds stored times, so that sums of a few of them do not overflow.
const maxUnits = 1 << 61

// maxNS bounds the times of clock stamps, ns since the start of the experiment.
const maxNS = 1 << 60

// Frequencies in ticks per second that a clock may have.
const minFrequency, maxFrequency = 1e6, 1e11

// minStampGap is the shortest time between two clock stamps, in ns, that says more about the speed of
// the clock than about the delay between reading one clock and the next.
const minStampGap = 50e6

// timebase converts the stored times of one process to ns since the start of the experiment. Stored
// times count units of unit ticks from the ticks of the process's first stamp.
type timebase struct {
	unit     uint64
	segments []timeSegment // ascending
}

// timeSegment is a piece of the time line within which the clock is taken to run evenly.
type timeSegment struct {
	from  int64 // first unit that belongs to it
	tick  int64 // ticks since the first stamp at which ns holds
	ns    int64
	slope uint64 // ns per tick, 32 binary places; 0 in the parts that no honest clock reaches
}

// unitTicks returns the number of ticks of one stored unit of time.
func unitTicks(resolution int64, frequency uint64) uint64 {
	hi, lo := bits.Mul64(uint64(resolution), frequency)
	if hi >= 1e9 {
		return 1
	}
	q, r := bits.Div64(hi, lo, 1e9)
	if r >= 5e8 {
		q++
	}
	return min(max(q, 1), 1<<32)
}

// newTimebase builds the conversion out of the stamps of a process, the first being that of its start,
// and returns how many stamps contradict those before.
// Their Mono is in ns since the start of the experiment.
func newTimebase(unit, frequency uint64, stamps []Stamp) (*timebase, int) {
	b := &timebase{unit: unit}
	nominal := uint64(1e9<<32) / frequency
	epoch, wrong := stamps[0], 0
	at := func(s Stamp) (tick, ns int64) { return int64(s.Ticks - epoch.Ticks), s.Mono }

	const back = 1 << 44 // ticks before the first stamp that are extrapolated
	_, ns := at(epoch)
	before := ns - int64(scale(back, nominal))
	b.add(math.MinInt64, -back, before, 0)
	b.add(floorDiv(-back, b.unit)+1, -back, before, nominal)
	kept, slope := epoch, nominal
	for _, s := range stamps[1:] {
		t0, n0 := at(kept)
		t1, n1 := at(s)
		if t1 >= t0 && n1 < n0+minStampGap && n1 > n0-minStampGap {
			continue
		}
		if t1 <= t0 || n1 < n0 || s.Ticks-epoch.Ticks > maxUnits || n1 > maxNS {
			wrong++
			continue
		}
		d, n := uint64(t1-t0), uint64(n1-n0)
		if n>>20 >= d { // a tick of more than a millisecond
			wrong++
			continue
		}
		slope, _ = bits.Div64(n>>32, n<<32, d)
		b.add(floorDiv(t0, b.unit)+1, t0, n0, slope)
		kept = s
	}
	// The last piece runs on until its ns would overflow.
	t, n := at(kept)
	b.add(floorDiv(t, b.unit)+1, t, n, slope)
	reach := int64(maxUnits) / int64(b.unit)
	if slope>>32 > 0 {
		reach = int64(uint64(reach) / (slope>>32 + 1))
	}
	end := floorDiv(t, b.unit) + 1 + reach
	b.add(end, end*int64(b.unit), n+int64(scale(uint64(end*int64(b.unit)-t), slope)), 0)
	return b, wrong
}

// add appends a piece, instead of those that it leaves without a single unit.
func (b *timebase) add(from, tick, ns int64, slope uint64) {
	k := len(b.segments)
	for k > 0 && b.segments[k-1].from >= from {
		k--
	}
	b.segments = append(b.segments[:k], timeSegment{from, tick, ns, slope})
}

// segment returns the piece that holds unit u, and the first unit behind it.
func (b *timebase) segment(u int64) (timeSegment, int64) {
	i := sort.Search(len(b.segments), func(i int) bool { return b.segments[i].from > u }) - 1
	if i+1 < len(b.segments) {
		return b.segments[i], b.segments[i+1].from
	}
	return b.segments[i], math.MaxInt64
}

// ns converts u, a stored time.
func (b *timebase) ns(u int64) int64 {
	s, _ := b.segment(u)
	return s.time(u, b.unit)
}

// time converts u, which must lie in s.
func (s *timeSegment) time(u int64, unit uint64) int64 {
	return s.ns + int64(scale(uint64(u)*unit-uint64(s.tick), s.slope))
}

// duration converts a number of ticks at unit u.
func (b *timebase) duration(ticks uint64, u int64) uint64 {
	s, _ := b.segment(u)
	return scale(min(ticks, maxUnits), s.slope) & math.MaxInt64
}

// scale multiplies with a slope.
func scale(ticks, slope uint64) uint64 {
	hi, lo := bits.Mul64(ticks, slope)
	return hi<<32 | lo>>32
}

// divisor divides by a number of ticks, many times: a multiplication, and perhaps a step, are faster.
type divisor struct {
	unit    uint64
	inverse uint64 // (2⁶⁴-1) / unit: the product is too small by less than 1
}

func newDivisor(unit uint64) divisor { return divisor{unit, math.MaxUint64 / unit} }

// floor returns t divided by the unit, rounded down.
func (d divisor) floor(t int64) int64 {
	if t < 0 {
		return floorDiv(t, d.unit)
	}
	q, _ := bits.Mul64(uint64(t), d.inverse)
	if uint64(t)-q*d.unit >= d.unit {
		q++
	}
	return int64(q)
}

func floorDiv(a int64, unit uint64) int64 {
	q := a / int64(unit)
	if a%int64(unit) < 0 {
		q--
	}
	return q
}
