//go:build linux

package recorder

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"tracerec/internal/readable"
	"tracerec/trace"
)

// total returns what was recorded.
func (r *Recorder) total() Total {
	t := Total{Processes: len(r.procs)}
	t.Bytes, t.Events = r.writer.Size()
	for _, p := range r.procs {
		t.Goroutines += p.out.Locations()
		t.Lost += p.lost
	}
	return t
}

// waiting returns how many events are left in buffers.
func (r *Recorder) waiting() (n uint64) {
	for _, p := range r.procs {
		n += p.waiting
	}
	return n
}

// failure returns why the archive is not complete and what became of the events, nil if it is complete.
func (r *Recorder) failure() error {
	t := r.total()
	switch {
	case errors.Is(r.err, errRemoved):
		return fmt.Errorf("%w; %s lost", r.err, readable.Plural(t.Events+t.Lost+r.waiting(), "event"))
	case r.err != nil && r.session == nil:
		return r.err
	case r.err != nil:
		kept := fmt.Sprintf("%s kept in %s", readable.Plural(r.waiting(), "event"), r.session.dir)
		switch n := len(r.unmapped); {
		case r.session.gone:
			return fmt.Errorf("%w; %s written, %s lost: the session directory %s was removed during the run", r.err, readable.Plural(t.Events, "event"), readable.Plural(t.Lost, "event"), r.session.dir)
		case n > 0:
			kept = fmt.Sprintf("%s and those of %s kept in %s", readable.Plural(r.waiting(), "event"), readable.Plural(n, "process"), r.session.dir)
		}
		return fmt.Errorf("%w; %s written, %s, %s lost; once the cause is fixed, run tracerec recover %s",
			r.err, readable.Plural(t.Events, "event"), kept, readable.Plural(t.Lost, "event"), readable.Argument(r.o.Dir))
	}
	return nil
}

// report says in one line how the recording went, and in others what went wrong.
func (r *Recorder) report() {
	t := r.total()
	switch {
	case r.err != nil:
		r.say("%s", readable.OneLine(r.failure()))
	case t.Events == 0 && r.nested:
		r.say("no events recorded: another tracerec, inside this one, recorded the program into its own archive")
	case len(r.procs) == 0 && len(r.unrecorded) > 0:
		r.say("no events recorded")
	case r.o.Window != nil && (len(r.procs) == 0 || t.Events == 0 && t.Lost == 0 && !r.incomplete()):
		r.say("no events recorded: nothing ran in the window that can be recorded")
	case len(r.procs) == 0:
		r.say("no events recorded: the program was not built by tracerec build, or with --exact-counters, and does not use package instrument; tracerec run builds, records and analyzes a program")
	case t.Events == 0 && t.Lost == 0 && !r.incomplete():
		r.say("no events recorded: the program was not built by tracerec build, or with --exact-counters, and uses nothing of package instrument, which it imports; tracerec run builds, records and analyzes a program")
	case t.Lost > 0:
		r.say("%s: %s, %s LOST (%s) because %s; %s", r.o.Dir, t, readable.Plural(t.Lost, "event"), r.shares(t), r.whyLost(), r.overhead())
	case r.incomplete():
		r.say("%s: %s, INCOMPLETE, %s", r.o.Dir, t, r.overhead())
	case !r.o.Quiet:
		r.say("%s: %s, nothing lost, %s", r.o.Dir, t, r.overhead())
	}
	for _, p := range r.procs {
		p.complain(r.say)
	}
	r.tellUnrecorded()
	if r.session != nil && r.session.gone && r.err == nil {
		r.say("the session directory %s was removed during the run: processes that began to record after that are missing", r.session.dir)
	}
}

// whyLost says why events were lost, and what to do.
func (r *Recorder) whyLost() string {
	for _, p := range r.procs {
		if p.warnings[memoryRefused] > 0 {
			return "the file system of the buffers, " + filepath.Dir(p.info.Path) + ", was full"
		}
	}
	if r.o.Block {
		return "all of the buffer was held by goroutines that did not go on: use a larger --buffer"
	}
	return "buffers were full: use --block, a larger --buffer, or fewer regions"
}

// shares says what part of all events was lost, in what part of the time, and by which goroutines.
func (r *Recorder) shares(t Total) string {
	var ids []uint64
	var during, of float64 // ns
	for _, p := range r.procs {
		for _, l := range p.losses {
			ids = append(ids, l.GoID)
			during += float64(l.Ticks) / max(1, float64(p.info.Frequency)) * 1e9
			of += float64(p.recorded)
		}
	}
	text := readable.Percent(100*float64(t.Lost)/float64(t.Lost+t.Events)) + " of all"
	if len(ids) == 0 || of == 0 {
		return text
	}
	slices.Sort(ids)
	const most = 6
	who := fmt.Sprint("goroutine ", ids[0])
	if n := len(ids); n > 1 {
		who = "goroutines " + strings.Trim(strings.ReplaceAll(fmt.Sprint(ids[:min(n, most)]), " ", ", "), "[]")
		if n > most {
			who += fmt.Sprintf(" and %d others", n-most)
		}
	}
	return text + fmt.Sprintf(", during %s of the time of %s", readable.Percent(100*min(1, during/of)), who)
}

// incomplete tells whether something of the run is missing that is not counted in events.
func (r *Recorder) incomplete() bool {
	return len(r.unrecorded) > 0 || r.session != nil && r.session.gone || slices.ContainsFunc(r.procs, func(p *process) bool { return p.cut || p.runsOn })
}

// tellUnrecorded says which processes are not recorded, and why, the first few of them.
func (r *Recorder) tellUnrecorded() {
	const most = 5
	for i, u := range r.unrecorded {
		if i == most {
			r.say("and %s more", readable.Plural(len(r.unrecorded)-most, "process"))
			break
		}
		r.say("%s", u)
	}
}

// complain says what went wrong in the process other than the loss of events.
func (p *process) complain(say func(string, ...any)) {
	if p.damage != nil {
		say("process %d: %s", p.info.PID, readable.OneLine(p.damage))
	}
	if p.cut {
		say("process %d: %v", p.info.PID, errCut)
	}
	var found []string
	counts := maps.Clone(p.warnings)
	for name := range counts {
		switch {
		case slices.Contains(p.missing, name):
			found = append(found, name) // there is nothing to count
			delete(counts, name)
		case name == cutOff || name == notRecorded || name == stillRunning || name == lostEvents: // said in full
			delete(counts, name)
		}
	}
	found = append(found, trace.Said(counts)...)
	slices.Sort(found)
	if found != nil {
		say("process %d: %s", p.info.PID, strings.Join(found, ", "))
	}
}

// overhead says what the recording cost: in the program about so much, waiting for buffer memory included and summed over
// goroutines, and the CPU time here.
func (r *Recorder) overhead() string {
	if r.machine != nil {
		return "recorded from outside"
	}
	inside := time.Duration(0)
	for _, p := range r.procs {
		of := trace.Process{EventCost: p.info.EventCost, Cost: p.cost}
		inside += p.heldUp + time.Duration(of.RecordingCost(p.out.Events()))
	}
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &u)
	cpu := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	return fmt.Sprintf("overhead at least %s in the program, %s in tracerec", readable.Duration(inside), readable.Duration(cpu))
}
