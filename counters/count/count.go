// Package count counts events of a whole program without instrumentation, from its first instruction to its end, or of a process that already runs, as
// perf stat does.
package count

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"tracerec/counters"
)

// Options say what to count, and of what.
type Options struct {
	Events    []string // nil: the usual ones
	PID       int      // a process that runs already; 0: none
	CPU       int      // a processor; -1: none
	Multiplex bool     // events may take turns
	Inherit   bool     // also what is started
	Repeat    int      // how many times the command runs
	Args      []string // the command; with PID or CPU, counting ends when it does. Without, it ends by a signal, or with the process
}

// usual is what is counted if nothing else is asked for.
var usual = []string{
	"task-clock", "context-switches", "cpu-migrations", "page-faults", "major-faults",
	"cycles", "instructions", "branches", "branch-misses", "cache-references", "cache-misses",
}

// An Event is what is known of an event after one run or several.
type Event struct {
	Name   string   `json:"name"`
	Unit   string   `json:"unit,omitempty"`
	Counts []int64  `json:"counts,omitempty"`      // of each run
	Mean   *float64 `json:"mean,omitempty"`        // of the runs
	Spread float64  `json:"spread,omitempty"`      // standard deviation of the runs
	Share  float64  `json:"share,omitempty"`       // of the time for which it was counted; below 1 the counts are estimates
	Error  float64  `json:"error,omitempty"`       // estimated standard error of an estimate
	Why    string   `json:"not_counted,omitempty"` // why it was not; then there are no counts

	native string // as the event sets have it
}

// mean returns the mean of the counts, 0 if there are none.
func (e *Event) mean() float64 {
	if e.Mean == nil {
		return 0
	}
	return *e.Mean
}

// A Tally is the result.
type Tally struct {
	Command  []string `json:"command,omitempty"`
	PID      int      `json:"pid,omitempty"`
	CPU      *int     `json:"cpu,omitempty"`
	Runs     int      `json:"runs"`
	Status   int      `json:"status"` // exit status of the last run
	Real     []int64  `json:"real_ns"`
	User     []int64  `json:"user_ns,omitempty"`
	System   []int64  `json:"system_ns,omitempty"`
	Memory   int64    `json:"max_resident_bytes,omitempty"` // most of all runs
	Late     bool     `json:"late,omitempty"`               // counting began shortly after the start
	UserOnly bool     `json:"user_mode_only,omitempty"`     // what the kernel did is not permitted to be counted
	Events   []Event  `json:"events"`
}

// ErrNothing is for runs of which nothing was counted.
var ErrNothing = errors.New("no event could be counted; tracerec counters lists those that can")

// Run counts as o says. Without an error, or with ErrNothing, there is a tally. An error that is a *launch.Error is of a command that could not be
// started.
func Run(o Options) (*Tally, error) {
	t := &Tally{Command: o.Args, PID: o.PID}
	if o.CPU >= 0 {
		t.CPU = &o.CPU
	}
	names := o.Events
	if names == nil {
		names = usual
	}
	for _, n := range names {
		t.Events = append(t.Events, Event{Name: n, Share: 1, native: n})
	}
	if err := t.resolve(&o); err != nil {
		return nil, err
	}
	for range o.Repeat {
		stop, err := o.once(t)
		if err != nil {
			return nil, err
		}
		t.Runs++
		if stop {
			break
		}
	}
	t.finish()
	if !slices.ContainsFunc(t.Events, func(e Event) bool { return e.Counts != nil }) {
		return t, ErrNothing
	}
	t.UserOnly = counters.UserOnly()
	return t, nil
}

// resolve refuses names that are none before anything is started.
func (t *Tally) resolve(o *Options) (err error) {
	for i := range t.Events {
		e := &t.Events[i]
		if e.native, err = o.watchpoint(e.Name); err != nil {
			return err
		}
		if strings.HasPrefix(e.Name, "PAPI_") {
			_, err = counters.DescribePreset(e.Name)
		} else {
			_, _, err = counters.Find(e.native)
		}
		if errors.Is(err, counters.ErrUnknownEvent) {
			return err
		}
	}
	return nil
}

// finish computes means and spreads.
func (t *Tally) finish() {
	for i := range t.Events {
		e := &t.Events[i]
		if len(e.Counts) < t.Runs {
			e.Counts, e.Share, e.Error = nil, 0, 0 // in some runs it could not be counted
			continue
		}
		mean, spread := meanAndSpread(e.Counts)
		e.Why, e.Mean, e.Spread = "", &mean, spread
	}
}

// meanAndSpread returns the mean and the standard deviation of a sample.
func meanAndSpread(values []int64) (mean, spread float64) {
	for _, v := range values {
		mean += float64(v) / float64(len(values))
	}
	for _, v := range values {
		spread += (float64(v) - mean) * (float64(v) - mean)
	}
	if len(values) < 2 {
		return mean, 0
	}
	return mean, math.Sqrt(spread / float64(len(values)-1))
}

// open makes a set of the events that can be counted together, and notes why others cannot.
func (o *Options) open(t *Tally, target counters.Options) (*counters.EventSet, error) {
	target.Multiplex = o.Multiplex
	set := counters.New()
	if err := set.SetOptions(target); err != nil {
		return nil, err
	}
	var fit []string
	for i := range t.Events {
		e := &t.Events[i]
		err := set.Add(e.native)
		if err == nil {
			fit = append(fit, e.native)
			continue
		}
		e.Why = counters.Reason(e.native, err)
		if errors.Is(err, counters.ErrConflict) || errors.Is(err, counters.ErrNoCounters) {
			e.Why += turnsHelp(target, append(slices.Clip(fit), e.native))
		}
	}
	if set.Len() == 0 {
		return set, nil
	}
	return set, set.Start()
}

// turnsHelp says what lets events that do not fit take turns, as far as that works for them.
func turnsHelp(target counters.Options, names []string) string {
	try := func() bool {
		set := counters.New()
		works := set.SetOptions(target) == nil && set.AddAll(names...) == nil
		return set.Close() == nil && works
	}
	if multiplexed := target.Multiplex; !multiplexed {
		if target.Multiplex = true; try() {
			return " (--multiplex lets events take turns)"
		}
	}
	if target.Inherit {
		if target.Inherit = false; try() {
			return " (--multiplex --inherit=false lets events take turns, in one thread only)"
		}
	}
	return " (count it in another run)"
}

// take reads the counts of a run.
func (t *Tally) take(set *counters.EventSet) error {
	if set.Len() == 0 {
		return set.Close()
	}
	values := make([]int64, set.Len())
	stopped := set.Stop(values)
	if stopped != nil && !errors.Is(stopped, counters.ErrNoData) {
		return errors.Join(stopped, set.Close())
	}
	qualities, err := set.Quality()
	if err != nil {
		return errors.Join(err, set.Close())
	}
	for i, described := range set.Events() {
		e := &t.Events[slices.IndexFunc(t.Events, func(e Event) bool { return e.native == described.Name })]
		e.Unit = described.Unit
		if q := qualities[i]; q.Share == 0 {
			e.Why = "it never had a turn: measure longer, or fewer events at once"
			continue
		} else {
			e.Share = min(e.Share, q.Share)
			e.Error = max(e.Error, q.Error)
		}
		e.Counts = append(e.Counts, values[i])
	}
	return set.Close()
}

// ran notes the times of a run.
func (t *Tally) ran(real, user, system time.Duration, memory int64) {
	t.Real = append(t.Real, real.Nanoseconds())
	if user > 0 || system > 0 || memory > 0 {
		t.User, t.System = append(t.User, user.Nanoseconds()), append(t.System, system.Nanoseconds())
		t.Memory = max(t.Memory, memory)
	}
}
