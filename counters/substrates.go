package counters

import (
	"slices"
	"sync"

	"tracerec/counters/perf"
	"tracerec/counters/simulated"
)

// Substrates lists the sources of counters in the order in which names are looked up: the Go runtime, resource usage,
// registered counters, the simulator if the program runs on one, and the kernel's perf events, which have the longest lists.
func Substrates() []Substrate { return slices.Clone(substrates()) }

var substrates = sync.OnceValue(func() []Substrate {
	list := []Substrate{goRuntime{}, rusage{}, &userCounters}
	if simulated.Available() {
		list = append(list, simulated.Goroutines())
	}
	return append(list, perf.New())
})
