package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tracerec/counters"
)

// countOptions are the flags of tracerec count.
type countOptions struct {
	events    []string
	pid       int
	cpu       int // -1 is none
	multiplex bool
	inherit   bool
	repeat    int
	format    string
	output    string
	args      []string // the command

	given func(flag string) bool // whether a flag was set
}

// usualEvents is what is counted if nothing else is asked for.
var usualEvents = []string{
	"task-clock", "context-switches", "cpu-migrations", "page-faults", "major-faults",
	"cycles", "instructions", "branches", "branch-misses", "cache-references", "cache-misses",
}

func newCount() *cobra.Command {
	o := countOptions{cpu: -1}
	cmd := &cobra.Command{
		Use:   "count [flags] [--] CMD [ARG…]",
		Short: "Count events of any program, without instrumentation",
		Long: `tracerec count runs CMD and counts what it and all that it starts do, from the
first instruction of CMD to its end. The counts are written to standard error,
or to a file; input, output and exit status are those of CMD.

With -p a process that runs already is counted, with --cpu all that runs on a
processor: until CMD ends, or without CMD until a signal (^C).

What cannot be counted is listed with the reason, never as zero; if that is all,
the exit status is 2, unless CMD has failed. Counts of events that took turns
(--multiplex) are estimates, and marked.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args, o.given = args, cmd.Flags().Changed
			if err := o.check(); err != nil {
				return err
			}
			status, err := o.runTo(cmd.ErrOrStderr())
			if err != nil && status == 0 {
				status = badUse
			}
			if err != nil || status != 0 {
				return &exit{status, err}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	f.StringSliceVarP(&o.events, "event", "e", nil, "what to count, see tracerec counters")
	f.IntVarP(&o.pid, "pid", "p", 0, "count this process instead of CMD, with all its threads")
	f.IntVar(&o.cpu, "cpu", -1, "count all that runs on this processor")
	f.BoolVar(&o.multiplex, "multiplex", false, "let events take turns where counters do not suffice")
	f.BoolVar(&o.inherit, "inherit", true, "also count what CMD starts")
	f.IntVar(&o.repeat, "repeat", 1, "run CMD so often; show means and spread")
	f.StringVar(&o.format, "format", "text", "text or json")
	f.StringVarP(&o.output, "output", "o", "", "file to write the counts to, instead of standard error")
	return cmd
}

// check says what is wrong with the options.
func (o *countOptions) check() error {
	switch {
	case o.format != "text" && o.format != "json":
		return fmt.Errorf("unknown format %q: neither text nor json", o.format)
	case o.repeat < 1:
		return fmt.Errorf("--repeat %d: less than once", o.repeat)
	case o.pid < 0, o.pid == 0 && o.given("pid"):
		return fmt.Errorf("-p %d: no process has this number", o.pid)
	case o.cpu < 0 && o.given("cpu"):
		return fmt.Errorf("--cpu %d: no processor has this number; they begin with 0", o.cpu)
	case o.pid > 0 && o.cpu >= 0:
		return errors.New("-p and --cpu: count a process or a processor, not both")
	case len(o.args) == 0 && o.pid == 0 && o.cpu < 0:
		return errors.New("no command to count; see tracerec count --help")
	case o.events != nil && len(o.events) == 0:
		return errors.New("-e: no events named")
	case len(o.args) == 0 && o.repeat > 1:
		return errors.New("--repeat needs a command to run again")
	}
	for i, e := range o.events {
		if o.events[i] = strings.TrimSpace(e); e == "" {
			return errors.New("-e: an event without a name")
		}
		if slices.Contains(o.events[:i], o.events[i]) {
			return fmt.Errorf("-e: %s twice", o.events[i])
		}
	}
	return nil
}

// An eventCount is what is known of an event after one run or several.
type eventCount struct {
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
func (e *eventCount) mean() float64 {
	if e.Mean == nil {
		return 0
	}
	return *e.Mean
}

// A tally is the result of tracerec count.
type tally struct {
	Command  []string     `json:"command,omitempty"`
	PID      int          `json:"pid,omitempty"`
	CPU      *int         `json:"cpu,omitempty"`
	Runs     int          `json:"runs"`
	Status   int          `json:"status"` // exit status of the last run
	Real     []int64      `json:"real_ns"`
	User     []int64      `json:"user_ns,omitempty"`
	System   []int64      `json:"system_ns,omitempty"`
	Memory   int64        `json:"max_resident_bytes,omitempty"` // most of all runs
	Late     bool         `json:"late,omitempty"`               // counting began shortly after the start
	UserOnly bool         `json:"user_mode_only,omitempty"`     // what the kernel did is not permitted to be counted
	Events   []eventCount `json:"events"`
	standard bool         // events are the usual ones
}

// runTo counts and writes the result to the file that is named, or else to standard error.
func (o *countOptions) runTo(stderr io.Writer) (status int, err error) {
	if o.output == "" {
		return o.run(stderr, sayTo(stderr))
	}
	f, err := os.Create(o.output)
	if err != nil {
		return badUse, err
	}
	status, err = o.run(f, sayTo(stderr))
	return status, errors.Join(err, f.Close())
}

// errNothing is for runs of which nothing was counted.
var errNothing = errors.New("nothing could be counted; tracerec counters lists what can be")

// run counts and writes the result; it returns the exit status of the command.
func (o *countOptions) run(out io.Writer, say func(string)) (int, error) {
	t := tally{Command: o.args, PID: o.pid, standard: o.events == nil}
	if o.cpu >= 0 {
		t.CPU = &o.cpu
	}
	names := o.events
	if names == nil {
		names = usualEvents
	}
	for _, n := range names {
		t.Events = append(t.Events, eventCount{Name: n, Share: 1, native: n})
	}
	if err := t.resolve(o); err != nil {
		return badUseOr(err), err
	}
	for range o.repeat {
		stop, err := o.once(&t)
		if err != nil {
			return badUseOr(err), err
		}
		t.Runs++
		if stop {
			break
		}
	}
	t.finish()
	var err error
	some := slices.ContainsFunc(t.Events, func(e eventCount) bool { return e.Counts != nil })
	switch {
	case !some:
		err = errNothing
	case t.Late:
		say("the program could not be stopped before its first instruction; counting began shortly after")
	}
	t.UserOnly = some && userOnly()
	if o.format == "json" {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return t.Status, errors.Join(encoder.Encode(t), err)
	}
	return t.Status, errors.Join(t.text(out), err)
}

// resolve refuses names that are none before anything is started.
func (t *tally) resolve(o *countOptions) (err error) {
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

// badUseOr returns the exit status for an error: what a shell says of programs that cannot be started.
func badUseOr(err error) int {
	if s, ok := errors.AsType[*exit](err); ok {
		return s.status
	}
	return badUse
}

// userOnly tells whether what the kernel does cannot be counted for want of permission.
func userOnly() bool { return errors.Is(counters.Available("page-faults:k"), counters.ErrPermission) }

// finish computes means and spreads.
func (t *tally) finish() {
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
func (o *countOptions) open(t *tally, target counters.Options) (*counters.EventSet, error) {
	target.Multiplex = o.multiplex
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
		e.Why = whyNot(e.native, err)
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
			return " (--multiplex --inherit=false lets events take turns, in one thread alone)"
		}
	}
	return " (count it in another run)"
}

// take reads the counts of a run.
func (t *tally) take(set *counters.EventSet) error {
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
		e := &t.Events[slices.IndexFunc(t.Events, func(e eventCount) bool { return e.native == described.Name })]
		e.Unit = described.Unit
		if q := qualities[i]; q.Share == 0 {
			e.Why = "it did not get its turn: measure longer, or fewer events at once"
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
func (t *tally) ran(real, user, system time.Duration, memory int64) {
	t.Real = append(t.Real, real.Nanoseconds())
	if user > 0 || system > 0 || memory > 0 {
		t.User, t.System = append(t.User, user.Nanoseconds()), append(t.System, system.Nanoseconds())
		t.Memory = max(t.Memory, memory)
	}
}
