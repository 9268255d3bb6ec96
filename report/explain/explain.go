// Package explain explains reports that contain no findings: those of other tools, and those made from several reports. The page and
// the text say the same, because both ask this package.
package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Explanation is what a report means, as far as its metrics go.
type Explanation struct {
	Verdict  report.Verdict
	Lead     []string  // what the verdict is about, sentences
	Findings []Finding // ranked by cost, without those that are not worth reading
	Warnings []string  // what is wrong with the report

	model *query.Model
	time  float64 // of all locations, ns; 0 unknown
}

// Finding is a wait state at a call path.
type Finding struct {
	query.Finding
	Noise   float64  // of repeated runs: half width of the band of 95 % around Severity, in its unit; NaN if unknown
	Waiters []Waiter // the longest first
}

// Waiter is a location that waited.
type Waiter struct {
	Name     string // "MPI Rank 2, Master thread"
	Resource *query.Resource
	Severity cube.Value
}

const (
	most   = 200   // findings are told; nobody reads more
	little = 0.004 // a share of all time that is not worth a finding of its own
	waste  = 0.02  // the share of all waiting up to which there is little to gain
)

// Of explains a report. spread is how its runs differ, nil if it is of a single one.
func Of(m *query.Model, spread *algebra.Spread) *Explanation {
	x := &Explanation{model: m, Warnings: slices.Clone(m.Cube.Problems)}
	list := m.Findings(most)
	x.judge(list, spread)
	for _, f := range list {
		if f.Share > 0 && f.Share <= little && f.Share < list[0].Share {
			break // list is in order
		}
		out := Finding{Finding: f, Noise: math.NaN(), Waiters: waiters(m, &f)}
		if spread != nil {
			if band, known := spread.SelfAt(f.Metric.Metric, f.Path, false); known {
				out.Noise = band.Noise
			}
		}
		x.Findings = append(x.Findings, out)
	}
	return x
}

// waiters lists the locations that waited, the longest first.
func waiters(m *query.Model, f *query.Finding) (list []Waiter) {
	values, err := m.ByResource(query.What{Metric: f.Metric, Self: true}, f.Path, false)
	if err != nil {
		return nil
	}
	for _, r := range m.Resources {
		if r.Location != nil && values[r.Index].Float64() > 0 {
			name := r.Name
			if r.Parent != nil && !m.Ours() {
				name = r.Parent.Name + ", " + name
			}
			list = append(list, Waiter{name, r, values[r.Index]})
		}
	}
	slices.SortStableFunc(list, func(a, b Waiter) int { return cmp.Compare(b.Severity.Float64(), a.Severity.Float64()) })
	return list
}

// judge sums up the report, of which list are all findings.
func (x *Explanation) judge(list []query.Finding, spread *algebra.Spread) {
	time := x.model.Time()
	if time == nil {
		x.Verdict.Text = "This report has no metric that all time is counted in, so it does not tell what costs most."
		return
	}
	total, err := x.model.Total(query.What{Metric: time})
	ns := total.Float64() * query.SecondsPer(time.Unit) * 1e9
	if err != nil || !(ns > 0 && ns < math.MaxInt64) { // damaged reports hold anything, also what is no number
		x.Verdict.Text = "This report has no time in it that could be explained."
		return
	}
	x.time = ns
	x.Lead = append(x.Lead, x.spent())
	if spread != nil {
		if band, known := spread.At(time.Metric, nil, true); known {
			x.Lead = append(x.Lead, fmt.Sprintf("This is the mean of %d runs: \u00b1\u00a0%s is the band in which the true mean of that time lies with 95\u00a0%%.",
				band.N, readable.Glue(readable.Quantity(band.Noise*ns/total.Float64(), "ns"))))
		}
	}
	waited := 0.0 // special cases are told apart, so shares add up
	for _, f := range list {
		waited += f.Share
	}
	x.Verdict.Certain = len(x.Warnings) == 0
	switch {
	case len(x.model.Waits()) == 0:
		x.work(time)
	case len(list) == 0:
		x.Verdict.Text = "No wait states were found."
	case waited <= waste && len(list) < most:
		x.Verdict.Text = fmt.Sprintf("There is little to gain from less waiting: all wait states together have %s of the time.", share(waited))
	default:
		f := &list[0]
		x.Verdict.Metric, x.Verdict.File, x.Verdict.Line = f.Metric.Name, f.Path.Region.Module, max(0, f.Path.Region.Begin)
		x.Verdict.Text = fmt.Sprintf("Of all wait states, %s in %s costs most: %s of all time.", f.Title, f.Path.Region.Name, share(f.Share))
	}
}

// share writes a part of the time within a sentence, of which JSON has each letter.
func share(part float64) string { return fmt.Sprintf("%.1f\u00a0%%", 100*part) }

// spent says how much time it is all about.
func (x *Explanation) spent() string {
	thread := "thread"
	if x.model.Ours() {
		thread = "goroutine"
	}
	who := "One " + thread
	if n := len(x.model.Cube.Locations()); n != 1 {
		who = fmt.Sprintf("%s %ss together", readable.Count(float64(n)), thread)
	}
	return fmt.Sprintf("%s spent %s in the program.", who, readable.Glue(readable.Quantity(x.time, "ns")))
}

// work is the verdict on a report that does not know of waiting: what was executed longest.
func (x *Explanation) work(time *query.Metric) {
	x.Verdict.Certain = false
	x.Verdict.Text = "This report does not tell waiting from work."
	_, exclusive, err := x.model.ByRegion(query.What{Metric: time}, nil)
	if err != nil {
		return
	}
	longest, worst := 0.0, -1
	for i, v := range exclusive {
		if ns := v.Float64() * query.SecondsPer(time.Unit) * 1e9; ns > longest {
			longest, worst = ns, i
		}
	}
	if worst >= 0 && longest <= x.time {
		r := x.model.Cube.Regions[worst]
		x.Verdict.File, x.Verdict.Line = r.Module, max(0, r.Begin)
		x.Verdict.Text = fmt.Sprintf("This report does not tell waiting from work; most time was spent in %s itself: %s of all time.", r.Name, share(longest/x.time))
	}
}

// callPath returns the names of the regions of a call path from the root.
func callPath(p *cube.CallPath) (names []string) {
	for ; p != nil; p = p.Parent {
		names = append(names, p.Region.Name)
	}
	slices.Reverse(names)
	return names
}

// attr returns an attribute of the report, "" if there is none.
func (x *Explanation) attr(key string) string {
	return strings.TrimSpace(cube.ValueOf(x.model.Cube.Attrs, key))
}
