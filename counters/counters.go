// Package counters is the portable layer over performance counters: named events, grouped into event
// sets that are started, read and stopped together (PAPI's model, paper "A Portable Programming
// Interface for Performance Evaluation on Modern Processors").
//
// Events come from substrates. Two are here: the kernel's software events, counted per thread through
// perf_event_open, and the metrics of the Go runtime, counted per process. Further substrates (hardware,
// simulator) implement [Substrate] and join the list in [Substrates].
package counters

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"
)

// Event is one thing that can be counted.
type Event struct {
	Name        string
	Description string
	Unit        string // ns, bytes or events
	Process     bool   // counts for the whole process, not for the calling thread
}

// Substrate is a source of counters.
type Substrate interface {
	// Name identifies the substrate in messages.
	Name() string
	// Events lists what the substrate knows, whether or not this machine permits it.
	Events() []Event
	// Open makes the named events, all of this substrate, readable together.
	Open(names []string) (Reader, error)
}

// Reader reads free-running counters.
type Reader interface {
	// Read stores the present values in the order of the names given to Open. It reports whether
	// the difference to the previous Read belongs to the calling goroutine for certain.
	Read(dst []uint64) (certain bool, err error)
	Close() error
}

// Errors of event sets. They are distinct, as PAPI's are, so that callers can react.
var (
	ErrUnknownEvent = errors.New("unknown event")
	ErrDuplicate    = errors.New("event is in the set already")
	ErrRunning      = errors.New("event set is running")
	ErrNotRunning   = errors.New("event set is not running")
	ErrEmpty        = errors.New("event set is empty")
	ErrClosed       = errors.New("event set is closed")
)

// Substrates lists the sources of counters in the order in which names are looked up.
func Substrates() []Substrate { return []Substrate{software{}, goRuntime{}} }

// Find returns the event of that name and its substrate; the error wraps [ErrUnknownEvent] and lists what
// there is.
func Find(name string) (Event, Substrate, error) {
	var known []string
	for _, s := range Substrates() {
		for _, e := range s.Events() {
			if e.Name == name {
				return e, s, nil
			}
			known = append(known, e.Name)
		}
	}
	return Event{}, nil, fmt.Errorf("%w %q (known: %s)", ErrUnknownEvent, name, strings.Join(known, ", "))
}

// Available tries to open the event alone and returns why that is not possible here, nil if it is.
func Available(name string) error {
	_, s, err := Find(name)
	if err != nil {
		return err
	}
	r, err := s.Open([]string{name})
	if err != nil {
		return err
	}
	return r.Close()
}

// Cost measures how long one reading of the event alone takes; the error is that of [Available].
func Cost(name string) (time.Duration, error) {
	_, s, err := Find(name)
	if err != nil {
		return 0, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, err := s.Open([]string{name})
	if err != nil {
		return 0, err
	}
	const rounds, readings = 20, 50
	best := time.Duration(math.MaxInt64)
	var value [1]uint64
	for range rounds { // the best: others may run in between
		start := time.Now()
		for range readings {
			if _, err := r.Read(value[:]); err != nil {
				return 0, errors.Join(err, r.Close())
			}
		}
		best = min(best, time.Since(start)/readings)
	}
	return best, r.Close()
}

// EventSet is a set of events that are counted together. The zero value is an empty, stopped set. It is
// used by one goroutine at a time; with thread-counted events, the goroutine should be locked to its thread
// ([runtime.LockOSThread]), otherwise readings may be uncertain and say so.
type EventSet struct {
	names   []string
	groups  []group
	running bool
	closed  bool
	sum     []uint64 // counts up to the last reading since Start
	certain bool
}

// group is the part of a set that one substrate reads.
type group struct {
	substrate string
	at        []int // positions in the set
	reader    Reader
	last, now []uint64
}

// Add appends an event to a stopped set.
func (s *EventSet) Add(name string) error {
	switch {
	case s.closed:
		return ErrClosed
	case s.running:
		return ErrRunning
	}
	if _, _, err := Find(name); err != nil {
		return err
	}
	for _, n := range s.names {
		if n == name {
			return fmt.Errorf("%w: %s", ErrDuplicate, name)
		}
	}
	s.names = append(s.names, name)
	return nil
}

// Names returns the events in the order of the values.
func (s *EventSet) Names() []string { return append([]string(nil), s.names...) }

// Start opens the events and counts from zero.
func (s *EventSet) Start() error {
	switch {
	case s.closed:
		return ErrClosed
	case s.running:
		return ErrRunning
	case len(s.names) == 0:
		return ErrEmpty
	}
	if err := s.open(); err != nil {
		s.release()
		return err
	}
	s.sum, s.certain, s.running = make([]uint64, len(s.names)), true, true
	for i := range s.groups {
		if _, err := s.groups[i].reader.Read(s.groups[i].last); err != nil {
			s.release()
			s.running = false
			return err
		}
	}
	return nil
}

func (s *EventSet) open() error {
	for _, sub := range Substrates() {
		g := group{substrate: sub.Name()}
		var names []string
		for i, n := range s.names {
			if _, of, _ := Find(n); of.Name() == sub.Name() {
				g.at, names = append(g.at, i), append(names, n)
			}
		}
		if names == nil {
			continue
		}
		var err error
		if g.reader, err = sub.Open(names); err != nil {
			return err
		}
		g.last, g.now = make([]uint64, len(names)), make([]uint64, len(names))
		s.groups = append(s.groups, g)
	}
	return nil
}

// Read stores the counts since Start in dst, which has one element per event, and reports whether all of
// them belong to the calling goroutine for certain.
func (s *EventSet) Read(dst []uint64) (certain bool, err error) {
	if !s.running {
		return false, ErrNotRunning
	}
	if len(dst) != len(s.names) {
		return false, fmt.Errorf("%d values asked of a set of %d events", len(dst), len(s.names))
	}
	for i := range s.groups {
		g := &s.groups[i]
		ok, err := g.reader.Read(g.now)
		if err != nil {
			return false, fmt.Errorf("%s: %w", g.substrate, err)
		}
		s.certain = s.certain && ok
		for k, p := range g.at {
			s.sum[p] += g.now[k] - g.last[k]
		}
		g.last, g.now = g.now, g.last
	}
	copy(dst, s.sum)
	return s.certain, nil
}

// Stop reads for the last time into dst, which may be nil, and releases the events. The set can be
// changed and started again.
func (s *EventSet) Stop(dst []uint64) (certain bool, err error) {
	if !s.running {
		return false, ErrNotRunning
	}
	if dst == nil {
		dst = make([]uint64, len(s.names))
	}
	certain, err = s.Read(dst)
	s.running = false
	return certain, errors.Join(err, s.release())
}

// Close ends the set's use. Closing a closed set does nothing.
func (s *EventSet) Close() error {
	s.closed, s.running = true, false
	return s.release()
}

func (s *EventSet) release() error {
	var errs []error
	for _, g := range s.groups {
		if g.reader != nil {
			errs = append(errs, g.reader.Close())
		}
	}
	s.groups = nil
	return errors.Join(errs...)
}
