// Package counters is the portable layer over performance counters: named events are put into event sets, which are
// started, read and stopped (PAPI's model: Browne et al., "A Portable Programming Interface for Performance Evaluation
// on Modern Processors").
//
// The low level is [EventSet]: options, presets, multiplexing on request, callbacks on a threshold, statistical
// profiles. The high level is [Start], which counts a list of events until Stop:
//
//	c, err := counters.Start("task-clock", "page-faults")
//	…
//	values, err := c.Stop()
//
// Events come from substrates (package substrate): the Linux kernel's perf events, the Go runtime's metrics, the
// process's resource usage, and what the program itself registers. [Substrates] lists them; a name belongs to the first
// that knows it. Presets (PAPI_TOT_CYC) are portable names that stand for one or more native events of the processor.
//
// Most counters belong to threads, like those of the hardware. A goroutine that counts its own work locks itself to
// its thread ([runtime.LockOSThread]); otherwise [EventSet.Certain] tells whether the counts are its own.
package counters

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"tracerec/counters/substrate"
)

// The contract between event sets and substrates, by its short names.
type (
	// Event is one thing that can be counted.
	Event = substrate.Event
	// Substrate is a source of counters.
	Substrate = substrate.Substrate
	// Options say for whom a set counts and how.
	Options = substrate.Options
	// Domain is a set of modes of the processor in which events count.
	Domain = substrate.Domain
)

// The domains.
const (
	User   = substrate.User
	Kernel = substrate.Kernel
	All    = substrate.All
)

// Errors of substrates. They come wrapped with the event's name and what can be done.
var (
	ErrUnknownEvent = substrate.ErrUnknownEvent
	ErrUnavailable  = substrate.ErrUnavailable
	ErrPermission   = substrate.ErrPermission
	ErrConflict     = substrate.ErrConflict
	ErrNoCounters   = substrate.ErrNoCounters
	ErrBusy         = substrate.ErrBusy
	ErrDescriptors  = substrate.ErrDescriptors
	ErrUnsupported  = substrate.ErrUnsupported
	ErrGone         = substrate.ErrGone
)

// Errors of event sets. They are distinct, as PAPI's are, so that callers can react.
var (
	ErrDuplicate  = errors.New("the event is already in the set")             // PAPI_ECNFLCT of the same event
	ErrNotInSet   = errors.New("the event is not in the set")                 // PAPI_EINVAL of PAPI_remove_event
	ErrRunning    = errors.New("the event set is running: stop it first")     // PAPI_EISRUN
	ErrNotRunning = errors.New("the event set is not running")                // PAPI_ENOTRUN
	ErrEmpty      = errors.New("the event set is empty")                      // PAPI_EINVAL of PAPI_start
	ErrNotClean   = errors.New("the event set has events: clean it up first") // PAPI_EINVAL of PAPI_destroy_eventset
	ErrDestroyed  = errors.New("the event set was destroyed")                 // PAPI_ENOEVST
	ErrState      = errors.New("not possible in this state of the event set") // PAPI_EINVAL, PAPI_ECMP: wrong state
	ErrInvalid    = errors.New("invalid argument")                            // PAPI_EINVAL
	ErrNoPreset   = errors.New("this processor does not have the preset")     // PAPI_ENOEVNT of a preset
	ErrNoData     = errors.New("the event was not counted for long enough")   // of multiplexed events
)

// Find returns the event of that name and its substrate, the first that knows it. For presets see [DescribePreset].
// The error wraps [ErrUnknownEvent].
func Find(name string) (Event, Substrate, error) { return find(Substrates(), name) }

func find(from []Substrate, name string) (Event, Substrate, error) {
	if len(name) > maxName {
		return Event{}, nil, fmt.Errorf("%w: a name of %d bytes is too long", ErrUnknownEvent, len(name))
	}
	for _, s := range from {
		e, err := s.Resolve(name)
		if err == nil {
			return e, s, nil
		}
		if errors.Is(err, substrate.ErrUnknownOwn) {
			break
		}
		if !errors.Is(err, ErrUnknownEvent) || errors.Is(err, substrate.ErrMistaken) {
			return Event{}, nil, err
		}
	}
	return Event{}, nil, fmt.Errorf("%w %q%s", ErrUnknownEvent, name, similar(from, name))
}

// notOurs is the error of a substrate, the events of which all have the prefix.
func notOurs(prefix, name string) error {
	if strings.HasPrefix(name, prefix) {
		return substrate.ErrUnknownOwn
	}
	return ErrUnknownEvent
}

// maxName is the length of the longest name that is looked up. Raw events and watchpoints are far shorter.
const maxName = 1000

// similar names some events that the user may have meant.
func similar(from []Substrate, name string) string {
	var known []string
	for _, s := range from {
		for _, e := range s.Events() {
			if len(known) < 8 && related(e.Name, name) {
				known = append(known, e.Name)
			}
		}
	}
	if known == nil {
		return " (tracerec counters lists those that exist)"
	}
	return " (there are: " + strings.Join(known, ", ") + ")"
}

// related reports whether two names have their first three letters or their kind in common.
func related(a, b string) bool {
	if kind, _, ok := strings.Cut(b, ":"); ok && strings.HasPrefix(a, kind+":") {
		return true
	}
	return len(a) >= 3 && len(b) >= 3 && strings.EqualFold(a[:3], b[:3])
}

// Available tries to open the event, native or preset, alone on the calling thread, and returns why that is not possible
// here, nil if it is.
func Available(name string) error {
	s := New()
	if err := s.Add(name); err != nil {
		return err
	}
	return s.Close()
}

// UserOnly tells whether what the kernel does cannot be counted for want of permission.
func UserOnly() bool { return errors.Is(Available("page-faults:k"), ErrPermission) }

// Reason is what an error of this package says about an event, without the event's name in front.
func Reason(event string, err error) string {
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "counter "), event+": ")
}

// Cost measures how long one reading of the events together takes, the least of some; the error says why they cannot be
// counted.
func Cost(names ...string) (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := New()
	if err := errors.Join(s.AddAll(names...), s.Start()); err != nil {
		return 0, err
	}
	const rounds, readings = 20, 50
	best := time.Duration(math.MaxInt64)
	values := make([]int64, len(names))
	for range rounds { // the least: others may run in between
		start := time.Now()
		for range readings {
			if err := s.Read(values); err != nil {
				return 0, errors.Join(err, s.Close())
			}
		}
		best = min(best, time.Since(start)/readings)
	}
	return best, s.Close()
}
