package perfevent

import (
	"slices"
	"strings"
	"sync"
)

// Event is an event as the kernel is asked for it.
type Event struct {
	Type    uint32
	Config  uint64
	Config1 uint64 // of a watchpoint: its address
	Config2 uint64 // of a watchpoint: its length
	BPType  uint32 // of a watchpoint: 1 read, 2 write, 4 execute
	Flags   uint64 // that the name asks for: whom it excludes, how precise it is
	// Kernel events happen inside the kernel: nothing is left of them when the kernel is excluded.
	Kernel bool
	// NoExclude is set for events that the kernel opens only without any flag of exclusion.
	NoExclude bool
}

// Attr returns the event in the kernel's form.
func (e *Event) Attr() Attr {
	return Attr{Type: e.Type, Size: Size, Config: e.Config, Config1: e.Config1, Config2: e.Config2, BPType: e.BPType, Flags: e.Flags}
}

// Codes of software events.
const (
	CPUClock        = 0
	TaskClock       = 1
	PageFaults      = 2
	ContextSwitches = 3
	Migrations      = 4
	MinorFaults     = 5
	MajorFaults     = 6
	AlignmentFaults = 7
	EmulationFaults = 8
	Dummy           = 9
	BPFOutput       = 10
	CgroupSwitches  = 11
	SoftwareCodes   = 12
)

// Codes of hardware events.
const (
	Cycles          = 0
	Instructions    = 1
	CacheReferences = 2
	CacheMisses     = 3
	Branches        = 4
	BranchMisses    = 5
	BusCycles       = 6
	StalledFrontend = 7
	StalledBackend  = 8
	RefCycles       = 9
	HardwareCodes   = 10
)

// Codes of cache events are made of a cache, an operation and a result: see [cacheCode].
const (
	L1D = iota
	L1I
	LastLevel
	DTLB
	ITLB
	BranchUnit
	Node
	Caches
)

// Operations of caches.
const (
	Load = iota
	Store
	Prefetch
	Operations
)

// cacheCode returns the code of accesses to a cache, or of its misses.
func cacheCode(cache, operation int, misses bool) uint64 {
	code := uint64(cache | operation<<8)
	if misses {
		code |= 1 << 16
	}
	return code
}

// Named is an event with a name and a code that every kernel knows.
type Named struct {
	Name        string
	Alias       string // perf's other name for it
	Description string
	Type        uint32
	Config      uint64
	Kernel      bool // as in [Event]
}

// Event returns the event as the kernel is asked for it.
func (n *Named) Event() Event { return Event{Type: n.Type, Config: n.Config, Kernel: n.Kernel} }

// named are all but the events of caches, which are made when they are asked for: the measured program has this package, too.
var named = [...]Named{
	{"task-clock", "", "time on a processor", Software, TaskClock, false},
	{"cpu-clock", "", "time of the processor's clock", Software, CPUClock, false},
	{"page-faults", "faults", "page faults", Software, PageFaults, false},
	{"minor-faults", "", "page faults served without I/O", Software, MinorFaults, false},
	{"major-faults", "", "page faults that had to read from storage", Software, MajorFaults, false},
	{"context-switches", "cs", "times the kernel took the thread off its processor", Software, ContextSwitches, true},
	{"cpu-migrations", "migrations", "times the kernel moved the thread to another processor", Software, Migrations, true},
	{"alignment-faults", "", "accesses to unaligned memory that the kernel had to complete", Software, AlignmentFaults, false},
	{"emulation-faults", "", "instructions that the kernel had to emulate", Software, EmulationFaults, false},
	{"bpf-output", "", "records written by BPF programs", Software, BPFOutput, true},
	{"cgroup-switches", "", "context switches to another control group", Software, CgroupSwitches, true},
	{"dummy", "", "nothing: stays 0", Software, Dummy, false},
	{"cycles", "cpu-cycles", "cycles of the processor", Hardware, Cycles, false},
	{"instructions", "", "instructions retired", Hardware, Instructions, false},
	{"cache-references", "", "accesses to the last-level cache", Hardware, CacheReferences, false},
	{"cache-misses", "", "misses of the last-level cache", Hardware, CacheMisses, false},
	{"branches", "branch-instructions", "branch instructions retired", Hardware, Branches, false},
	{"branch-misses", "", "branches mispredicted", Hardware, BranchMisses, false},
	{"bus-cycles", "", "cycles of the bus", Hardware, BusCycles, false},
	{"stalled-cycles-frontend", "idle-cycles-frontend", "cycles without instructions to issue", Hardware, StalledFrontend, false},
	{"stalled-cycles-backend", "idle-cycles-backend", "cycles in which nothing could be executed", Hardware, StalledBackend, false},
	{"ref-cycles", "", "cycles at the reference frequency", Hardware, RefCycles, false},
}

// All lists the events with names, in display order. Nobody may change the list.
func All() []Named { return all() }

var all = sync.OnceValue(func() []Named { return append(named[:len(named):len(named)], cacheEvents()...) })

// Find returns the event of that name or alias.
func Find(name string) (Named, bool) {
	for _, list := range [...]func() []Named{func() []Named { return named[:] }, all} {
		if i := slices.IndexFunc(list(), func(n Named) bool { return n.Name == name || n.Alias == name && name != "" }); i >= 0 {
			return list()[i], true
		}
	}
	return Named{}, false
}

// cacheEvents combines caches, operations and results as perf does: L1-dcache-load-misses.
func cacheEvents() (out []Named) {
	operations := [Operations]struct{ one, several string }{Load: {"load", "loads"}, Store: {"store", "stores"}, Prefetch: {"prefetch", "prefetches"}}
	for cache, c := range [Caches]struct{ name, description, operations string }{
		L1D:        {"L1-dcache", "level 1 data cache", "load store prefetch"},
		L1I:        {"L1-icache", "level 1 instruction cache", "load prefetch"},
		LastLevel:  {"LLC", "last-level cache", "load store prefetch"},
		DTLB:       {"dTLB", "data translation buffer", "load store prefetch"},
		ITLB:       {"iTLB", "instruction translation buffer", "load"},
		BranchUnit: {"branch", "branch prediction unit", "load"},
		Node:       {"node", "local memory", "load store prefetch"},
	} {
		for i, op := range operations {
			if strings.Contains(c.operations, op.one) {
				out = append(out,
					Named{c.name + "-" + op.several, "", c.description + ": " + op.several, Cache, cacheCode(cache, i, false), false},
					Named{c.name + "-" + op.one + "-misses", "", c.description + ": " + op.one + " misses", Cache, cacheCode(cache, i, true), false})
			}
		}
	}
	return out
}
