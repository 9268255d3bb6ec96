package counters

import (
	"errors"
	"fmt"
	"runtime"
	"slices"

	"tracerec/internal/goid"
)

// Start opens the events and counts from zero.
func (s *EventSet) Start() error {
	runtime.LockOSThread() // all that is opened is for one thread
	defer runtime.UnlockOSThread()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return err
	}
	if len(s.entries) == 0 {
		return ErrEmpty
	}
	s.entries, s.natives = arrange(s.entries)
	derived := slices.ContainsFunc(s.entries, func(e entry) bool { return e.formula != nil })
	s.direct = !derived && len(s.natives) == len(s.entries)
	if err := s.open(); err != nil {
		return err
	}
	s.counts = make([]int64, len(s.natives))
	s.qualities = make([]Quality, len(s.natives))
	for i := range s.qualities {
		s.qualities[i] = wholeTime
	}
	s.owner, s.certain = goid.G(), s.options.Thread == 0 && s.options.CPU == 0
	for _, p := range s.parts {
		if err := p.begin(); err != nil {
			s.counted = false
			return errors.Join(err, s.release(false))
		}
	}
	s.state, s.counted = Running, true
	if err := s.startOverflows(); err != nil {
		s.stopping = true
		s.mu.Unlock()
		_, lost := s.endOverflows()
		s.mu.Lock()
		s.state, s.counted, s.stopping = 0, false, false
		return errors.Join(err, lost, s.release(false))
	}
	s.startUpkeep()
	return nil
}

// Read stores the counts since Start in dst, which has one element per event; of a stopped set, those at Stop. When an
// event of a multiplexed set was not counted for long enough, the error wraps [ErrNoData] and names it: its value is
// meaningless, the others are not.
func (s *EventSet) Read(dst []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.current(dst); err != nil {
		return err
	}
	return s.evaluate(dst, false)
}

// Accumulate adds the counts to dst and makes them zero (PAPI_accum).
func (s *EventSet) Accumulate(dst []int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.current(dst); err != nil {
		return err
	}
	return errors.Join(s.evaluate(dst, true), s.zero())
}

// Reset makes the counts zero, running or not.
func (s *EventSet) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.destroyed:
		return ErrDestroyed
	case !s.counted:
		return ErrNotRunning
	}
	if err := s.read(); err != nil {
		return err
	}
	return s.zero()
}

func (s *EventSet) zero() error {
	clear(s.counts)
	var errs []error
	for _, p := range s.parts {
		errs = append(errs, p.restart())
	}
	for _, o := range s.overflows {
		o.deadline = int64(o.threshold)
	}
	return errors.Join(errs...)
}

// current brings the counts up to date, unless they cannot be stored in dst.
func (s *EventSet) current(dst []int64) error {
	if err := s.readable(dst); err != nil {
		return err
	}
	return s.read()
}

// readable returns why counts cannot be stored in dst.
func (s *EventSet) readable(dst []int64) error {
	switch {
	case s.destroyed:
		return ErrDestroyed
	case !s.counted:
		return ErrNotRunning
	case len(dst) != len(s.entries):
		return fmt.Errorf("%w: %d values for an event set of %d events", ErrInvalid, len(dst), len(s.entries))
	}
	return nil
}

// read brings the counts up to date. Those of a set that is being stopped stay as they are.
func (s *EventSet) read() error {
	if s.stopping {
		return nil
	}
	mine := goid.G() == s.owner
	for _, p := range s.parts {
		certain, err := p.read(s.counts, s.natives, s.qualities, mine)
		if err != nil {
			return err
		}
		s.certain = s.certain && certain
	}
	return nil
}

// evaluate turns the counts of natives into those of the events.
func (s *EventSet) evaluate(dst []int64, add bool) error {
	if s.direct && !add {
		copy(dst, s.counts)
		return s.starved()
	}
	for i := range s.entries {
		e := &s.entries[i]
		v := e.value(s.counts)
		if add && !e.event.Gauge {
			v += dst[i]
		}
		dst[i] = v
	}
	return s.starved()
}

// value computes the event's count from those of the natives.
func (e *entry) value(counts []int64) int64 {
	if e.formula == nil {
		return counts[e.at[0]]
	}
	return e.formula.value(counts, e.at)
}

// Certain reports whether all counts since Start belong to the calling goroutine: it was on the same thread, and nothing
// else ran there meanwhile. Events of the process are never certain, nor is anything attached.
func (s *EventSet) Certain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counted && s.certain
}

// Stop ends counting. The last counts are stored in dst, which may be nil, and can be read until the set is changed or
// started again.
func (s *EventSet) Stop(dst []int64) error {
	if s.handlers.mine() {
		return fmt.Errorf("%w: an overflow handler cannot stop its event set", ErrState)
	}
	s.mu.Lock()
	switch {
	case s.destroyed:
		s.mu.Unlock()
		return ErrDestroyed
	case s.state&Running == 0 || s.stopping:
		s.mu.Unlock()
		return ErrNotRunning
	}
	if dst == nil {
		dst = make([]int64, len(s.entries))
	}
	if err := s.readable(dst); err != nil {
		s.mu.Unlock()
		return err
	}
	var errs []error
	for _, p := range s.parts {
		errs = append(errs, p.end())
	}
	err := errors.Join(append(errs, s.read())...)
	s.stopping = true
	s.mu.Unlock()
	lost := s.stopOverflows() // without the lock: handlers may be reading
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state, s.stopping = 0, false
	if err == nil {
		err = s.evaluate(dst, false)
	}
	return errors.Join(err, lost, s.release(err == nil))
}

// open makes the parts of the set count: those that it has kept, or new ones.
func (s *EventSet) open() error {
	if s.idle != nil && s.on == thread() && !slices.ContainsFunc(s.idle, func(p part) bool { return !p.again() }) {
		s.parts, s.idle = s.idle, nil
		return nil
	}
	if err := s.forget(); err != nil {
		return err
	}
	parts, err := open(s.natives, s.options, s.multiplexing)
	if err != nil {
		return err
	}
	s.parts, s.on = parts, thread()
	s.dropped = runtime.AddCleanup(s, func(parts []part) { closeParts(parts) }, parts)
	return nil
}

// release ends counting. The parts are kept for the next start where that is asked for and possible.
func (s *EventSet) release(keep bool) error {
	s.stopUpkeep()
	s.parts, s.idle = nil, s.parts
	own := s.options == Options{Domain: s.options.Domain} // of the calling thread, and nothing else
	if keep && own && !slices.ContainsFunc(s.idle, func(p part) bool { return !p.pause() }) {
		return nil
	}
	return s.forget()
}

// forget closes what a stopped set has kept.
func (s *EventSet) forget() error {
	parts := s.idle
	if s.idle = nil; parts == nil {
		return nil
	}
	s.dropped.Stop()
	return closeParts(parts)
}
