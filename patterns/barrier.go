package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// BarrierWait is a participant of a barrier that waited for the last one to arrive.
var BarrierWait = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.BarrierWait, Title: "Waiting at a barrier", Parent: metric.Synchronization, Kind: metric.WaitState, Causing: "which arrived last at",
		Description: "A goroutine waited at a barrier for the last one to arrive. The sum over all goroutines is what the imbalance before " +
			"the barrier costs.",
		Formula: "min(latest begin of all participants, own end) − own begin, when positive; the causer is the one that began latest",
		Advice: "Divide the work before the barrier evenly: look at what the last one did more than the others. If it is always the same one, " +
			"its part is too large; if it changes, use smaller pieces from a common queue, or replace the barrier by channels between the " +
			"goroutines that really depend on each other.",
	},
	Point:    analyzer.ArrivedLast,
	Roots:    goRoots,
	Paradigm: analyzer.Goroutines,
}

// BarrierCompletion is the time to leave a barrier once all had arrived and the first had left. It is no
// wait state: nobody is waited for.
var BarrierCompletion = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.BarrierCompletion, Title: "Barrier completion", Parent: metric.Synchronization,
		Description: "A goroutine was still inside a barrier after the first one had left it. All had arrived; this is the time that waking them took.",
		Formula:     "own end − max(earliest end of all participants, latest begin), when positive",
		Advice:      "Use fewer goroutines per barrier than there are processors, or fewer barriers with more work between them.",
	},
	Point:    analyzer.LeftFirst,
	Paradigm: analyzer.Goroutines,
}
