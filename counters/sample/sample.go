// Package sample reads an event set from inside the measured program: the recorder hands down event
// names, the program opens them and reads them at region boundaries.
//
// Kernel events are counted per thread. A goroutine shares threads with others and changes them, so
// every reading says where it was taken (the first word): the thread, and a number that the runtime
// steps whenever it takes the goroutine off its thread. Two readings of one goroutine with the same
// first word enclose nothing but that goroutine's own work, and only then may their difference be
// charged to it.
//
// The package is linked into measured programs and uses the standard library only.
package sample

import (
	"errors"
	"fmt"
	"runtime/metrics"
	"strings"
	"sync"
	"unsafe"

	"tracerec/internal/witness"
	"tracerec/trace/wire"
)

// MaxEvents is the largest number of events in a set.
const MaxEvents = 8

// Event is one thing that can be counted here.
type Event struct {
	Name        string
	Description string
	Unit        string // ns, bytes or events
	// Process events count for the whole process: their differences belong to no goroutine with certainty.
	Process bool
	source
}

// source says how an event is read: a perf type and configuration, or a metric of the Go runtime.
type source struct {
	perfType, config uint64
	needsKernel      bool   // counts nothing useful when the kernel is excluded
	metric           string // runtime/metrics name
}

const perfSoftware = 1 // PERF_TYPE_SOFTWARE

// table lists every event in display order. The hardware layer adds rows with other perf types.
var table = []Event{
	event("task-clock", "time on a processor", false, source{perfType: perfSoftware, config: 1}),
	event("page-faults", "page faults", false, source{perfType: perfSoftware, config: 2}),
	event("minor-faults", "page faults served without input or output", false, source{perfType: perfSoftware, config: 5}),
	event("major-faults", "page faults that had to read from storage", false, source{perfType: perfSoftware, config: 6}),
	event("context-switches", "times the kernel took the thread off its processor", false, source{perfType: perfSoftware, config: 3, needsKernel: true}),
	event("cpu-migrations", "times the kernel moved the thread to another processor", false, source{perfType: perfSoftware, config: 4, needsKernel: true}),
	event(wire.ProcessCounter+"alloc-bytes", "bytes allocated on the heap by the process", true, source{metric: "/gc/heap/allocs:bytes"}),
	event(wire.ProcessCounter+"alloc-objects", "objects allocated on the heap by the process", true, source{metric: "/gc/heap/allocs:objects"}),
	event(wire.ProcessCounter+"gc-cycles", "garbage collections of the process", true, source{metric: "/gc/cycles/total:gc-cycles"}),
	event(wire.ProcessCounter+"live-bytes", "heap bytes occupied by live and unswept objects", true, source{metric: "/memory/classes/heap/objects:bytes"}),
}

func event(name, description string, process bool, from source) Event {
	return Event{name, description, wire.CounterUnit(name), process, from}
}

// Events lists what this package knows, whether or not this machine permits it.
func Events() []Event { return append([]Event(nil), table...) }

// Parse splits a comma-separated list of event names and checks it against [Events].
func Parse(list string) ([]string, error) {
	var names []string
	for _, n := range strings.Split(list, ",") {
		if n = strings.TrimSpace(n); n == "" {
			continue
		}
		if _, ok := find(n); !ok {
			return nil, fmt.Errorf("unknown counter %q (known: %s)", n, strings.Join(known(), ", "))
		}
		for _, m := range names {
			if m == n {
				return nil, fmt.Errorf("counter %q is named twice", n)
			}
		}
		names = append(names, n)
	}
	if len(names) > MaxEvents {
		return nil, fmt.Errorf("%d counters asked for, at most %d can be sampled together", len(names), MaxEvents)
	}
	return names, nil
}

func find(name string) (Event, bool) {
	for _, e := range table {
		if e.Name == name {
			return e, true
		}
	}
	return Event{}, false
}

func known() []string {
	var k []string
	for _, e := range table {
		k = append(k, e.Name)
	}
	return k
}

// Set is an open event set. Its methods may be called by any goroutine at any time.
type Set struct {
	kernel  []int // positions (in a reading) of the kernel events, in group order
	runtime []int // positions of the runtime's metrics
	where   witness.Witness
	threads *threads
	samples sync.Pool // *[]metrics.Sample, prepared for the runtime events
	n       int
}

// Open opens an event set for the process. getg returns the calling goroutine's g pointer. The events
// must be readable now, on the calling thread; the error says which is not and why.
func Open(names []string, getg func() unsafe.Pointer) (*Set, error) {
	if len(names) == 0 {
		return nil, errors.New("empty event set")
	}
	s := &Set{n: len(names)}
	var kernel []Event
	var gometrics []string
	for i, n := range names {
		e, ok := find(n)
		switch {
		case !ok:
			return nil, fmt.Errorf("unknown counter %q", n)
		case e.metric != "":
			s.runtime = append(s.runtime, 1+i)
			gometrics = append(gometrics, e.metric)
		default:
			s.kernel = append(s.kernel, 1+i)
			kernel = append(kernel, e)
		}
	}
	s.samples.New = func() any {
		b := make([]metrics.Sample, len(gometrics))
		for i, m := range gometrics {
			b[i].Name = m
		}
		return &b
	}
	if len(kernel) > 0 {
		var err error
		if s.threads, err = openThreads(kernel); err != nil {
			return nil, err
		}
		s.where = witness.Find(getg)
	}
	return s, nil
}

// Certain reports whether readings can be told undisturbed at all: the runtime's sequence number was
// found and passed its test.
func (s *Set) Certain() bool { return s.where.Found() }

// Read stores where the reading was taken in dst[0] and the values behind it, in the order of the names
// given to Open, and returns the number of words: 1 + the number of events, or 1 when the kernel refused.
// dst[0] is 0 when the reading cannot be compared with any other. g is the calling goroutine.
func (s *Set) Read(g unsafe.Pointer, dst []uint64) int {
	dst[0] = 0
	if len(s.runtime) > 0 {
		s.readRuntime(dst)
	}
	if s.threads == nil {
		return 1 + s.n
	}
	// Taken off the thread between the calls below, the goroutine would read another thread's
	// counters: the witness must not move meanwhile. A busy goroutine gets through at the first try.
	for range 4 {
		before := s.where.Sequence(g)
		tid := gettid()
		if !s.threads.read(tid, s.kernel, dst) {
			return 1
		}
		if s.Certain() {
			if s.where.Sequence(g) == before {
				dst[0] = uint64(tid)<<8 | uint64(before)
				return 1 + s.n
			}
		} else if gettid() == tid {
			return 1 + s.n
		}
	}
	return 1
}

func (s *Set) readRuntime(dst []uint64) {
	b := s.samples.Get().(*[]metrics.Sample)
	metrics.Read(*b)
	for i, p := range s.runtime {
		if v := (*b)[i].Value; v.Kind() == metrics.KindUint64 {
			dst[p] = v.Uint64()
		}
	}
	s.samples.Put(b)
}

// Close releases the kernel's events. No Read may run or follow.
func (s *Set) Close() {
	if s.threads != nil {
		s.threads.close()
	}
}
