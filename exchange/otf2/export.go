package otf2

import (
	"errors"
	"fmt"
	"io"
	"path"

	"tracerec/trace"
	"tracerec/trace/levels"
	"tracerec/trace/wire"
)

// Export writes an archive of package trace as one of OTF2. Goroutines are threads of their processes that were created one by another; regions and operations are regions, at
// whose begin and end attributes say on which object, and how it ended. Exclusive locks are acquired and released, counters and metrics of the program are metrics, and all
// other events are parameters with the name of their kind, so that nothing is lost. What cannot be read is left out, and returned. The same archive gives the same bytes.
func Export(name string, from *trace.Archive, creator string) (problems []trace.Problem, err error) {
	a, ticks := from.InTicks()
	anchor := Anchor{DefinitionChunk: definitionsFor(len(a.Definitions().Locations)), Creator: creator, Description: "goroutines as threads", Properties: [][2]string{
		{"OTF2::THREAD_CREATE_WAIT_EVENT_COMPLETE", "false"}, {"OTF2::THREAD_LOCK_EVENT_COMPLETE", "false"}}}
	err = writeNew(name, anchor, func(w *Writer) error {
		x := &exporter{w: w, defs: a.Definitions(), strings: map[string]uint64{}, parameters: map[wire.Kind]uint64{}, orders: map[uint32]uint64{}}
		x.clock(a, ticks)
		x.define()
		problems, err = x.events(a)
		return errors.Join(err, x.finish())
	})
	return problems, err
}

// Needs returns how many bytes of memory Export takes for a number of locations, whatever the number of events: measured, rounded up.
func Needs(locations int) int64 { return 64<<20 + 2<<10*int64(locations) }

// definitionsFor returns a size of chunks in which a list of so many locations has room.
func definitionsFor(locations int) uint64 {
	const number = 16
	return uint64(max(definitionChunk, min(number*locations, maxLegalChunk)))
}

type exporter struct {
	w          *Writer
	defs       *trace.Definitions
	begin      int64             // the earliest time
	strings    map[string]uint64 // numbers
	objects    []uint64          // names of objects, 1 + their numbers; 0 none yet
	parameters map[wire.Kind]uint64
	threads    []thread
	orders     map[uint32]uint64 // how often each lock was acquired
	metrics    []uint64          // classes of metrics of the program
	counters   []uint64          // classes of counters by process
	event      Event
}

// thread is a location that is being written.
type thread struct {
	to    *EventWriter
	open  levels.Stack[opened]
	own   uint32 // 1 + the region that its function is, 0 none
	ended bool
	last  uint64 // time of its last event
}

// opened is an open region or operation.
type opened struct {
	region uint32
	lock   uint32 // 1 + the object that it wants to lock exclusively, 0 none
}

const (
	none         = 1<<32 - 1
	goroutines   = pthread // the paradigm that stands for them: what other programs know of it is true of goroutines
	asString     = typeString
	asNumber     = 4
	asRegion     = 14
	unknownName  = "unknown region"
	threadGroups = 1 // the group of all threads is 0
)

// The attributes.
const (
	attributeObject = iota
	attributeOutcome
	attributeNumber
	attributeRegion
)

// clock defines the clock, whose times begin at the earliest one that chunks tell.
func (x *exporter) clock(a *trace.Archive, ticks trace.Ticks) {
	last := int64(0)
	for _, c := range a.Chunks() {
		x.begin, last = min(x.begin, c.First), max(last, c.Last)
	}
	for i := range x.defs.Processes {
		last = max(last, x.defs.Processes[i].End)
	}
	start := uint64(1<<64 - 1)
	if s := a.Header().Start; s > 0 {
		start = uint64(s + ticks.Time(x.begin))
	}
	x.w.define("ClockProperties", nil, uint64(ticks), 0, uint64(last-x.begin), start)
}

// text returns the number of a string, which is defined when it is first used.
func (x *exporter) text(s string) uint64 {
	n, known := x.strings[s]
	if !known {
		n = uint64(len(x.strings))
		x.strings[s] = n
		x.w.define("String", []string{s}, n)
	}
	return n
}

// define writes all definitions but those of locations, which say how many events there are, and what refers to these.
func (x *exporter) define() {
	w, d := x.w, x.defs
	w.define("Paradigm", nil, goroutines, x.text("goroutines"), 2)
	w.define("SystemTreeNode", nil, 0, x.text("machine"), x.text("machine"), none)
	w.define("SystemTreeNode", nil, 1, x.text("node"), x.text("node"), 0)
	w.define("SystemTreeNodeDomain", nil, 1, 1)
	for i := range d.Processes {
		w.define("LocationGroup", nil, uint64(i), x.text(processName(&d.Processes[i])), 1, 1, none)
	}
	for i, f := range []struct {
		name string
		kind uint64
	}{{"object", asString}, {"outcome", asString}, {"number", asNumber}, {"region", asRegion}} {
		w.define("Attribute", nil, uint64(i), x.text(f.name), f.kind, x.text(""))
	}
	for i := range d.Regions {
		r := &d.Regions[i]
		x.region(i, r.Name, r.Func, r.File, r.Line)
	}
	x.region(len(d.Regions), unknownName, "", "", 0)
	x.values()
	x.objects, x.threads = make([]uint64, len(d.Objects)), make([]thread, len(d.Locations))
}

// region defines a region.
func (x *exporter) region(number int, name, function, file string, line int) {
	canonical, source := x.text(name), uint64(none)
	if function != "" {
		canonical = x.text(function)
	}
	if file != "" {
		source = x.text(file)
	}
	const anyFunction, user, lock = 1, 1, "lock"
	paradigm := uint64(user)
	if name == lock { // what acquires locks is of who can
		paradigm = goroutines
	}
	at := uint64(max(line, 0))
	x.w.define("Region", nil, uint64(number), x.text(name), x.text(""), 0, source, at, at, canonical, anyFunction, paradigm, 0)
}

// processName returns the name of the program that a process runs.
func processName(p *trace.Process) string {
	if len(p.Args) == 0 {
		return fmt.Sprint("process ", p.PID)
	}
	return path.Base(p.Args[0])
}

// values defines metrics: those of the program, and counters.
func (x *exporter) values() {
	members, classes := uint64(0), uint64(0)
	const other, user, accumulated, absolute, strict, asynchronous, cpu, decimal = 0, 3, 0, 4, 0, 2, 2, 1
	class := func(kind, mode, value, occurrence uint64, units []string, names ...string) uint64 {
		list := []uint64{classes, uint64(len(names))}
		for i, name := range names {
			x.w.define("MetricMember", nil, members, x.text(name), x.text(""), kind, mode, value, decimal, 0, x.text(units[i]))
			list = append(list, members)
			members++
		}
		x.w.define("MetricClass", nil, append(list, occurrence, cpu)...)
		classes++
		return classes - 1
	}
	for i := range x.defs.Metrics {
		m := &x.defs.Metrics[i]
		x.metrics = append(x.metrics, class(user, absolute, typeInt64, asynchronous, []string{m.Unit}, m.Name))
	}
	for i := range x.defs.Processes {
		names, units := []string{"read"}, []string{"#"} // where and when in the program
		for _, name := range x.defs.Processes[i].Counters {
			names, units = append(names, name), append(units, wire.CounterUnit(name))
		}
		if len(names) > 1 {
			x.counters = append(x.counters, class(other, accumulated, asNumber, strict, units, names...))
		} else {
			x.counters = append(x.counters, none)
		}
	}
}

// events writes all events.
func (x *exporter) events(a *trace.Archive) (problems []trace.Problem, err error) {
	for m := a.Merge(); ; {
		l, e, values, err := m.Next()
		if errors.Is(err, io.EOF) {
			return problems, nil
		}
		if p := (trace.Problem{}); errors.As(err, &p) {
			problems = append(problems, p)
			continue
		}
		if err == nil && x.threads[l].to == nil {
			x.threads[l].to, err = x.w.Events(x.location(l))
		}
		if err != nil {
			return problems, err
		}
		if t := &x.threads[l]; !t.ended {
			x.event.Time = uint64(max(e.Time-x.begin, 0))
			x.pass(t, l, &e, values)
		}
	}
}

// location returns the number of a location: as programs of MPI have it, so that those of a process differ in the upper half.
func (x *exporter) location(l trace.LocationID) uint64 {
	at := &x.defs.Locations[l]
	return (at.Number-1)<<32 | uint64(at.Process)
}

// finish ends what is open when its process ends, and defines locations, and the groups and communicators of them.
func (x *exporter) finish() error {
	w, d := x.w, x.defs
	members := make([][]uint64, len(d.Processes))
	all := []uint64{}
	for i := range x.threads {
		t, at := &x.threads[i], &d.Locations[i]
		if t.to == nil {
			continue
		}
		x.event.Time = max(t.last, uint64(max(d.Processes[at.Process].End-x.begin, 0)))
		x.shut(t)
		events := t.to.Events()
		if err := t.to.Close(); err != nil {
			return err
		}
		name := at.Name
		if name == "" {
			name = fmt.Sprint("goroutine ", at.GoID)
		}
		w.define("Location", nil, x.location(trace.LocationID(i)), x.text(name), 1, events, uint64(at.Process))
		members[at.Process] = append(members[at.Process], uint64(len(all)))
		all = append(all, x.location(trace.LocationID(i)))
	}
	const commGroup = 5
	group := func(number int, name uint64, kind uint64, members []uint64) {
		values := append([]uint64{uint64(number), name, 0, uint64(len(members))}, members...)
		w.define("Group", nil, append(values, kind, goroutines, 0)...)
	}
	group(0, x.text(""), commLocations, all)
	for i, list := range members {
		group(threadGroups+i, x.text(""), commGroup, list)
		w.define("Comm", nil, uint64(i), x.text("goroutines"), uint64(threadGroups+i), none, 0)
	}
	return nil
}
