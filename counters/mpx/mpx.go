// Package mpx multiplexes in software: it counts more events than a thread has counters, in turns, after May, "MPX: Software
// for Multiplexing Hardware Performance Counters in Multithreaded Programs" (IPDPS 2001). Section numbers refer to
// that paper.
//
// A [Multiplexer] belongs to one thread and keeps the paper's master event list (section 5.2). Each event is in it once,
// however many sets contain it, with a reference count (sets that contain it) and an activation count (of these, sets
// that run). An event with an activation count above zero is active: it has turns on the slots, the counters that are
// shared. The paper has one slot for a thread; here there are as many as the substrate gives. Each slot
// counts cycles beside its event, so that the length of each slice is known however late it ended (section 4): for an event that occurred
// C times in slices of S cycles together, N ≈ C·T/S, with T the cycles of the period in which its set ran.
//
// Invariants:
//
//  1. An event is current on at most one slot. Otherwise it would be counted twice.
//  2. A slice is added to the sums of its event once, when it ends. Sets do not end slices: a set that starts within
//     one takes note of what was counted of it. Otherwise a nested set would change the estimates of the outer one.
//  3. Whatever is called cycles comes from the slots' cycle counters. Wall time only says when to rotate.
//  4. A thread that did not run has no slice: its event stays until it has been counted for Options.MinCycles.
//
// Rotation needs no signals: one goroutine of the process, the rotator, exchanges the events of all threads' slots from
// outside. The count of an event that keeps its slot as long as a set runs is not an estimate.
//
//	m, err := mpx.New(slotter, unix.Gettid(), mpx.Options{})   // on a locked goroutine
//	s, err := m.NewSet("mem:0x4f2a10/8:w", …)
//	err = s.Start()
//	…
//	err = s.Stop()
//	values := make([]mpx.Value, 8)
//	err = s.Read(values)
//
// All methods may be called concurrently and on any goroutine; a period belongs to the thread of the multiplexer.
package mpx

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"tracerec/counters/substrate"
)

// Defaults of [Options].
const (
	DefaultSlice     = 10 * time.Millisecond // as in the paper and in PAPI
	DefaultMinCycles = 25_000                // as in PAPI
)

// ErrState is wrapped by errors of calls that do not fit what the set is doing: starting one that runs, stopping one that
// does not, anything with one that was destroyed.
var ErrState = errors.New("the set's state does not permit it")

// Options say how to multiplex. The zero value is ready for use.
type Options struct {
	Slice     time.Duration // how long an event is counted before the next has its turn; 0: DefaultSlice; negative: the caller calls Rotate
	Slots     int           // at most so many events are counted at once; 0: as many as the substrate has counters for
	Estimator Estimator     // what Read uses
	Seed      uint64        // chooses the event that is counted first
	MinCycles uint64        // cycles that make a slice; 0: DefaultMinCycles. Nearly those of t: slices are time of the thread

	// HitCost returns how many cycles one counted occurrence of the event costs the thread, which would not have been
	// spent without counting it; see [Calibrate]. They are subtracted from S and T. nil: nothing is corrected.
	HitCost func(event string) float64
}

// Multiplexer shares the counters of one thread among events. Its methods may be called concurrently.
type Multiplexer struct {
	from   substrate.Slotter
	thread int
	o      Options

	mu     sync.Mutex
	random *rand.Rand
	events []*event // the master event list
	slots  []*slot
	limit  int // of slots: the substrate has no more counters, or the options allow no more; 0: not met yet
	next   int // in events: who has the next turn
	turn   int // in slots: who loses its event next

	clock float64 // cycles of the thread since the first start, while events were active
	cost  float64 // of these, cycles spent on counting
	share float64 // cycles that each active event was counted, if turns are fair
	ticks struct {
		n      int     // rotations in which the thread had run
		cycles float64 // between them
		at     float64 // clock at the last
	}
	stats Stats
}

// Stats is what multiplexing a thread has cost.
type Stats struct {
	Rotations int           // times that the rotator came
	Switches  int           // events that it exchanged
	Time      time.Duration // wall time of these rotations, on the rotator's thread
	Slots     int           // slots that are open now
}

// New returns a multiplexer for a thread of this process; thread is its number for the system, not 0. Nothing is
// opened before a set starts.
func New(from substrate.Slotter, thread int, o Options) *Multiplexer {
	if o.Slice == 0 {
		o.Slice = DefaultSlice
	}
	if o.MinCycles == 0 {
		o.MinCycles = DefaultMinCycles
	}
	return &Multiplexer{from: from, thread: thread, o: o, limit: o.Slots, random: rand.New(rand.NewPCG(o.Seed, 0))}
}

// Stats returns what multiplexing has cost so far.
func (m *Multiplexer) Stats() Stats {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.stats
	s.Slots = len(m.slots)
	return s
}

// Rotate ends the slices of as many events as others wait, and gives these their turn: one timer signal of section 5.2.
// The rotator calls it once per slice; callers do where Options.Slice is negative.
func (m *Multiplexer) Rotate() {
	begin := time.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sync()
	if ran := m.clock - m.ticks.at; ran >= float64(m.o.MinCycles) {
		m.ticks.n++
		m.ticks.cycles += ran
		m.ticks.at = m.clock
	}
	for range min(len(m.slots), m.waiting()) {
		s := m.slots[m.turn%len(m.slots)]
		if s.cycles < m.o.MinCycles {
			break
		}
		m.turn = (m.turn + 1) % len(m.slots)
		m.replace(s)
	}
	m.stats.Rotations++
	m.stats.Time += time.Since(begin)
}

// waiting returns how many active events are not counted now.
func (m *Multiplexer) waiting() (n int) {
	for _, e := range m.events {
		if e.active > 0 && e.on == nil {
			n++
		}
	}
	return n
}

// pick returns the active event that waits and is next in the list, nil if there is none.
func (m *Multiplexer) pick() *event {
	for i := range m.events {
		k := (m.next + i) % len(m.events)
		if e := m.events[k]; e.active > 0 && e.on == nil {
			m.next = (k + 1) % len(m.events)
			return e
		}
	}
	return nil
}

// add returns the event of that name in the master list, one reference more.
func (m *Multiplexer) add(name string) *event {
	i := slices.IndexFunc(m.events, func(e *event) bool { return e.name == name })
	if i < 0 {
		i = len(m.events)
		m.events = append(m.events, &event{name: name})
		if m.o.HitCost != nil {
			m.events[i].cost = m.o.HitCost(name)
		}
	}
	m.events[i].refs++
	return m.events[i]
}

// drop takes a reference away; an event without any leaves the list.
func (m *Multiplexer) drop(e *event) {
	if e.refs--; e.refs > 0 {
		return
	}
	i := slices.Index(m.events, e)
	m.events = slices.Delete(m.events, i, i+1)
	if m.next > i {
		m.next--
	}
}

// NewSet returns a stopped set of events. Names that the substrate does not know are refused; whether they can be
// counted on the thread shows when they are.
func (m *Multiplexer) NewSet(names ...string) (*Set, error) {
	if r, ok := m.from.(interface {
		Resolve(string) (substrate.Event, error)
	}); ok {
		for _, n := range names {
			if _, err := r.Resolve(n); err != nil {
				return nil, fmt.Errorf("mpx: %s: %w", n, err)
			}
		}
	}
	for i, n := range names {
		if slices.Contains(names[:i], n) {
			return nil, fmt.Errorf("mpx: %s: %w: it is already in the set", n, substrate.ErrConflict)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &Set{m: m}
	for _, n := range names {
		s.events = append(s.events, m.add(n))
	}
	s.marks, s.final = make([]mark, len(names)), make([]outcome, len(names))
	return s, nil
}
