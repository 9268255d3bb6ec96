package otf2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestClasses: calls of MPI and constructs of OpenMP are what Scalasca says that they are, by the metrics of their time and visits.
func TestClasses(t *testing.T) {
	a := write(t, 0, nil)
	for name, want := range map[string][2]string{
		"MPI_Put": {"mpi_rma_communication", "comms_rma_puts"}, "MPI_Get": {"mpi_rma_communication", "comms_rma_gets"}, "MPI_Get_accumulate": {"mpi_rma_communication", "comms_rma_atomics"},
		"MPI_Get_count": {"mpi", ""}, "MPI_Win_fence": {"mpi_rma_sync_active", "syncs_rma_active"}, "MPI_Win_unlock_all": {"mpi_rma_sync_passive", "syncs_rma_passive"},
		"MPI_Win_create": {"mpi_mgmt_win", ""}, "MPI_File_open": {"mpi_mgmt_file", "mpi_file_cops"}, "MPI_File_seek": {"mpi_mgmt_file", "mpi_file_iops"},
		"MPI_File_iread_at": {"mpi_io_individual", "mpi_file_irops"}, "MPI_File_write": {"mpi_io_individual", "mpi_file_iwops"},
		"MPI_File_read_ordered": {"mpi_io_collective", "mpi_file_crops"}, "MPI_File_write_at_all_end": {"mpi_io_collective", "mpi_file_cwops"},
		"MPI_Group_incl": {"mpi", ""}, "MPI_Buffer_attach": {"mpi", ""}, "MPI_Comm_dup": {"mpi_mgmt_comm", ""},
		"MPI_Initialized": {"mpi_init_exit", ""}, "MPI_Finalized": {"mpi_init_exit", ""}, "MPI_Reduce_local": {"mpi", ""}, "MPI_Reduce": {"mpi_collective", ""},
		"MPI_Win_attach": {"mpi_mgmt_win", ""}, "MPI_Win_detach": {"mpi_mgmt_win", ""}, "MPI_Win_shared_query": {"mpi_mgmt_win", ""},
		"MPI_Start": {"mpi", ""}, "MPI_Startall": {"mpi", ""}, "MPI_Cancel": {"mpi", ""}, "MPI_Request_free": {"mpi", ""}, "MPI_Test_cancelled": {"mpi", ""}, "MPI_Testall": {"mpi_point2point", ""},
	} {
		a.records[a.index[Strings][0]].Texts[0] = name
		c := a.classOf(&Record{Spec: specNamed(Global, "Region"), Values: []uint64{0, 0, 0, 0, none, 0, 0, 0, 1, mpi, 0}})
		require.Equal(t, want, [2]string{c.name, c.counts}, name)
	}
	for name, want := range map[string]string{"acc_init@a.c:1": "gpu_setup", "acc_upload@a.c:2": "gpu_comm", "acc_wait@a.c:3": "gpu_sync", "acc_launch_kernel@a.c:4": "gpu_kernel_launches", "acc_alloc": "gpu_time"} {
		a.records[a.index[Strings][0]].Texts[0] = name
		require.Equal(t, want, a.classOf(&Record{Spec: specNamed(Global, "Region"), Values: []uint64{0, 0, 0, 0, none, 0, 0, 0, 1, openACC, 0}}).name, name)
	}
	for name, want := range map[string]bool{"wtime": true, "wtick": true, "comm_rank": true, "type_commit": true, "get_count": true, "initialized": true, "win_get_group": true,
		"init": false, "get": false, "get_accumulate": false, "comm_dup": false, "comm_set_info": false, "iprobe": false, "test": false, "win_flush": false, "win_sync": false, "finalize": false} {
		require.Equal(t, want, classOfCall(name).alone, name)
	}
	for name, want := range map[string]bool{"start": true, "startall": true, "request_free": true, "cancel": true, "testsome": true, "reduce_local": false, "initialized": false, "win_attach": false} {
		require.Equal(t, want, classOfCall(name).calls, name)
	}
	require.Equal(t, "omp_critical", classOfConstruct("!$omp atomic @a.c:1", roleAtomic).name)
	require.Empty(t, classOfConstruct("!$omp offloading overhead", roleImplicitBarrier), "no barrier by its name")
	require.Equal(t, wire.ImplicitBarrier, classOfConstruct("omp_implicit_barrier", roleImplicitBarrier).ends)
}

// TestPuts: what is put into a window and got from it is told with its bytes, if it is one of MPI.
func TestPuts(t *testing.T) {
	a := write(t, 0, [][]uint64{{0, 100, idEnter, 0}, {0, 110, idRmaPut, 6, 1, 70, 1}, {0, 120, idRmaGet, 6, 1, 8, 2}, {0, 130, idRmaAtomic, 6, 1, 0, 4, 2, 3}, {0, 135, idRmaPut, 7, 1, 50, 4}, {0, 140, idLeave, 0}})
	define := func(kind string, values ...uint64) { a.define(&Record{specNamed(Global, kind), values, nil}) }
	define("Group", 0, 0, 0, 1, 0, commLocations, mpi, 0)
	define("Group", 1, 0, 0, 1, 0, 5, mpi, 0)
	define("Comm", 4, 0, 1, none, 0)
	define("RmaWin", 6, 0, 4, 0)
	define("RmaWin", 7, 0, 5, 0) // of a GPU, for instance
	var got []trace.Event
	for _, e := range eventsOf(t, a.Trace())[0] {
		if e.Kind == wire.Transferred {
			got = append(got, e)
		}
	}
	require.Equal(t, []trace.Event{{Time: 10e3, Kind: wire.Transferred, ID: 2, Word: 70}, {Time: 20e3, Kind: wire.Transferred, ID: 3, Word: 8},
		{Time: 30e3, Kind: wire.Transferred, ID: 2, Word: 4}, {Time: 30e3, Kind: wire.Transferred, ID: 3, Word: 2}}, got)
}
