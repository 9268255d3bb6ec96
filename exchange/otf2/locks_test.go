package otf2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestWindows: collective operations of windows meet on the object of their communicator, as what the call says.
func TestWindows(t *testing.T) {
	a := write(t, 0, [][]uint64{
		{0, 100, idEnter, 1}, {0, 110, idRmaCollectiveEnd, 17, 0, 6, none, 0, 0}, {0, 120, idLeave, 1},
		{0, 130, idEnter, 2}, {0, 140, idRmaCollectiveEnd, 0, 0, 6, none, 0, 0}, {0, 150, idLeave, 2},
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
	met := func(us int64, as wire.Meeting) trace.Event {
		return trace.Event{Time: us * 1000, Kind: wire.Met, ID: uint32(as), Word: 3}
	}
	require.Equal(t, []trace.Event{met(10, wire.AtCreate), met(40, wire.AtFence), met(70, wire.AtFree)}, got)
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
