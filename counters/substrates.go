package counters

import (
	"slices"
	"sync"

	"tracerec/counters/perf"
)

// Substrates lists the sources of counters in the order in which names are looked up: the Go runtime, resource usage,
// registered counters, and the kernel's perf events, which have the longest lists.
func Substrates() []Substrate { return slices.Clone(substrates()) }

var substrates = sync.OnceValue(func() []Substrate {
	return []Substrate{goRuntime{}, rusage{}, &userCounters, perf.New()}
})
