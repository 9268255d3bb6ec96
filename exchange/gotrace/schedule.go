// Package gotrace reads Go execution traces (runtime/trace).
package gotrace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/exp/trace"
)

// Schedule says when each goroutine was on a thread. It is safe for concurrent use once read.
type Schedule struct {
	runs       map[trace.GoID][]run
	Begin, End int64 // what the trace covers, ns of the monotonic clock
}

// run is a time in which a goroutine was on one thread, executing or in a system call.
type run struct{ begin, end int64 }

// ReadSchedule reads the scheduling out of an execution trace of Go 1.25 or later: earlier ones do not say how their clock
// relates to others. A trace that is cut off gives what it held up to there, together with the error.
func ReadSchedule(r io.Reader) (s *Schedule, err error) {
	b := builder{open: map[trace.GoID]int64{}, s: &Schedule{runs: map[trace.GoID][]run{}}}
	defer func() {
		if what := recover(); what != nil { // the library trusts its input more than we do
			s, err = b.finish(), fmt.Errorf("execution trace: %v", what)
		}
	}()
	reader, err := trace.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("execution trace: %w", err)
	}
	for {
		e, err := reader.ReadEvent()
		if err == nil {
			err = b.add(e)
		}
		if err != nil {
			s := b.finish()
			if err == io.EOF && !b.shifted { // cut off before any event
				err = errNoClock
			}
			if err == io.EOF { // within other errors it is a trace that is cut off
				return s, nil
			}
			return s, fmt.Errorf("execution trace: %w", err)
		}
	}
}

// builder makes a schedule of events in their order.
type builder struct {
	s       *Schedule
	open    map[trace.GoID]int64 // goroutines on a thread, and since when
	shift   int64                // monotonic clock less the trace's
	shifted bool
	last    int64
}

var errNoClock = errors.New("it says nothing of the monotonic clock; it takes Go 1.25 or later")

func (b *builder) add(e trace.Event) error {
	if e.Kind() == trace.EventSync {
		if c := e.Sync().ClockSnapshot; c != nil && !b.shifted {
			b.shift, b.shifted = int64(c.Mono)-int64(c.Trace), true
		}
		return nil
	}
	if !b.shifted {
		return errNoClock
	}
	b.last = int64(e.Time()) + b.shift
	if b.s.Begin == 0 {
		b.s.Begin = b.last
	}
	if e.Kind() != trace.EventStateTransition {
		return nil
	}
	t := e.StateTransition()
	if t.Resource.Kind != trace.ResourceGoroutine {
		return nil
	}
	g := t.Resource.Goroutine()
	_, to := t.Goroutine()
	since, on := b.open[g]
	switch stays := to.Executing(); {
	case stays && !on:
		b.open[g] = b.last
	case !stays && on:
		delete(b.open, g)
		b.s.runs[g] = append(b.s.runs[g], run{since, b.last})
	}
	return nil
}

// finish closes what is open at the end of the trace.
func (b *builder) finish() *Schedule {
	b.s.End = b.last
	for g, since := range b.open {
		b.s.runs[g] = append(b.s.runs[g], run{since, b.last})
	}
	return b.s
}

// Skew is how far stamps of the trace and of other readings of the same clock may lie apart, ns: each is taken a little
// before or after what it tells.
const Skew = 2000

// Undisturbed tells whether the goroutine certainly stayed on its thread from one time to another, both ns of the
// monotonic clock. A time too close to its coming or going to tell is not certain.
func (s *Schedule) Undisturbed(goid uint64, from, to int64) bool {
	if from > to {
		return false
	}
	runs := s.runs[trace.GoID(goid)]
	i, _ := slices.BinarySearchFunc(runs, from, func(r run, t int64) int { return cmp.Compare(r.end, t) })
	if i == len(runs) {
		return false
	}
	r := runs[i] // the first that ends at from or later
	return r.begin <= from+Skew && r.end > to+Skew &&
		(i == 0 && r.begin+Skew < from || i > 0 && runs[i-1].end < from-Skew)
}
