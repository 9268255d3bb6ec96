package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// ExternalWait is found by the matchers where an operation has no partner; the analyzer adds operations
// without object: nil channels, and selects that ended in a case that is not recorded.
var ExternalWait = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.ExternalWait, Title: "Waiting for something external", Parent: metric.Time, Kind: metric.WaitState,
		Description: "A goroutine was blocked in an operation whose partner is not recorded: a timer, a context, the network or code that " +
			"is not instrumented. Or the operation never ended. No goroutine in the trace is known to have caused the wait.",
		Formula: "end of the operation − the time it blocked (selects and condition variables: its begin), where no partner was found",
		Advice: "Look at what feeds this operation. If it is a timer or a peer, the program can only do other work meanwhile. If it is a goroutine of the program, " +
			"it had not come to it when the trace ended, or is not recorded: where only a part of the program is instrumented, instrument the other side of the channel or lock, and the " +
			"waiting is attributed to it. A wait that lasts until the program ends may be a leaked goroutine or a deadlock.",
	},
	Point: analyzer.DidNotCome,
}

// TimerWait is an external wait for the channel of a timer, which recorders know from others.
var TimerWait = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.TimerWait, Title: "Waiting for a timer or ticker", Parent: metric.ExternalWait, Kind: metric.WaitState,
		Description: "A goroutine received from the channel of a timer or ticker, as those of time.After, time.NewTimer and time.Tick, and waited until it had run down, " +
			"or for ever, if it was stopped. A select belongs here if that is the case that it chose, or if it never ended, and one of its cases receives from a timer that ran.",
		Formula: "end of the operation − the time it blocked (selects: its begin), where it received from a timer's channel, or was about to",
		Advice: "If the program waits for something to happen, and looks every so often whether it has, have it told instead, by a channel or a condition. If it keeps a pace, " +
			"that pace is what others get. What does nothing between two ticks is idle by design; it matters only as far as it is on the critical path.",
	},
	Point: analyzer.RanDown,
}

// The analyzer computes these itself.
var (
	WakeupTime = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Wakeup, Title: "Wake-up", Parent: metric.Management,
		Description: "Time between a goroutine's release and its next instruction: what it waited for had happened, but it did not run yet. " +
			"Waking takes microseconds; more means that all processors were busy or the machine was shared.",
		Formula: "time of an operation after it blocked that no wait state covers; for locks the time in which the lock was free",
		Advice: "Fewer, larger hand-overs need fewer wake-ups: batch what goes over channels, use a buffered channel, hold locks " +
			"less often. If single wake-ups are long, more goroutines are ready than GOMAXPROCS can run: bound the number of workers.",
	}}
	StartLatency = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.StartLatency, Title: "Start latency", Parent: metric.Management,
		Description: "Time from the creation of a goroutine to its first instruction.",
		Formula:     "begin of the goroutine − its creation",
		Advice: "Goroutines queue for a processor when many are started at once. Start as many as can run, and let each take " +
			"several pieces of work.",
	}}
	Overhead = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Overhead, Title: "Measurement overhead", Parent: metric.Management,
		Description: "Time in which a goroutine waited for memory for its events: until the system provided some, or, with --block, until " +
			"the recorder had emptied a buffer; or for its turn to note that it used a lock or a channel for the first time, if many did so at once; in OTF2 archives, time in which the recorder wrote events to disk. The small constant cost of each event is not included.",
		Formula: "duration of these waits as the goroutines noted them, or of the flushes of buffers, as the recorder noted them",
		Advice:  "Instrument coarser regions, or give the recorder more buffer memory.",
	}}
	Sleep = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Sleep, Title: "Sleep", Parent: metric.Time,
		Description: "Time in which goroutines slept because the program told them to; or, as idle, in which goroutines of the runtime had nothing to do, such as those " +
			"that run finalizers and cleanups; or, as timer, in which goroutines that a timer starts waited for that, from when it was set, as with time.AfterFunc and the deadline of a context (execution traces do not tell when: there, from when the wait began that they ended).",
		Formula: "end − begin of Sleep operations",
		Advice:  "Replace a sleep that polls for a condition by a channel receive or a condition variable, which return as soon as the condition holds.",
	}}
)
