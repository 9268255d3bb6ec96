package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// JoinWait is a WaitGroup.Wait that was there before the last Done.
var JoinWait = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.JoinWait, Title: "Waiting to join", Parent: metric.Synchronization, Kind: metric.WaitState, Causing: "which was the last to be done, in",
		Description: "A goroutine waited in WaitGroup.Wait for others to be done. Most of that time is the work itself. Only the time from " +
			"the group's mean Done to its last one, in which some had finished and others had not, counts as critical.",
		Formula: "last Done − begin of the Wait, when positive; the critical part starts at the mean time of the group's Dones",
		Advice: "Look at what the last one did. If it had more to do of the same work as those that were done earlier, share that evenly: smaller pieces from a " +
			"common queue, largest first. If it only began later, as no more may run at once, a higher limit or shorter work helps.",
	},
	Point:    analyzer.WasDone,
	Roots:    goRoots,
	Paradigm: analyzer.Goroutines,
}

// CondWait is a Cond.Wait until it is signalled.
var CondWait = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.CondWait, Title: "Waiting for a condition", Parent: metric.Synchronization, Kind: metric.WaitState, Causing: "which came late to",
		Description: "A goroutine waited in Cond.Wait for a Signal or Broadcast. Acquiring the lock again afterwards is lock competition and not included.",
		Formula:     "Signal or Broadcast − begin of the Wait, when positive; signals wake the waiters in the order in which they began to wait",
		Advice: "Look at what the signalling goroutine did before: signal as soon as the condition holds. If a Broadcast wakes many that find the " +
			"condition false and wait again, use Signal or one condition variable per condition.",
	},
	BusyAdvice: busyAdvice("an earlier signal"),
	Point:      analyzer.Signalled,
	Roots:      goRoots,
	Paradigm:   analyzer.Goroutines,
}

// OnceWait is a Once.Do that met another one running the function.
var OnceWait = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.OnceWait, Title: "Waiting for a Once", Parent: metric.Synchronization, Kind: metric.WaitState, Causing: "which ran it in",
		Description: "A goroutine waited in Once.Do while another one ran the function.",
		Formula:     "min(end of the call that ran the function, own end) − own begin, when positive",
		Advice: "Initialise before the goroutines start, or start the initialisation early in a goroutine of its own. Make the function itself " +
			"faster, or split it so that each part is initialised only by those who need it.",
	},
	Point:    analyzer.RanOnce,
	Roots:    goRoots,
	Paradigm: analyzer.Goroutines,
}
