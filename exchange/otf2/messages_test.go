package otf2

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
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
	_, _, ok = s.met(s.of[0], &Event{Record: Record{Spec: specNamed(Events, "MpiCollectiveEnd"), Values: []uint64{0, 5, 0, 1, 1}}})
	require.False(t, ok, "who waits for whom in its collective operations is not known")
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
