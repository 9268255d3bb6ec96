package counters

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/goid"
	"tracerec/internal/witness"
)

// rusage is the substrate of what the kernel accounts to the calling thread (rusage:minflt) and to the process
// (rusage:process-minflt).
type rusage struct{}

const (
	rusagePrefix  = "rusage:"
	processPrefix = "rusage:process-"
)

// rusageEvent is a field of struct rusage.
type rusageEvent struct {
	name, description, unit string
	gauge                   bool // known for the process only
	of                      func(*unix.Rusage) int64
}

var rusageEvents = []rusageEvent{
	{"utime", "processor time in user mode", "ns", false, func(r *unix.Rusage) int64 { return r.Utime.Nano() }},
	{"stime", "processor time in the kernel", "ns", false, func(r *unix.Rusage) int64 { return r.Stime.Nano() }},
	{"minflt", "page faults served without I/O", "events", false, func(r *unix.Rusage) int64 { return r.Minflt }},
	{"majflt", "page faults that had to read from storage", "events", false, func(r *unix.Rusage) int64 { return r.Majflt }},
	{"inblock", "blocks read from storage", "events", false, func(r *unix.Rusage) int64 { return r.Inblock }},
	{"oublock", "blocks written to storage", "events", false, func(r *unix.Rusage) int64 { return r.Oublock }},
	{"nvcsw", "times it gave up its processor", "events", false, func(r *unix.Rusage) int64 { return r.Nvcsw }},
	{"nivcsw", "times the kernel took away its processor", "events", false, func(r *unix.Rusage) int64 { return r.Nivcsw }},
	{"maxrss", "largest resident set so far", "bytes", true, func(r *unix.Rusage) int64 { return r.Maxrss << 10 }},
}

// lookup finds an event by its name, and whether the process is meant.
func (rusage) lookup(name string) (e *rusageEvent, process bool, err error) {
	field, ok := strings.CutPrefix(name, rusagePrefix)
	if !ok {
		return nil, false, notOurs(rusagePrefix, name)
	}
	field, process = strings.CutPrefix(field, strings.TrimPrefix(processPrefix, rusagePrefix))
	at := slices.IndexFunc(rusageEvents, func(e rusageEvent) bool { return e.name == field && (process || !e.gauge) })
	if at < 0 {
		return nil, false, notOurs(rusagePrefix, name)
	}
	return &rusageEvents[at], process, nil
}

// Name identifies the substrate.
func (rusage) Name() string { return "resource usage" }

// Events lists those of the thread, then those of the process.
func (rusage) Events() []Event {
	var threads, process []Event
	for _, e := range rusageEvents {
		if !e.gauge {
			threads = append(threads, Event{Name: rusagePrefix + e.name, Description: e.description, Unit: e.unit})
		}
		process = append(process, Event{Name: processPrefix + e.name, Description: e.description, Unit: e.unit, Process: true, Gauge: e.gauge})
	}
	return append(threads, process...)
}

// Resolve describes an event.
func (r rusage) Resolve(name string) (Event, error) {
	e, process, err := r.lookup(name)
	if err != nil {
		return Event{}, err
	}
	return Event{Name: name, Description: e.description, Unit: e.unit, Process: process, Gauge: e.gauge}, nil
}

// Open makes events readable together.
func (r rusage) Open(names []string, o Options) (substrate.Group, error) {
	if err := processOnly(names, o); err != nil {
		return nil, err
	}
	g := &rusageGroup{tid: thread(), events: make([]*rusageEvent, len(names)), process: make([]bool, len(names))}
	for i, n := range names {
		var err error
		if g.events[i], g.process[i], err = r.lookup(n); err != nil {
			return nil, err
		}
	}
	g.threads, g.all = slices.Contains(g.process, false), slices.Contains(g.process, true)
	return g, nil
}

// rusageGroup is events that are read with one call for the thread and one for the process, as far as needed.
type rusageGroup struct {
	tid          int
	events       []*rusageEvent
	process      []bool
	threads, all bool
}

// Read stores the values. The kernel tells a thread's usage to that thread alone.
func (g *rusageGroup) Read(dst []uint64) (where uint64, err error) {
	me, w := goid.G(), witness.Find()
	interval := w.Interval(me)
	if err := g.read(dst); err != nil {
		return 0, err
	}
	if g.all || !w.Undisturbed(me, interval) {
		return 0, nil
	}
	return interval, nil
}

func (g *rusageGroup) read(dst []uint64) error {
	var own, all unix.Rusage
	if g.threads {
		if tid := thread(); tid != g.tid {
			return fmt.Errorf("%s%s: %w: read on another thread than it was started on; use runtime.LockOSThread, or %s%s",
				rusagePrefix, g.events[0].name, ErrState, processPrefix, g.events[0].name)
		}
		if err := unix.Getrusage(unix.RUSAGE_THREAD, &own); err != nil {
			return fmt.Errorf("resource usage: %w", err)
		}
	}
	if g.all {
		if err := unix.Getrusage(unix.RUSAGE_SELF, &all); err != nil {
			return fmt.Errorf("resource usage: %w", err)
		}
	}
	for i, e := range g.events {
		if g.process[i] {
			dst[i] = uint64(e.of(&all))
		} else {
			dst[i] = uint64(e.of(&own))
		}
	}
	return nil
}

// Close has nothing to release.
func (g *rusageGroup) Close() error { return nil }
