package patterns_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// begun returns a program of processes that have begun.
func begun(n int) *threads {
	x := processes(n)
	for loc := range n {
		x.enter(loc, 0, "main").meets(loc, 0, 0, "MPI_Init mpi_init_exit", wire.AllBegin)
	}
	return x
}

// end ends it.
func (x *threads) end(at ...int64) *threads {
	for loc, t := range at {
		x.meets(loc, t, 100, "MPI_Finalize mpi_init_exit", wire.AllEnd).leave(loc, 100)
	}
	return x
}

// TestAfterBroadcast: 1 waits from 10 to 30 for the root, because of 20 that this worked longer. 2, who gets nothing, does not wait, and that it leaves first does not matter: of those who waited 1 leaves
// first, at 35, and the root needs 5 more. So it is that, and 20 of work, for which 1 waits 25 then.
func TestAfterBroadcast(t *testing.T) {
	x := begun(3)
	x.enter(0, 0, "work").leave(0, 30).meets(0, 30, 40, "MPI_Scatterv mpi_collective", wire.RootSends|wire.Root|wire.Sends)
	x.enter(1, 0, "work").leave(1, 10).meets(1, 10, 35, "MPI_Scatterv mpi_collective", wire.RootSends|wire.Receives)
	x.enter(2, 0, "work").leave(2, 5).meets(2, 5, 6, "MPI_Scatterv mpi_collective", wire.RootSends)
	x.enter(0, 40, "work").leave(0, 60).sends(0, 60, 61, 1).receives(1, 35, 61, 1)
	e := x.end(61, 61, 6).analyze(t, 2)
	require.Equal(t, []string{"MPI_Scatterv 1 20"}, cells(t, e, "mpi_latebroadcast"))
	require.Equal(t, []string{"work 0 20"}, cells(t, e, "delay_12n"))
	require.Equal(t, []string{"MPI_Scatterv 0 5", "work 0 20"}, cells(t, e, "delay_latesender"))
}

// TestAfterReduction: the root waits from 10 to 30 for the last one, because of 20 that this worked longer, and leaves 4 behind it, no matter when 2 left. It is that, and 10 of work, for which the other waits 14 then.
func TestAfterReduction(t *testing.T) {
	x := begun(3)
	x.enter(0, 0, "work").leave(0, 10).meets(0, 10, 36, "MPI_Reduce mpi_collective", wire.RootReceives|wire.Root|wire.Sends|wire.Receives)
	x.enter(1, 0, "work").leave(1, 30).meets(1, 30, 32, "MPI_Reduce mpi_collective", wire.RootReceives|wire.Sends)
	x.enter(2, 0, "work").leave(2, 5).meets(2, 5, 6, "MPI_Reduce mpi_collective", wire.RootReceives|wire.Sends)
	x.enter(0, 36, "work").leave(0, 46).sends(0, 46, 47, 1).receives(1, 32, 47, 1)
	e := x.end(47, 47, 6).analyze(t, 1)
	require.Equal(t, []string{"MPI_Reduce 0 20"}, cells(t, e, "mpi_earlyreduce"))
	require.Equal(t, []string{"work 1 20"}, cells(t, e, "delay_n21"))
	require.Equal(t, []string{"MPI_Reduce 0 4", "work 0 10"}, cells(t, e, "delay_latesender"))
}

// TestExchangeOfSome: 2 has left with nothing before the others come, and did not wait. 1 waits from 10 to 40 for 0, because of 30 that this worked longer.
func TestExchangeOfSome(t *testing.T) {
	x := begun(3)
	x.enter(0, 0, "work").leave(0, 40).meets(0, 40, 41, "MPI_Allgather mpi_collective", wire.AllExchange|wire.Sends|wire.Receives)
	x.enter(1, 0, "work").leave(1, 10).meets(1, 10, 43, "MPI_Allgather mpi_collective", wire.AllExchange|wire.Sends|wire.Receives)
	x.enter(2, 0, "work").leave(2, 5).meets(2, 5, 8, "MPI_Allgather mpi_collective", wire.AllExchange|wire.Sends)
	x.sends(1, 43, 44, 1).receives(0, 41, 44, 1)
	e := x.end(44, 44, 8).analyze(t, 3)
	require.Equal(t, []string{"MPI_Allgather 1 30"}, cells(t, e, "mpi_wait_nxn"))
	require.Equal(t, []string{"work 0 30"}, cells(t, e, "delay_n2n"))
	require.Equal(t, []string{"MPI_Allgather 1 2"}, cells(t, e, "delay_latesender"), "what 1 needed longer than 0")
}

// TestExchangeWithoutWaits: if nobody is in it when the last one that sends something comes, nobody waits, and nothing is the cause.
func TestExchangeWithoutWaits(t *testing.T) {
	x := begun(2)
	x.enter(0, 0, "work").leave(0, 40).meets(0, 40, 41, "MPI_Allgather mpi_collective", wire.AllExchange|wire.Sends|wire.Receives)
	x.enter(1, 0, "work").leave(1, 10).meets(1, 10, 12, "MPI_Allgather mpi_collective", wire.AllExchange|wire.Sends)
	e := x.end(41, 12).analyze(t, 1)
	require.Empty(t, cells(t, e, "mpi_wait_nxn"))
	require.Empty(t, cells(t, e, "delay_n2n"))
}

// TestBarrierOfBadClocks: 1 has left when 0 comes, which clocks alone can do. It waits as long as it is there, 10, because of 20 that 0 worked longer.
func TestBarrierOfBadClocks(t *testing.T) {
	x := begun(2)
	x.enter(0, 0, "work").leave(0, 30).meets(0, 30, 31, "MPI_Barrier mpi_sync_collective", wire.AllArrive)
	x.enter(1, 0, "work").leave(1, 10).meets(1, 10, 20, "MPI_Barrier mpi_sync_collective", wire.AllArrive)
	x.enter(1, 20, "work").leave(1, 50).sends(1, 50, 51, 1).receives(0, 31, 51, 1)
	e := x.end(51, 51).analyze(t, 2)
	require.Equal(t, []string{"MPI_Barrier 1 10"}, cells(t, e, "mpi_barrier_wait"))
	require.Equal(t, []string{"work 0 10"}, cells(t, e, "delay_barrier"))
	require.Equal(t, []string{"work 1 19"}, cells(t, e, "delay_latesender"), "since the barrier")
}
