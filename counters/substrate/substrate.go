// Package substrate is the contract between event sets (package counters) and what counts for them: the kernel's
// perf events, the Go runtime, a script in tests, a simulator. It is PAPI's substrate layer ("A Portable Programming
// Interface for Performance Evaluation on Modern Processors", section 3.1).
package substrate

import (
	"errors"
	"fmt"
)

// Errors that event sets and substrates tell apart, as PAPI does. They come wrapped with the event's name and what
// can be done.
var (
	ErrUnknownEvent = errors.New("unknown event")                                    // PAPI_ENOEVNT
	ErrUnavailable  = errors.New("this machine does not have it")                    // PAPI_ENOEVNT of a known name
	ErrPermission   = errors.New("the kernel does not permit it")                    // PAPI_EPERM
	ErrConflict     = errors.New("cannot be counted together with the other events") // PAPI_ECNFLCT
	ErrNoCounters   = errors.New("out of counters")                                  // PAPI_ENOCNTR, PAPI_ECOUNT
	ErrBusy         = errors.New("the counters are taken by others")                 // PAPI_ECNFLCT of other processes
	ErrDescriptors  = errors.New("out of file descriptors")                          // EMFILE, ENFILE
	ErrUnsupported  = errors.New("not supported")                                    // PAPI_ENOSUPP
	ErrGone         = errors.New("the thread or processor is gone")                  // PAPI_ESYS: exited target, unplugged CPU
)

// ErrUnknownOwn is said by a substrate that owns the prefix of an unknown name: the others need not be asked.
var ErrUnknownOwn = fmt.Errorf("%w of this prefix", ErrUnknownEvent)

// ErrMistaken is said by a substrate that knows the event but not what the name asks of it, with the reason: the others need not be asked.
var ErrMistaken = fmt.Errorf("%w", ErrUnknownEvent)

// Event is one thing that can be counted.
type Event struct {
	Name        string
	Description string
	Unit        string // ns, bytes or events
	Process     bool   // counts for the whole process, not for a thread
	Gauge       bool   // a level: it may fall
	Bits        int    // width of the counter; 0 is 64. Narrow ones are widened by event sets
	Group       string // of thousands of events that are available all or not at all, "" for none
}

// Domain is a set of modes of the processor in which events count.
type Domain uint8

// The domains. The zero Domain is all that is permitted here.
const (
	User Domain = 1 << iota
	Kernel
	All = User | Kernel
)

// Options say for whom a group counts and how. The zero value counts for the calling thread.
type Options struct {
	Domain    Domain
	Thread    int  // thread or process to attach to; 0 is the calling thread
	CPU       int  // 1 + the processor to count on, whatever runs there; 0 is any
	Inherit   bool // also count what threads and processes do that the target starts from now on
	OnExec    bool // begin when the target executes another program
	Multiplex bool // the events share the counters by turns; values are estimates
}

// Substrate is a source of counters. Its methods may be called concurrently.
type Substrate interface {
	// Name identifies the substrate in messages: "perf_event".
	Name() string
	// Events lists what has a name of its own here, whether or not this machine permits it. Substrates may know more
	// by parameters (a raw code, an address).
	Events() []Event
	// Resolve describes the event of that name; the error wraps ErrUnknownEvent when the name is none of this
	// substrate, and says what is wrong with it otherwise.
	Resolve(name string) (Event, error)
	// Open makes the named events readable together. The error is one of the above, wrapped.
	Open(names []string, o Options) (Group, error)
}

// Group is events opened together. It is used by one goroutine at a time.
type Group interface {
	// Read stores the present values of the free-running counters, in the order of the names given to Open, in one
	// call to the system where that is possible. Where says where the values were taken: the difference of two readings belongs to the
	// calling goroutine alone if their wheres are equal and not 0.
	Read(dst []uint64) (where uint64, err error)
	Close() error
}

// Goroutines is implemented by substrates whose groups may count for the goroutine that opens them, whatever thread it is on.
type Goroutines interface {
	// Goroutine returns the number of the calling goroutine, which no other gets, if groups of the zero Options count for it, and 0 if they
	// count for its thread.
	Goroutine() (uint64, error)
}

// Pauser is implemented by groups that can stop counting and go on, which costs far less than to open them anew. Stopped event sets
// keep such groups.
type Pauser interface {
	// Pausable reports whether the group takes nothing that others may need while it is paused.
	Pausable() bool
	// Pause stops counting; the values stay.
	Pause() error
	// Resume counts on; nothing happens to a group that counts. After an error the group is of no use any more. A group for the
	// thread that calls tells when that is another one now, with the number of one that is gone.
	Resume() error
}

// Timed is implemented by groups whose events took turns.
type Timed interface {
	// Times stores for how long, in ns up to the last Read, each event should have counted and for how long it did.
	Times(enabled, running []uint64)
}

// Sample is one overflow of a counter: its event had occurred period times since the last.
type Sample struct {
	Event  string
	Count  uint64    // events that it stands for: the threshold, or more when overflows were joined
	PC     uintptr   // the instruction that was running, or an early successor
	Stack  []uintptr // PC first, then its callers, if asked for and known
	Thread int
	Time   int64 // ns, of the substrate's clock
}

// Sampler is implemented by substrates whose counters tell when they have counted so many.
type Sampler interface {
	// Sample calls handle for every threshold events, on a goroutine of its own, until stop is called. The error wraps
	// ErrUnsupported when that event cannot be sampled here; event sets then emulate it by a timer. lost is the number
	// of samples that came too fast to be delivered.
	Sample(event string, threshold uint64, o Options, handle func(Sample)) (stop func() (lost uint64, err error), err error)
}

// Slot is one counter of a thread, with one of cycles beside it, that is given other events by turns without signals:
// what multiplexing in software needs (MPX).
type Slot interface {
	// Switch ends the event that is counted, stores what was counted of it and the cycles meanwhile, and counts the next.
	Switch(next string) (count, cycles uint64, err error)
	// Read stores the same without ending it.
	Read() (count, cycles uint64, err error)
	Close() error
}

// Slotter is implemented by substrates with counters that can be multiplexed in software.
type Slotter interface {
	// OpenSlot opens a slot on the thread, which must not be 0, and counts the event.
	OpenSlot(thread int, event string) (Slot, error)
}

// Presetter is implemented by substrates that know which of their events portable names (PAPI_TOT_CYC) stand for, such
// as those of another processor than this machine's.
type Presetter interface {
	// Preset returns the events of a preset and how they are combined: N0, N0 + N1, N0 - (N1 * 2); "" is N0.
	Preset(name string) (formula string, events []string, ok bool)
}
