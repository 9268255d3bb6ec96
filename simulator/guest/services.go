package guest

// CallThrough is the number of the system call by which programs reach the simulator. Linux does not have it and answers ENOSYS.
const CallThrough = 0x7452

// Service is what is asked of the simulator: the first argument of the call. docs/simulator.md has the others.
type Service uint64

// The services. Their numbers never change.
const (
	Hello      Service = 0  // the version of the services
	Describe   Service = 1  // name and description of an event
	Initialize Service = 2  // makes a set of counters
	Choose     Service = 3  // says which events a set counts
	StartSet   Service = 4  // lets a set count
	StopSet    Service = 5  // ends that
	ResetSet   Service = 6  // makes a set zero
	ReadSet    Service = 7  // what was counted between start and stop
	Free       Service = 8  // ends a set
	Now        Service = 9  // what was counted since the beginning
	Identify   Service = 10 // the running thread or goroutine
	Map        Service = 11 // an event to a register hpmcounter3 to hpmcounter31
	TaskSwitch Service = 16 // which task the thread executes
	TaskExit   Service = 17 // that a task has ended
	TraceOn    Service = 24 // writes the trace from now on
	TraceOff   Service = 25 // ends that
	File       Service = 32 // content of a file of the host
)

// Version is that of the services.
const Version = 1

// Absent stands for a value that is not modelled: the kernel's part of most events.
const Absent = ^uint64(0)

// MaxEvents is the most events of a set.
const MaxEvents = 256

// Scope says whose counts are meant.
type Scope uint64

// The scopes.
const (
	Process   Scope = iota // all of the calling process
	Thread                 // what a thread executes, whoever's goroutines
	Goroutine              // what a goroutine does on its own stack
	Task                   // what threads did while they said that they execute it
	Domain                 // a part of the process: 0 unattributed, 1 goroutines, 2 runtime, 3 collector, 4 signals, 5 kernel, 6 native, 7 measurement
	Caller                 // the goroutine that reads, whichever it is; only for [Counters.Now]
)
