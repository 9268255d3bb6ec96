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
		Description: "How often goroutines that poll tried in vain: the tries of which polling consists. Tries that fail beside work are not counted.",
		Formula: "number of lock operations and selects that did not block, and failed, and whose time is polling. In recordings of unchanged programs, selects are counted 1,024 at a time: those that receive, if so many in a row " +
			"fail at one place and take at least a third of the time, and the goroutine ran all the time and did nothing else that is recorded. None are counted where the loop calls " +
			"runtime.Gosched, where it tries at several places in turn, and in recordings with counters of the processor",
	}}
	Polling = &analyzer.Pattern{Paradigm: analyzer.Goroutines, Metric: metric.Metric{
		Name: metric.Polling, Title: "Polling",
		Description: "Time in which goroutines tried at one place again and again, in vain, with hardly any time between: TryLock of a lock that was held, or a select with a default. What is done in that time between is " +
			"not known, and counts, too. It is part of execution, communication and synchronization, and does not tell what the critical path waited for.",
		Formula: "begin − begin of a failed try and the next one at the same call path of a goroutine, without the time in which it did not run, if nothing else is recorded between them, and it ran for no more than 100 ns between " +
			"them; and the time of selects that are counted together, see failed_tries",
		Advice: "Where there is nothing else to do, wait: receive without a default, Lock, Cond.Wait, or a select with a timer or a context. That needs no processor, and goes on at once. If the loop does " +
			"work and only looks whether it is to end, look less often, such as each hundredth time.",
	}}
)
