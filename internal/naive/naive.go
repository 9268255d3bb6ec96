// Package naive analyzes traces again, by brute force: it gives every nanosecond of every location a
// call path, and looks at every pair of operations. It follows the definitions in the documentation of package
// analyzer, and shares no code with it. It is the oracle of tests; traces must be short.
package naive

import (
	"errors"
	"fmt"
	"io"
	"sort"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// Cell is the place of a severity. The location is an index in the archive's locations, the call path
// its region names joined by slashes, operations with "@file:line".
type Cell struct {
	Metric, Path string
	Location     int
}

// Instance is one occurrence of a wait state. The causer is -1 and "" if nobody.
type Instance struct {
	Metric, Path string
	Location     int
	Begin, End   int64 // ns
	Duration     int64 // what was charged; its waits may leave gaps between them
	Causer       int
	CauserPath   string
}

// Party is a location in a call path.
type Party struct {
	Location int
	Path     string
}

// Caused is a wait of a group of locations for a causer. A group stands under its first location; -1 is nobody.
type Caused struct {
	Metric, Path  string
	Group, Causer int
	CauserPath    string
}

// Onward is what the causers of the waits of one cause did while they were waited for: with a path, they waited there themselves,
// off the critical path, for a group, which stands under its first location; without, all of that time, of each of them once.
type Onward struct {
	Cause, Path string
	Group       int
}

// Clear returns the cell without its metric.
func (c Cell) Clear() Cell {
	c.Metric = ""
	return c
}

// Result is what an analysis finds. Cells with value 0 are absent.
type Result struct {
	Severity   map[Cell]int64
	Critical   map[Cell]int64 // by wait state
	Caused     map[Caused]int64
	Instances  []Instance
	Time       int64           // sum of lives, ns
	Focus      int64           // length of the critical path, ns
	Split      Split           // of the critical path
	Load       *Load           // of the processors, nil if that is not known
	Operations map[Cell]Inside // of its time in operations but sleeps; without metric, a group stands under its first location
	Onward     map[Onward]int64
	PathCounts map[string]Count // on the critical path, by counter
	Findings   []Finding
	NeverEnded map[Cell]int64 // since when; without metric
	Holders    map[Cell]Party // of those for whom somebody is known
	Group      []int          // first location of each location's group
	Causes     *Causes
	Warnings   []string // only the engine has them
}

// WaitStates are the metrics whose time is waiting.
var WaitStates = []string{
	"late_sender", "late_receiver", "full_buffer", "late_close", "late_peer", "lock_competition", "rw_reader_wait", "rw_writer_wait",
	"once_wait", "join_wait", "cond_wait", "barrier_wait", "external_wait", "timer_wait", "network",
}

// TimeMetrics divide up the lives of all locations.
var TimeMetrics = append([]string{
	"execution", "communication", "synchronization", "barrier_completion", "wakeup", "start_latency", "overhead", "sleep",
	"ready", "yielded", "ready_after_wait", "system_call", "unrecorded_wait", "gc_assist", "stopped", "events_lost",
}, WaitStates...)

// goroutine is the path of a location that has no Begin event.
const goroutine = "(goroutine)"

// analysis holds the trace and what was derived from it so far.
type analysis struct {
	defs        *trace.Definitions
	locations   []*location
	ops         []*op
	waits       []*wait
	creations   []creation
	handoffs    []handoff
	lockOf      map[string]int // by call path in which a lock of unknown name is waited for or released
	rootProcess int
	complete    bool            // nothing is missing at the end
	ends        []int64         // of the processes
	lines       map[line]bool   // on which time was charged
	entered     map[string]bool // names of regions that are
	path        *pathfinder     // nil if there is no critical path
	stretches   []stretch
	result      *Result
}

// location is one goroutine with its events.
type location struct {
	id         int
	events     []event
	used       int       // events up to its end; later ones are damage
	begin, end int64     // life
	creator    *location // nil unknown
	createPath string    // call path that ends in the Create leaf
	ownPath    string    // of the time outside any level
	first      string    // name of the first region entered
	function   string    // of its Begin event
	steps      []step    // its life, cut at every event
	visits     map[string]int64
	endEvent   bool
	cut        bool    // it is not known what it did behind its last event
	levels     []level // open after the last event
	does       wire.Kind
	gaveUp     bool
	several    bool
}

type event struct {
	trace.Event
	values []uint64
	path   string // innermost before it
}

// step is time that a location spends in one call path.
type step struct {
	from, to int64
	path     string
	metric   string
	op       *op       // whose own time it is, nil for regions
	state    string    // metric of the state that it is in outside of operations, "" if it runs
	does     wire.Kind // what began the state that it is in, also within operations
	gaveUp   bool      // that is Ready, as it gave up its processor
	several  bool      // that is Ready several times, told as one
}

// op is an operation; point operations have equal begin and end and no path of their own.
type op struct {
	kind       wire.Kind
	loc        *location
	path       string
	begin, end int64
	blocked    int64 // -1 if it did not block
	own        int64 // time without nested levels and overhead
	ready      int64 // the part of own in which it was ready to run
	outcome    wire.Outcome
	object     uint32 // 0 none, else index + 1
	mode       uint32
	ran        int64 // when a Once began to run its function
	open       bool
	innermost  bool // it is the innermost level when the trace ends
	released   bool // it never ended, but what it waited for had come
	holder     *op  // it never ended, and waits for a lock that its location holds, since that
	sent       bool // it is a send that was released by a receive
	seq        int  // place in the order of (location, begin, end)
	ended      int  // how many of the location's operations ended before it
	timed      bool // it is a select, and a timer ran that ends it
	tried      bool // it failed without having waited, and ended as the innermost level
	first      int  // number of the event that began it
	last       int  // and of the one that ended it
}

// wait is time that op spent waiting for causer, which is nil if nobody.
type wait struct {
	op         *op
	metric     string
	begin, end int64
	causer     *op
	from       int64 // it is critical from here on
	charged    int64
}

// Analyze analyzes an archive.
func Analyze(a *trace.Archive) (*Result, error) {
	n := &analysis{
		defs:        a.Definitions(),
		rootProcess: a.Header().Root,
		complete:    a.Header().Complete,
		lines:       map[line]bool{},
		entered:     map[string]bool{},
		result: &Result{
			Severity: map[Cell]int64{}, Critical: map[Cell]int64{}, Operations: map[Cell]Inside{},
			Caused: map[Caused]int64{}, NeverEnded: map[Cell]int64{}, Holders: map[Cell]Party{},
			Onward: map[Onward]int64{},
		},
	}
	if err := n.read(a); err != nil {
		return nil, err
	}
	for _, l := range n.locations {
		n.scan(l)
	}
	n.starts()
	n.create()
	n.lives()
	n.groups()
	n.findHandoffs()
	for i := range n.defs.Objects {
		n.match(uint32(i))
	}
	for _, l := range n.locations {
		n.result.Time += l.end - l.begin
	}
	n.charge()
	n.polling()
	n.result.Causes = n.causes()
	n.neverEnded()
	n.imbalance()
	n.criticalPath()
	n.load()
	n.counters()
	n.findings()
	for c, v := range n.result.Severity {
		if v == 0 {
			delete(n.result.Severity, c)
		}
	}
	return n.result, nil
}

func (n *analysis) read(a *trace.Archive) error {
	for i := range n.defs.Locations {
		n.locations = append(n.locations, &location{id: i, visits: map[string]int64{}})
	}
	m := a.Merge()
	for {
		id, e, values, err := m.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		l := n.locations[id]
		if k := len(l.events); k > 0 {
			e.Time = max(e.Time, l.events[k-1].Time)
		}
		l.events = append(l.events, event{Event: e, values: append([]uint64(nil), values...)})
	}
}

// add adds to a severity.
func (n *analysis) add(metric, path string, l *location, v int64) {
	n.result.Severity[Cell{metric, path, l.id}] += v
}

// regionName is the last part of a call path.
func (n *analysis) regionName(id uint32, operation bool) string {
	r := n.defs.Regions[id]
	if !operation {
		return r.Name
	}
	return fmt.Sprintf("%s@%s:%d", r.Name, r.File, r.Line)
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "/" + name
}

// sorted returns the operations for which keep holds, by key, then in the order of (location, stream).
func sorted(ops []*op, keep func(*op) bool, key func(*op) int64) (s []*op) {
	for _, o := range ops {
		if keep(o) {
			s = append(s, o)
		}
	}
	sort.SliceStable(s, func(i, j int) bool { return key(s[i]) < key(s[j]) })
	return s
}
