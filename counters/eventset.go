package counters

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// EventSet is a set of events that are counted together (Browne et al., section 3.3). The zero value is an empty,
// stopped set over [Substrates]. Several sets may be used at once, nested and overlapping: an event of the
// same thread takes one counter, however many sets have it, and every set has its own counts.
//
// The life of a set is PAPI's: events are added and removed while it is stopped; Start counts from zero; Read,
// Accumulate and Reset work meanwhile; Stop keeps the last counts, which can still be read; Cleanup empties the set;
// Destroy ends it. What a state does not allow is refused with an error of its own. A stopped set takes no counters, but may keep
// its events open for the next Start on the same thread; those of a set that nobody has any more are closed.
//
// Without attachment, thread-counted events count for the thread that calls Start. Methods may be called from several
// goroutines, for instance from a handler of overflows.
type EventSet struct {
	mu        sync.Mutex
	from      []Substrate
	options   Options
	entries   []entry
	overflows []*overflow
	handlers  handlers
	state     State
	destroyed bool
	stopping  bool

	multiplexing multiplexing
	upkeep       *time.Timer // reads narrow counters

	natives   []native       // of all entries, each once; made by Start
	counts    []int64        // of the natives, since Start or Reset
	direct    bool           // the events are the natives, in their order
	qualities []Quality      // of these
	parts     []part         // how they are read; while running
	idle      []part         // the same of a set that was stopped, kept for its next start
	on        int            // the thread on which they were opened
	owner     unsafe.Pointer // the goroutine that started the set
	certain   bool
	counted   bool            // has been started: there are counts
	dropped   runtime.Cleanup // closes parts of a set that nobody has any more
}

// entry is an event as the user named it.
type entry struct {
	name    string
	event   Event
	natives []native
	formula *formula // of a derived preset; nil: the one native
	at      []int    // positions of the natives in the set's
}

// native is an event of a substrate.
type native struct {
	name  string
	event Event
	from  Substrate
}

// State tells what a set does. Several bits may be set.
type State uint8

// The states of a set, as PAPI_state has them.
const (
	Stopped State = 1 << iota
	Running
	Multiplexed
	Overflowing
	Profiling
	Attached    // to a thread or process
	CPUAttached // to a processor
)

// String names the states: "running|attached".
func (s State) String() string {
	var on []string
	for i, name := range []string{"stopped", "running", "multiplexed", "overflowing", "profiling", "attached", "cpu-attached"} {
		if s&(1<<i) != 0 {
			on = append(on, name)
		}
	}
	return strings.Join(on, "|")
}

// New returns an empty, stopped set over the substrates, those of [Substrates] if none is given.
func New(from ...Substrate) *EventSet { return &EventSet{from: from} }

func (s *EventSet) substrates() []Substrate {
	if s.from == nil {
		return Substrates()
	}
	return s.from
}

// State returns the state of the set; 0 when it was destroyed.
func (s *EventSet) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.destroyed {
		return 0
	}
	state := s.state&Running | map[bool]State{true: Multiplexed}[s.options.Multiplex]
	if state == 0 || state == Multiplexed {
		state |= Stopped
	}
	for _, o := range s.overflows {
		state |= o.kind
	}
	if s.options.Thread != 0 {
		state |= Attached
	}
	if s.options.CPU != 0 {
		state |= CPUAttached
	}
	return state
}

// changeable returns why the set cannot be changed now.
func (s *EventSet) changeable() error {
	switch {
	case s.destroyed:
		return ErrDestroyed
	case s.state&Running != 0:
		return ErrRunning
	}
	return nil
}

// Options returns the set's options.
func (s *EventSet) Options() Options {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options
}

// SetOptions changes the options of a stopped set. If the events of the set cannot be counted that way, the error says
// why and the options stay as they were.
func (s *EventSet) SetOptions(o Options) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return err
	}
	switch {
	case o.Domain&^All != 0:
		return fmt.Errorf("%w: domain %d is neither User nor Kernel", ErrInvalid, o.Domain)
	case o.Thread < 0 || o.CPU < 0:
		return fmt.Errorf("%w: the number of a thread or processor must not be negative", ErrInvalid)
	case o.Thread != 0 && o.CPU != 0:
		return fmt.Errorf("%w: a set is attached either to a thread or to a processor", ErrState)
	}
	return s.try(s.entries, o)
}

// Add appends an event, native or preset, to a stopped set. It is tried out: the error says why it cannot be counted
// together with the others, and leaves the set as it was.
func (s *EventSet) Add(name string) error { return s.AddAll(name) }

// AddAll appends events, all or none. The counts of the last run are gone then.
func (s *EventSet) AddAll(names ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return err
	}
	entries := slices.Clip(s.entries)
	for _, name := range names {
		if slices.ContainsFunc(entries, func(e entry) bool { return e.name == name }) {
			return fmt.Errorf("%s: %w", name, ErrDuplicate)
		}
		e, err := s.resolve(name)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	if err := s.try(entries, s.options); err != nil {
		if len(names) == 1 && isPreset(names[0]) {
			return fmt.Errorf("%s: %w", names[0], err) // which names the native event
		}
		return err
	}
	s.counted = false
	return nil
}

// resolve looks an event up by its name.
func (s *EventSet) resolve(name string) (entry, error) {
	if isPreset(name) {
		return s.resolvePreset(name)
	}
	e, from, err := find(s.substrates(), name)
	if err != nil {
		return entry{}, err
	}
	return entry{name: name, event: e, natives: []native{{name, e, from}}}, nil
}

// try makes entries and options those of the set if they can be counted.
func (s *EventSet) try(entries []entry, o Options) error {
	runtime.LockOSThread() // all that is opened is for one thread
	defer runtime.UnlockOSThread()
	if err := s.forget(); err != nil {
		return err
	}
	_, natives := arrange(entries)
	parts, err := open(natives, o, s.multiplexing)
	if err != nil {
		return err
	}
	s.entries, s.options = entries, o
	return closeParts(parts)
}

// arrange lists the natives of all entries, each once, and says for each entry where its are.
func arrange(entries []entry) ([]entry, []native) {
	var natives []native
	placed := slices.Clone(entries)
	for i := range placed {
		e := &placed[i]
		e.at = nil
		for _, n := range e.natives {
			at := slices.IndexFunc(natives, func(m native) bool { return m.name == n.name })
			if at < 0 {
				at = len(natives)
				natives = append(natives, n)
			}
			e.at = append(e.at, at)
		}
	}
	return placed, natives
}

// Remove takes an event out of a stopped set. The counts of the last run are gone then.
func (s *EventSet) Remove(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return err
	}
	at := slices.IndexFunc(s.entries, func(e entry) bool { return e.name == name })
	if at < 0 {
		return fmt.Errorf("%s: %w", name, ErrNotInSet)
	}
	s.entries = slices.Delete(slices.Clone(s.entries), at, at+1)
	s.overflows = slices.DeleteFunc(s.overflows, func(o *overflow) bool { return o.event == name })
	s.counted = false
	return s.forget()
}

// Names returns the events in the order of the values.
func (s *EventSet) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := make([]string, len(s.entries))
	for i, e := range s.entries {
		names[i] = e.name
	}
	return names
}

// Events describes the events in the order of the values.
func (s *EventSet) Events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	events := make([]Event, len(s.entries))
	for i, e := range s.entries {
		events[i] = e.event
	}
	return events
}

// Len returns the number of events.
func (s *EventSet) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}

// Cleanup empties a stopped set: events, options, handlers.
func (s *EventSet) Cleanup() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.changeable(); err != nil {
		return err
	}
	s.entries, s.natives, s.counts, s.overflows, s.counted = nil, nil, nil, nil, false
	s.options, s.multiplexing = Options{}, multiplexing{}
	return s.forget()
}

// Destroy ends the use of a stopped set without events.
func (s *EventSet) Destroy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := s.changeable(); {
	case err != nil:
		return err
	case len(s.entries) > 0:
		return ErrNotClean
	}
	s.destroyed = true
	return nil
}

// Close stops the set if it runs, cleans it up and destroys it. Closing a closed set does nothing.
func (s *EventSet) Close() error {
	var errs []error
	if s.State()&Running != 0 {
		errs = append(errs, s.Stop(nil))
	}
	for _, err := range []error{s.Cleanup(), s.Destroy()} {
		if !errors.Is(err, ErrDestroyed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
