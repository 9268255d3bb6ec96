// Package perf counts with the kernel's perf events: hardware and cache events, raw codes, the events of every PMU in
// sysfs, software events, tracepoints, watchpoints in debug registers, probes.
//
// Events are named as Linux perf names them:
//
//	cycles  L1-dcache-load-misses  page-faults     events with fixed names
//	r1a8                                           raw code of the processor
//	cpu/event=0x3c,umask=0/  msr/tsc/              terms, or a named event, of a PMU in sysfs
//	MEM_LOAD_RETIRED.L1_MISS                       the processor's table of events
//	sched:sched_switch                             tracepoint
//	mem:0x4f2a10/8:w                               accesses to memory: address, length, any of r, w, x
//	uprobe:/path/program+0x1234  uretprobe:…       an instruction of a program by its offset in the file, or a symbol
//	kprobe:function+0x10  kretprobe:function       the same of the kernel
//
// and may be followed by modifiers: :u (user mode only), :k (kernel mode only), :p (precise, up to three times).
//
// Counters are never disabled. A set is one group of the kernel, read with one system call, which is the cheapest way
// (enabling and disabling costs five times as much). If a set is opened for the calling thread, readings say
// whether a goroutine was undisturbed on it.
package perf

import (
	"errors"
	"strings"
	"sync"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
	"tracerec/trace/wire"
)

// Encoded is an event as the kernel is asked for it.
type Encoded struct {
	Name string
	perfevent.Event
	// Path is the program or the kernel function that a probe is set in, the address of which belongs into Config1.
	Path string
	// CPUs are the processors on which an event is counted that belongs to no thread: one for each socket, say.
	CPUs  []int
	clock bool   // runs in user and kernel mode alike, whatever is excluded
	pmu   string // in which group of counters it competes; "" none, it is software
}

// excludesMode are the flags by which names say whom they count for.
const excludesMode = perfevent.FlagExcludeUser | perfevent.FlagExcludeKernel

// Substrate counts with perf events. On systems other than Linux it knows no event.
type Substrate struct {
	catalog catalog
	opener

	presets  sync.Once
	byPreset map[string]string // the event that a PMU names like it
}

// New returns the substrate. There is one in a process, so that event sets can share counters.
func New() *Substrate { return theSubstrate() }

var theSubstrate = sync.OnceValue(func() *Substrate { return newSubstrate() })

var (
	_ substrate.Substrate = (*Substrate)(nil)
	_ substrate.Presetter = (*Substrate)(nil)
)

// Name returns "perf_event".
func (*Substrate) Name() string { return "perf_event" }

// Attr encodes the event of that name, without asking whether the kernel permits it. The error wraps
// [substrate.ErrUnknownEvent] or [substrate.ErrUnavailable].
func Attr(name string) (Encoded, error) { return New().catalog.parse(name) }

// Resolve describes the event of that name.
func (s *Substrate) Resolve(name string) (substrate.Event, error) {
	e, err := s.catalog.parse(name)
	if err != nil {
		return substrate.Event{}, err
	}
	return substrate.Event{Name: name, Description: s.catalog.describe(name, e), Unit: wire.CounterUnit(name), Process: e.CPUs != nil}, nil
}

// Events lists the events with fixed names, those that PMUs name in sysfs, and tracepoints where they can be seen. The
// processor's table of events, which is known besides, is that of package events.
func (s *Substrate) Events() []substrate.Event {
	if !supported {
		return nil
	}
	var out []substrate.Event
	for _, n := range perfevent.All() {
		out = append(out, substrate.Event{Name: n.Name, Description: n.Description, Unit: wire.CounterUnit(n.Name)})
	}
	for _, p := range s.catalog.pmus() {
		for _, e := range p.Events {
			out = append(out, substrate.Event{Name: p.Name + "/" + e + "/", Description: s.catalog.aliasDescription(p, e), Unit: "events", Process: p.CPUs != nil})
		}
	}
	for _, t := range s.catalog.tracepoints() {
		group := "tracepoints"
		if strings.HasPrefix(t, "syscalls:") || strings.HasPrefix(t, "raw_syscalls:") { // which anybody may count for their own threads
			group = "syscall-tracepoints"
		}
		out = append(out, substrate.Event{Name: t, Description: "tracepoint", Unit: "events", Group: group})
	}
	return out
}

// Preset implements [substrate.Presetter]: the unit of the simulator names events as PAPI does, and no other one.
func (s *Substrate) Preset(name string) (formula string, events []string, ok bool) {
	s.presets.Do(func() {
		s.byPreset = map[string]string{}
		for _, p := range s.catalog.pmus() {
			for _, e := range p.Events {
				if strings.HasPrefix(e, "PAPI_") {
					s.byPreset[e] = p.Name + "/" + e + "/"
				}
			}
		}
	})
	event, ok := s.byPreset[name]
	return "N0", []string{event}, ok
}

// errOpen is what the errors of Open say when the system has no perf events at all.
var errOpen = errors.New("perf events need Linux")
