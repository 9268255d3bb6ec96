package otf2

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestBetweenGroups: in a communicator between two groups, ranks of messages are those of the other group: what rank 0 of one sends to rank 1 of the other is what that receives from it, and not what
// rank 1 of the first gets from rank 0 of the second. Whoever is in no group has no such messages.
func TestBetweenGroups(t *testing.T) {
	a, define := ranks()
	define("Group", nil, 5, 0, 0, 2, 0, 1, 5, mpi, 0)
	define("Group", nil, 6, 0, 0, 2, 2, 3, 5, mpi, 0)
	define("InterComm", nil, 5, 0, 5, 6, none, 0)
	define("Group", nil, 7, 0, 0, 1, 3, 5, mpi, 0)
	define("InterComm", nil, 6, 0, 5, 7, none, 0)
	a.build()
	s := &source{a: a, programs: map[uint64]uint32{}}
	s.define()
	s.classify()
	queueAt := func(process int, kind string, peer, comm uint64) (queue, bool) {
		return s.queueOf(s.of[process], &Event{Record: Record{Spec: specNamed(Events, kind), Values: []uint64{peer, comm, 7, 1}}})
	}
	of := func(process int, kind string, peer uint64) queue {
		q, ok := queueAt(process, kind, peer, 5)
		require.True(t, ok)
		return q
	}
	require.Equal(t, of(0, "MpiSend", 1), of(3, "MpiRecv", 0))
	require.Equal(t, of(3, "MpiSend", 0), of(0, "MpiRecv", 1))
	require.NotEqual(t, of(0, "MpiSend", 1), of(3, "MpiSend", 0))
	require.NotEqual(t, of(0, "MpiSend", 1), of(1, "MpiRecv", 0), "of rank 0 of the other group")
	_, ok := queueAt(2, "MpiSend", 0, 6)
	require.False(t, ok, "in neither group")
	met := func(process int, values ...uint64) wire.Meeting {
		what, object, ok := s.met(s.of[process], &Event{Record: Record{Spec: specNamed(Events, "MpiCollectiveEnd"), Values: values}})
		require.True(t, ok)
		require.Equal(t, s.passing.comms[5], object)
		return what
	}
	const barrier, broadcast, allreduce, self, thisGroup = 0, 1, 11, 1<<32 - 2, 1<<32 - 3
	require.Equal(t, wire.BetweenArrive.Numbered(0), met(0, barrier, 5, none, 0, 0))
	require.Equal(t, (wire.BetweenArrive | wire.Root).Numbered(2), met(2, barrier, 5, none, 0, 0), "in the second group")
	require.Equal(t, (wire.BetweenExchange | wire.Root | wire.Sends | wire.Receives).Numbered(3), met(3, allreduce, 5, none, 8, 8))
	require.Equal(t, (wire.RootSends | wire.Root | wire.Sends).Numbered(1), met(1, broadcast, 5, self, 8, 0))
	require.Equal(t, wire.RootSends.Numbered(0), met(0, broadcast, 5, thisGroup, 0, 0))
	require.Equal(t, (wire.RootSends | wire.Receives).Numbered(3), met(3, broadcast, 5, 1, 0, 8), "the root is rank 1 of the other group, and this one is rank 1, too")
	_, _, ok = s.met(s.of[2], &Event{Record: Record{Spec: specNamed(Events, "MpiCollectiveEnd"), Values: []uint64{barrier, 6, none, 0, 0}}})
	require.False(t, ok, "in neither group")
}

// TestBetweenNoGroups: groups that are not defined have no members.
func TestBetweenNoGroups(t *testing.T) {
	a, define := ranks()
	define("InterComm", nil, 5, 0, 3, 9, none, 0)
	a.build()
	s := &source{a: a, programs: map[uint64]uint32{}}
	s.define()
	s.classify()
	_, ok := s.queueOf(s.of[0], &Event{Record: Record{Spec: specNamed(Events, "MpiSend"), Values: []uint64{0, 5, 7, 1}}})
	require.False(t, ok)
}

// TestWhoGivesToWhom: rank 0 waits 1 for rank 1 in MPI_Alltoall (8). In MPI_Alltoallv (9) and MPI_Alltoallw (10), nobody knows whether it does; what they exchange is counted all the same.
func TestWhoGivesToWhom(t *testing.T) {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	for operation, waits := range map[uint64]int64{8: 1, 9: 0, 10: 0} {
		writeMet(t, name, operation, 100)
		e := analyzed(t, name)
		sum := func(metric string) (n int64) {
			for _, c := range e.Cells(e.MetricIndex(metric)) {
				n += int64(c.Value)
			}
			return n
		}
		require.Equal(t, waits, sum("mpi_wait_nxn"), "operation %d", operation)
		require.Equal(t, waits, sum("delay_n2n"), "operation %d", operation)
		require.Equal(t, int64(2), sum("comms_cxch"), "operation %d", operation)
		require.Equal(t, int64(200), sum("bytes_cin"), "operation %d", operation)
	}
}

// writeLater writes an archive of two processes that begin a collective operation by MPI_Iallreduce and finish it by MPI_Wait: the first one from 20 and from 60 on, the second one from 5 and from 10 on. Without
// records it has only the regions, as older archives.
func writeLater(t testing.TB, name string, operation, bytes uint64, records bool) {
	w, err := Create(name, Anchor{})
	require.NoError(t, err)
	define := func(kind string, texts []string, values ...uint64) {
		w.Define(&Record{specNamed(Global, kind), values, texts})
	}
	define("ClockProperties", nil, 1e9, 1000, 100, 1<<64-1)
	for i, text := range []string{"main", "MPI_Iallreduce", "MPI_Wait", "rank"} {
		define("String", []string{text}, uint64(i))
		if i < 3 {
			define("Region", nil, uint64(i), uint64(i), uint64(i), 0, none, 0, 0, uint64(i), 1, []uint64{1, mpi, mpi}[i], 0)
		}
	}
	define("Group", nil, 0, 3, 0, 2, 0, 1, commLocations, mpi, 0)
	define("Group", nil, 1, 3, 0, 2, 0, 1, 5, mpi, 0)
	define("Comm", nil, 0, 3, 1, none, 0)
	for i := range uint64(2) {
		define("LocationGroup", nil, i, 3, 1, 0, none)
		define("Location", nil, i, 3, 1, 8, i)
		events, err := w.Events(i)
		require.NoError(t, err)
		add := func(t uint64, kind string, values ...uint64) {
			events.Write(&Event{Record: Record{specNamed(Events, kind), values, nil}, Time: 1000 + t})
		}
		begins, waits, ends := []uint64{20, 5}[i], []uint64{60, 10}[i], []uint64{70, 35}[i]
		add(0, "Enter", 0)
		add(begins, "Enter", 1)
		if records {
			add(begins+1, "NonBlockingCollectiveRequest", 3+i)
		}
		add(begins+2, "Leave", 1)
		add(waits, "Enter", 2)
		if records {
			add(ends-1, "NonBlockingCollectiveComplete", operation, 0, none, bytes, bytes, 3+i)
		}
		add(ends, "Leave", 2)
		add(100, "Leave", 0)
		require.NoError(t, events.Close())
	}
	require.NoError(t, w.Close())
}

// TestLater: rank 1 waits from 10 to 20 for rank 0, which begins the operation then; in MPI_Iallreduce (11) as in MPI_Ibarrier (0), but in MPI_Ialltoallv (9) nobody knows. Without records, nobody knows which
// operation a call waits for.
func TestLater(t *testing.T) {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	for _, c := range []struct {
		operation, bytes uint64
		records          bool
		metric, counts   string
		waits, counted   int64
	}{
		{11, 8, true, "mpi_wait_inxn", "comms_cxch", 10, 2}, {0, 0, true, "mpi_ibarrier_wait", "syncs_coll", 10, 2}, {9, 8, true, "mpi_wait_inxn", "comms_cxch", 0, 2},
		{11, 8, false, "mpi_wait_inxn", "comms_cxch", 0, 0},
	} {
		writeLater(t, name, c.operation, c.bytes, c.records)
		e := analyzed(t, name)
		sums := map[string]int64{}
		for i, m := range e.Metrics {
			for _, x := range e.Cells(i) {
				sums[m.Name] += x.Value
			}
		}
		require.Equal(t, c.waits, sums[c.metric], "%+v", c)
		require.Equal(t, c.counted, sums[c.counts], "%+v", c)
		require.Equal(t, int64(c.bytes)*c.counted, sums["bytes_cout"], "%+v", c)
		require.Equal(t, int64(10+25)-c.waits, sums["mpi_point2point"], "%+v", c)
	}
}

// TestLaterEvents: the call that begins an operation tells its number, the one that finishes it that, and what was met among whom.
func TestLaterEvents(t *testing.T) {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	writeLater(t, name, 11, 8, true)
	a, err := Open(name)
	require.NoError(t, err)
	got := slices.DeleteFunc(eventsOf(t, a.Trace())[1], func(e trace.Event) bool { return !e.Kind.Parallel() })
	require.Equal(t, []trace.Event{
		{Time: 6, Kind: wire.Requested, ID: 4}, {Time: 7, Kind: wire.Called, Word: allMessages}, {Time: 34, Kind: wire.Finished, ID: 4}, {Time: 34, Kind: wire.Transferred, ID: 0, Word: 8},
		{Time: 34, Kind: wire.Transferred, ID: 1, Word: 8}, {Time: 34, Kind: wire.MetLater, ID: uint32((wire.AllExchange | wire.Sends | wire.Receives).Numbered(1)), Word: 3},
		{Time: 35, Kind: wire.Called, ID: wire.SendsOne, Word: allMessages},
	}, got)
}
