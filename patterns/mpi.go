package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// group returns a metric of time in the regions of a class.
func group(paradigm, name, parent, title, what string) *analyzer.Pattern {
	return &analyzer.Pattern{Paradigm: paradigm, Metric: metric.Metric{Name: name, Title: title, Parent: parent,
		Description: "Time in " + what + ".", Formula: "sum of the time in regions of this class, without the regions that they call; what is a wait state is that"}}
}

// number returns a metric that counts something.
func number(name, parent, title, what string, unit metric.Unit) *analyzer.Pattern {
	return &analyzer.Pattern{Paradigm: "mpi", Metric: metric.Metric{Name: name, Title: title, Parent: parent, Unit: unit,
		Description: "The number of " + what + ".", Formula: "number of " + what}}
}

// waiting returns a wait state.
func waiting(paradigm string, point analyzer.PointKind, m metric.Metric) *analyzer.Pattern {
	m.Kind = metric.WaitState
	return &analyzer.Pattern{Paradigm: paradigm, Point: point, Metric: m, Roots: roots[point]}
}

// ending returns the metric of time to leave an operation, which is no wait for anybody.
func ending(point analyzer.PointKind, name, parent, title, what string) *analyzer.Pattern {
	return &analyzer.Pattern{Paradigm: "mpi", Point: point, Metric: metric.Metric{Name: name, Title: title, Parent: parent,
		Description: "A process was still in " + what + " after the first one had left. All had arrived; this is the time to finish.",
		Formula:     "own end − max(earliest end of all, min(latest begin of all, own end)), when positive"}}
}

// window returns the wait state of processes that meet for a window.
func window(point analyzer.PointKind, name, parent, title, what string) *analyzer.Pattern {
	return waiting("mpi", point, metric.Metric{Name: name, Parent: parent, Title: title, Causing: "which arrived last, in",
		Description: "A process waited " + what + " of one-sided communication until all others were there.",
		Formula:     barrierFormula + "; only where all were in the call at one time", Advice: balance})
}

// later returns the wait state of calls that finish a collective operation that was begun before.
func later(point analyzer.PointKind, name, parent, title, what, whom, formula string) *analyzer.Pattern {
	return waiting("mpi", point, metric.Metric{Name: name, Parent: parent, Title: title, Causing: "which began it in",
		Description: "A process waited in MPI_Wait, or the like, to finish " + what + " until " + whom + " had begun it.",
		Formula: "min(" + formula + ", own end) − own begin of the call that finishes it, when positive, in calls that wait. Of the operations that a call finishes, that counts for which it waits longest; what it waits for " +
			"messages is no part of it",
		Advice: "Begin the operation earlier where it is begun last: directly behind what it needs. Or do more between begin and wait: work that does not need the result. If the last one is always the same, balance the work."})
}

// windowLock returns the wait state of those who wait for the lock of a window.
func windowLock(point analyzer.PointKind, name, parent, title, where string) *analyzer.Pattern {
	return waiting("mpi", point, metric.Metric{Name: name, Parent: parent, Title: title, Causing: "which unlocked it in",
		Description: "A process waited for the lock of a window that another one had, " + where + ". Which call waits is up to the library: often not the one that asks for the lock, but the first one that needs it.",
		Formula: "min(end of the call in which the one before unlocks, own end) − own begin, when positive; of the calls from lock to unlock that ended after that call had begun, the one with most of it. The one " +
			"before is the last that unlocked before this one did, of those with which it cannot share the lock of that part of the window. MPI_Win_lock_all shares that of every part; it waits for the last to end of those before it, in " +
			"itself, in calls that access the part, or in those that complete that: MPI_Win_unlock_all, MPI_Win_flush_all, and MPI_Win_flush where only one part was accessed since the last flush",
		Advice: "Hold the lock for less time: compute before MPI_Win_lock, and unlock directly behind the transfer. Ask for MPI_LOCK_SHARED where accesses do not conflict, or use MPI_Accumulate and MPI_Fetch_and_op, which need " +
			"no exclusive lock. If many processes access one window, divide it among several."})
}

// progress returns the wait state of those who access a window while its owner is not in MPI.
func progress(point analyzer.PointKind, name, parent, title, where string) *analyzer.Pattern {
	return waiting("mpi", point, metric.Metric{Name: name, Parent: parent, Title: title, Causing: "which then came into MPI in",
		Description: "A process that has the lock of a window, or asks for it, waited " + where + ", and went on when the owner of the window came into MPI: often the library makes progress only there.",
		Formula: "from own begin, or from the end of a wait for the lock, to the begin of the owner's next call of MPI, if the own call had not ended then, and no thread of the owner was in MPI at the begin. It is looked " +
			"for in at most eight windows of each owner. With the lock of all parts, a call that completes accesses waits for the last of the owners of what was accessed since the last flush to come",
		Advice: "Let the owner call MPI now and then while it computes, MPI_Iprobe or MPI_Test for instance. Or ask the library for progress by itself: a thread of its own (with Intel MPI I_MPI_ASYNC_PROGRESS=1, with MPICH " +
			"MPIR_CVAR_ASYNC_PROGRESS=1), or a network device that needs no help of the owner."})
}

const (
	balance = "Divide the work before it evenly among the processes: look at what the last one did more than the others, and at whether it is always the same one. If it is not, " +
		"ask whether the processes have to meet there so often."
	betweenFormula = "; in a communicator between two groups, the latest begin in the other group"
	barrierFormula = "min(latest begin of all, own end) − own begin, when positive; the causer is the one that began latest"
)

// MPI lists the metrics of programs that pass messages by MPI, as Scalasca has them.
var MPI = []*analyzer.Pattern{
	group("mpi", "mpi", metric.Time, "MPI", "calls of MPI"),
	group("mpi", "mpi_management", "mpi", "MPI management", "calls of MPI that manage its objects"),
	group("mpi", "mpi_init_exit", "mpi_management", "Init and Finalize", "the begin and the end of MPI"),
	ending(analyzer.InitializedFirst, "mpi_init_completion", "mpi_init_exit", "Initialization completion", "MPI_Init"),
	waiting("mpi", analyzer.ArrivedAtFinalize, metric.Metric{Name: "mpi_finalize_wait", Parent: "mpi_init_exit", Title: "Wait at Finalize", Causing: "which arrived last, in",
		Description: "A process waited in MPI_Finalize until all others were there.", Formula: barrierFormula, Advice: balance}),
	group("mpi", "mpi_mgmt_comm", "mpi_management", "Communicators", "calls that make or free communicators and groups"),
	group("mpi", "mpi_mgmt_file", "mpi_management", "File management", "calls that open and close files"),
	group("mpi", "mpi_mgmt_win", "mpi_management", "Windows", "calls that make or free windows"),
	window(analyzer.ArrivedAtCreate, "mpi_rma_wait_at_create", "mpi_mgmt_win", "Wait at create", "to make a window"),
	window(analyzer.ArrivedAtFree, "mpi_rma_wait_at_free", "mpi_mgmt_win", "Wait at free", "to free a window"),
	group("mpi", "mpi_synchronization", "mpi", "MPI synchronization", "calls of MPI that only synchronize"),
	group("mpi", "mpi_sync_collective", "mpi_synchronization", "Barriers", "barriers"),
	waiting("mpi", analyzer.ArrivedAtBarrier, metric.Metric{Name: "mpi_barrier_wait", Parent: "mpi_sync_collective", Title: "Wait at barrier", Causing: "which arrived last, in",
		Description: "A process waited at a barrier for the last one to arrive.", Formula: barrierFormula + betweenFormula,
		Advice: balance + " Many barriers are not needed at all: messages order by themselves what depends on them."}),
	later(analyzer.AwaitedAtBarrier, "mpi_ibarrier_wait", "mpi_sync_collective", "Wait for barrier", "a barrier that does not block", "the last one",
		"latest begin of the calls that begin it"),
	ending(analyzer.LeftBarrierFirst, "mpi_barrier_completion", "mpi_sync_collective", "Barrier completion", "a barrier"),
	group("mpi", "mpi_rma_synchronization", "mpi_synchronization", "One-sided synchronization", "calls that synchronize one-sided communication"),
	group("mpi", "mpi_rma_sync_active", "mpi_rma_synchronization", "Active target", "calls that synchronize one-sided communication on both sides"),
	waiting("mpi", analyzer.Posted, metric.Metric{Name: "mpi_rma_sync_late_post", Parent: "mpi_rma_sync_active", Title: "Late post", Causing: "which posted it in",
		Description: "A process waited to access a window that its owner had not posted yet, in the call that starts the access or in the one that completes it, whichever waits.",
		Formula:     "latest begin of the posts of the windows that it accesses − own begin, when positive, and that was before the call ended",
		Advice:      "Post the window earlier: as soon as the data of the last epoch has been used. Or start to access it later."}),
	waiting("mpi", analyzer.Completed, metric.Metric{Name: "mpi_rma_early_wait", Parent: "mpi_rma_sync_active", Title: "Early wait", Causing: "which completed it in",
		Description: "A process waited for others to complete their accesses to its window.", Formula: "latest begin of the calls that complete an access to it − own begin, when positive, and that was before the call ended",
		Advice: "Do something else before the wait, or let the others complete their accesses earlier: directly behind the last transfer."}),
	waiting("mpi", analyzer.CompletedLate, metric.Metric{Name: "mpi_rma_late_complete", Parent: "mpi_rma_early_wait", Title: "Late complete", Causing: "which completed it in",
		Description: "A process waited for others to complete their accesses to its window, although nobody accessed it any more.",
		Formula:     "latest begin of the calls that complete an access to it − max(end of the last access, own begin), when positive; in an early wait, of which it is the last part",
		Advice:      "Complete the access directly behind the last transfer: move what the causer does in between behind MPI_Win_complete."}),
	window(analyzer.ArrivedAtFence, "mpi_rma_wait_at_fence", "mpi_rma_sync_active", "Wait at fence", "at a fence of a window"),
	waiting("mpi", analyzer.AccessedAtFence, metric.Metric{Name: "mpi_rma_early_fence", Parent: "mpi_rma_wait_at_fence", Title: "Early fence", Causing: "which then accessed it in",
		Description: "A process waited at a fence while others still accessed what it has of the window.",
		Formula: "min(end of the last access of another one to it since the fence before, latest begin of the fence) − own begin, when positive; it is the first part of a wait at the fence. An access ends when the call " +
			"ends that puts or gets data",
		Advice: "Do something else before the fence, or let the others access the window earlier. Where only some processes pass data, MPI_Win_post, MPI_Win_start, MPI_Win_complete and MPI_Win_wait synchronize these alone."}),
	group("mpi", "mpi_rma_sync_passive", "mpi_rma_synchronization", "Passive target", "calls that lock, unlock and flush windows"),
	windowLock(analyzer.UnlockedToSync, "mpi_rma_sync_lock_competition", "mpi_rma_sync_passive", "Lock contention", "in a call that locks, unlocks or flushes it"),
	progress(analyzer.PresentToSync, "mpi_rma_sync_wait_for_progress", "mpi_rma_sync_passive", "Wait for progress", "in a call that locks, unlocks or flushes it"),
	group("mpi", "mpi_communication", "mpi", "MPI communication", "calls of MPI that pass data"),
	group("mpi", "mpi_point2point", "mpi_communication", "Point-to-point", "calls that send or receive messages"),
	waiting("mpi", analyzer.LateSenderRight, metric.Metric{Name: "mpi_latesender", Parent: "mpi_point2point", Title: "Late sender", Causing: "which sent it in",
		Description: "A process waited to receive a message that had not been sent yet. Of the messages that a call receives, that counts for which it waited longest.",
		Formula:     "min(begin of the sending call, own end) − own begin, when positive, in calls that wait",
		Advice: "Send earlier: move the send before work that it does not depend on. Or receive later: use MPI_Irecv early and wait where the data is needed. If the sender has too much " +
			"to do before, balance the work."}),
	group("mpi", "mpi_latesender_wo", "mpi_latesender", "Messages in wrong order", "late senders for messages received in another order than sent"),
	waiting("mpi", analyzer.LateSenderOther, metric.Metric{Name: "mpi_lswo_different", Parent: "mpi_latesender_wo", Title: "Wrong order, different sources", Causing: "which sent it in",
		Description: "A process waited for a message although that of another process, which it received later, had been sent before.",
		Formula: "a late sender; one of the messages that the process received later (as long as it is one of its last 100 late senders) was sent earlier, by another process than the one " +
			"waited for. Where threads of a process pass messages themselves, each counts as one",
		Advice: "Receive what comes first: use MPI_ANY_SOURCE, or post all receives and handle them by MPI_Waitany."}),
	waiting("mpi", analyzer.LateSenderSame, metric.Metric{Name: "mpi_lswo_same", Parent: "mpi_latesender_wo", Title: "Wrong order, same source", Causing: "which sent it in",
		Description: "A process waited for a message although the same process had sent it another one before, which it received later.",
		Formula:     "a late sender; one of the messages that the process received later (as long as it is one of its last 100 late senders) was sent earlier by the process waited for",
		Advice:      "Receive messages in the order in which they are sent, or change the order in which they are sent."}),
	waiting("mpi", analyzer.ReceiverCame, metric.Metric{Name: "mpi_latereceiver", Parent: "mpi_point2point", Title: "Late receiver", Causing: "which asked for it in",
		Description: "A process waited to send a message that the receiver had not asked for yet: large messages, and synchronous ones, are passed only then.",
		Formula:     "begin of the call that asks for the message − begin of the call that finishes sending it, when positive, and the latter was not over; none in a call that finishes several messages and also waited to receive one",
		Advice:      "Post the receive earlier, by MPI_Irecv, or send by MPI_Isend and do other work until the message is needed no more."}),
	waiting("mpi", analyzer.ReceiverTookOthers, metric.Metric{Name: "mpi_latereceiver_wo", Parent: "mpi_latereceiver", Title: "Wrong order, late receiver", Causing: "which asked for it in",
		Description: "A process waited to send a message that the receiver had not asked for yet, although it had received another one that was sent later. KOJAK had this wait state; Scalasca has not.",
		Formula:     "a late receiver; one of the last 100 messages that the receiver had received when it asked for this one, by the last 1,000 of all that it did about messages, was sent later",
		Advice:      "Receive messages in the order in which they are sent: use MPI_ANY_SOURCE, or post all receives and handle them by MPI_Waitany."}),
	group("mpi", "mpi_collective", "mpi_communication", "Collective communication", "collective operations that pass data"),
	waiting("mpi", analyzer.SentToRoot, metric.Metric{Name: "mpi_earlyreduce", Parent: "mpi_collective", Title: "Early reduce", Causing: "which came last, in",
		Description: "The root of a reduction or a gather waited for data of others.", Formula: "min(latest begin of those that send, own end) − own begin at the root, when positive",
		Advice: "Let the root do something else first, or reduce later. If one process is always the last, it has too much work."}),
	waiting("mpi", analyzer.LowerSent, metric.Metric{Name: "mpi_earlyscan", Parent: "mpi_collective", Title: "Early scan", Causing: "which came last, in",
		Description: "A process waited in a scan for those with lower ranks.", Formula: "min(latest begin of those with lower rank that send, own end) − own begin, when positive",
		Advice: balance}),
	waiting("mpi", analyzer.RootSent, metric.Metric{Name: "mpi_latebroadcast", Parent: "mpi_collective", Title: "Late broadcast", Causing: "which sends to all in",
		Description: "A process waited in a broadcast or scatter for the root.", Formula: "min(begin of the root, own end) − own begin, when positive, for those that receive",
		Advice: "Let the root send earlier, before work of its own, or the others do something else first."}),
	waiting("mpi", analyzer.ArrivedAtExchange, metric.Metric{Name: "mpi_wait_nxn", Parent: "mpi_collective", Title: "Wait at N × N", Causing: "which came last, in",
		Description: "A process waited in a collective operation in which all get something of all until the last one had come.",
		Formula:     barrierFormula + "; if not all were in it at one time, of those that send, for those that receive" + betweenFormula, Advice: balance}),
	later(analyzer.AwaitedByRoot, "mpi_early_ireduce", "mpi_collective", "Wait for reduction", "a reduction or gather that does not block, of which it is the root,", "the last of those that send",
		"latest begin of the calls by which those that send begin it"),
	later(analyzer.AwaitedLower, "mpi_early_iscan", "mpi_collective", "Wait for scan", "a scan that does not block", "the last of those with lower ranks",
		"latest begin of the calls by which those with lower ranks that send begin it"),
	later(analyzer.AwaitedRoot, "mpi_late_ibcast", "mpi_collective", "Wait for broadcast", "a broadcast or scatter that does not block", "the root", "begin of the call by which the root begins it"),
	later(analyzer.AwaitedInExchange, "mpi_wait_inxn", "mpi_collective", "Wait for N × N", "a collective operation that does not block, in which all get something of all,", "the last one",
		"latest begin of the calls that begin it, or if any had finished it by then, of those of who sends, for those that receive"),
	ending(analyzer.LeftExchangeFirst, "mpi_nxn_completion", "mpi_collective", "N × N completion", "a collective operation in which all get something of all"),
	group("mpi", "mpi_rma_communication", "mpi_communication", "One-sided communication", "calls that put and get data one-sidedly"),
	waiting("mpi", analyzer.PostedToAccess, metric.Metric{Name: "mpi_rma_comm_late_post", Parent: "mpi_rma_communication", Title: "Late post of accesses", Causing: "which posted it in",
		Description: "A process waited to put data into a window, or to get it, as the owner had not posted the window yet: in the first call since MPI_Win_start that accesses it.",
		Formula:     "begin of the post − own begin, when positive, and that was before the call ended",
		Advice:      "Post the window earlier: as soon as the data of the last epoch has been used. Or access it later."}),
	windowLock(analyzer.UnlockedToAccess, "mpi_rma_comm_lock_competition", "mpi_rma_communication", "Lock contention of accesses", "in a call that puts or gets data"),
	progress(analyzer.PresentToAccess, "mpi_rma_comm_wait_for_progress", "mpi_rma_communication", "Wait for progress of accesses", "in a call that puts or gets data"),
	group("mpi", "mpi_io", "mpi", "File I/O", "calls of MPI that read and write files"),
	group("mpi", "mpi_io_individual", "mpi_io", "Individual file I/O", "calls that read and write files individually"),
	group("mpi", "mpi_io_collective", "mpi_io", "Collective file I/O", "calls that read and write files collectively"),
	number("syncs", "", "MPI synchronizations", "synchronizing operations without data", metric.Count),
	number("syncs_p2p", "syncs", "Empty messages", "messages without data that were sent and received", metric.Count),
	number(metric.SyncsSent, "syncs_p2p", "Empty messages sent", "messages without data that were sent", metric.Count),
	number(metric.SyncsReceived, "syncs_p2p", "Empty messages received", "messages without data that were received", metric.Count),
	number(metric.LateSenderSyncs, metric.SyncsReceived, "Late senders of empty messages", "late senders of messages without data", metric.Count),
	number(metric.WrongOrderSyncs, metric.LateSenderSyncs, "Empty messages in wrong order", "late senders of messages without data in wrong order", metric.Count),
	number(metric.SyncsCollective, "syncs", "Collective synchronizations", "collective operations without data", metric.Count),
	number("syncs_rma", "syncs", "One-sided synchronizations", "calls that synchronize one-sided communication", metric.Count),
	number("syncs_rma_active", "syncs_rma", "Active-target synchronizations", "calls that synchronize one-sided communication on both sides", metric.Count),
	number("syncs_rma_passive", "syncs_rma", "Passive-target synchronizations", "calls that lock, unlock, flush and synchronize windows", metric.Count),
	number(metric.PairSyncs, "", "Pairs synchronized one-sidedly", "pairs of processes that are synchronized by a fence, or by completing accesses to a window and awaiting that; a pair counts on both sides", metric.Count),
	number(metric.PairSyncsUnneeded, metric.PairSyncs, "Pairs synchronized for nothing", "pairs of processes that are synchronized one-sidedly although neither has accessed what the other one has of the window, since the fence before or since the access was started", metric.Count),
	number("comms", "", "MPI communications", "operations that pass data", metric.Count),
	number("comms_p2p", "comms", "Messages", "messages that were sent and received", metric.Count),
	number(metric.CommsSent, "comms_p2p", "Messages sent", "messages that were sent", metric.Count),
	number(metric.CommsReceived, "comms_p2p", "Messages received", "messages that were received", metric.Count),
	number(metric.LateSenderComms, metric.CommsReceived, "Late senders", "late senders", metric.Count),
	number(metric.WrongOrderComms, metric.LateSenderComms, "Messages in wrong order", "late senders in wrong order", metric.Count),
	number("comms_coll", "comms", "Collective communications", "collective operations that pass data", metric.Count),
	number(metric.CommsExchange, "comms_coll", "Collective exchanges", "collective operations that gave and took data", metric.Count),
	number(metric.CommsSource, "comms_coll", "Collective sources", "collective operations that only gave data", metric.Count),
	number(metric.CommsDestination, "comms_coll", "Collective destinations", "collective operations that only took data", metric.Count),
	number("comms_rma", "comms", "One-sided communications", "calls that pass data one-sidedly", metric.Count),
	number("comms_rma_puts", "comms_rma", "Puts", "calls that put data into windows", metric.Count),
	number("comms_rma_gets", "comms_rma", "Gets", "calls that get data from windows", metric.Count),
	number("comms_rma_atomics", "comms_rma", "Atomic operations", "calls that combine data with that of windows", metric.Count),
	number("mpi_file_ops", "", "MPI file operations", "calls for files", metric.Count),
	number("mpi_file_iops", "mpi_file_ops", "Individual file operations", "calls for files that need no other processes", metric.Count),
	number("mpi_file_irops", "mpi_file_iops", "Individual reads", "calls that read files individually", metric.Count),
	number("mpi_file_iwops", "mpi_file_iops", "Individual writes", "calls that write files individually", metric.Count),
	number("mpi_file_cops", "mpi_file_ops", "Collective file operations", "calls for files that all processes have to make", metric.Count),
	number("mpi_file_crops", "mpi_file_cops", "Collective reads", "calls that read files collectively", metric.Count),
	number("mpi_file_cwops", "mpi_file_cops", "Collective writes", "calls that write files collectively", metric.Count),
	number("bytes", "", "MPI bytes transferred", "bytes passed by MPI", metric.Bytes),
	number("bytes_p2p", "bytes", "Bytes of messages", "bytes of messages that were sent and received", metric.Bytes),
	number(metric.BytesSent, "bytes_p2p", "Bytes sent", "bytes of messages that were sent", metric.Bytes),
	number(metric.BytesReceived, "bytes_p2p", "Bytes received", "bytes of messages that were received", metric.Bytes),
	number("bytes_coll", "bytes", "Bytes of collectives", "bytes given to and taken from collective operations", metric.Bytes),
	number(metric.BytesOut, "bytes_coll", "Collective bytes out", "bytes given to collective operations", metric.Bytes),
	number(metric.BytesIn, "bytes_coll", "Collective bytes in", "bytes taken from collective operations", metric.Bytes),
	number("bytes_rma", "bytes", "One-sided bytes", "bytes put and got one-sidedly", metric.Bytes),
	number(metric.BytesPut, "bytes_rma", "Bytes put", "bytes put into windows", metric.Bytes),
	number(metric.BytesGot, "bytes_rma", "Bytes got", "bytes got from windows", metric.Bytes),
	number(metric.LateReceiverSyncs, "", "Late receivers of empty messages", "late receivers of messages without data", metric.Count),
	number(metric.LateReceiverComms, "", "Late receivers", "late receivers", metric.Count),
}
