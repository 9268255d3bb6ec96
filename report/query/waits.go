package query

import (
	"strings"

	"tracerec/metric"
)

// waitState is what is known about a metric of another tool that counts time spent waiting.
type waitState struct {
	happened string // what those who waited did
	advice   string
	delay    string // metric of the time that caused such waiting, at the call paths that caused it
}

// waitStates are the wait states that Scalasca's trace analyses, old and new, find.
var waitStates = map[string]waitState{
	"mpi_latesender": {"receivers waited for messages that were not sent yet",
		"Let senders send earlier, or receivers do other work first: post receives early and complete them late.", "delay_latesender"},
	"mpi_latesender_wo": {"receivers waited for a message while another one was there already",
		"Receive messages in the order in which they come, for instance from any source.", "delay_latesender"},
	"mpi_lswo_different": {"receivers waited for a message of one sender while one of another was there already",
		"Receive messages in the order in which they come, for instance from any source.", "delay_latesender"},
	"mpi_lswo_same": {"receivers waited for a message while another one of the same sender was there already",
		"Receive messages in the order in which they are sent.", "delay_latesender"},
	"mpi_latereceiver": {"senders waited for receivers that were not ready yet",
		"Post receives earlier, or use sends that do not wait for the receiver.", "delay_latereceiver"},
	"mpi_latereceiver_wo": {"senders waited for receivers that had received before what was sent later",
		"Receive messages in the order in which they come, for instance from any source.", "delay_latereceiver"},
	"mpi_barrier_wait": {"those who came early to a barrier waited for the last one",
		"Balance the work before the barrier, or do without the barrier.", "delay_barrier"},
	"mpi_wait_nxn": {"those who came early to an exchange of all with all waited for the last one",
		"Balance the work before the exchange, or use a non-blocking one.", "delay_n2n"},
	"mpi_latebroadcast": {"receivers waited for a root that came late",
		"Let the root begin earlier, or the receivers later; non-blocking operations can hide the difference.", "delay_12n"},
	"mpi_earlyreduce": {"the root came before those whose data it needs",
		"Let the root do other work first, or balance the work of the others.", "delay_n21"},
	"mpi_earlyscan": {"processes came before those with lower ranks, whose data they need",
		"Balance the work before the operation.", ""},
	"mpi_finalize_wait": {"those who were done waited for the last one to finish",
		"Balance the work: some processes had much less of it than others.", ""},
	"mpi_rma_wait_at_create": {"processes waited for the last one to create a window", "Balance the work before windows are created.", ""},
	"mpi_rma_wait_at_free":   {"processes waited for the last one to free a window", "Balance the work before windows are freed.", ""},
	"mpi_rma_wait_at_fence":  {"those who came early to a fence waited for the last one", "Balance the work between fences, or synchronise pairs of processes.", ""},
	"mpi_rma_early_fence":    {"those at a fence waited for operations of others to complete", "Issue operations earlier before the fence.", ""},
	"mpi_rma_sync_late_post": {"origins of one-sided operations waited for targets to expose their window", "Let targets post earlier.", ""},
	"mpi_rma_early_wait":     {"targets waited for origins to complete their access", "Let targets wait later, or origins begin earlier.", ""},
	"mpi_rma_late_complete":  {"targets waited for origins that had done their last operation long ago", "Complete the access right after the last operation.", ""},
	"mpi_rma_sync_lock_competition": {"processes waited for a lock of a window that others held",
		"Hold locks for a shorter time, or share them.", ""},
	"mpi_rma_sync_wait_for_progress": {"processes waited because the target made no progress on the operation", "Call MPI at the target, or let a thread make progress.", ""},
	"mpi_rma_comm_late_post":         {"one-sided operations waited for targets to expose their window", "Let targets post earlier.", ""},
	"mpi_rma_comm_lock_competition":  {"one-sided operations waited for a lock that others held", "Hold locks for a shorter time, or share them.", ""},
	"mpi_rma_comm_wait_for_progress": {"one-sided operations waited because the target made no progress", "Call MPI at the target, or let a thread make progress.", ""},
	"omp_ebarrier_wait": {"threads that came early to a barrier waited for the last one",
		"Balance the work before the barrier, or do without it.", "delay_ompbarrier"},
	"omp_ibarrier_wait": {"threads that came early to the end of a construct waited for the last one",
		"Balance the work of the construct, for instance by another schedule, or add nowait.", "delay_ompbarrier"},
	"omp_lock_contention_critical": {"threads waited to enter a critical section that another one was in",
		"Do less in the critical section, or give different data different names.", ""},
	"omp_lock_contention_api": {"threads waited for a lock that another one held", "Hold the lock for a shorter time, or use several.", ""},
	metric.IdleThreads: {"threads were idle while only the master thread worked",
		"Do more of the work in parallel regions.", "delay_ompidle"},
	metric.FewerThreads: {"threads were idle because a parallel region used fewer of them",
		"Let parallel regions use all threads.", "delay_ompidle"},
	"gpu_host_wait": {"threads waited until a GPU had executed what they gave it",
		"Compute between the launch and the wait, or copy asynchronously.", ""},
	metric.LateLaunch: {"GPUs were idle because threads gave them work late",
		"Launch several kernels at once, and before other work.", ""},
	"pthread_lock_contention_mutex_lock":  {"threads waited for a mutex that another one held", "Hold the mutex for a shorter time, or use several.", ""},
	"pthread_lock_contention_conditional": {"threads waited to get the mutex back after a condition was signalled", "Signal after unlocking, or wake fewer threads.", ""},
}

// Waits lists the visible metrics that count time spent waiting: those that say so themselves, and those that are known.
func (m *Model) Waits() []*Metric {
	var list []*Metric
	for _, q := range m.Metrics {
		_, known := waitStates[q.Name]
		says := KindOf(q.Metric) == metric.WaitState
		if (says || known) && q.Err == nil && q.Additive && SecondsPer(q.Unit) > 0 {
			list = append(list, q)
		}
	}
	return list
}

// SecondsPer returns how many seconds a unit is, 0 if it is none of time.
func SecondsPer(unit string) float64 {
	switch strings.ToLower(strings.TrimSpace(unit)) {
	case "sec", "s", "seconds", "second":
		return 1
	case "msec", "ms":
		return 1e-3
	case "usec", "us", "µs":
		return 1e-6
	case "nsec", "ns":
		return 1e-9
	}
	return 0
}

// Time returns the metric that all time is counted in, nil if there is none.
func (m *Model) Time() *Metric {
	for _, name := range []string{metric.Time, "Time", "TIME"} {
		if q := m.byName[name]; q != nil && q.Err == nil && SecondsPer(q.Unit) > 0 {
			return q
		}
	}
	return nil
}
