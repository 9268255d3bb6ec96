package otf2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

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
