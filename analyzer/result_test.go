package analyzer_test

import (
	"fmt"
	"slices"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/internal/naive"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
)

// analyze analyzes an archive with all patterns.
func analyze(t *testing.T, a *trace.Archive, workers int) *report.Experiment {
	t.Helper()
	x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: workers})
	require.NoError(t, err)
	return x
}

// translation brings an experiment into the form of the oracle's results.
type translation struct {
	x         *report.Experiment
	paths     []string
	locations []int // index in the archive of each location of the experiment
	out       *naive.Result
}

// result translates x, the analysis of a.
func result(a *trace.Archive, x *report.Experiment) *naive.Result { return translate(a, x).out }

// translate translates x, the analysis of a. Locations without events have no place in x.
func translate(a *trace.Archive, x *report.Experiment) *translation {
	t := &translation{x: x, out: &naive.Result{
		Severity: map[naive.Cell]int64{}, Critical: map[naive.Cell]int64{}, Caused: map[naive.Caused]int64{}, Operations: map[naive.Cell]naive.Inside{},
		Time: x.Header.Time, Focus: x.Header.Focus, NeverEnded: map[naive.Cell]int64{}, Holders: map[naive.Cell]naive.Party{},
		Warnings: append([]string{}, x.Warnings...),
	}}
	for i, l := range a.Definitions().Locations {
		t.out.Group = append(t.out.Group, i)
		if l.Events > 0 {
			t.locations = append(t.locations, i)
		}
	}
	for _, p := range x.Paths {
		t.paths = append(t.paths, t.path(p))
	}
	for i := range t.locations {
		t.out.Group[t.locations[i]] = t.group(x.Locations[i].Group)
	}
	for m := range x.Metrics {
		t.cells(x.Cells(m), x.Metrics[m].Name, t.out.Severity)
		t.cells(x.CriticalCells(m), x.Metrics[m].Name, t.out.Critical)
	}
	for _, f := range x.Findings {
		for _, l := range f.Lines {
			t.line(l)
		}
		t.finding(&f)
	}
	for _, o := range x.Operations {
		t.out.Operations[naive.Cell{Path: t.paths[o.Path], Location: t.group(o.Group)}] = naive.Inside{
			Split: naive.Split{Execution: o.Execution, Runnable: o.Runnable, Waiting: o.Waiting, External: o.External, NotRecorded: o.NotRecorded}, Yielded: o.Yielded, Taken: o.Taken}
	}
	t.out.PathCounts = t.counts(x.PathCounts)
	for _, e := range x.NeverEnded {
		c := naive.Cell{Path: t.paths[e.Path], Location: t.locations[e.Location]}
		t.out.NeverEnded[c] = e.Since
		if e.Holder >= 0 {
			t.out.Holders[c] = naive.Party{Location: t.locations[e.Holder], Path: t.at(e.HolderPath)}
		}
	}
	return t
}

func (t *translation) path(p report.CallPath) string {
	r := t.x.Regions[p.Region]
	name := r.Name
	if r.Operation {
		name = fmt.Sprintf("%s@%s:%d", r.Name, r.File, r.Line)
	}
	if p.Parent < 0 {
		return name
	}
	return t.paths[p.Parent] + "/" + name
}

func (t *translation) at(path int32) string {
	if path < 0 {
		return ""
	}
	return t.paths[path]
}

// group is the first location of a group.
func (t *translation) group(g int32) int {
	if g < 0 {
		return -1
	}
	first := slices.IndexFunc(t.x.Locations, func(l report.Location) bool { return l.Group == g })
	return t.locations[first]
}

func (t *translation) cells(from []report.Cell, metric string, to map[naive.Cell]int64) {
	for _, c := range from {
		if c.Value != 0 {
			to[naive.Cell{Metric: metric, Path: t.paths[c.Path], Location: t.locations[c.Location]}] += c.Value
		}
	}
}

func (t *translation) line(f report.Line) {
	for _, c := range f.Causers {
		b := naive.Caused{
			Metric: t.x.Metrics[f.Metric].Name, Path: t.paths[f.Path], Group: t.group(f.Group),
			Causer: t.group(c.Group), CauserPath: t.at(c.Path),
		}
		if c.Severity != 0 {
			t.out.Caused[b] += c.Severity
		}
	}
}

// statistics are those of the oracle's instances.
func statistics(r *naive.Result, metric string) (s report.Stats) {
	var all []int64
	for _, i := range r.Instances {
		if i.Metric == metric {
			all = append(all, i.Duration)
			s.Sum += i.Duration
		}
	}
	n := len(all)
	if n == 0 {
		return s
	}
	slices.Sort(all)
	s.Count, s.Min, s.Max, s.Mean = uint64(n), all[0], all[n-1], s.Sum/int64(n)
	s.Q25, s.Median, s.Q75 = all[(n+3)/4-1], all[(n+1)/2-1], all[(3*n+3)/4-1]
	return s
}

// instances counts the worst instances of the wait states that have no more than are kept.
func instances(a *trace.Archive, x *report.Experiment) map[naive.Instance]int {
	t := translate(a, x)
	found := map[naive.Instance]int{}
	for m, s := range x.Stats {
		if s.Count > uint64(len(s.Worst)) || x.Metrics[m].Kind != metric.WaitState {
			continue
		}
		for _, i := range s.Worst {
			n := naive.Instance{
				Metric: x.Metrics[m].Name, Path: t.paths[i.Path], Location: t.locations[i.Location],
				Begin: i.Begin, End: i.End, Causer: -1, CauserPath: t.at(i.CauserPath),
			}
			if i.Causer >= 0 {
				n.Causer = t.locations[i.Causer]
			}
			found[n]++
		}
	}
	return found
}

// wanted counts the oracle's instances of those wait states.
func wanted(x *report.Experiment, r *naive.Result) map[naive.Instance]int {
	all := map[string]bool{}
	for m, s := range x.Stats {
		all[x.Metrics[m].Name] = s.Count <= uint64(len(s.Worst)) && x.Metrics[m].Kind == metric.WaitState
	}
	found := map[naive.Instance]int{}
	for _, i := range r.Instances {
		if all[i.Metric] {
			i.Duration = 0
			found[i]++
		}
	}
	return found
}

// differences lists what two maps do not have in common, one line each.
func differences[K comparable, V comparable](what string, engine, oracle map[K]V) (lines []string) {
	for k, v := range engine {
		if w, ok := oracle[k]; !ok || v != w {
			lines = append(lines, fmt.Sprintf("%s %v: engine %v, oracle %v", what, k, v, w))
		}
	}
	for k, w := range oracle {
		if _, ok := engine[k]; !ok {
			lines = append(lines, fmt.Sprintf("%s %v: engine has none, oracle %v", what, k, w))
		}
	}
	sort.Strings(lines)
	return lines
}
