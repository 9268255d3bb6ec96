// Package scenario reads the traces with severities computed by hand in testdata/traces and compares them
// with what an analysis found. The form of the files is described in testdata/traces/README.md.
package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"tracerec/internal/naive"
)

// Scenario is one trace with what is expected of its analysis.
type Scenario struct {
	Name   string
	Trace  string // in the text form of package tracetext
	Expect []Line
	Waits  []string // wait states that are compared even where it does not name them, with their causers

	locations []string // names, in the order of their indexes
}

// Line is one expectation.
type Line struct {
	Metric   string // its kind stands before it: "critical late_sender"
	Path     string // "*" any
	Location string // "*" any
	Value    int64
	Causer   string // location and call path, "" nobody
	None     bool   // the metric has no severity at all
}

// untold is the causer of time that is that of a wait state by its region, and of which nobody is said to cause it.
const untold = "-"

// Load reads all scenarios of a directory, by name.
func Load(dir string) ([]*Scenario, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var all []*Scenario
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		s, err := parse(strings.TrimSuffix(filepath.Base(f), ".txtar"), string(b))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func parse(name, text string) (*Scenario, error) {
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(text)).Files {
		files[f.Name] = string(f.Data)
	}
	s := &Scenario{Name: name, Trace: files["trace"], Waits: naive.WaitStates}
	for line := range strings.Lines(s.Trace) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "location" {
			s.locations = append(s.locations, f[1])
		}
	}
	for line := range strings.Lines(files["expect"]) {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		l, err := parseLine(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, strings.TrimSpace(line), err)
		}
		s.Expect = append(s.Expect, l)
	}
	return s, nil
}

func parseLine(line string) (l Line, err error) {
	f := strings.Split(line, "|")
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	l.Metric = f[0]
	switch {
	case l.Metric == "warning" && len(f) == 2:
		l.Causer = f[1]
	case len(f) == 2 && f[1] == "none":
		l.None = true
	case len(f) == 4 || len(f) == 5:
		l.Path, l.Location = f[1], f[2]
		l.Value, err = strconv.ParseInt(f[3], 10, 64)
		if len(f) == 5 {
			l.Causer = f[4]
		}
	default:
		err = fmt.Errorf("has %d columns", len(f))
	}
	return l, err
}

// always are the other metrics that are compared even where a scenario does not name them.
var always = []string{"barrier_completion", "wakeup", "start_latency", "overhead", "sleep", "never_ended"}

// Check returns what differs between the expectations and a result, one line each.
func (s *Scenario) Check(r *naive.Result) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	want, caused := map[naive.Cell]int64{}, map[naive.Caused]int64{}
	complete := map[string]bool{}
	for _, m := range slices.Concat(always, s.Waits) {
		complete[m] = true
	}
	for _, l := range s.Expect {
		switch {
		case l.Metric == "warning":
			if says := strings.Join(r.Warnings, "\n"); r.Warnings != nil && !strings.Contains(says, l.Causer) {
				fault("no warning has %q: %q", l.Causer, r.Warnings)
			}
		case l.Path == "*":
			if got := total(r, l.Metric); got != l.Value {
				fault("%s is %d in all, not %d", l.Metric, got, l.Value)
			}
		default:
			complete[l.Metric] = true
			if !l.None {
				c := naive.Cell{Metric: l.Metric, Path: l.Path, Location: s.index(l.Location)}
				want[c] += l.Value
				s.caused(r, l, c, caused)
			}
		}
	}
	got := merged(r)
	for _, c := range cells(want, got) {
		if complete[c.Metric] && want[c] != got[c] {
			fault("%s | %s | %s is %d, not %d", c.Metric, c.Path, s.name(c.Location), got[c], want[c])
		}
	}
	for b, v := range caused {
		if r.Caused[b] != v {
			fault("%s | %s charges %d to %s %s, not %d", b.Metric, b.Path, r.Caused[b], s.name(b.Causer), b.CauserPath, v)
		}
	}
	for b, v := range r.Caused {
		if caused[b] == 0 && complete[b.Metric] {
			fault("%s | %s charges %d to %s %s", b.Metric, b.Path, v, s.name(b.Causer), b.CauserPath)
		}
	}
	sort.Strings(faults)
	return faults
}

// caused notes the causer that line l names.
func (s *Scenario) caused(r *naive.Result, l Line, c naive.Cell, into map[naive.Caused]int64) {
	if l.Metric == "never_ended" {
		if got := r.Holders[c.Clear()]; l.Causer != "" && s.party(l.Causer) != got {
			into[naive.Caused{Metric: "holder is " + got.Path, Path: l.Path}] = 1
		}
		return
	}
	if !slices.Contains(s.Waits, l.Metric) || l.Causer == untold {
		return
	}
	p := naive.Party{Location: -1}
	if l.Causer != "" {
		p = s.party(l.Causer)
		p.Location = r.Group[p.Location]
	}
	into[naive.Caused{Metric: l.Metric, Path: l.Path, Group: r.Group[c.Location], Causer: p.Location, CauserPath: p.Path}] += l.Value
}

func (s *Scenario) party(text string) naive.Party {
	name, path, _ := strings.Cut(text, " ")
	return naive.Party{Location: s.index(name), Path: strings.TrimSpace(path)}
}

func (s *Scenario) index(location string) int { return slices.Index(s.locations, location) }

func (s *Scenario) name(location int) string {
	if location < 0 || location >= len(s.locations) {
		return "nobody"
	}
	return s.locations[location]
}

// total is the value of a metric over all call paths and locations, with its children for time.
func total(r *naive.Result, metric string) (sum int64) {
	if metric == "focus" {
		return r.Focus
	}
	for c, v := range r.Severity {
		if c.Metric == metric || metric == "time" && slices.Contains(naive.TimeMetrics, c.Metric) {
			sum += v
		}
	}
	return sum
}

// merged is everything in a result that has a value per cell, under the names of the expectations.
func merged(r *naive.Result) map[naive.Cell]int64 {
	m := map[naive.Cell]int64{}
	for c, v := range r.Severity {
		m[c] = v
	}
	for c, v := range r.Critical {
		c.Metric = "critical " + c.Metric
		m[c] = v
	}
	for c, v := range r.NeverEnded {
		c.Metric = "never_ended"
		m[c] = v
	}
	return m
}

// cells are the keys of both maps in order.
func cells(a, b map[naive.Cell]int64) (keys []naive.Cell) {
	for _, m := range []map[naive.Cell]int64{a, b} {
		for c := range m {
			if !slices.Contains(keys, c) {
				keys = append(keys, c)
			}
		}
	}
	return keys
}
