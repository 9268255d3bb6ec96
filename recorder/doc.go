// Package recorder records measured programs: it starts a program, drains the measurement buffers that the
// program and its children fill in shared memory, and writes the archive.
//
// A recording lives in two directories. The trace directory receives the archive. The session directory, in
// /dev/shm if there is room, else below the trace directory, holds one buffer file for each measured process.
// It is announced to the program and so to its children in the environment; a process that is instrumented
// joins by making its buffer file there. The recorder looks into the session directory
// every few milliseconds, maps new files, and takes filled chunks.
//
// Invariants
//
//   - A chunk goes back to the program only after the archive holds it and the file was written. Otherwise the
//     death of the recorder would lose it. So whatever is not in the archive is in a buffer, and [Recover] can
//     complete the one from the other; what is in both is written once.
//   - Definitions are read after the chunks were taken and written before them. Otherwise a chunk could use a
//     definition that the archive does not hold yet.
//   - The file `session` in the trace directory names the session directory until everything else is done, and
//     is locked by the recorder while it lives. Otherwise an archive without its buffers, or one that is still
//     being written, could pass for a complete one.
//   - A session directory in shared memory names its trace directory. When that is gone, and recorder and processes
//     have been dead for a day, the next recorder removes the session directory.
//   - Nothing that goes wrong here after the start reaches the program. It is never stopped or waited for,
//     and the recorder returns its exit status. What was lost is counted and reported.
//
// There are three ways to learn that a process died: the recorder waits for the program that it started (launch.go); every other process keeps a
// lock on its buffer while it lives (internal/shm); and the simulator reports the end of its processes (machine.go). A descriptor of the process says
// when it died (death.go). In the archive, the process ends at that time, otherwise at its last event; the time at which the recorder noticed does not matter. A program
// that is launched but not instrumented, such as a script, becomes a process without events if its children are recorded: its exit status is
// that of the run.
//
// A program may end before its instrumented children, and even before these begin to record. The recorder waits [Options].Patience for them, then
// reads what is in their buffers and leaves them alone: they continue unrecorded. The recorder reports which processes of the run are not recorded, and why: the
// processes leave notes in the session directory, and the recorder looks at the family of the program (family.go).
package recorder

import (
	"os"
	"syscall"
	"time"

	"tracerec/internal/shm"
)

// Options say what to record and how.
type Options struct {
	Dir        string               // trace directory to make
	Resolution int64                // of stored times, ns: 64 or 1
	Buffer     int64                // most bytes of a process's measurement buffer, from MinBuffer to MaxBuffer
	Block      bool                 // a full buffer makes the program wait; else whole regions are dropped
	NoStates   bool                 // the scheduler is not asked what it does with goroutines, in programs that have hooks for that
	Counters   []string             // events to sample at region enter and exit: names as package counters has them, or mem:SYMBOL/length:access
	Patience   time.Duration        // how long children may outlive the program
	Window     *Window              // when to record what [Run] starts; nil: always
	Required   bool                 // [Run] does not start the program where it cannot record it
	Quiet      bool                 // no summary when nothing was lost
	Stdout     *os.File             // standard output of the program that [Run] starts; nil is this process's
	Say        func(string)         // receives messages for the user, each one line; nil discards them
	Died       func(syscall.Signal) // receives the signal that ended the program that [Run] started; nil discards it

	handed  []string // the counters as processes are told of them
	machine *Machine // where the processes run, nil if here
}

// Defaults of Options, and the smallest and the largest buffer.
const (
	DefaultDir        = "trace.dir"
	DefaultResolution = 64
	DefaultBuffer     = shm.DefaultBuffer
	MinBuffer         = 4 << 20
	MaxBuffer         = 1 << 40
	DefaultPatience   = 5 * time.Second
)

// Defaults returns the options of a recording into dir when nothing else is asked for.
func Defaults(dir string) Options {
	return Options{Dir: dir, Resolution: DefaultResolution, Buffer: DefaultBuffer, Patience: DefaultPatience}
}

// TestsFile is a file in a directory with archives of tests below it. It is made when the tests begin.
const TestsFile = "tests.json"
