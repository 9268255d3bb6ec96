// Package conformance tests what every substrate must do under event sets: the behaviours that PAPI's own tests assert, and
// some of this project. A [Harness] describes a substrate to the suite: events, functions that make them happen a given number
// of times, and what the substrate lacks, with the reason. docs/conformance.md shows the result as a table.
package conformance

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
	"tracerec/counters/mpx"
)

// Capability is something that not every substrate can do, or not everywhere.
type Capability string

// The capabilities.
const (
	Limited      Capability = "limited counters"    // only so many events fit together
	Picky        Capability = "picky events"        // some events fit on certain counters only
	Domains      Capability = "domains"             // user and kernel mode are told apart
	Certainty    Capability = "certainty"           // readings tell whether the goroutine was disturbed
	Disturbances Capability = "disturbances"        // readings tell that the goroutine was disturbed
	Attach       Capability = "attachment"          // to other threads
	OneCPU       Capability = "attachment to a CPU" // whatever runs there
	Inherit      Capability = "inheritance"         // by what the thread starts
	Overflows    Capability = "overflow"            // counters tell when they have counted so many
	Emulation    Capability = "emulated overflow"   // a timer on the thread's time tells
	PCs          Capability = "program counters"    // overflows say where, and the harness knows
	Turns        Capability = "multiplexing"        // more events than counters by turns
	Presets      Capability = "presets"             // portable names, with known work
	Narrow       Capability = "narrow counters"     // of less than 64 bits
	Faults       Capability = "planted faults"      // openings and readings can be made to fail
	Levels       Capability = "levels"              // events that may fall
)

// Work is an event and a function that makes it happen.
type Work struct {
	Event string
	Do    func(n int) // makes it happen n times on the calling thread, in user mode
	Slack int64       // how often it may happen beyond that
}

// Child is another thread that works when it is told to.
type Child struct {
	Thread int         // its number
	Do     func(n int) // makes the event of the first work happen there; returns when it is done
	End    func()      // returns when the thread is gone
}

// Bench is a substrate under test, fresh for each behaviour. The calling goroutine is locked to its thread.
type Bench struct {
	*testing.T
	Set    func() *counters.EventSet // an empty set over the substrate alone
	Works  []Work                    // at least three
	N      int                       // a sensible number of times for work
	Opened func() int                // groups or descriptors that are open now
	Events []counters.Event          // that the substrate names

	Counters int                                            // Limited: that many of Works fit together; there are more
	Picky    [3]string                                      // Picky: the first two need the same counter, the third fits beside either
	Kernel   func(n int)                                    // Domains: makes the first work's event happen in kernel mode
	Disturb  func()                                         // Disturbances: takes the goroutine off its thread
	Child    func() *Child                                  // Attach
	CPUEvent string                                         // OneCPU
	OnCPU    func(n int) (cpu int)                          // OneCPU: makes it happen so often at least, and returns the processor
	Spawn    func(n int)                                    // Inherit: a process or thread started here does the first work's event
	Pass     func(d time.Duration)                          // Emulation: the thread runs for so long
	Settle   func()                                         // Overflows, Emulation: returns when what overflowed was handled
	DoAt     func(n int) (low, high uintptr)                // PCs: the first work's, by code in a range
	Turns    *mpx.Options                                   // Turns: how they are arranged; nil: the system does it
	Many     []string                                       // Turns: events, more than fit
	Mix      func(s *counters.EventSet, rounds int) []int64 // Turns: the thread runs while all of Many have so many turns; what happened
	Moment   func(s *counters.EventSet)                     // Turns: the thread runs for less than a turn of each
	Loose    float64                                        // Turns: how far estimates of steady events may be off, relatively
	Preset   Portable                                       // Presets
	Wrap     func(n int)                                    // Narrow: makes the event Narrow happen
	Narrow   string
	Reads    func() int                           // Narrow: how often groups were read
	Break    func(event string, open, read error) // Faults
	Take     func(n int)                          // Faults: others take counters
	Level    string                               // Levels
	SetLevel func(n int)
}

// Portable is presets over the first two works' events.
type Portable struct{ Single, Sum, Difference, Lacking string }

// Harness describes a substrate to the suite.
type Harness struct {
	Name  string
	Title string // what is counted, for the table
	Lacks map[Capability]string
	New   func(t *testing.T) *Bench
}

// behaviour is something that event sets over a substrate must do.
type behaviour struct {
	Name  string   // a sentence, of letters, digits and spaces
	PAPI  []string // the tests of PAPI that assert it
	Needs []Capability
	test  func(b *Bench)
}

// lacks returns why the harness cannot show the behaviour, "" if it can.
func (h *Harness) lacks(b *behaviour) string {
	for _, c := range b.Needs {
		if why := h.Lacks[c]; why != "" {
			return fmt.Sprintf("%s: %s", c, why)
		}
	}
	return ""
}

// behaviours lists all of them, in the order in which they run.
func behaviours() []behaviour {
	var all []behaviour
	for _, group := range [][]behaviour{life, counting, several, limits, domains, threads, attachment, overflows, profiles, turns, presets, faults} {
		all = append(all, group...)
	}
	return all
}

// Run runs each behaviour as a subtest; what the harness lacks is skipped, with the reason.
func Run(t *testing.T, h Harness) {
	run, skipped := 0, 0
	for _, b := range behaviours() {
		t.Run(strings.ReplaceAll(b.Name, " ", "_"), func(t *testing.T) {
			defer func() {
				switch {
				case t.Skipped():
					skipped++
				case !t.Failed():
					run++
				}
			}()
			if why := h.lacks(&b); why != "" {
				t.Skip(why)
			}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			bench := h.New(t)
			bench.T = t
			open := bench.Opened()
			b.test(bench)
			require.Equal(t, open, bench.Opened(), "all that was opened is closed")
		})
	}
	t.Logf("%s: %d behaviours run, %d skipped", h.Name, run, skipped)
}

// set returns a set with events, which is closed at the end of the behaviour.
func (b *Bench) set(events ...string) *counters.EventSet {
	b.Helper()
	s := b.Set()
	require.NoError(b, s.AddAll(events...))
	return s
}

// all returns the events of the first n works.
func (b *Bench) all(n int) (events []string) {
	for _, w := range b.Works[:n] {
		events = append(events, w.Event)
	}
	return events
}

// do does one of the works.
func (b *Bench) do(work, n int) { b.Works[work].Do(n) }

// start starts a set.
func (b *Bench) start(s *counters.EventSet) {
	b.Helper()
	require.NoError(b, s.Start())
}

// read reads a set.
func (b *Bench) read(s *counters.EventSet) []int64 {
	b.Helper()
	v := make([]int64, s.Len())
	require.NoError(b, s.Read(v))
	return v
}

// stop stops a set.
func (b *Bench) stop(s *counters.EventSet) []int64 {
	b.Helper()
	v := make([]int64, s.Len())
	require.NoError(b, s.Stop(v))
	return v
}

// close ends sets.
func (b *Bench) close(sets ...*counters.EventSet) {
	b.Helper()
	for _, s := range sets {
		require.NoError(b, s.Close())
	}
}

// count asserts how often a work's event was counted.
func (b *Bench) count(work int, want int, got int64, what ...any) {
	b.Helper()
	slack := b.Works[work].Slack
	if got < int64(want) || got > int64(want)+slack {
		require.Equal(b, int64(want), got, what...)
	}
}
