package otf2

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestWindows: collective operations of windows meet on an object of the window, as what the call says. It is told which windows were accessed before a fence.
func TestWindows(t *testing.T) {
	a := write(t, 0, [][]uint64{
		{0, 100, idEnter, 1}, {0, 110, idRmaCollectiveEnd, 17, 0, 6, none, 0, 0}, {0, 120, idLeave, 1},
		{0, 130, idEnter, 2}, {0, 140, idRmaCollectiveEnd, 0, 0, 6, none, 0, 0}, {0, 150, idLeave, 2},
		{0, 152, idEnter, 0}, {0, 153, idRmaPut, 6, 1, 8, 1}, {0, 154, idRmaGet, 7, 1, 8, 1}, {0, 156, idLeave, 0},
		{0, 160, idEnter, 3}, {0, 170, idRmaCollectiveEnd, 18, 0, 6, none, 0, 0}, {0, 180, idRmaCollectiveEnd, 18, 0, 7, none, 0, 0}, {0, 190, idLeave, 3},
		{0, 200, idRmaCollectiveEnd, 18, 0, 6, none, 0, 0},
	})
	for i, name := range []string{"MPI_Win_allocate", "MPI_Win_fence", "MPI_Win_free"} {
		a.records[a.index[Strings][uint64(i+1)]].Texts[0] = name
		a.records[a.index[Regions][uint64(i+1)]].Values[9] = mpi
	}
	define := func(kind string, values ...uint64) { a.define(&Record{specNamed(Global, kind), values, nil}) }
	define("Group", 0, 0, 0, 1, 0, commLocations, mpi, 0)
	define("Group", 1, 0, 0, 1, 0, 5, mpi, 0)
	define("Comm", 4, 0, 1, none, 0)
	define("RmaWin", 6, 0, 4, 0)
	var got []trace.Event
	for _, e := range eventsOf(t, a.Trace())[0] {
		if e.Kind.Parallel() {
			got = append(got, e)
		}
	}
	const ofWindow = 4 // behind that of the communicator
	met := func(us int64, as wire.Meeting) trace.Event {
		return trace.Event{Time: us * 1000, Kind: wire.Met, ID: uint32(as), Word: ofWindow}
	}
	put := []trace.Event{{Time: 53e3, Kind: wire.Transferred, ID: 2, Word: 8}, {Time: 56e3, Kind: wire.Accessed, ID: 1, Word: ofWindow}}
	require.Equal(t, slices.Concat([]trace.Event{met(10, wire.AtCreate), met(40, wire.AtFence)}, put, []trace.Event{met(70, wire.AtFree)}), got)
}

// TestEpochs: what calls do about epochs of a window is handed from each process to each other one, in queues of its own, and is no message. Process 1 posts to 0, which starts and completes.
func TestEpochs(t *testing.T) {
	a := write(t, 0, [][]uint64{
		{0, 100, idEnter, 1}, {0, 110, idRmaGroupSync, 0, 6, 3}, {0, 120, idLeave, 1}, {0, 122, idEnter, 4}, {0, 123, idRmaPut, 6, 1, 8, 1}, {0, 124, idLeave, 4}, {0, 125, idEnter, 4}, {0, 126, idRmaPut, 6, 1, 8, 2}, {0, 127, idLeave, 4},
		{0, 130, idEnter, 2}, {0, 140, idRmaGroupSync, 0, 6, 3}, {0, 150, idLeave, 2},
		{0, 160, idEnter, 1}, {0, 161, idRmaGroupSync, 0, 6, 3}, {0, 162, idLeave, 1}, {0, 163, idEnter, 2}, {0, 164, idRmaGroupSync, 0, 6, 3}, {0, 165, idLeave, 2},
		{1, 100, idEnter, 3}, {1, 110, idRmaGroupSync, 0, 6, 2}, {1, 115, idRmaGroupSync, 0, 9, 2}, {1, 120, idLeave, 3}, {1, 130, idEnter, 0}, {1, 140, idRmaGroupSync, 0, 6, 2}, {1, 150, idLeave, 0},
	})
	for i, name := range []string{"MPI_Win_wait", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_post"} {
		a.records[a.index[Strings][uint64(i)]].Texts[0] = name
		a.records[a.index[Regions][uint64(i)]].Values[9] = mpi
	}
	a.records[a.index[Locations][1]].Values[4], a.Locations[1].Group = 1, 1
	define := func(kind string, values ...uint64) { a.define(&Record{specNamed(Global, kind), values, nil}) }
	define("LocationGroup", 1, 0, 1, 0, none)
	define("Group", 0, 0, 0, 2, 0, 1, commLocations, mpi, 0)
	define("Group", 1, 0, 0, 2, 0, 1, 5, mpi, 0)
	define("Group", 2, 0, 0, 1, 0, 5, mpi, 0)
	define("Group", 3, 0, 0, 1, 1, 5, mpi, 0)
	define("Comm", 4, 0, 1, none, 0)
	define("RmaWin", 6, 0, 4, 0)
	x := a.Trace()
	const toStart, toAccess, done, toComplete = 0, 1, 2, 3 // in the order of the first location
	passed := func(us int64, kind wire.Kind, queue uint32) trace.Event {
		return trace.Event{Time: us * 1000, Kind: kind, ID: queue<<1 | 1, Word: wire.NoMessage}
	}
	called := func(us int64, how uint32) trace.Event {
		return trace.Event{Time: us * 1000, Kind: wire.Called, ID: how, Word: allMessages}
	}
	accessed := func(us int64) trace.Event {
		return trace.Event{Time: us * 1000, Kind: wire.Accessed, ID: done<<1 | 1, Word: allMessages}
	}
	want := [][]trace.Event{
		{passed(10, wire.Arrived, toStart), called(20, wire.Accesses), {Time: 23e3, Kind: wire.Transferred, ID: 2, Word: 8}, passed(23, wire.Arrived, toAccess), accessed(24), called(24, wire.Accesses|wire.Transfers),
			{Time: 26e3, Kind: wire.Transferred, ID: 2, Word: 8}, accessed(27), passed(40, wire.Arrived, toComplete), passed(40, wire.Dispatched, done), called(50, wire.Accesses),
			passed(61, wire.Arrived, toStart), called(62, wire.Accesses), passed(64, wire.Arrived, toAccess), passed(64, wire.Arrived, toComplete), passed(64, wire.Dispatched, done), called(65, wire.Accesses)},
		{passed(10, wire.Dispatched, toStart), passed(10, wire.Dispatched, toAccess), passed(10, wire.Dispatched, toComplete), called(20, 0), passed(40, wire.Arrived, done), called(50, wire.Awaits)},
	}
	for i, events := range eventsOf(t, x) {
		got := slices.DeleteFunc(events, func(e trace.Event) bool { return !e.Kind.Parallel() })
		require.Equal(t, want[i], got, "process %d", i)
	}
}

// TestLocks: events that acquire and release tell the lock, as the how manieth it was acquired, and by what; also those of old archives.
func TestLocks(t *testing.T) {
	const critical = 1
	a := write(t, 0, [][]uint64{
		{0, 100, idEnter, 0}, {0, 110, idEnter, critical}, {0, 120, idThreadAcquireLock, openMP, 8, 1}, {0, 125, idThreadReleaseLock, openMP, 8, 1}, {0, 130, idLeave, critical},
		{0, 140, idOmpAcquireLock, 8, 2}, {0, 145, idOmpReleaseLock, 8, 2}, {0, 150, idThreadAcquireLock, pthread, 8, 1}, {0, 160, idLeave, 0},
	})
	a.records[a.index[Regions][critical]].Values[8] = roleCritical
	a.records[a.index[Regions][critical]].Values[9] = openMP
	x := a.Trace()
	objects := x.Definitions().Objects[2:]
	require.Equal(t, []trace.Object{{Kind: wire.OrderedLock, Region: trace.NoRegion}, {Kind: wire.OrderedLock, Region: trace.NoRegion}}, objects)
	const ofOpenMP, ofThreads = 3, 4
	var got []trace.Event
	for _, e := range eventsOf(t, x)[0] {
		if e.Kind.Parallel() {
			got = append(got, e)
		}
	}
	require.Equal(t, []trace.Event{
		{Time: 20e3, Kind: wire.Acquired, ID: 1, Word: ofOpenMP | uint64(wire.ByCritical)<<32}, {Time: 25e3, Kind: wire.Freed, ID: 1, Word: ofOpenMP},
		{Time: 40e3, Kind: wire.Acquired, ID: 2, Word: ofOpenMP}, {Time: 45e3, Kind: wire.Freed, ID: 2, Word: ofOpenMP},
		{Time: 50e3, Kind: wire.Acquired, ID: 1, Word: ofThreads},
	}, got)
}

// passive is an archive of two processes that put data into what the first one has of a window. Each has the lock of that alone: the first one unlocks from 40 to 50 µs, when the second one, which asked for it at 20, has put
// and now flushes, since 30. The second one also has, shared, what it has of the window itself, but not at that time.
func passive(t *testing.T, chunk uint64) *Archive {
	const main, call, put = 0, 1, 2
	const request, release = idRmaRequestLock, idRmaReleaseLock
	return windowed(t, chunk, [][]uint64{
		{0, 100, idEnter, main}, {0, 110, idEnter, call}, {0, 110, request, 6, 0, 0, 0}, {0, 112, idLeave, call}, {0, 112, idEnter, put}, {0, 113, idRmaPut, 6, 0, 8, 1}, {0, 114, idLeave, put},
		{0, 140, idEnter, call}, {0, 149, release, 6, 0, 0}, {0, 150, idLeave, call}, {0, 160, idLeave, main},
		{1, 100, idEnter, main}, {1, 102, idEnter, call}, {1, 102, request, 6, 1, 0, 1}, {1, 104, idLeave, call}, {1, 104, idEnter, call}, {1, 105, release, 6, 1, 0}, {1, 106, idLeave, call},
		{1, 120, idEnter, call}, {1, 120, request, 6, 0, 0, 0}, {1, 122, idLeave, call}, {1, 122, idEnter, put}, {1, 123, idRmaPut, 6, 0, 8, 1}, {1, 124, idLeave, put},
		{1, 130, idEnter, 3}, {1, 155, idLeave, 3}, {1, 155, idEnter, call}, {1, 156, release, 6, 0, 0}, {1, 157, idLeave, call}, {1, 157, idEnter, 3}, {1, 158, idLeave, 3}, {1, 160, idLeave, main},
	})
}

// windowed is an archive of two processes with a window, 6, and calls of it: regions 1 to 3.
func windowed(t *testing.T, chunk uint64, events [][]uint64) *Archive {
	a := write(t, chunk, events)
	for i, name := range []string{"MPI_Win_lock", "MPI_Put", "MPI_Win_flush"} {
		a.records[a.index[Strings][uint64(i+1)]].Texts[0] = name
		a.records[a.index[Regions][uint64(i+1)]].Values[9] = mpi
	}
	a.records[a.index[Locations][1]].Values[4], a.Locations[1].Group = 1, 1
	define := func(kind string, values ...uint64) { a.define(&Record{specNamed(Global, kind), values, nil}) }
	define("LocationGroup", 1, 0, 1, 0, none)
	define("Group", 0, 0, 0, 2, 0, 1, commLocations, mpi, 0)
	define("Group", 1, 0, 0, 2, 0, 1, 5, mpi, 0)
	define("Comm", 4, 0, 1, none, 0)
	define("RmaWin", 6, 0, 4, 0)
	return a
}

// TestPassive: each call tells what it does about a lock of a window when it ends, a flush if it is clear which one it is about; and the second process waits from 30 to 50 in its flush. So it is wherever chunks end.
func TestPassive(t *testing.T) {
	const ofWindow, ofFirst, ofSecond = 5, 0, 1 // object, and parts
	tells := func(us int64, what wire.Hold, part uint32) trace.Event {
		return trace.Event{Time: us * 1000, Kind: wire.Held, ID: uint32(what.Of(part)), Word: ofWindow}
	}
	want := [][]trace.Event{
		{tells(12, wire.HoldBegins, ofFirst), tells(14, wire.HoldAccesses, ofFirst), tells(50, wire.HoldEnds, ofFirst)},
		{tells(4, wire.HoldBegins|wire.HoldShared, ofSecond), tells(6, wire.HoldEnds|wire.HoldShared, ofSecond), tells(22, wire.HoldBegins, ofFirst), tells(24, wire.HoldAccesses, ofFirst), tells(55, wire.HoldFlushes, ofFirst),
			tells(57, wire.HoldEnds, ofFirst)},
	}
	for _, chunk := range []uint64{0, 96} {
		c := passive(t, chunk)
		for i, events := range eventsOf(t, c.Trace()) {
			require.Equal(t, want[i], slices.DeleteFunc(events, func(e trace.Event) bool { return e.Kind != wire.Held }), "process %d", i)
		}
		e, err := analyzer.Analyze(c.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
		require.NoError(t, err)
		sums := map[string]int64{}
		for i, m := range e.Metrics {
			for _, x := range e.Cells(i) {
				sums[m.Name] += x.Value
			}
		}
		require.Equal(t, int64(20e3), sums["mpi_rma_sync_lock_competition"])
		require.Zero(t, sums["mpi_rma_comm_lock_competition"])
		require.Equal(t, int64((2+10)+(2+2+2+25+2+1)-20)*1000, sums["mpi_rma_sync_passive"], "the rest of those calls")
		require.Equal(t, int64(4e3), sums["mpi_rma_communication"])
	}
}

// TestNoSuchPart: what is about a part that no window has, as of damage, is not taken for another one.
func TestNoSuchPart(t *testing.T) {
	const request, release, none = idRmaRequestLock, idRmaReleaseLock, 1 << 24
	a := windowed(t, 0, [][]uint64{
		{0, 100, idEnter, 0}, {0, 110, idEnter, 1}, {0, 110, request, 6, none, 0, 0}, {0, 112, idLeave, 1}, {0, 112, idEnter, 2}, {0, 113, idRmaPut, 6, none, 8, 1}, {0, 114, idLeave, 2},
		{0, 120, idEnter, 1}, {0, 121, release, 6, none, 0}, {0, 122, idLeave, 1}, {0, 130, idLeave, 0},
		{1, 100, idEnter, 0}, {1, 160, idLeave, 0},
	})
	for _, events := range eventsOf(t, a.Trace()) {
		require.False(t, slices.ContainsFunc(events, func(e trace.Event) bool { return e.Kind == wire.Held }))
	}
}

// TestProgressInCollective: an owner is in MPI from the begin of a collective operation on, not only behind it.
func TestProgressInCollective(t *testing.T) {
	const main, call = 0, 1
	a := windowed(t, 0, [][]uint64{
		{0, 100, idEnter, main}, {0, 125, idEnter, call}, {0, 149, idMpiCollectiveEnd, 0, 4, none, 0, 0}, {0, 150, idLeave, call}, {0, 160, idLeave, main},
		{1, 100, idEnter, main}, {1, 110, idEnter, call}, {1, 110, idRmaRequestLock, 6, 0, 0, 0}, {1, 112, idLeave, call},
		{1, 130, idEnter, call}, {1, 154, idRmaReleaseLock, 6, 0, 0}, {1, 155, idLeave, call}, {1, 160, idLeave, main},
	})
	e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
	require.NoError(t, err)
	require.Zero(t, e.Total(e.MetricIndex("mpi_rma_sync_wait_for_progress")))
}

// TestProgress: the second process unlocks from 30 to 45 µs, and the first one, which owns the window, is not in MPI from 14 to 40, though it asks for the time at 31: so the second one waits for 10 of that. If the first one has what it accesses itself, nobody waits, and it
// is told of no call that the owner is in MPI.
func TestProgress(t *testing.T) {
	const main, call, put, time = 0, 1, 2, 3
	for _, owner := range []uint64{0, 1} {
		for _, chunk := range []uint64{0, 96} {
			a := windowed(t, chunk, [][]uint64{
				{0, 100, idEnter, main}, {0, 112, idEnter, call}, {0, 114, idLeave, call}, {0, 131, idEnter, time}, {0, 132, idLeave, time}, {0, 140, idEnter, call}, {0, 150, idLeave, call}, {0, 160, idLeave, main},
				{1, 100, idEnter, main}, {1, 110, idEnter, call}, {1, 110, idRmaRequestLock, 6, owner, 0, 0}, {1, 112, idLeave, call}, {1, 112, idEnter, put}, {1, 113, idRmaPut, 6, owner, 8, 1}, {1, 114, idLeave, put},
				{1, 130, idEnter, call}, {1, 144, idRmaReleaseLock, 6, owner, 0}, {1, 145, idLeave, call}, {1, 160, idLeave, main},
			})
			a.records[a.index[Strings][time]].Texts[0] = "MPI_Wtime"
			var told []int64
			for _, e := range eventsOf(t, a.Trace())[0] {
				if e.Kind == wire.Present {
					told = append(told, e.Time)
				}
			}
			e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
			require.NoError(t, err)
			sums := map[string]int64{}
			for i, m := range e.Metrics {
				for _, x := range e.Cells(i) {
					sums[m.Name] += x.Value
				}
			}
			if owner == 0 {
				require.Equal(t, []int64{14e3, 50e3}, told)
				require.Equal(t, int64(10e3), sums["mpi_rma_sync_wait_for_progress"])
				require.Zero(t, sums["mpi_rma_comm_wait_for_progress"], "the owner was in MPI when it put")
			} else {
				require.Empty(t, told)
				require.Zero(t, sums["mpi_rma_sync_wait_for_progress"])
			}
		}
	}
}
