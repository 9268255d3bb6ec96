package mpx

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Set is events that are measured over the same periods. Sets of one thread may overlap and be nested, and may share
// events. Get one from [Multiplexer.NewSet].
type Set struct {
	m         *Multiplexer
	events    []*event
	marks     []mark
	running   bool
	destroyed bool
	start     instant
	share     float64 // m.share at the start
	final     []outcome
	ended     instant
	enough    bool
}

// mark is where an event was when a set started.
type mark struct {
	at      instant
	part    piece // of the slice that was under way
	open    bool  // that slice, or the first one after the start, has not ended yet
	turns   int
	current bool
	base    [2]sums // what the event had then, once it is not open
}

// outcome is what a set knows of an event at a time.
type outcome struct {
	sums  [2]sums
	whole bool
	err   error
}

func (s *Set) refuse(what, why string) error {
	return fmt.Errorf("mpx: %s: %w: %s", what, ErrState, why)
}

// check refuses calls that do not fit the set's state; s.m.mu is held.
func (s *Set) check(what string, running bool) error {
	switch {
	case s.destroyed:
		return s.refuse(what, "it was destroyed")
	case s.running && !running:
		return s.refuse(what, "it runs; stop it first")
	case !s.running && running:
		return s.refuse(what, "it does not run; start it first")
	}
	return nil
}

// Start begins a period. Events that nobody counted before join the turns; if none was counted at all, one of this set
// that is chosen by chance comes first. The error tells why nothing can be counted.
func (s *Set) Start() error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if err := s.check("start", false); err != nil {
		return err
	}
	return s.m.start(s)
}

func (m *Multiplexer) start(s *Set) error {
	m.sync()
	now := m.now()
	for _, e := range s.events {
		if e.active++; e.active == 1 {
			e.activate(now)
		}
	}
	if len(m.slots) == 0 && len(s.events) > 0 {
		m.next = slices.Index(m.events, s.events[m.random.IntN(len(s.events))])
	}
	if err := m.fill(); err != nil {
		m.deactivate(s)
		return err
	}
	m.mark(s)
	s.running = true
	m.enlist()
	return nil
}

// mark takes note of where all events of the set are now.
func (m *Multiplexer) mark(s *Set) {
	s.start, s.share = m.now(), m.share
	for i, e := range s.events {
		k := &s.marks[i]
		*k = mark{at: s.start, open: true, turns: e.turns, current: e.on != nil}
		if k.current {
			k.part = m.piece(e.on)
		}
		e.pending = append(e.pending, k)
	}
}

func (m *Multiplexer) deactivate(s *Set) {
	for i, e := range s.events {
		e.active--
		e.pending = slices.DeleteFunc(e.pending, func(k *mark) bool { return k == &s.marks[i] })
	}
	m.release()
	m.enlist()
}

// Stop ends the period. Its values stay readable until the next start.
func (s *Set) Stop() error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if err := s.check("stop", true); err != nil {
		return err
	}
	s.take(true)
	s.running = false
	s.m.deactivate(s)
	return nil
}

// Reset begins a new period of a set that runs.
func (s *Set) Reset() error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if err := s.check("reset", true); err != nil {
		return err
	}
	s.m.sync()
	for i, e := range s.events {
		e.pending = slices.DeleteFunc(e.pending, func(k *mark) bool { return k == &s.marks[i] })
	}
	s.m.mark(s)
	return nil
}

// Destroy gives the events back; those that are in no other set leave the master event list. A running set is refused.
func (s *Set) Destroy() error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if err := s.check("destroy", false); err != nil {
		return err
	}
	for _, e := range s.events {
		s.m.drop(e)
	}
	s.destroyed = true
	return nil
}

// Read stores the values of the period so far, or of the one that ended, in the order of the names. The error tells which
// events could not be counted and why; the values of the others are good.
func (s *Set) Read(dst []Value) error { return s.Estimate(s.m.o.Estimator, dst) }

// Estimate is Read with another estimator.
func (s *Set) Estimate(e Estimator, dst []Value) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.destroyed {
		return s.refuse("read", "it was destroyed")
	}
	if s.running {
		s.take(false)
	}
	var errs []error
	for i := range s.events {
		o := &s.final[i]
		dst[i] = o.value(e, s.ended, s.enough)
		if o.err != nil && dst[i].Slices == 0 {
			errs = append(errs, fmt.Errorf("mpx: %s: %w", s.events[i].name, o.err))
		}
	}
	return errors.Join(errs...)
}

// take stores what is known of the events; last says that the period ends.
func (s *Set) take(last bool) {
	m := s.m
	m.sync()
	now := m.now()
	complete := true
	for i, e := range s.events {
		s.final[i] = e.since(&s.marks[i], m, now, last)
		complete = complete && (s.final[i].sums[raw].cycles > 0 || e.err != nil)
	}
	s.ended = instant{now[raw] - s.start[raw], now[corrected] - s.start[corrected]}
	mean := m.ticks.cycles / float64(max(1, m.ticks.n))
	s.enough = complete && m.ticks.n > 0 && (m.share-s.share)*(1+1e-9) >= mean
}

// value evaluates what is known.
func (o *outcome) value(e Estimator, total instant, enough bool) Value {
	r, c := &o.sums[raw], &o.sums[corrected]
	v := Value{Slices: r.slices, Whole: o.whole, Hits: r.count, Counted: round(r.cycles), Total: round(total[raw])}
	switch {
	case r.slices == 0 || r.cycles <= 0:
		v.Slices, v.Whole, v.Error = 0, false, math.Inf(1)
		return v
	case o.whole:
		v.Count, v.Raw, v.Enough = r.count, r.count, true
		return v
	}
	n, sigma := r.estimate(e, total[raw])
	v.Raw, v.Enough = round(n), enough
	if c.cycles > 0 {
		n, sigma = c.estimate(e, total[corrected])
		v.Counted, v.Total = round(c.cycles), round(total[corrected])
	}
	v.Count, v.Error = round(n), sigma
	return v
}
