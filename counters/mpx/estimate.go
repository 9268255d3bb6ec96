package mpx

import (
	"fmt"
	"math"
)

// Estimator is a way to tell how often an event occurred from the slices in which it was counted. All three are kept
// for every event; choosing one costs nothing.
type Estimator int

// The estimators.
const (
	// Global is the paper's (section 4): N = C·T/S, the mean rate of all slices over the whole period.
	Global Estimator = iota
	// Local charges the time since an event's last slice with the rate of the slice that follows, as PAPI does. Values that
	// are read while the set runs never fall: what follows an event's last slice is charged when the set stops.
	Local
	// Trapezoid lets the rate between two slices of an event go in a straight line from one to the other (Mathur and Cook,
	// "Improved Estimation for Software Multiplexing of Performance Counters", MASCOTS 2005).
	Trapezoid
)

// String names the estimator.
func (e Estimator) String() string {
	if e < Global || e > Trapezoid {
		return fmt.Sprintf("Estimator(%d)", int(e))
	}
	return [...]string{"global", "local", "trapezoid"}[e]
}

// Value is what is known of an event.
type Value struct {
	Count  int64   // estimated occurrences, corrected for the cost of counting if that is known; nothing if Slices is 0
	Raw    int64   // the same without correction
	Error  float64 // estimated standard error of Count in occurrences, 0 if Whole; +Inf: too few slices to tell
	Slices int     // slices, also parts of them, in which the event was counted; 0: there is no value
	Whole  bool    // the event was counted all the time: Count is not an estimate
	// Enough tells that the period was long enough for one slice of every active event, T ≥ t·n for one slot, and that no
	// event of the set had none. A value that has not enough slices is to be shown as such.
	Enough  bool
	Counted int64 // S, cycles in which the event was counted
	Total   int64 // T, cycles in which the set ran
	Hits    int64 // C, occurrences that were counted
}

// Known reports whether the event was counted at all. Where it was not there is no value, and Count says nothing.
func (v Value) Known() bool { return v.Slices > 0 }

// sums is what is known of an event over a period, on one of the two clocks.
type sums struct {
	count       int64
	slices      int
	cycles      float64 // S
	differences int     // of rates of successive slices
	squares     float64 // of these differences, in events: each times the lengths of the two slices
	local       float64
	trapezoid   float64
}

func (a *sums) add(b sums) {
	a.count += b.count
	a.slices += b.slices
	a.cycles += b.cycles
	a.differences += b.differences
	a.squares += b.squares
	a.local += b.local
	a.trapezoid += b.trapezoid
}

func (a sums) minus(b sums) sums {
	return sums{a.count - b.count, a.slices - b.slices, a.cycles - b.cycles, a.differences - b.differences,
		a.squares - b.squares, a.local - b.local, a.trapezoid - b.trapezoid}
}

// estimate returns what the estimator makes of a period of total cycles, and the standard error.
//
// The error is that of a systematic sample: of the period, (T-S)/T is not known, and how much rates vary from slice to
// slice is taken from the differences between successive ones, which a slow drift does not disturb; long slices count for
// more. A program that repeats itself in step with the rotation deceives it, as it does every estimator.
func (a sums) estimate(e Estimator, total float64) (n, sigma float64) {
	switch e {
	case Local:
		n = a.local
	case Trapezoid:
		n = a.trapezoid
	default:
		n = float64(a.count) * total / a.cycles
	}
	return n, a.sigma(total)
}

func (a sums) sigma(total float64) float64 {
	if a.differences == 0 {
		return math.Inf(1)
	}
	variance := max(0, a.squares) * float64(a.slices) / float64(a.differences)
	return math.Sqrt(total*max(0, total-a.cycles)*variance) / a.cycles
}

// square is what two successive slices add to the squares, from their rates and lengths.
func square(rate, last, length, lastLength float64) float64 {
	d := rate - last
	return d * d * (length*length + lastLength*lastLength) / 4
}

// Slices tells the error of an event that takes turns which others arrange, the system for instance. The zero value has seen none.
type Slices struct {
	sums       sums
	rate, last float64 // of the last slice, and its length
}

// Add adds a slice in which the event was counted so often, for so long. One without length is none.
func (s *Slices) Add(count uint64, length float64) {
	if length <= 0 {
		return
	}
	rate := float64(count) / length
	if s.sums.slices++; s.sums.slices > 1 {
		s.sums.differences++
		s.sums.squares += square(rate, s.rate, length, s.last)
	}
	s.sums.cycles += length
	s.rate, s.last = rate, length
}

// Error returns the estimated standard error of the number that all slices together give for a period of that length: that of
// [Value]. It is +Inf for fewer than two slices.
func (s *Slices) Error(total float64) float64 { return s.sums.sigma(total) }

// track is the course of an event on one of the two clocks.
type track struct {
	total sums
	end   float64 // of the last slice, or when the event became active
	rate  float64 // of the last slice that was long enough to tell
	last  float64 // length of that slice
	rated bool
}

// piece is what a slot has counted of a slice.
type piece struct {
	count  int64
	cycles instant // own length
	begin  instant
}

// rate of a piece: its own if it lasted long enough, else the last one, else what there is.
func (t *track) rateOf(p piece, clock int, shortest float64) (rate float64, own bool) {
	if p.cycles[raw] < shortest && t.rated {
		return t.rate, false
	}
	if p.cycles[clock] <= 0 {
		return 0, false
	}
	return float64(p.count) / p.cycles[clock], p.cycles[raw] >= shortest
}

// sum returns what a piece adds to a period that was under way at from: its own counts, and what is estimated of the time
// between from, or the end of the last slice, and its begin.
func (t *track) sum(p piece, clock int, from, shortest float64) sums {
	rate, own := t.rateOf(p, clock, shortest)
	s := sums{count: p.count, cycles: p.cycles[clock], local: float64(p.count), trapezoid: float64(p.count)}
	if p.cycles[raw] > 0 {
		s.slices = 1
	}
	inside := from > t.end // the last slice was before the period
	if own && t.rated && !inside {
		s.differences, s.squares = 1, square(rate, t.rate, p.cycles[clock], t.last)
	}
	begin := p.begin[clock]
	from = max(from, t.end)
	gap := begin - from
	if gap <= 0 {
		return s
	}
	first := rate
	if t.rated {
		first = t.rate + (rate-t.rate)*(from-t.end)/(begin-t.end)
	}
	s.local += rate * gap
	s.trapezoid += (first + rate) / 2 * gap
	return s
}

// tail returns what is estimated of the time after the last slice.
func (t *track) tail(now float64) float64 {
	return t.rate * max(0, now-t.end)
}
