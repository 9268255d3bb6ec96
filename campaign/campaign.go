// Package campaign measures more counters than fit into one run: it plans which sets of them to measure, records the program once for each, and
// merges the results into one report.
package campaign

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tracerec/analyzer/pipeline"
	"tracerec/autoinst/exact"
	"tracerec/counters/events"
	"tracerec/counters/hardware"
	"tracerec/internal/launch"
	"tracerec/internal/output"
	"tracerec/internal/readable"
	"tracerec/metric/spec"
	"tracerec/recorder"
	"tracerec/report/algebra"
	"tracerec/report/composite"
	"tracerec/report/cube"
)

// Options say what to measure, and how.
type Options struct {
	Recording recorder.Options // of each run
	Dir       string           // directory to write
	Specs     []string         // specifications by name or file; none: those that are shipped for this processor
	Sets      []string         // what to measure: a name of a set of the specification or a list of counters each
	Plan      bool             // plan sets, whatever sets the specification has
	Dry       bool             // only say which sets would be measured, and why
	Repeat    int              // how many times each set is measured
	Args      []string         // the program and its arguments
	Version   string           // of what writes the reports
	Say       func(string)     // receives messages for the user, each one line
}

// campaign is a campaign under way.
type campaign struct {
	Options
	resolved []*spec.Spec
	sets     *sets
	record   Record
	unfit    int // sets that a dry run found no run can measure
}

// recordFile is the file in a campaign's directory that says what is there.
const recordFile = "campaign.json"

// Record is its content.
type Record struct {
	Program []string `json:"program"`
	Specs   []string `json:"specifications"`
	Sets    []Set    `json:"sets"`
	Missing []string `json:"missing"` // counters that could not be measured, and why
	Runs    []Run    `json:"runs"`
	Report  string   `json:"report"` // "" until it is made
	Notes   []string `json:"notes"`
}

// Set is counters that are measured together.
type Set struct {
	Name   string   `json:"name"`
	Events []string `json:"events"`
}

// Run is one run of the program.
type Run struct {
	Set    string `json:"set"`
	Trace  string `json:"trace"`
	Report string `json:"report,omitempty"`
	Status int    `json:"exit_status"`
	Error  string `json:"error,omitempty"` // why it is not in the merged report
}

// badUse is the exit status for what is wrong with what was asked for.
const badUse = 2

// Start does all of a campaign and returns the exit status: the program's if it is the same for all runs, and 1 if some failed.
func Start(o Options) (int, error) {
	c := &campaign{Options: o}
	if err := recorder.Countable(nil, c.Args[0]); err != nil {
		if e, ok := errors.AsType[*launch.Error](err); ok {
			return e.Status, err
		}
		return badUse, err
	}
	if err := c.choose(); err != nil {
		return badUse, err
	}
	if c.Dry && c.unfit > 0 {
		return 1, nil
	} else if c.Dry {
		return 0, nil
	}
	if err := c.makeDir(); err != nil {
		return badUse, err
	}
	ran, err := c.runAll()
	if err != nil {
		return ran, err
	}
	status, err := c.conclude()
	if ran != 0 {
		status = ran
	}
	return status, err
}

// choose finds out what to measure and says so.
func (c *campaign) choose() (err error) {
	if c.resolved, err = spec.Choose(spec.CPU(events.Here()), c.Specs...); err != nil {
		return fmt.Errorf("--spec: %w", err)
	}
	general := usualCounters
	if h := hardware.Here().Counters; h != nil && h.General > 0 {
		general = h.General
	}
	available := func(event string) error { return recorder.Countable([]string{event}, c.Args[0]) }
	watched := debugs
	if exact.Built(c.Args[0]) {
		watched = exactDebug
	}
	c.sets, err = chooseSets(c.resolved, c.Sets, c.Plan, machineHere(c.resolved, general, watched), available)
	if c.sets == nil || err != nil {
		return err
	}
	if n := len(c.sets.missing); n > 0 {
		c.Say(readable.Plural(n, "counter") + " left out: " + c.sets.summary())
	}
	for i, s := range c.sets.list {
		c.record.Sets = append(c.record.Sets, Set{s.Name, s.Events})
		if c.Dry {
			c.Say(fmt.Sprintf("set %d, %s: %s", i+1, s.Name, strings.Join(s.Events, ",")))
			if err := fitsOneRun(s.Events, watched, c.Args[0]); err != nil {
				c.Say(fmt.Sprintf("set %d, %s: cannot be measured: %s", i+1, s.Name, readable.OneLine(err)))
				c.unfit++
			}
		}
	}
	if c.sets.why != "" {
		c.Say(fmt.Sprintf("%s planned: %s", readable.Plural(len(c.sets.list), "set"), c.sets.why))
	}
	c.record.Program, c.record.Missing = c.Args, c.sets.missing
	for _, s := range c.resolved {
		c.record.Specs = append(c.record.Specs, s.Name)
	}
	return nil
}

// makeDir makes the directory. One of an older campaign is renamed; anything else of that name is an error.
func (c *campaign) makeDir() error {
	if c.Dir == "" {
		return errors.New("-o: the name of the directory is empty")
	}
	c.Dir = filepath.Clean(c.Dir)
	switch info, err := os.Stat(filepath.Join(c.Dir, recordFile)); {
	case err == nil:
		aside := c.Dir + "-" + info.ModTime().Format("20060102-150405")
		for base, n := aside, 2; ; n++ {
			if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
				break
			}
			aside = fmt.Sprintf("%s-%d", base, n)
		}
		if err := os.Rename(c.Dir, aside); err != nil {
			return err
		}
		c.Say(fmt.Sprintf("the older %s is now %s", c.Dir, aside))
	case errors.Is(err, fs.ErrNotExist):
		if list, err := os.ReadDir(c.Dir); err == nil && len(list) > 0 {
			return fmt.Errorf("%s: exists and is not the directory of a campaign; choose another name", c.Dir)
		}
	default:
		return err
	}
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return err
	}
	return c.save()
}

// save writes what is known.
func (c *campaign) save() error {
	return output.Write(filepath.Join(c.Dir, recordFile), func(w io.Writer) error {
		return readable.JSON(w, c.record)
	})
}

// Statuses with which a program ends that was interrupted.
const (
	interrupted = 128 + 2
	terminated  = 128 + 15
)

// runAll records and analyzes all runs. The sets take turns, so that what changes in the course of time is the same for all. An
// error means that the program cannot be run at all; the status is then that of tracerec. Without one it is not 0 if a run was
// interrupted, after which there are no more.
func (c *campaign) runAll() (int, error) {
	total := c.Repeat * len(c.sets.list)
	for r := range c.Repeat {
		for i, set := range c.sets.list {
			n := r*len(c.sets.list) + i + 1
			c.Say(fmt.Sprintf("run %d of %d, %s: %s", n, total, set.Name, strings.Join(set.Events, ",")))
			name := set.Name
			if c.Repeat > 1 {
				name = fmt.Sprintf("%s-%d", name, r+1)
			}
			run := Run{Set: set.Name, Trace: name + ".trace"}
			o := c.Recording
			o.Dir, o.Counters, o.Quiet = filepath.Join(c.Dir, run.Trace), set.Events, true
			status, err := recorder.Run(o, c.Args)
			run.Status = status
			if err != nil && status != badUse {
				return status, err
			}
			if err == nil {
				run.Report = name + ".cubex"
				err = c.analyze(o.Dir, filepath.Join(c.Dir, run.Report))
			}
			if err != nil {
				run.Report, run.Error = "", err.Error()
				c.Say(fmt.Sprintf("run %d, %s: not measured: %s", n, set.Name, readable.OneLine(err)))
			}
			stopped := status == interrupted || status == terminated
			if stopped && run.Error == "" {
				run.Error = "interrupted"
			}
			c.record.Runs = append(c.record.Runs, run)
			if err := c.save(); err != nil {
				return badUse, err
			}
			if stopped {
				c.Say("interrupted: no more runs" + c.kept(run))
				return status, nil
			}
		}
	}
	return 0, nil
}

// kept says what there is of an interrupted run.
func (c *campaign) kept(run Run) string {
	text := ""
	for _, name := range []string{run.Trace, run.Report} {
		if _, err := os.Stat(filepath.Join(c.Dir, name)); name == "" || err != nil {
			continue
		}
		if text != "" {
			text += " and "
		}
		text += filepath.Join(c.Dir, name)
	}
	if text == "" {
		return "; nothing of this run is kept"
	}
	return "; what this run measured is kept in " + text
}

// analyze makes the report of one run, as expert does.
func (c *campaign) analyze(dir, file string) error {
	e, err := pipeline.Analyze(dir, pipeline.Options{Specs: c.resolved}, nil)
	if err != nil {
		return err
	}
	made, err := e.Report(c.Version)
	if err != nil {
		return err
	}
	return output.Write(file, made.Write)
}

// conclude merges the runs and returns the exit status.
func (c *campaign) conclude() (int, error) {
	status, failed := c.judge()
	var runs []algebra.Input
	for _, r := range c.record.Runs {
		if r.Error != "" {
			continue
		}
		in, err := cube.Open(filepath.Join(c.Dir, r.Report))
		if err != nil {
			return badUse, err
		}
		defer in.Close()
		runs = append(runs, algebra.Input{Name: strings.TrimSuffix(r.Report, ".cubex"), Cube: in})
	}
	if len(runs) == 0 {
		return 1, errors.Join(errors.New("no run was measured to its end, so there is nothing to merge"), c.save())
	}
	r, err := composite.Merge(c.resolved, runs...)
	if err != nil {
		return badUse, err
	}
	c.note(r)
	file := filepath.Join(c.Dir, "campaign.cubex")
	if err := output.Write(file, r.Cube.Write); err != nil {
		return badUse, err
	}
	c.record.Report = "campaign.cubex"
	if err := c.save(); err != nil {
		return badUse, err
	}
	c.Say(fmt.Sprintf("%s of %s merged into %s; read it with expert analyze or expert view", readable.Plural(len(runs), "run"),
		readable.Plural(len(c.sets.list), "set"), file))
	if failed {
		return 1, nil
	}
	return status, nil
}

// judge decides which runs count: those that ended with status 0, or all if all ended with the same. It returns that
// status, and whether some failed.
func (c *campaign) judge() (status int, failed bool) {
	same := true
	for _, r := range c.record.Runs {
		same = same && r.Status == c.record.Runs[0].Status && r.Error == ""
	}
	if same {
		return c.record.Runs[0].Status, false
	}
	for i := range c.record.Runs {
		r := &c.record.Runs[i]
		if r.Error == "" && r.Status != 0 {
			r.Error = fmt.Sprintf("the program ended with status %d", r.Status)
			c.Say(fmt.Sprintf("run %d, %s: left out: %s", i+1, r.Set, r.Error))
		}
		failed = failed || r.Error != ""
	}
	return 0, failed
}

// processor names that of this machine, if it has a name.
func processor() []string {
	if name := events.Here().Name; name != "" {
		return []string{name}
	}
	return nil
}

// note says what is to be said of the merged report, and puts it there.
func (c *campaign) note(r *composite.Result) {
	for _, n := range r.Notes {
		if strings.HasPrefix(n, "warning: ") {
			c.Say(n)
		}
	}
	c.record.Notes = r.Notes
	var failures []string
	for i, run := range c.record.Runs {
		if run.Error != "" {
			failures = append(failures, fmt.Sprintf("run %d, %s: %s", i+1, run.Set, run.Error))
		}
	}
	for _, a := range []struct {
		key  string
		list []string
	}{{composite.ProcessorAttr, processor()}, {"counters not available", c.record.Missing}, {"runs left out", failures}, {"notes", r.Notes}} {
		if len(a.list) > 0 {
			r.Cube.Attrs = append(r.Cube.Attrs, cube.Attr{Key: a.key, Value: strings.Join(a.list, "; ")})
		}
	}
}
