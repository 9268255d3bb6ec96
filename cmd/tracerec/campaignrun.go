package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"tracerec/analyzer"
	"tracerec/counters/events"
	"tracerec/counters/hardware"
	"tracerec/internal/launch"
	"tracerec/internal/output"
	"tracerec/internal/readable"
	"tracerec/metric/spec"
	"tracerec/patterns"
	"tracerec/recorder"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/composite"
	"tracerec/report/cube"
	"tracerec/trace"
)

// campaign is what was asked for, and what became of it.
type campaign struct {
	options recorder.Options // of each run
	dir     string
	specs   []string // names or files
	lists   []string // what -c gives
	plan    bool
	dry     bool
	repeat  int
	args    []string
	say     func(string)

	resolved []*spec.Spec
	sets     *sets
	record   campaignRecord
	unfit    int // sets that a dry run found no run can measure
}

// campaignFile is the file in a campaign's folder that says what is there.
const campaignFile = "campaign.json"

// campaignRecord is its content.
type campaignRecord struct {
	Program []string      `json:"program"`
	Specs   []string      `json:"specifications"`
	Sets    []campaignSet `json:"sets"`
	Missing []string      `json:"missing"` // counters that could not be measured, and why
	Runs    []campaignRun `json:"runs"`
	Report  string        `json:"report"` // "" until it is made
	Notes   []string      `json:"notes"`
}

type campaignSet struct {
	Name   string   `json:"name"`
	Events []string `json:"events"`
}

type campaignRun struct {
	Set    string `json:"set"`
	Trace  string `json:"trace"`
	Report string `json:"report,omitempty"`
	Status int    `json:"exit_status"`
	Error  string `json:"error,omitempty"` // why it is not in the merged report
}

// usualCounters is how many general counters a processor is taken to have if nothing else is known.
const usualCounters = 4

// run does all of a campaign and returns the exit status.
func (c *campaign) run() (int, error) {
	if err := recorder.Countable(nil, c.args[0]); err != nil {
		if e, ok := errors.AsType[*launch.Error](err); ok {
			return e.Status, err
		}
		return badUse, err
	}
	if err := c.choose(); err != nil {
		return badUse, err
	}
	if c.dry && c.unfit > 0 {
		return 1, nil
	} else if c.dry {
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
	cpu := events.Here()
	if c.resolved, err = loadSpecs(c.specs, spec.CPU{Arch: cpu.Arch, Vendor: cpu.Vendor, Family: cpu.Family, Model: cpu.Model, Stepping: cpu.Stepping, Name: cpu.Name}); err != nil {
		return err
	}
	general := usualCounters
	if h := hardware.Here().Counters; h != nil && h.General > 0 {
		general = h.General
	}
	available := func(event string) error { return recorder.Countable([]string{event}, c.args[0]) }
	watched := debugs
	if isExact(c.args[0]) {
		watched = exactDebug
	}
	c.sets, err = chooseSets(c.resolved, c.lists, c.plan, machineHere(c.resolved, general, watched), available)
	if c.sets == nil || err != nil {
		return err
	}
	if n := len(c.sets.missing); n > 0 {
		c.say(readable.Plural(n, "counter") + " left out: " + c.sets.summary())
	}
	for i, s := range c.sets.list {
		c.record.Sets = append(c.record.Sets, campaignSet{s.Name, s.Events})
		if c.dry {
			c.say(fmt.Sprintf("set %d, %s: %s", i+1, s.Name, strings.Join(s.Events, ",")))
			if err := fitsOneRun(s.Events, watched, c.args[0]); err != nil {
				c.say(fmt.Sprintf("set %d, %s: cannot be measured: %s", i+1, s.Name, oneLine(err)))
				c.unfit++
			}
		}
	}
	if c.sets.why != "" {
		c.say(fmt.Sprintf("%s planned: %s", readable.Plural(len(c.sets.list), "set"), c.sets.why))
	}
	c.record.Program, c.record.Missing = c.args, c.sets.missing
	for _, s := range c.resolved {
		c.record.Specs = append(c.record.Specs, s.Name)
	}
	return nil
}

// makeDir makes the folder. One of an older campaign is renamed; anything else of that name is an error.
func (c *campaign) makeDir() error {
	if c.dir == "" {
		return errors.New("-o: the name of the folder is empty")
	}
	c.dir = filepath.Clean(c.dir)
	switch info, err := os.Stat(filepath.Join(c.dir, campaignFile)); {
	case err == nil:
		aside := c.dir + "-" + info.ModTime().Format("20060102-150405")
		for base, n := aside, 2; ; n++ {
			if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
				break
			}
			aside = fmt.Sprintf("%s-%d", base, n)
		}
		if err := os.Rename(c.dir, aside); err != nil {
			return err
		}
		c.say(fmt.Sprintf("the older %s is now %s", c.dir, aside))
	case errors.Is(err, fs.ErrNotExist):
		if list, err := os.ReadDir(c.dir); err == nil && len(list) > 0 {
			return fmt.Errorf("%s: exists and is not the folder of a campaign", c.dir)
		}
	default:
		return err
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return err
	}
	return c.save()
}

// save writes what is known.
func (c *campaign) save() error {
	return output.Write(filepath.Join(c.dir, campaignFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(c.record)
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
	total := c.repeat * len(c.sets.list)
	for r := range c.repeat {
		for i, set := range c.sets.list {
			n := r*len(c.sets.list) + i + 1
			c.say(fmt.Sprintf("run %d of %d, %s: %s", n, total, set.Name, strings.Join(set.Events, ",")))
			name := set.Name
			if c.repeat > 1 {
				name = fmt.Sprintf("%s-%d", name, r+1)
			}
			run := campaignRun{Set: set.Name, Trace: name + ".trace"}
			o := c.options
			o.Dir, o.Counters, o.Quiet = filepath.Join(c.dir, run.Trace), set.Events, true
			status, err := recorder.Run(o, c.args)
			run.Status = status
			if err != nil && status != badUse {
				return status, err
			}
			if err == nil {
				run.Report = name + ".cubex"
				err = c.analyze(o.Dir, filepath.Join(c.dir, run.Report))
			}
			if err != nil {
				run.Report, run.Error = "", err.Error()
				c.say(fmt.Sprintf("run %d, %s: not measured: %s", n, set.Name, oneLine(err)))
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
				c.say("interrupted: no more runs" + c.kept(run))
				return status, nil
			}
		}
	}
	return 0, nil
}

// kept says what there is of an interrupted run.
func (c *campaign) kept(run campaignRun) string {
	text := ""
	for _, name := range []string{run.Trace, run.Report} {
		if _, err := os.Stat(filepath.Join(c.dir, name)); name == "" || err != nil {
			continue
		}
		if text != "" {
			text += " and "
		}
		text += filepath.Join(c.dir, name)
	}
	if text == "" {
		return "; nothing of this one is kept"
	}
	return "; what this one measured is kept in " + text
}

func oneLine(err error) string { return strings.ReplaceAll(err.Error(), "\n", "; ") }

// analyze makes the report of one run, as expert does.
func (c *campaign) analyze(dir, file string) error {
	a, err := trace.Open(dir)
	if err != nil {
		return err
	}
	defer a.Close()
	recorded := false
	for _, chunk := range a.Chunks() {
		recorded = recorded || chunk.Events > 0
	}
	if !recorded {
		return fmt.Errorf("%s: no events recorded; does the program use the package instrument?", dir)
	}
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if e.Origin.Trace, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := analyzer.Derive(e, c.resolved, patterns.Properties()); err != nil {
		return err
	}
	made, err := e.Report(report.ReportOptions{Version: version()})
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
		in, err := cube.Open(filepath.Join(c.dir, r.Report))
		if err != nil {
			return badUse, err
		}
		defer in.Close()
		runs = append(runs, algebra.Input{Name: strings.TrimSuffix(r.Report, ".cubex"), Cube: in})
	}
	if len(runs) == 0 {
		return 1, errors.Join(errors.New("no run was measured to its end: there is nothing to merge"), c.save())
	}
	r, err := composite.Merge(c.resolved, runs...)
	if err != nil {
		return badUse, err
	}
	c.note(r)
	file := filepath.Join(c.dir, "campaign.cubex")
	if err := output.Write(file, r.Cube.Write); err != nil {
		return badUse, err
	}
	c.record.Report = "campaign.cubex"
	if err := c.save(); err != nil {
		return badUse, err
	}
	c.say(fmt.Sprintf("%s of %s merged into %s; look at it with expert analyze or expert view", readable.Plural(len(runs), "run"),
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
			c.say(fmt.Sprintf("run %d, %s: left out: %s", i+1, r.Set, r.Error))
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
			c.say(n)
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
