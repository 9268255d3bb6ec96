package counters

import (
	"fmt"
	"math"
	"runtime/metrics"
	"slices"

	"tracerec/counters/substrate"
	"tracerec/trace/wire"
)

// goRuntime is the substrate of the Go runtime's metrics. They count for the whole process.
type goRuntime struct{}

// goEvent is an event of the runtime and the metric it is read from: a number, seconds, or a histogram, whose
// observations are counted.
type goEvent struct {
	name, metric, description, unit string
	gauge                           bool
}

// goEvents lists what this version of Go may have; [goRuntime.Events] leaves out what it has not.
var goEvents = []goEvent{
	{"alloc-bytes", "/gc/heap/allocs:bytes", "bytes allocated on the heap", "bytes", false},
	{"alloc-objects", "/gc/heap/allocs:objects", "objects allocated on the heap", "events", false},
	{"tiny-allocs", "/gc/heap/tiny/allocs:objects", "small objects allocated together in one block", "events", false},
	{"free-bytes", "/gc/heap/frees:bytes", "bytes freed on the heap", "bytes", false},
	{"free-objects", "/gc/heap/frees:objects", "objects freed on the heap", "events", false},
	{"live-bytes", "/memory/classes/heap/objects:bytes", "heap bytes occupied by live and unswept objects", "bytes", true},
	{"heap-objects", "/gc/heap/objects:objects", "objects on the heap, live and unswept", "events", true},
	{"heap-goal-bytes", "/gc/heap/goal:bytes", "target heap size at the end of a collection", "bytes", true},
	{"stack-bytes", "/memory/classes/heap/stacks:bytes", "bytes of goroutines' stacks", "bytes", true},
	{"total-bytes", "/memory/classes/total:bytes", "bytes mapped by the runtime", "bytes", true},
	{"gc-cycles", "/gc/cycles/total:gc-cycles", "garbage collections", "events", false},
	{"gc-forced", "/gc/cycles/forced:gc-cycles", "garbage collections that the program asked for", "events", false},
	{"gc-pauses", "/sched/pauses/total/gc:seconds", "stops of the world for garbage collections", "events", false},
	{"other-pauses", "/sched/pauses/total/other:seconds", "stops of the world for other reasons", "events", false},
	{"gc-cpu", "/cpu/classes/gc/total:cpu-seconds", "processor time of garbage collections, known at the end of each", "ns", false},
	{"gc-assist", "/cpu/classes/gc/mark/assist:cpu-seconds", "processor time that goroutines spent helping the collector", "ns", false},
	{"goroutines", "/sched/goroutines:goroutines", "goroutines", "events", true},
	{"goroutines-runnable", "/sched/goroutines/runnable:goroutines", "goroutines ready to run that are not running", "events", true},
	{"goroutines-created", "/sched/goroutines-created:goroutines", "goroutines created", "events", false},
	{"threads", "/sched/threads/total:threads", "threads of the runtime", "events", true},
	{"schedules", "/sched/latencies:seconds", "times a goroutine became runnable and then ran", "events", false},
	{"mutex-wait", "/sync/mutex/wait/total:seconds", "time goroutines were blocked on a mutex, estimated", "ns", false},
	{"cgo-calls", "/cgo/go-to-c-calls:calls", "calls from Go to C", "events", false},
	{"finalizers", "/gc/finalizers/executed:finalizers", "finalizers executed", "events", false},
	{"cleanups", "/gc/cleanups/executed:cleanups", "cleanups executed", "events", false},
}

func (e goEvent) event() Event {
	return Event{Name: wire.ProcessCounter + e.name, Description: e.description, Unit: e.unit, Process: true, Gauge: e.gauge}
}

// Name identifies the substrate.
func (goRuntime) Name() string { return "Go runtime" }

// Events lists what this version of the runtime measures.
func (goRuntime) Events() []Event {
	has := map[string]bool{}
	for _, d := range metrics.All() {
		has[d.Name] = true
	}
	var out []Event
	for _, e := range goEvents {
		if has[e.metric] {
			out = append(out, e.event())
		}
	}
	return out
}

// Resolve describes an event.
func (goRuntime) Resolve(name string) (Event, error) {
	if at := findGo(name); at >= 0 {
		return goEvents[at].event(), nil
	}
	return Event{}, notOurs(wire.ProcessCounter, name)
}

// GoMetric returns the name that package runtime/metrics has for an event of the Go runtime, and whether there is one.
func GoMetric(name string) (metric string, ok bool) {
	at := findGo(name)
	if at < 0 {
		return "", false
	}
	return goEvents[at].metric, true
}

func findGo(name string) int {
	return slices.IndexFunc(goEvents, func(e goEvent) bool { return wire.ProcessCounter+e.name == name })
}

// Open makes events readable together.
func (goRuntime) Open(names []string, o Options) (substrate.Group, error) {
	if err := processOnly(names, o); err != nil {
		return nil, err
	}
	g := make(goGroup, len(names))
	for i, n := range names {
		at := findGo(n)
		if at < 0 {
			return nil, fmt.Errorf("%s: %w", n, ErrUnknownEvent)
		}
		g[i].Name = goEvents[at].metric
	}
	metrics.Read(g)
	for i, n := range names {
		if g[i].Value.Kind() == metrics.KindBad {
			return nil, fmt.Errorf("%s: %w: this version of Go does not measure it", n, ErrUnavailable)
		}
	}
	return g, nil
}

// processOnly refuses options that make no sense for what counts for this process.
func processOnly(names []string, o Options) error {
	switch {
	case o.Thread != 0 || o.CPU != 0 || o.Inherit:
		return fmt.Errorf("%s: %w: it counts only for this process, so it can be neither attached nor inherited", names[0], ErrUnsupported)
	case o.Domain != 0 && o.Domain != All:
		return fmt.Errorf("%s: %w: it cannot be counted by domain", names[0], ErrUnsupported)
	}
	return nil
}

// goGroup is runtime metrics that are read together.
type goGroup []metrics.Sample

// Read stores the values; they belong to no goroutine.
func (g goGroup) Read(dst []uint64) (where uint64, err error) {
	metrics.Read(g)
	for i := range g {
		switch v := g[i].Value; v.Kind() {
		case metrics.KindUint64:
			dst[i] = v.Uint64()
		case metrics.KindFloat64:
			dst[i] = uint64(math.Round(v.Float64() * 1e9))
		case metrics.KindFloat64Histogram:
			dst[i] = 0
			for _, n := range v.Float64Histogram().Counts {
				dst[i] += n
			}
		}
	}
	return 0, nil
}

// Close has nothing to release.
func (g goGroup) Close() error { return nil }
