package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// LockCompetition is the time in which others held the lock exclusively.
var LockCompetition = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.LockCompetition, Title: "Lock competition", Parent: metric.Synchronization, Kind: metric.WaitState, Causing: "which had locked it in",
		Description: "A goroutine waited for a lock while others held it. Every part of the wait is charged to the goroutine that held " +
			"the lock during it, in the call path in which that goroutine had acquired it. If another goroutine releases the lock, " +
			"it is that one.",
		Formula: "overlap of an acquisition that blocked with the times in which others held the lock, each from the end of its acquisition " +
			"to its release; of an RWMutex with readers, from the begin of a writer's acquisition, as far as no other writer had it then. The time in which the lock was free is wakeup. It has no critical part if the critical path leaves the holder with the lock, is back there in less than a fiftieth " +
			"of that time, and is on the waiter for less than that in all from then on: the holder works under the lock, and others take it for a moment",
		Advice: "Hold the lock for less time in the causing call path: do slow work (I/O, allocation, computation) before or after, copy out " +
			"what is needed. If all holds are short, there are too many: split the lock by key, keep data per goroutine and combine it " +
			"later, or use an atomic.",
	},
	Point:    analyzer.HeldLock,
	Roots:    goRoots,
	Paradigm: analyzer.Goroutines,
}

// ReaderWait is the time in which a reader was kept out by a writer.
var ReaderWait = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.ReaderWait, Title: "Reader waits for writer", Parent: metric.LockCompetition, Kind: metric.WaitState, Causing: "which held it or waited for it in",
		Description: "A reader of an RWMutex waited for a writer that held the lock, or that was itself waiting for earlier readers to " +
			"leave. Go lets no new reader in while a writer is pending.",
		Formula: "overlap of a shared acquisition that blocked with the time from the begin of a writer's acquisition to its release, as far as the " +
			"writer had the lock before the reader; critical as lock competition is",
		Advice: "Shorten the writer's critical section, and the longest reader's: one slow reader makes a writer wait, and all new readers with it. " +
			"For data that changes rarely, publish a new copy through an atomic pointer.",
	},
	Point:    analyzer.WroteBefore,
	Roots:    goRoots,
	Paradigm: analyzer.Goroutines,
}

// WriterWait is the time in which a writer waited for the readers to leave.
var WriterWait = &analyzer.Pattern{
	Metric: metric.Metric{
		Name: metric.WriterWait, Title: "Writer waits for readers", Parent: metric.LockCompetition, Kind: metric.WaitState, Causing: "which had locked it in",
		Description: "A writer of an RWMutex waited for readers to leave. The last one to leave is the causer: " +
			"who releases the lock, if another goroutine had acquired it.",
		Formula: "release by the last reader − max(begin of the exclusive acquisition, end of the last other writer's hold during it); critical as lock competition is",
		Advice: "Shorten the longest reader: copy what it needs under the lock and work on the copy. If readers hold the lock nearly all the time, " +
			"an RWMutex starves writers; split the data or publish copies through an atomic pointer.",
	},
	Point:    analyzer.ReadBefore,
	Roots:    goRoots,
	Paradigm: analyzer.Goroutines,
}
