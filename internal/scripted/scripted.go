// Package scripted is a substrate for tests: its counters count what the test tells them to, on a virtual clock. It has the
// limits of hardware that tests need: few counters, events that fit only on some of them, counters narrower than 64
// bits, events that take turns, overflows, openings and readings that fail. Nothing in it depends on real time, so tests know
// exactly what an event set must report.
//
//	s := scripted.New(scripted.Config{Counters: 2, Events: []scripted.Event{{Name: "loads"}, {Name: "stores"}}})
//	…
//	s.Happen("loads", 1000)
//
// What happens is counted for the calling thread unless a [Place] says otherwise.
package scripted

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"tracerec/counters/substrate"
)

// Event is an event of the substrate.
type Event struct {
	Name        string
	Description string
	Unit        string // "": events
	Counters    uint64 // the counters on which it fits, one bit each; 0: all
	Process     bool   // counts wherever it happens
	Gauge       bool   // what happens is the level
	Bits        int    // width of its counter; 0: 64
	First       uint64 // value of a counter when it is opened

	// Rate returns how often the event happens while the virtual clock goes from one time to another, in ns.
	Rate func(from, to int64) uint64
}

// Preset is what a portable name stands for.
type Preset struct {
	Formula string
	Events  []string
}

// Config describes a substrate.
type Config struct {
	Name     string // "": scripted
	Counters int    // of each thread and processor; 0: as many as events
	Taken    int    // of these, taken by others
	Groups   int    // groups that can be open; 0: no limit
	Events   []Event
	Permit   substrate.Domain // what may be counted; 0: all
	Turn     time.Duration    // time of a turn of events that share counters; 0: they cannot
	Overflow bool             // counters tell when they have counted so many
	Clock    string           // an event that tells even if the others do not
	Presets  map[string]Preset
	Queue    int  // overflows that can wait for their handler; 0: no limit
	Slots    bool // counters can be given other events by the user
}

// Place is where and how something happens.
type Place struct {
	Thread int // 0: the calling thread
	CPU    int
	Domain substrate.Domain // 0: User
	PC     uintptr
}

// Substrate is a scripted source of counters. It may be used concurrently.
type Substrate struct {
	config Config
	mu     sync.Mutex
	now    int64 // ns
	serial int   // of openings and beginnings of threads
	groups int   // open now
	steps  uint64
	reads  int
	broken map[string]fault
	cpus   map[int]*context
	// threads holds those that were counted on or told of.
	threads map[int]*context
	samples []*sampler
}

// fault is what goes wrong with an event.
type fault struct{ open, read error }

// context is a thread or processor with its counters.
type context struct {
	parent int // thread that started this one, 0 unknown
	born   int // serial
	gone   bool
	ran    int64 // ns
	fixed  []*counter
	turns  []*counter // those that share what fixed leaves
	next   int        // of turns, the first whose turn it is
}

// counter counts one event in one context.
type counter struct {
	event        *Event
	domain       substrate.Domain
	in           *context
	inherit      bool
	since        int // serial
	live         bool
	value        uint64
	enabled, ran int64 // ns
}

// New returns a substrate.
func New(c Config) *Substrate {
	if c.Name == "" {
		c.Name = "scripted"
	}
	if c.Permit == 0 {
		c.Permit = substrate.All
	}
	return &Substrate{config: c, broken: map[string]fault{}, cpus: map[int]*context{}, threads: map[int]*context{}}
}

// Name identifies the substrate.
func (s *Substrate) Name() string { return s.config.Name }

// Events lists the events.
func (s *Substrate) Events() []substrate.Event {
	var out []substrate.Event
	for i := range s.config.Events {
		out = append(out, describe(&s.config.Events[i], s.config.Events[i].Name))
	}
	return out
}

func describe(e *Event, name string) substrate.Event {
	unit := e.Unit
	if unit == "" {
		unit = "events"
	}
	return substrate.Event{Name: name, Description: e.Description, Unit: unit, Process: e.Process, Gauge: e.Gauge, Bits: e.Bits}
}

// Resolve describes an event; a name may end in a domain, :u, :k or :uk.
func (s *Substrate) Resolve(name string) (substrate.Event, error) {
	e, _, err := s.find(name)
	if err != nil {
		return substrate.Event{}, err
	}
	return describe(e, name), nil
}

func (s *Substrate) find(name string) (*Event, substrate.Domain, error) {
	base, suffix, cut := strings.Cut(name, ":")
	for i := range s.config.Events {
		e := &s.config.Events[i]
		if e.Name == name {
			return e, 0, nil
		}
		if !cut || e.Name != base {
			continue
		}
		switch suffix {
		case "u":
			return e, substrate.User, nil
		case "k":
			return e, substrate.Kernel, nil
		case "uk":
			return e, substrate.All, nil
		}
		return nil, 0, fmt.Errorf("%s: domain %q is none of u, k, uk", name, suffix)
	}
	return nil, 0, fmt.Errorf("%w %q", substrate.ErrUnknownEvent, name)
}

// Preset returns what a portable name stands for.
func (s *Substrate) Preset(name string) (formula string, events []string, ok bool) {
	p, ok := s.config.Presets[name]
	return p.Formula, p.Events, ok
}

// Break makes openings and readings of the event fail from now on; nil lets them succeed.
func (s *Substrate) Break(event string, open, read error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken[event] = fault{open, read}
}

// Take says how many counters are taken by others from now on.
func (s *Substrate) Take(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.Taken = n
}

// Opened returns how many groups and slots are open.
func (s *Substrate) Opened() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.groups
}

// Reads returns how often groups were read.
func (s *Substrate) Reads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

// Settle returns when all overflows so far were handled.
func (s *Substrate) Settle() {
	s.mu.Lock()
	samples := slices.Clone(s.samples)
	s.mu.Unlock()
	for _, t := range samples {
		t.settle()
	}
}

// Now returns the virtual time in ns.
func (s *Substrate) Now() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// Disturb makes readings before and after it incomparable, as if the goroutine had been off its thread.
func (s *Substrate) Disturb() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps++
}

// Begin tells that a thread was started by another: 0 is the calling one, -1 none that is known.
func (s *Substrate) Begin(thread, by int) {
	switch {
	case by == 0:
		by = gettid()
	case by < 0:
		by = 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serial++
	c := s.thread(thread)
	c.parent, c.born = by, s.serial
}

// End tells that a thread has ended. Its counters keep their values; it cannot be counted on any more.
func (s *Substrate) End(thread int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.thread(thread).gone = true
}

// thread returns a thread's context; s.mu is held.
func (s *Substrate) thread(id int) *context { return contextOf(s.threads, id) }

func contextOf(m map[int]*context, id int) *context {
	c := m[id]
	if c == nil {
		c = &context{}
		m[id] = c
	}
	return c
}

// Happen makes the event happen n times on the calling thread, in user mode.
func (s *Substrate) Happen(event string, n uint64) { s.HappenAt(Place{}, event, n) }

// HappenAt makes the event happen n times somewhere. An event that the substrate does not have is a fault of the test.
func (s *Substrate) HappenAt(p Place, event string, n uint64) {
	e, _, err := s.find(event)
	if err != nil {
		panic(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.happen(p.complete(), e, n)
}

func (p Place) complete() Place {
	if p.Thread == 0 {
		p.Thread = gettid()
	}
	if p.Domain == 0 {
		p.Domain = substrate.User
	}
	return p
}

// happen counts.
func (s *Substrate) happen(p Place, e *Event, n uint64) {
	count := func(c *counter) {
		if c.event != e || !c.live || c.domain&p.Domain == 0 {
			return
		}
		if e.Gauge {
			c.value = n
		} else {
			c.value += n
		}
	}
	if e.Process {
		for _, c := range s.threads {
			c.each(count)
		}
	} else {
		s.lineage(p.Thread, func(c *counter) { count(c) })
	}
	contextOf(s.cpus, p.CPU).each(count)
	for _, t := range s.samples {
		t.happen(s, p, e, n)
	}
}

// lineage calls f for the counters that count what the thread does: its own and those inherited.
func (s *Substrate) lineage(id int, f func(*counter)) {
	born := int(^uint(0) >> 1)
	for c, own := s.thread(id), true; ; own = false {
		c.each(func(k *counter) {
			if own || k.inherit && k.since < born {
				f(k)
			}
		})
		if c.parent == 0 {
			return
		}
		born, c = c.born, s.thread(c.parent)
	}
}

func (c *context) each(f func(*counter)) {
	for _, k := range c.fixed {
		f(k)
	}
	for _, k := range c.turns {
		f(k)
	}
}

// Advance lets the virtual clock advance while the calling thread runs, and the events with a rate happen.
func (s *Substrate) Advance(d time.Duration) { s.AdvanceAt(Place{}, d) }

// AdvanceAt is Advance with something else running.
func (s *Substrate) AdvanceAt(p Place, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p = p.complete()
	running := []*context{s.thread(p.Thread), contextOf(s.cpus, p.CPU)}
	for left := int64(d); left > 0; {
		step := left
		for _, c := range running {
			step = min(step, s.untilTurn(c))
		}
		for i := range s.config.Events {
			if e := &s.config.Events[i]; e.Rate != nil {
				s.happen(p, e, e.Rate(s.now, s.now+step))
			}
		}
		s.now += step
		left -= step
		for _, c := range running {
			s.run(c, step)
		}
	}
}
