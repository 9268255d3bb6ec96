package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// The time tree without wait states, and the counts.
var (
	Time = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Time, Title: "Time",
		Description: "Time that goroutines existed, whatever they did. A goroutine exists from its creation to its end, or to the end of " +
			"the trace if it is still blocked then. The metrics below divide this time.",
		Formula: "end of the goroutine − its creation, summed over goroutines",
	}}
	Execution = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Execution, Title: "Execution", Parent: metric.Time,
		Description: "Time in which goroutines were in no recorded operation. It has this name if it is known to be time in which they ran: the scheduler " +
			"of the runtime tells that in programs built by tracerec, or the program used about as much processor time. Otherwise it is unknown how " +
			"much of it was running, and the metric is called Running or not recorded.",
		Formula: "time − communication − synchronization − external_wait − management − sleep",
	}}
	Communication = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Communication, Title: "Communication", Parent: metric.Time,
		Description: "Time in channel operations: send, receive, range and select. What is not in the wait states below is the cost of the " +
			"operations themselves.",
		Formula: "end − begin of every channel operation, without its external_wait and wakeup",
	}}
	Synchronization = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Synchronization, Title: "Synchronization", Parent: metric.Time,
		Description: "Time in operations on locks, WaitGroups, condition variables, Onces and barriers. What is not in the wait states " +
			"below is the cost of the operations themselves.",
		Formula: "end − begin of every synchronising operation, without its external_wait and wakeup",
	}}
	Management = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Management, Title: "Management", Parent: metric.Time,
		Description: "Time that the runtime and the measurement took to start, wake and observe goroutines.",
		Formula:     "wakeup + start_latency + overhead",
	}}
	Visits = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Visits, Title: "Visits", Unit: metric.Count,
		Description: "How often a call path was entered.",
		Formula:     "number of times the region or operation began",
	}}
	MessageCount = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Messages, Title: "Messages", Unit: metric.Count,
		Description: "How many values were sent over channels, counted where they were sent.",
		Formula:     "number of sends, and of selects that chose to send, that did not panic and ended, or whose value was certainly taken",
	}}
	Acquisitions = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Acquisitions, Title: "Lock acquisitions", Unit: metric.Count,
		Description: "How often a lock was acquired, shared or exclusively.",
		Formula:     "number of lock operations that ended with the lock held",
	}}
	FailedTries = &analyzer.Pattern{Paradigm: analyzer.Goroutines, Metric: metric.Metric{
		Name: metric.FailedTries, Title: "Failed tries", Unit: metric.Count,
		Description: "How often a goroutine tried something that could not be done at once, and gave up: TryLock of a lock that was held, and a select of which the default was taken.",
		Formula:     "number of lock operations and selects that did not block, and failed; recordings of unchanged programs have only those selects that fail many times in a row",
	}}
	Polling = &analyzer.Pattern{Paradigm: analyzer.Goroutines, Metric: metric.Metric{
		Name: metric.Polling, Title: "Polling",
		Description: "Time in which goroutines did nothing but try the same thing at the same place again and again, in vain: TryLock of a lock that was held, or a select with a default. It is " +
			"processor time for waiting. It is part of execution, communication and synchronization, and does not tell what the critical path waited for.",
		Formula: "begin − begin of two failed tries at one call path of a goroutine, without the time in which it did not run, if nothing else is recorded between them, and it ran for no more than 1 µs between them",
		Advice: "Where there is nothing else to do, wait: receive without a default, Lock, Cond.Wait, or a select with a timer or a context. That needs no processor, and goes on at once. If the loop does " +
			"work and only looks whether it is to end, look less often, such as each hundredth time.",
	}}
)
