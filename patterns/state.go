package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// Network is waiting that a network, pipe or terminal ends.
var Network = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.Network, Title: "Waiting for network or pipe", Parent: metric.ExternalWait, Kind: metric.WaitState,
		Description: "A goroutine waited until a connection, a pipe or the like could be read or written, or a connection came in.",
		Formula:     "time from blocking in the runtime's network poller to the end of that, but being ready to run afterwards",
		Advice: "Look at who is at the other end, and how many round trips there are: send requests together, or before their answers are needed. " +
			"A server that waits for its next request is idle by design; it matters only as far as it is on the critical path.",
	},
	Point:  analyzer.CameOverNetwork,
	States: true,
}

// LatePeer is waiting for a network whose other end is in the program.
var LatePeer = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.LatePeer, Title: "Late peer", Parent: metric.Communication, Kind: metric.WaitState, Causing: "which came late to",
		Description: "A goroutine waited for the network, but whom it waited for is in this program, too: somebody wrote to the other end of the " +
			"connection or pipe, closed it, or connected to it; or interrupted the wait by closing this end or by a deadline that had passed. The " +
			"critical path goes on there. These waits are not critical themselves: what the other side did meanwhile is.",
		Formula: "min(begin of the write, end of the wait) − begin of the wait, when the write began within the wait; charged to the wait",
		Advice: "Look at what the other side did before it wrote. There the critical path shows what took the time. If many short waits add up, there are " +
			"many round trips: send requests together, or before their answers are needed.",
	},
	Point: analyzer.Came,
	Roots: goRoots,
}

// What the scheduler of the runtime says of goroutines, in programs that tracerec has built.
var (
	Ready = &analyzer.Pattern{States: true, Metric: metric.Metric{
		Name: metric.Ready, Title: "Ready to run", Parent: metric.Time,
		Description: "Time in which goroutines could run but had no processor: others had taken it, they gave it away, it was " +
			"taken during a system call, or they waited for something that is not recorded, and that was over. Being ready before the first " +
			"instruction is start latency; being ready after a wait that is recorded is part of wake-up.",
		Formula: "time from when the goroutine could run to when it did, outside of waits that are recorded",
		Advice: "More goroutines work than processors are there. Bound the number of those that work at once, do less work, or raise GOMAXPROCS " +
			"if the machine has more processors.",
	}}
	Yielded = &analyzer.Pattern{States: true, Metric: metric.Metric{
		Name: metric.Yielded, Title: "Gave up its processor", Parent: metric.Ready,
		Description: "The part of the time ready to run that began when the goroutine gave its processor to others by itself (runtime.Gosched), as loops do that try " +
			"again and again. It is no sign that processors are lacking: the goroutine says that it has nothing better to do.",
		Formula: "time from runtime.Gosched to when the goroutine ran, outside of waits that are recorded",
		Advice: "If goroutines ask again and again whether something has happened, let them wait for it: by a channel, a sync.Cond or a sync.WaitGroup. That takes no " +
			"processor, and who waits goes on as soon as it has happened.",
	}}
	SystemCall = &analyzer.Pattern{States: true, Metric: metric.Metric{
		Name: metric.SystemCall, Title: "System call", Parent: metric.Time,
		Description: "Time in system calls, and in code that is not Go (cgo), that took some microseconds at least: files, processes, and " +
			"whatever else does not go through the runtime's network poller. Shorter calls hardly wait and belong to execution.",
		Formula: "end − begin of system calls of at least 10,000 ticks of the clock of events (about 4 µs)",
		Advice:  "Do fewer and larger calls: buffer what is read and written, do not flush after each write, and keep calls out of locks.",
	}}
	UnrecordedWait = &analyzer.Pattern{States: true, Metric: metric.Metric{
		Name: metric.UnrecordedWait, Title: "Waiting, not recorded", Parent: metric.Time,
		Description: "Time in which goroutines waited for something that is not recorded, such as a lock within the runtime. It is known that they " +
			"waited, but not for what.",
		Formula: "time in which the scheduler had parked the goroutine outside of operations that are recorded",
	}}
	EventsLost = &analyzer.Pattern{Paradigm: analyzer.Goroutines, Metric: metric.Metric{
		Name: metric.EventsLost, Title: "Not known, events lost", Parent: metric.Time,
		Description: "Time of which events are missing, as the buffers of the recorder were full. Goroutines may have run then, or waited for anything. What they " +
			"did behind that is not known either, if nothing of it is recorded: then their time ends with the last event that was lost.",
		Formula: "time from the event, or the creation of the goroutine, before the record of a loss to that record",
		Advice:  "Record again with --block, or a larger --buffer, or fewer regions.",
	}}
	ReadyAfterWait = &analyzer.Pattern{States: true, Metric: metric.Metric{
		Name: metric.ReadyAfterWait, Title: "Ready after a wait", Parent: metric.Wakeup,
		Description: "The part of wake-up in which a goroutine could run but had no processor: measured, where the runtime says when it made " +
			"a goroutine ready and when that ran. Some microseconds are what it takes to wake a processor that is idle.",
		Formula: "time from when a wait in an operation was over for the scheduler to when the goroutine ran",
		Advice: "If these are long, more goroutines are ready than GOMAXPROCS can run: bound the number of those that work at once. If they are " +
			"short and many, batch what goes over channels.",
	}}
	GCAssist = &analyzer.Pattern{States: true, Metric: metric.Metric{
		Name: metric.GCAssist, Title: "Garbage collection", Parent: metric.Management,
		Description: "Time in which goroutines of the program worked for the garbage collector because they allocated while it was at work, or " +
			"waited until enough of its work was done: of all of it where the program calls runtime.GC, or changes what collections depend on.",
		Formula: "time of marking, and of waiting for it, within allocations and calls of package runtime",
		Advice: "Allocate less: reuse memory, and let buffers have their final size from the begin. Or let the collector run less often, by a higher GOGC or " +
			"a memory limit.",
	}}
	Stopped = &analyzer.Pattern{States: true, Metric: metric.Metric{
		Name: metric.Stopped, Title: "World stopped", Parent: metric.Management,
		Description: "Time in which goroutines could not run because the runtime had stopped all of them, for the garbage collector for instance; or waited for their " +
			"turn to stop all others, as calls of runtime.Stack and runtime.ReadMemStats do, and profiles of goroutines.",
		Formula: "time of goroutines that were running or ready within stops of the world, or waited to stop it",
		Advice:  "Allocate less, so that the garbage collector runs less often; do not read all stacks or statistics of memory often.",
	}}
)
