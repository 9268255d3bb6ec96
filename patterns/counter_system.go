package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// Properties above counters of the operating system and of the Go runtime, which every machine has.
var (
	PageFaultBound = &analyzer.Property{
		Metric: metric.Metric{
			Name: "page_fault_bound", Title: "Page-fault-bound call path", Kind: metric.Property, Unit: metric.Events,
			Description: "Memory is touched for the first time, or again after the system took it back, so often that page faults take a " +
				"noticeable part of the time: each costs about a microsecond or, when pages are shared among many threads, several.",
			Formula: "page faults / time in the call path, above 20,000 in a second, from 1,000 faults on",
			Advice: "Reuse memory instead of allocating it anew (a pool, a slice kept between rounds), so that its pages stay. If the runtime gives " +
				"memory back that is soon needed again, raise GOGC or GOMEMLIMIT. Huge pages make one fault of 512.",
		},
		Measures: []analyzer.Measure{
			{Part: "page-faults", Of: "time", Above: 20_000, Least: 1000, Words: faults},
			{Part: "faults", Of: "time", Above: 20_000, Least: 1000, Words: faults},
			{Part: "minor-faults", Of: "time", Above: 20_000, Least: 1000, Words: faults},
			{Part: "rusage:minflt", Of: "time", Above: 20_000, Least: 1000, Words: faults},
		},
	}
	HeavyAllocation = &analyzer.Property{
		Metric: metric.Metric{
			Name: "heavy_allocation", Title: "Heavy allocation", Kind: metric.Property, Unit: metric.Events,
			Description: "So much is allocated on the heap that allocation and the garbage collector, which it keeps busy, take a noticeable " +
				"part of the processors' time. The runtime counts for the whole process, so others may have allocated meanwhile.",
			Formula: "objects allocated / time in the call path, above 1,000,000 in a second, from 100,000 objects on; or bytes, above 256 MiB in " +
				"a second, from 64 MiB on",
			Advice: "Allocate outside the loop and reuse (a slice kept, a sync.Pool, a bytes.Buffer that is reset). Keep values that do not outlive " +
				"the call on the stack: go build -gcflags=-m says what escapes. Give slices and maps their capacity at once.",
		},
		Measures: []analyzer.Measure{
			{Part: "go:alloc-objects", Of: "time", Above: 1e6, Least: 100_000, Words: "{part} objects were allocated, {rate} in a second"},
			{Part: "go:alloc-bytes", Of: "time", Above: 256 << 20, Least: 64 << 20, Words: "{bytes} were allocated, {byterate} in a second"},
		},
	}
	ContextSwitchStorm = &analyzer.Property{
		Metric: metric.Metric{
			Name: "context_switch_storm", Title: "Context-switch storm", Kind: metric.Property, Unit: metric.Events,
			Description: "The threads below the goroutines are switched so often that it takes a noticeable part of the time: each switch costs " +
				"microseconds and leaves cold caches.",
			Formula: "context switches / time in the call path, above 10,000 in a second, from 1,000 switches on",
			Advice: "Goroutines that block in system calls or on locks of C code block threads. Make fewer and larger calls (buffered input and " +
				"output, writes put together), and do not lock goroutines to threads. If other programs share the processors, lower GOMAXPROCS.",
		},
		Measures: []analyzer.Measure{
			{Part: "context-switches", Of: "time", Above: 10_000, Least: 1000, Words: switches},
			{Part: "cs", Of: "time", Above: 10_000, Least: 1000, Words: switches},
			{Part: "rusage:nvcsw + rusage:nivcsw", Of: "time", Above: 10_000, Least: 1000, Words: switches},
			{Part: "rusage:nivcsw", Of: "time", Above: 10_000, Least: 1000, Words: switches},
		},
	}
)

const (
	faults   = "{part} page faults, {rate} in a second"
	switches = "threads were switched {part} times, {rate} times in a second"
)
