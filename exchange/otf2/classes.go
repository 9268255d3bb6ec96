package otf2

import (
	"slices"
	"strings"

	"tracerec/trace/wire"
)

// Paradigms and roles of regions, as in words.go.
const (
	openMP      = 3
	mpi         = 4
	cuda        = 5
	measurement = 6
	pthread     = 7
	openACC     = 18
	openCL      = 19
	hip         = 23

	roleParallel        = 5
	roleCritical        = 12
	roleAtomic          = 14
	roleBarrier         = 15
	roleImplicitBarrier = 16
	roleFlush           = 17
	roleOrdered         = 18
	roleTask            = 20
	roleTaskWait        = 22
	roleUntiedTask      = 34
)

// class is what a region is.
type class struct {
	name    string       // the metric of time in it, "" for computing
	counts  string       // the metric that counts visits of it, "" if there is none
	ends    wire.Meeting // its end is that of such a meeting of all processes, or of the team
	meets   wire.Meeting // the collective operation of a window that it is
	calls   bool         // its end ends what was done with messages
	how     uint32       // what kind of call it is, see wire.Called
	epoch   epoch        // what it does about epochs of windows
	flushes wire.Hold    // how it waits until accesses to windows are complete, 0 if it does not
	task    bool         // it is what a task of a team executes
	alone   bool         // no call that needs others, so that libraries make no progress for these in it
	records bool         // it records an event in a stream
	plain   bool         // nothing but its time and visits is to be known
	queues  bool         // it may end before the stream has done what it asks for
	waits   wire.Command // how it waits for streams of devices, 0 if it does not
}

// classOf classifies a region as Scalasca does: by paradigm, name and role.
func (a *Archive) classOf(r *Record) class {
	name := strings.ToLower(a.Text(r.Get("name")))
	switch paradigm := r.Get("paradigm"); {
	case paradigm == mpi || a.Text(r.Get("sourceFile")) == "MPI":
		if call, ok := strings.CutPrefix(name, "mpi_"); ok {
			return classOfCall(call)
		}
	case paradigm == openMP || strings.HasPrefix(name, "!$omp"):
		c, role := classOfConstruct(name, r.Get("regionRole")), r.Get("regionRole")
		c.task = role == roleTask || role == roleUntiedTask
		return c
	case paradigm == pthread:
		return class{name: first(name, threadClasses, "pthread_time")}
	case paradigm == cuda, paradigm == openCL, paradigm == hip:
		return classOfDevice(name, a.Text(r.Get("sourceFile")))
	case paradigm == openACC:
		return class{name: first(name, directiveClasses, "gpu_time")}
	case paradigm == measurement && (name == "tracing" || strings.HasPrefix(name, "trace buffer")):
		return class{name: overheadClass}
	}
	return class{}
}

// parallel says whether a team executes a region.
func (a *Archive) parallel(r *Record) bool {
	return r.Get("regionRole") == roleParallel || strings.HasPrefix(a.Text(r.Get("name")), "!$omp parallel")
}

// A prefix of a name, and what begins so. The first one counts.
type prefixed [][2]string

// first returns what a name is, otherwise if nothing is said of it.
func first(name string, of prefixed, otherwise string) string {
	for _, p := range of {
		if strings.HasPrefix(name, p[0]) {
			return p[1]
		}
	}
	return otherwise
}

var threadClasses = prefixed{{"pthread_mutex", "pthread_lock_api"}, {"lock", "pthread_lock_api"}, {"pthread_cond", "pthread_conditional"},
	{"pthread_cancel", "pthread_management"}, {"pthread_create", "pthread_management"}, {"pthread_detach", "pthread_management"}, {"pthread_exit", "pthread_management"}, {"pthread_join", "pthread_management"}}

// overheadClass is that of the recorder's own work.
const overheadClass = "overhead"

// directiveClasses are what events of OpenACC are: those of a device say by themselves what it does.
var directiveClasses = prefixed{{"acc_init", "gpu_setup"}, {"acc_shutdown", "gpu_setup"}, {"acc_upload", copyClass}, {"acc_download", copyClass}, {"acc_wait", "gpu_sync"}, {"acc_launch_kernel", launchClass}}

var callClasses = prefixed{
	{"init", "mpi_init_exit"}, {"finalize", "mpi_init_exit"}, {"barrier", "mpi_sync_collective"}, {"ibarrier", "mpi_sync_collective"},
	{"comm_", "mpi_mgmt_comm"}, {"cart", "mpi_mgmt_comm"}, {"graph", "mpi_mgmt_comm"}, {"dist_graph", "mpi_mgmt_comm"},
	{"intercomm_", "mpi_mgmt_comm"}, {"dims_create", "mpi_mgmt_comm"}, {"topo_test", "mpi_mgmt_comm"},
	{"win_create", "mpi_mgmt_win"}, {"win_allocate", "mpi_mgmt_win"}, {"win_attach", "mpi_mgmt_win"}, {"win_detach", "mpi_mgmt_win"}, {"win_shared_", "mpi_mgmt_win"}, {"win_free", "mpi_mgmt_win"}, {"win_set", "mpi_mgmt_win"}, {"win_get", "mpi_mgmt_win"},
	{"win_fence", "mpi_rma_sync_active"}, {"win_lock", "mpi_rma_sync_passive"}, {"win_unlock", "mpi_rma_sync_passive"}, {"win_flush", "mpi_rma_sync_passive"}, {"win_sync", "mpi_rma_sync_passive"},
	{"win_", "mpi_rma_synchronization"}, {"put", "mpi_rma_communication"}, {"rput", "mpi_rma_communication"}, {"get_accumulate", "mpi_rma_communication"},
	{"rget", "mpi_rma_communication"}, {"accumulate", "mpi_rma_communication"}, {"raccumulate", "mpi_rma_communication"}, {"fetch_and", "mpi_rma_communication"},
	{"compare_and", "mpi_rma_communication"},
	{"bcast", "mpi_collective"}, {"ibcast", "mpi_collective"}, {"scatter", "mpi_collective"}, {"iscatter", "mpi_collective"}, {"gather", "mpi_collective"},
	{"igather", "mpi_collective"}, {"all", "mpi_collective"}, {"iall", "mpi_collective"}, {"reduce_local", "mpi"}, {"reduce", "mpi_collective"}, {"ireduce", "mpi_collective"},
	{"scan", "mpi_collective"}, {"iscan", "mpi_collective"}, {"exscan", "mpi_collective"}, {"iexscan", "mpi_collective"}, {"neighbor_", "mpi_collective"},
	{"ineighbor_", "mpi_collective"},
	{"send", "mpi_point2point"}, {"isend", "mpi_point2point"}, {"bsend", "mpi_point2point"}, {"ibsend", "mpi_point2point"}, {"ssend", "mpi_point2point"},
	{"issend", "mpi_point2point"}, {"rsend", "mpi_point2point"}, {"irsend", "mpi_point2point"}, {"recv", "mpi_point2point"}, {"irecv", "mpi_point2point"},
	{"mrecv", "mpi_point2point"}, {"imrecv", "mpi_point2point"}, {"wait", "mpi_point2point"}, {"test_", "mpi"}, {"test", "mpi_point2point"}, {"probe", "mpi_point2point"},
	{"iprobe", "mpi_point2point"}, {"mprobe", "mpi_point2point"}, {"improbe", "mpi_point2point"},
}

// requestCalls are calls of MPI that begin what was prepared, or are about what goes on: Scalasca has no metric of their time. By how their names begin.
var requestCalls = []string{"start", "request_", "cancel", "test_"}

// classOfCall classifies a call of MPI by its name, without the prefix.
func classOfCall(name string) class {
	c := class{name: first(name, callClasses, "mpi"), counts: first(name, callCounts, "")}
	switch {
	case name == "get":
		c.name, c.counts = "mpi_rma_communication", "comms_rma_gets"
	case name == "init" || name == "init_thread":
		c.ends = wire.AllBegin
	case name == "finalize":
		c.ends = wire.AllEnd
	case strings.HasPrefix(name, "file_"):
		c.name, c.counts = classOfFile(name)
	case strings.HasPrefix(name, "win_create"), strings.HasPrefix(name, "win_allocate"):
		c.meets = wire.AtCreate
	case name == "win_free":
		c.meets = wire.AtFree
	case name == "win_fence":
		c.meets = wire.AtFence
	}
	if strings.HasPrefix(name, "win_flush") {
		if c.flushes = wire.HoldFlushes; !strings.HasSuffix(name, "_all") {
			c.flushes |= wire.HoldVague
		}
	}
	c.alone = begin(name, aloneCalls)
	switch {
	case strings.HasPrefix(name, "test"), name == "win_test":
		c.how = wire.Polls
	case name == "send", name == "ssend", name == "rsend", name == "bsend", name == "wait":
		c.how = wire.SendsOne
	case strings.HasPrefix(name, "wait"):
		c.how = wire.SendsOthers
	}
	begins := strings.HasPrefix(name, "i") && (c.name == "mpi_sync_collective" || c.name == "mpi_collective")
	c.calls = c.name == "mpi_point2point" || begins || begin(name, requestCalls)
	if c.epoch = epochs[name]; c.epoch != noEpoch {
		c.name, c.calls = "mpi_rma_sync_active", true
		c.how |= c.epoch.how()
	}
	return c
}

// begin says whether a name begins with one of some others.
func begin(name string, with []string) bool {
	return slices.ContainsFunc(with, func(w string) bool { return strings.HasPrefix(name, w) })
}

// aloneCalls are the calls of MPI that ask or change something of the process itself, or of what it knows: the standard lets them need no others, and libraries make no progress in them: by how their names begin.
var aloneCalls = strings.Fields(`wtime wtick initialized finalized is_thread_main query_thread pcontrol alloc_mem free_mem pack unpack buffer_attach
		address get_address get_count get_elements get_processor_name get_version get_library_version status_ error_ errhandler_ add_error_ attr_ keyval_ info_ op_ type_ group_
		comm_rank comm_size comm_group comm_compare comm_test_inter comm_remote_ comm_get_ comm_set_name comm_set_attr comm_set_errhandler comm_delete_attr comm_create_keyval comm_free_keyval comm_create_errhandler comm_call_errhandler
		win_get_ win_set_name win_set_attr win_set_errhandler win_delete_attr win_create_keyval win_free_keyval win_create_errhandler win_call_errhandler
		cart_coords cart_get cart_rank cart_shift cartdim_get dims_create graph_get graph_neighbors graphdims_get dist_graph_neighbors topo_test`)

// classOfFile returns the metrics of time in a call for files, and of its visits.
func classOfFile(name string) (class, counts string) {
	reads, writes := strings.Contains(name, "read"), strings.Contains(name, "write")
	if !reads && !writes {
		return "mpi_mgmt_file", first(name, fileCounts, "mpi_file_cops")
	}
	class, counts = "mpi_io_individual", "mpi_file_i"
	if strings.Contains(name, "_all") || strings.Contains(name, "_ordered") {
		class, counts = "mpi_io_collective", "mpi_file_c"
	}
	if reads {
		return class, counts + "rops"
	}
	return class, counts + "wops"
}

// fileCounts are the calls for files in which processes need no others.
var fileCounts = prefixed{{"file_delete", "mpi_file_iops"}, {"file_get", "mpi_file_iops"}, {"file_seek", "mpi_file_iops"}}

// callCounts are the calls for windows whose visits are counted.
var callCounts = prefixed{
	{"win_fence", "syncs_rma_active"}, {"win_complete", "syncs_rma_active"}, {"win_post", "syncs_rma_active"}, {"win_start", "syncs_rma_active"}, {"win_test", "syncs_rma_active"},
	{"win_wait", "syncs_rma_active"}, {"win_flush", "syncs_rma_passive"}, {"win_lock", "syncs_rma_passive"}, {"win_unlock", "syncs_rma_passive"}, {"win_sync", "syncs_rma_passive"},
	{"put", "comms_rma_puts"}, {"rput", "comms_rma_puts"}, {"get_accumulate", "comms_rma_atomics"}, {"rget_accumulate", "comms_rma_atomics"}, {"rget", "comms_rma_gets"},
	{"accumulate", "comms_rma_atomics"}, {"raccumulate", "comms_rma_atomics"}, {"fetch_and", "comms_rma_atomics"}, {"compare_and", "comms_rma_atomics"},
}

// classOfConstruct classifies a construct of OpenMP by its role, or in old archives by its name. A name that is of another construct counts more than a role: what offloads to a device is an implicit barrier by role in some archives.
func classOfConstruct(name string, role uint64) class {
	if strings.HasPrefix(name, "!$omp") && !strings.Contains(name, "barrier") && (role == roleImplicitBarrier || role == roleBarrier) {
		return class{}
	}
	switch {
	case role == roleImplicitBarrier || strings.HasPrefix(name, "!$omp implicit barrier") || strings.HasPrefix(name, "!$omp ibarrier"):
		return class{name: "omp_ibarrier", ends: wire.ImplicitBarrier}
	case role == roleBarrier || strings.HasPrefix(name, "!$omp barrier"):
		return class{name: "omp_ebarrier", ends: wire.ExplicitBarrier}
	case role == roleCritical, role == roleAtomic:
		return class{name: "omp_critical"}
	case role == roleOrdered:
		return class{name: "omp_ordered"}
	case role == roleTaskWait:
		return class{name: "omp_taskwait"}
	case role == roleFlush:
		return class{name: "omp_flush"}
	case strings.HasPrefix(name, "omp_") && strings.Contains(name, "lock"):
		return class{name: "omp_lock_api"}
	}
	return class{}
}

// meetings are the collective operations of MPI by their numbers, as in words.go; others are of a kind in which nobody waits. In MPI_Alltoallv and MPI_Alltoallw nobody knows who gives something to whom.
var meetings = [...]wire.Meeting{
	wire.AllArrive, wire.RootSends, wire.RootReceives, wire.RootReceives, wire.RootSends, wire.RootSends, wire.AllExchange, wire.AllExchange, wire.AllExchange,
	wire.NoMeeting, wire.NoMeeting, wire.AllExchange, wire.RootReceives, wire.AllExchange, wire.LowerSend, wire.LowerSend, wire.AllExchange,
}
