// Package patterns holds the metrics and wait states that the analyzer knows, one file per family. A
// pattern is one value: its texts, its place in the metric tree, and the kind of synch points at which operations
// wait so. There is no registration: [All] is the list. [Properties] lists the properties of counters (counter_*.go).
//
// A new pattern is a value in a file of its family, a line in the list, and tests with a case that it finds
// and a similar one that it does not.
package patterns

import (
	"slices"

	"tracerec/analyzer"
)

// All returns the patterns in display order: parents before children. The list is fresh, its values are
// shared and constant.
func All() []*analyzer.Pattern {
	return slices.Concat([]*analyzer.Pattern{
		Time,
		Execution,
		Communication, LateSender, LateReceiver, FullBuffer, LateClose, LatePeer,
		Synchronization, LockCompetition, ReaderWait, WriterWait, OnceWait, JoinWait, CondWait, BarrierWait, BarrierCompletion,
		ExternalWait, TimerWait, Network,
		Ready, Yielded, SystemCall, UnrecordedWait, EventsLost,
		Management, WakeupTime, ReadyAfterWait, StartLatency, GCAssist, Stopped, Overhead,
		Sleep,
		Visits,
		MessageCount,
		Acquisitions,
		FailedTries, Polling,
		Imbalance, Overload, SingleParticipant, Underload, NonParticipation, Singularity,
		CriticalPath,
		CriticalPathImbalance,
	}, MPI, Threads, Devices, Delays, Impact)
}

// Properties returns the performance properties above counters. The list is fresh, its values are shared and constant.
func Properties() []*analyzer.Property {
	return []*analyzer.Property{
		PoorCacheUtilisation, MemoryBound, TLBThrashing, CacheLineContention,
		BranchBound, FailedStoreConditionals, InstructionReissue,
		PageFaultBound, HeavyAllocation, ContextSwitchStorm,
	}
}
