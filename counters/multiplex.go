package counters

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"tracerec/counters/mpx"
	"tracerec/counters/substrate"
)

// Quality tells how far a count can be trusted. Multiplexing is never done unless it was asked for (Browne et al.,
// section 3.4), and not where the events fit together.
type Quality struct {
	Share  float64 // of the time, for which the event was counted; 1 is all of it
	Error  float64 // estimated standard error of the count, in events; 0 is exact, +Inf is not known
	Enough bool    // there was time for every event to have its turn
}

// wholeTime is the quality of what was counted all the time.
var wholeTime = Quality{Share: 1, Enough: true}

// multiplexing is how a set's events take turns where its user and not the system arranges that.
type multiplexing struct{ options mpx.Options }

// SetMultiplexing asks for multiplexing, as Options.Multiplex does, and says how it is done where neither the counters
// suffice nor the system does it: the length of slices, the estimator (the zero value is the paper's). Sets on one thread
// are multiplexed together, in the way of the first that started. With a negative slice there is no rotation but that of
// [EventSet.Rotate].
func (s *EventSet) SetMultiplexing(o mpx.Options) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return err
	}
	before := s.multiplexing
	s.multiplexing.options = o
	options := s.options
	options.Multiplex = true
	err := s.try(s.entries, options)
	if err != nil {
		s.multiplexing = before
	}
	return err
}

// Rotate gives the events that wait their turn. Like the rotator's, it is done from another thread: a thread that
// exchanges its own watchpoints may miss them afterwards.
func (s *EventSet) Rotate() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.parts {
		if t, ok := p.(*turnsPart); ok {
			done := make(chan struct{})
			go func() {
				defer close(done)
				t.on.m.Rotate()
			}()
			<-done
		}
	}
}

// Quality tells how far the counts of the last reading can be trusted, in the order of the events.
func (s *EventSet) Quality() ([]Quality, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.destroyed:
		return nil, ErrDestroyed
	case !s.counted:
		return nil, ErrNotRunning
	}
	out := make([]Quality, len(s.entries))
	for i := range s.entries {
		out[i] = s.quality(&s.entries[i])
	}
	return out, nil
}

// quality combines those of an event's natives: errors of a derived one as of independent estimates.
func (s *EventSet) quality(e *entry) Quality {
	q := wholeTime
	variance := 0.0
	for _, at := range e.at {
		n := s.qualities[at]
		q.Share, q.Enough = min(q.Share, n.Share), q.Enough && n.Enough
		effect := n.Error
		if e.formula != nil && !math.IsInf(n.Error, 0) {
			changed := slices.Clone(s.counts)
			changed[at] += int64(math.Round(n.Error))
			effect = float64(e.value(changed) - e.value(s.counts))
		}
		variance += effect * effect
	}
	q.Error = math.Sqrt(variance)
	return q
}

// starved returns which events were not counted at all.
func (s *EventSet) starved() error {
	if !s.options.Multiplex || !slices.ContainsFunc(s.qualities, func(q Quality) bool { return q.Share == 0 }) {
		return nil
	}
	var names []string
	for i := range s.entries {
		if s.quality(&s.entries[i]).Share == 0 {
			names = append(names, s.entries[i].name)
		}
	}
	if names == nil {
		return nil
	}
	for _, p := range s.parts {
		if t, ok := p.(*turnsPart); ok && t.failed != nil {
			return fmt.Errorf("%s: %w: %w", strings.Join(names, ","), ErrNoData, t.failed)
		}
	}
	return fmt.Errorf("%s: %w: measure longer, or fewer events at once", strings.Join(names, ","), ErrNoData)
}

// slice is where an event's present slice began, where it was at the last reading, and what those before tell of the error.
type slice struct {
	value, enabled, ran  uint64
	lastEnabled, lastRan uint64
	seen                 mpx.Slices
}

// sliceInterval is how often sets are read whose events the system gives their turns; minSlice is the least time between the begins of slices.
// Shorter ones would lie in one turn, and say too little of how much rates vary.
const sliceInterval, minSlice = 4 * time.Millisecond, time.Millisecond

// cut ends the present slice of the k-th event where the event had its turn and then lost its counter, if that was long enough. So there is a gap between
// any two slices: what is counted within one turn, or several in a row, is too much alike to say how rates vary across gaps.
func (t *timedPart) cut(now uint64, k int) {
	s, enabled, ran := &t.slices[k], t.enabled[k], t.running[k]
	begun, lost := s.lastRan > s.ran, ran-s.lastRan < enabled-s.lastEnabled
	s.lastEnabled, s.lastRan = enabled, ran
	if !begun || !lost || enabled-s.enabled < uint64(minSlice) {
		return
	}
	s.seen.Add(now-s.value, float64(ran-s.ran))
	s.value, s.enabled, s.ran = now, enabled, ran
}

// estimate scales what was counted of the k-th event to all the time since the last zero. The error is that of package mpx: of how much rates vary
// from slice to slice.
func (t *timedPart) estimate(now uint64, k int) (int64, Quality) {
	raw := float64(now - t.first[k])
	enabled, ran := t.enabled[k]-t.enabledFirst[k], t.running[k]-t.ranFirst[k]
	switch {
	case ran >= enabled:
		return int64(now - t.first[k]), wholeTime
	case ran == 0:
		return 0, Quality{Error: math.Inf(1)}
	}
	share := float64(ran) / float64(enabled)
	seen := t.slices[k].seen // with the slice that has not ended
	seen.Add(now-t.slices[k].value, float64(t.running[k]-t.slices[k].ran))
	return int64(math.Round(raw / share)), Quality{Share: share, Error: seen.Error(float64(enabled)), Enough: true}
}

// turnsPart is events that take turns on counters that are given from one to the other in software (package mpx).
type turnsPart struct {
	on     *multiplexer
	set    *mpx.Set
	at     []int
	values []mpx.Value
	failed error // of events that could not be counted
	ended  bool
}

// multiplexer is a thread's, with the number of parts that use it.
type multiplexer struct {
	m    *mpx.Multiplexer
	key  groupKey
	refs int
}

// multiplexers are those of all threads.
var multiplexers struct {
	mu sync.Mutex
	of map[groupKey]*multiplexer
}

// errNoTurns is for sets whose events cannot take turns without the system's help: those of anything but one thread in all domains.
var errNoTurns = errors.New("no turns")

// openTurns makes a set of the thread's multiplexer, or [errNoTurns].
func openTurns(from Substrate, slotter substrate.Slotter, names []string, at []int, o Options, m multiplexing) (part, error) {
	if o.CPU != 0 || o.Inherit || o.OnExec || o.Domain != 0 && o.Domain != All {
		return nil, errNoTurns
	}
	if o.Thread == 0 {
		o.Thread = thread()
	}
	for _, n := range names { // each alone; whether there are counters now does not matter
		g, err := from.Open([]string{n}, Options{Thread: o.Thread})
		if err == nil {
			err = g.Close()
		}
		if err != nil && !scarce(err) {
			return nil, err
		}
	}
	key := groupKey{from: from, options: Options{Thread: o.Thread}}
	all := &multiplexers
	all.mu.Lock()
	defer all.mu.Unlock()
	on := all.of[key]
	if on == nil {
		on = &multiplexer{m: mpx.New(slotter, o.Thread, m.options), key: key}
	}
	set, err := on.m.NewSet(names...)
	if err != nil {
		return nil, err
	}
	if on.refs++; on.refs == 1 {
		if all.of == nil {
			all.of = map[groupKey]*multiplexer{}
		}
		all.of[key] = on
	}
	return &turnsPart{on: on, set: set, at: at, values: make([]mpx.Value, len(names))}, nil
}

func (p *turnsPart) begin() error { return p.set.Start() }

func (p *turnsPart) restart() error { return p.set.Reset() }

func (p *turnsPart) end() error {
	p.ended = true
	return p.set.Stop()
}

func (p *turnsPart) pause() bool { return false }
func (p *turnsPart) again() bool { return false }

func (p *turnsPart) close() error {
	var stop error
	if !p.ended {
		if stop = p.set.Stop(); errors.Is(stop, mpx.ErrState) {
			stop = nil // it was only tried out
		}
	}
	err := errors.Join(stop, p.set.Destroy())
	multiplexers.mu.Lock()
	defer multiplexers.mu.Unlock()
	if p.on.refs--; p.on.refs == 0 {
		delete(multiplexers.of, p.on.key)
	}
	return err
}

func (p *turnsPart) read(counts []int64, natives []native, qualities []Quality, mine bool) (certain bool, err error) {
	p.failed = p.set.Read(p.values)
	if errors.Is(p.failed, mpx.ErrState) {
		return false, p.failed
	}
	for i, v := range p.values {
		slot := p.at[i]
		q := Quality{Error: v.Error, Enough: v.Enough || v.Whole}
		if v.Known() {
			q.Share = 1
			if !v.Whole && v.Total > 0 {
				q.Share = min(1, float64(v.Counted)/float64(v.Total))
			}
			counts[slot] = max(counts[slot], v.Count)
		}
		qualities[slot] = q
	}
	return false, nil
}
