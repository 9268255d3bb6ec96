package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// Threads lists the metrics of programs with teams of threads: OpenMP, POSIX threads.
var Threads = []*analyzer.Pattern{
	group("omp", "omp_time", metric.Time, "OpenMP", "constructs of OpenMP"),
	during(metric.TeamManagement, "omp_time", "Team management", "A team of threads was made or ended, and the thread did no work for it.",
		"from the fork of the team to the begin of its work on the thread, and from the end of that to the join"),
	during(metric.TeamFork, metric.TeamManagement, "Fork", "A team of threads was made, and the thread did not work yet.", "from the fork of the team to the begin of its work on the thread"),
	group("omp", "omp_synchronization", "omp_time", "OpenMP synchronization", "constructs that synchronize threads"),
	group("omp", "omp_barrier", "omp_synchronization", "Team barriers", "barriers of a team"),
	group("omp", "omp_ebarrier", "omp_barrier", "Explicit barriers", "barriers that the program asks for"),
	waiting("omp", analyzer.ArrivedAtExplicit, metric.Metric{Name: "omp_ebarrier_wait", Parent: "omp_ebarrier", Title: "Wait at explicit barrier", Causing: "which arrived last, in",
		Description: "A thread waited at a barrier for the last one of its team.", Formula: teamFormula, Advice: teamAdvice}),
	group("omp", "omp_ibarrier", "omp_barrier", "Implicit barriers", "barriers at the end of constructs"),
	waiting("omp", analyzer.ArrivedAtImplicit, metric.Metric{Name: "omp_ibarrier_wait", Parent: "omp_ibarrier", Title: "Wait at implicit barrier", Causing: "which arrived last, in",
		Description: "A thread waited at the end of a loop or another construct for the last one of its team.", Formula: teamFormula,
		Advice: teamAdvice + " Where nothing depends on the barrier, say nowait."}),
	group("omp", "omp_critical", "omp_synchronization", "Critical sections", "entering and leaving critical sections, and atomic operations"),
	contention("omp", analyzer.FreedCritical, "omp_lock_contention_critical", "omp_critical", "Wait for critical section", "a critical section",
		"Do less in the section, or use atomic or a reduction instead. Sections without a name exclude each other: give those names that need not."),
	group("omp", "omp_lock_api", "omp_synchronization", "Locks", "calls that lock and unlock"),
	contention("omp", analyzer.FreedCall, "omp_lock_contention_api", "omp_lock_api", "Wait for lock", "a lock", lockAdvice),
	group("omp", "omp_ordered", "omp_synchronization", "Ordered sections", "waiting for one's turn in ordered sections"),
	group("omp", "omp_taskwait", "omp_synchronization", "Task wait", "waiting for tasks, but not in those that the thread executes meanwhile"),
	group("omp", "omp_flush", "omp_time", "Flush", "making memory consistent"),
	waiting("omp", analyzer.Forked, metric.Metric{Name: metric.IdleThreads, Parent: metric.Time, Title: "Idle threads", Causing: "which then forked a team in",
		Description: "A thread was in no team: it had nothing to do, while the thread that later forked one worked alone. What is idle after the last team is here, too, without a causer.",
		Formula:     "from the begin of the process, or the join of its last team, to the fork of its next one, or to the end of the process; but not while a team of others works",
		Advice:      "Do more of the work in parallel regions: what the causer does meanwhile, in its call path, is what the other threads wait for. Merge parallel regions that follow each other."}),
	waiting("omp", analyzer.WorkedWithout, metric.Metric{Name: metric.FewerThreads, Parent: metric.IdleThreads, Title: "Limited parallelism", Causing: "which worked in a team without it in",
		Description: "A thread was in no team, while others of its process worked in one that was made without it.",
		Formula:     "the part of the time in which the thread is idle that lies between the fork and the join of any team of the process; the causer is the thread that had forked it",
		Advice:      "Let the parallel region use all threads: look for num_threads, OMP_NUM_THREADS, nested regions that divide the threads, and loops with fewer iterations than threads."}),
	group("pthread", "pthread_time", metric.Time, "POSIX threads", "calls of POSIX threads"),
	group("pthread", "pthread_management", "pthread_time", "Thread management", "calls that make and join threads"),
	group("pthread", "pthread_synchronization", "pthread_time", "Thread synchronization", "calls for mutexes and conditions"),
	group("pthread", "pthread_lock_api", "pthread_synchronization", "Mutexes", "calls that lock and unlock mutexes"),
	contention("pthread", analyzer.FreedMutex, "pthread_lock_contention_mutex_lock", "pthread_lock_api", "Wait for mutex", "a mutex", lockAdvice),
	group("pthread", "pthread_conditional", "pthread_synchronization", "Conditions", "calls that wait for and signal conditions"),
	contention("pthread", analyzer.FreedCond, "pthread_lock_contention_conditional", "pthread_conditional", "Wait for mutex of condition", "the mutex of a condition, which another thread held",
		"Signal after the mutex is unlocked, and wake no more threads than can go on."),
}

// contention returns the wait state of locks.
func contention(paradigm string, point analyzer.PointKind, name, parent, title, what, advice string) *analyzer.Pattern {
	return waiting(paradigm, point, metric.Metric{Name: name, Parent: parent, Title: title, Causing: "which had it before, in",
		Description: "A thread waited for " + what + ". The causer is the thread that had it directly before.",
		Formula:     "min(last release by the one that acquired it before, own acquisition) − begin of the region, when positive", Advice: advice})
}

const lockAdvice = "Hold it for less time: do slow work before or after. If all holds are short, there are too many: split the lock, or keep data per thread and combine it later."

// during returns a metric of time in a state.
func during(name, parent, title, description, formula string) *analyzer.Pattern {
	return &analyzer.Pattern{Paradigm: "omp", Metric: metric.Metric{Name: name, Title: title, Parent: parent, Description: description, Formula: formula,
		Advice: "Make fewer and larger parallel regions: one around a loop instead of one within it."}}
}

const teamFormula = barrierFormula + ". What the thread did meanwhile in the barrier, such as tasks, is no wait"

const teamAdvice = "Give the threads equal work: schedule(dynamic) or smaller chunks where iterations differ, more iterations than threads, and data placed near its thread."
