package perf

import "strings"

// Types of events, PERF_TYPE_* of the kernel.
const (
	typeHardware   = 0
	typeSoftware   = 1
	typeTracepoint = 2
	typeCache      = 3
	typeRaw        = 4
	typeBreakpoint = 5
)

// named is an event with a name and a fixed code.
type named struct {
	name        string
	alias       string // perf's other name for it
	description string
	typ         uint32
	config      uint64
	kernel      bool // happens inside the kernel: nothing is left when the kernel is excluded
}

var fixed = append([]named{
	{"task-clock", "", "time on a processor", typeSoftware, 1, false},
	{"cpu-clock", "", "time of the processor's clock", typeSoftware, 0, false},
	{"page-faults", "faults", "page faults", typeSoftware, 2, false},
	{"minor-faults", "", "page faults served without input or output", typeSoftware, 5, false},
	{"major-faults", "", "page faults that had to read from storage", typeSoftware, 6, false},
	{"context-switches", "cs", "times the kernel took the thread off its processor", typeSoftware, 3, true},
	{"cpu-migrations", "migrations", "times the kernel moved the thread to another processor", typeSoftware, 4, true},
	{"alignment-faults", "", "accesses to unaligned memory that the kernel had to complete", typeSoftware, 7, false},
	{"emulation-faults", "", "instructions that the kernel had to emulate", typeSoftware, 8, false},
	{"bpf-output", "", "records written by BPF programs", typeSoftware, 10, true},
	{"cgroup-switches", "", "context switches to another control group", typeSoftware, 11, true},
	{"dummy", "", "nothing: stays 0", typeSoftware, 9, false},
	{"cycles", "cpu-cycles", "cycles of the processor", typeHardware, 0, false},
	{"instructions", "", "instructions retired", typeHardware, 1, false},
	{"cache-references", "", "accesses to the last-level cache", typeHardware, 2, false},
	{"cache-misses", "", "misses of the last-level cache", typeHardware, 3, false},
	{"branches", "branch-instructions", "branch instructions retired", typeHardware, 4, false},
	{"branch-misses", "", "branches mispredicted", typeHardware, 5, false},
	{"bus-cycles", "", "cycles of the bus", typeHardware, 6, false},
	{"stalled-cycles-frontend", "idle-cycles-frontend", "cycles without instructions to issue", typeHardware, 7, false},
	{"stalled-cycles-backend", "idle-cycles-backend", "cycles in which nothing could be executed", typeHardware, 8, false},
	{"ref-cycles", "", "cycles at the reference frequency", typeHardware, 9, false},
}, cacheEvents()...)

// cacheEvents combines caches, operations and results as perf does: L1-dcache-load-misses.
func cacheEvents() (out []named) {
	caches := []struct{ name, description, operations string }{
		{"L1-dcache", "level 1 data cache", "load store prefetch"},
		{"L1-icache", "level 1 instruction cache", "load prefetch"},
		{"LLC", "last-level cache", "load store prefetch"},
		{"dTLB", "data translation buffer", "load store prefetch"},
		{"iTLB", "instruction translation buffer", "load"},
		{"branch", "branch prediction unit", "load"},
		{"node", "local memory", "load store prefetch"},
	}
	code := map[string]uint64{"load": 0, "store": 1, "prefetch": 2}
	plural := map[string]string{"load": "loads", "store": "stores", "prefetch": "prefetches"}
	for i, c := range caches {
		for _, op := range strings.Fields(c.operations) {
			config := uint64(i) | code[op]<<8
			out = append(out,
				named{c.name + "-" + plural[op], "", c.description + ": " + plural[op], typeCache, config, false},
				named{c.name + "-" + op + "-misses", "", c.description + ": " + op + " misses", typeCache, config | 1<<16, false})
		}
	}
	return out
}

func findFixed(name string) (named, bool) {
	for _, n := range fixed {
		if n.name == name || n.alias == name && name != "" {
			return n, true
		}
	}
	return named{}, false
}

// unit returns the unit of an event.
func unit(name string) string {
	if base, _, _ := strings.Cut(name, ":"); base == "task-clock" || base == "cpu-clock" {
		return "ns"
	}
	return "events"
}
