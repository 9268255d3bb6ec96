// Package guest is for programs that run on the simulator: they read its counters, and use its other services. It corresponds to
// BGLsim's BGLCounters and call-through services (Mindlin et al., "Obtaining Hardware Performance Metrics for the BlueGene/L Supercomputer",
// sections 2 and 3). Elsewhere, everything returns [ErrNotSimulated].
//
// Six calls make counters of a process, or of a part of it: [Init], [Counters.Select], [Counters.Start], [Counters.Stop],
// [Counters.Reset] and [Counters.Read]. All events are counted at once and without estimates. What the calls themselves cost is counted for nobody:
// two successive readings enclose only the few instructions of the caller around the calls.
//
// The simulator recognises the functions of this package by their names in the program, and charges them to nobody. So they are not inlined.
//
// Everything may be called concurrently, except for the methods of one [Counters].
package guest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"unsafe"
)

// The errors.
var (
	ErrNotSimulated = errors.New("not on the simulator (run it with tracerec sim)")
	ErrUnknownEvent = errors.New("this machine does not count it")
	ErrInvalid      = errors.New("not valid here")
	ErrGone         = errors.New("the thread, task or set of counters no longer exists")
	ErrNoTrace      = errors.New("no trace is written in this run (use --trace)")
)

// Numbers of errors of Linux that services answer.
const (
	noEntry, noProcess, badHandle, noAccess, noDevice, tooMany, noCall = 2, 3, 9, 13, 19, 24, 38
)

// failure turns an answer into an error.
func failure(answer int64) error {
	switch -answer {
	case noCall:
		return ErrNotSimulated
	case noEntry:
		return fs.ErrNotExist
	case noAccess:
		return fs.ErrPermission
	case noProcess, badHandle:
		return ErrGone
	case noDevice:
		return ErrNoTrace
	case tooMany:
		return fmt.Errorf("%w: too many sets of counters", ErrInvalid)
	}
	return ErrInvalid
}

// Available tells whether the program runs on a simulator that counts.
func Available() bool { return call(Hello, 0, nil, 0, nil, 0) == Version }

// Event is something that is counted.
type Event struct {
	Name, Description string
	Kernel            bool // the kernel's part is modelled, otherwise [Absent]
}

// Events lists what the simulated machine counts.
func Events() ([]Event, error) {
	all, err := events()
	return slices.Clone(all), err
}

var events = sync.OnceValues(func() (all []Event, err error) {
	if !Available() {
		return nil, ErrNotSimulated
	}
	var b [512]byte
	for i := uint64(0); ; i++ {
		n := call(Describe, i, unsafe.Pointer(&b), uint64(len(b)), nil, 0)
		if n < 0 {
			return all, nil
		}
		name, text, _ := bytes.Cut(b[:n>>1], []byte{0})
		all = append(all, Event{string(name), string(text), n&1 != 0})
	}
})

// Counters is a set of counters. Of several sets, each counts for itself.
type Counters struct {
	id     uint64
	events []Event // that are selected
}

// Init makes counters of the calling process, or of the thread or goroutine that calls; [Counters.Select] says what they count, otherwise it is all
// events. They are zero, and stopped.
func Init(s Scope) (*Counters, error) { return InitOf(s, 0) }

// InitOf makes counters of the thread, goroutine, task or domain of a number.
func InitOf(s Scope, id uint64) (*Counters, error) {
	all, err := events()
	if err != nil {
		return nil, err
	}
	n := call(Initialize, uint64(s), nil, id, nil, 0)
	if n < 0 {
		return nil, fmt.Errorf("counters: %w", failure(n))
	}
	return &Counters{uint64(n), all}, nil
}

// Select says which events are counted, of those that [Events] lists, and makes the counters zero.
func (c *Counters) Select(names ...string) error {
	all, err := events()
	if err != nil {
		return err
	}
	at := make([]uint32, len(names))
	var chosen []Event
	for i, name := range names {
		k := slices.IndexFunc(all, func(e Event) bool { return e.Name == name })
		if k < 0 {
			return fmt.Errorf("%s: %w", name, ErrUnknownEvent)
		}
		at[i], chosen = uint32(k), append(chosen, all[k])
	}
	if n := call(Choose, c.id, unsafe.Pointer(unsafe.SliceData(at)), uint64(len(at)), nil, 0); n < 0 {
		return fmt.Errorf("cannot select %d events: %w", len(names), failure(n))
	}
	c.events = chosen
	return nil
}

// Events returns what is counted, in the order of the values.
func (c *Counters) Events() []Event { return slices.Clone(c.events) }

// Start counts from now on; what was counted before stays. The error is [ErrInvalid] if the counters run already.
//
//go:noinline
func (c *Counters) Start() error { return c.simple(StartSet) }

// Stop ends counting. The error is [ErrInvalid] if the counters do not run.
//
//go:noinline
func (c *Counters) Stop() error { return c.simple(StopSet) }

// Reset makes the counters zero.
//
//go:noinline
func (c *Counters) Reset() error { return c.simple(ResetSet) }

// Close ends the use of the counters.
//
//go:noinline
func (c *Counters) Close() error { return c.simple(Free) }

func (c *Counters) simple(s Service) error {
	if n := call(s, c.id, nil, 0, nil, 0); n < 0 {
		return failure(n)
	}
	return nil
}

// Read stores what was counted while the counters were started, in user mode and by the kernel, [Absent] where that is not modelled. Kernel may be nil.
//
//go:noinline
func (c *Counters) Read(user, kernel []uint64) error {
	_, err := c.values(ReadSet, user, kernel)
	return err
}

// Now stores what has been counted since the beginning of the process, started or not, and returns the number of the goroutine that calls, 0 if that
// is not known.
//
//go:noinline
func (c *Counters) Now(user, kernel []uint64) (caller uint64, err error) {
	return c.values(Now, user, kernel)
}

func (c *Counters) values(s Service, user, kernel []uint64) (uint64, error) {
	if len(user) != len(c.events) || kernel != nil && len(kernel) != len(user) {
		return 0, ErrInvalid
	}
	n := call(s, c.id, unsafe.Pointer(unsafe.SliceData(user)), uint64(len(user)), unsafe.Pointer(unsafe.SliceData(kernel)), 0)
	if n < 0 {
		return 0, failure(n)
	}
	return uint64(n), nil
}

// Identity returns the number of the calling thread or goroutine, as [InitOf] takes it.
//
//go:noinline
func Identity(s Scope) (uint64, error) {
	n := call(Identify, uint64(s), nil, 0, nil, 0)
	if n < 0 {
		return 0, failure(n)
	}
	return uint64(n), nil
}

// SwitchTask tells that the calling thread executes a task from now on, 0 for none: programs with schedulers of their own say so, and can count by task.
//
//go:noinline
func SwitchTask(task uint64) error { return simple(TaskSwitch, task) }

// ExitTask tells that a task has ended. Its counts stay; its number is not used again.
//
//go:noinline
func ExitTask(task uint64) error { return simple(TaskExit, task) }

func simple(s Service, a uint64) error {
	if n := call(s, a, nil, 0, nil, 0); n < 0 {
		return failure(n)
	}
	return nil
}

// Range is addresses from Begin up to End. The zero Range is all.
type Range struct{ Begin, End uintptr }

// Trace switches the trace of instructions and data on, for instructions and for data in these ranges, in all of the run.
//
//go:noinline
func Trace(code, data Range) error {
	bounds := [4]uint64{uint64(code.Begin), uint64(code.End), uint64(data.Begin), uint64(data.End)}
	if n := call(TraceOn, 0, unsafe.Pointer(&bounds), uint64(len(bounds)), nil, 0); n < 0 {
		return failure(n)
	}
	return nil
}

// Untrace switches the trace off.
//
//go:noinline
func Untrace() error { return simple(TraceOff, 0) }
