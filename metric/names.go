package metric

// The names of the metrics that an analysis computes, in the order of the report: everything else about them says their pattern. What other tools
// measure, too, is called as they call it: time, execution, visits, imbalance. Names are stable forever.
const (
	Time                  = "time"
	Execution             = "execution"
	Communication         = "communication"
	LateSender            = "late_sender"
	LateReceiver          = "late_receiver"
	FullBuffer            = "full_buffer"
	LateClose             = "late_close"
	LatePeer              = "late_peer"
	Synchronization       = "synchronization"
	LockCompetition       = "lock_competition"
	ReaderWait            = "rw_reader_wait"
	WriterWait            = "rw_writer_wait"
	OnceWait              = "once_wait"
	JoinWait              = "join_wait"
	CondWait              = "cond_wait"
	BarrierWait           = "barrier_wait"
	BarrierCompletion     = "barrier_completion"
	ExternalWait          = "external_wait"
	Network               = "network"
	Ready                 = "ready"
	SystemCall            = "system_call"
	UnrecordedWait        = "unrecorded_wait"
	Management            = "management"
	Wakeup                = "wakeup"
	ReadyAfterWait        = "ready_after_wait"
	StartLatency          = "start_latency"
	GCAssist              = "gc_assist"
	Stopped               = "stopped"
	Overhead              = "overhead"
	Sleep                 = "sleep"
	Visits                = "visits"
	Messages              = "messages"
	Acquisitions          = "acquisitions"
	Imbalance             = "imbalance"
	Overload              = "overload"
	Underload             = "underload"
	CriticalPath          = "critical_path"
	CriticalPathImbalance = "critical_path_imbalance"
)

// The names of the metrics of MPI and OpenMP, as Scalasca calls them.
const (
	TeamManagement    = "omp_management"
	TeamFork          = "omp_fork"
	SyncsSent         = "syncs_send"
	SyncsReceived     = "syncs_recv"
	SyncsCollective   = "syncs_coll"
	CommsSent         = "comms_send"
	CommsReceived     = "comms_recv"
	CommsExchange     = "comms_cxch"
	CommsSource       = "comms_csrc"
	CommsDestination  = "comms_cdst"
	BytesSent         = "bytes_sent"
	BytesReceived     = "bytes_rcvd"
	BytesOut          = "bytes_cout"
	BytesIn           = "bytes_cin"
	LateSenderComms   = "mpi_cls_count"
	LateSenderSyncs   = "mpi_sls_count"
	WrongOrderComms   = "mpi_clswo_count"
	WrongOrderSyncs   = "mpi_slswo_count"
	LateReceiverComms = "mpi_clr_count"
	LateReceiverSyncs = "mpi_slr_count"
)

// The part of the wait states that is on the critical path is a tree of metrics of its own: below its root, those of the wait states with a suffix.
const (
	OnPath       = "waits_on_critical_path"
	OnPathSuffix = "_on_critical_path"
)
