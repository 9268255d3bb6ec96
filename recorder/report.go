//go:build linux

package recorder

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"tracerec/trace"
)

// total returns what was recorded.
func (r *Recorder) total() Total {
	t := Total{Processes: len(r.procs)}
	t.Bytes, t.Events = r.writer.Size()
	for _, p := range r.procs {
		t.Goroutines += p.goroutines
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
		return fmt.Errorf("%w; %s lost", r.err, Plural(t.Events+t.Lost+r.waiting(), "event"))
	case r.err != nil && r.session == nil:
		return r.err
	case r.err != nil:
		return fmt.Errorf("%w; %s written, %s kept in %s, %s lost; when the cause is gone: tracerec recover %s",
			r.err, Plural(t.Events, "event"), Plural(r.waiting(), "event"), r.session.dir, Plural(t.Lost, "event"), r.o.Dir)
	}
	return nil
}

// report says in one line how the recording went, and in others what went wrong.
func (r *Recorder) report() {
	t := r.total()
	switch {
	case r.err != nil:
		r.say("%s", oneLine(r.failure()))
	case t.Events == 0 && r.nested:
		r.say("no events recorded: another tracerec inside recorded the program, into an archive of its own")
	case len(r.procs) == 0:
		r.say("no events recorded: the program does not import tracerec/instrument, or never calls it; add regions, such as  defer instrument.Region(\"main\").End()")
	case t.Events == 0:
		r.say("no events recorded: the program imports tracerec/instrument, but called nothing of it; add regions, such as  defer instrument.Region(\"main\").End()")
	case t.Lost > 0:
		r.say("%s: %s, %s LOST because buffers were full: use a larger --buffer, or --block; %s", r.o.Dir, t, Plural(t.Lost, "event"), r.overhead())
	case !r.o.Quiet:
		r.say("%s: %s, nothing lost, %s", r.o.Dir, t, r.overhead())
	}
	for _, p := range r.procs {
		p.complain(r.say)
	}
}

// complain says what went wrong in the process other than the loss of events.
func (p *process) complain(say func(string, ...any)) {
	if p.damage != nil {
		say("process %d: %s", p.info.PID, oneLine(p.damage))
	}
	var found []string
	for name, n := range p.warnings {
		switch {
		case slices.Contains(p.missing, name):
			found = append(found, name) // there is nothing to count
		case name != lostEvents:
			found = append(found, fmt.Sprintf("%s: %d", name, n))
		}
	}
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
		inside += p.heldUp + time.Duration(trace.RecordingCost(p.out.Events(), p.info.EventCost))
	}
	var u unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &u)
	cpu := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	return fmt.Sprintf("overhead about %v in the program, %v in tracerec", shortly(inside), cpu.Round(time.Millisecond))
}

// shortly returns a duration in three digits.
func shortly(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// oneLine returns the message of an error without line breaks.
func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }
