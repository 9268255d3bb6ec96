package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report/cube"
)

// Finding is a wait state at a call path, in words.
type Finding struct {
	Metric   *Metric
	Path     *cube.CallPath
	Severity cube.Value // without the call paths below, and without wait states that are special cases of this one
	Share    float64    // of the time of all locations
	Title    string     // of the metric
	Text     string     // what happened, sentences
	Advice   string     // what to do, or what the metric means
}

// Findings returns the wait states of a report by call path, ranked by cost, at most top: for reports that say nothing
// themselves about what they mean. Special cases of a wait state are told apart from it, so that severities add up.
func (m *Model) Findings(top int) []Finding {
	var list []Finding
	waits := m.Waits()
	for _, q := range waits {
		_, exclusive, err := m.ByPath(What{Metric: q, Self: true}, nil)
		if err != nil {
			continue
		}
		title := q.Title
		if q.Parent != nil && !m.ours && slices.Contains(waits, q.Parent) {
			title = q.Parent.Title + ": " + title // "From different sources" says little
		}
		for i, v := range exclusive {
			if v.Float64() > 0 && !math.IsInf(v.Float64(), 0) {
				list = append(list, Finding{Metric: q, Path: m.Cube.Paths()[i], Severity: v, Title: title})
			}
		}
	}
	cost := func(f Finding) float64 { return f.Severity.Float64() * SecondsPer(f.Metric.Unit) }
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(cost(b), cost(a)) })
	causes := m.causes(list)
	list = list[:max(0, min(top, len(list)))]
	all := 0.0
	if t := m.Time(); t != nil {
		if v, err := m.Total(What{Metric: t}); err == nil {
			all = v.Float64() * SecondsPer(t.Unit)
		}
	}
	for i := range list {
		f := &list[i]
		if x := cost(*f) / all; all > 0 && x < 1+1e-9 { // more than all there is would be damage
			f.Share = min(x, 1)
		}
		m.describe(f, causes)
	}
	return list
}

// causes says, by metric of the delays that cause waiting, where these lie; of those only whose waiting is all at one call path.
// A report tells delays by where they lie, not by where was waited for them, so that it is not known whose delays others are.
func (m *Model) causes(list []Finding) map[string]string {
	at := map[string]*cube.CallPath{}
	for i := range list {
		delay := waitStates[list[i].Metric.Name].delay
		if p, seen := at[delay]; seen && p != list[i].Path {
			at[delay] = nil
		} else if !seen {
			at[delay] = list[i].Path
		}
	}
	texts := map[string]string{}
	for delay, p := range at {
		if delay != "" && p != nil {
			texts[delay] = m.causedIn(delay)
		}
	}
	return texts
}

// describe puts a finding into words.
func (m *Model) describe(f *Finding, causes map[string]string) {
	known, ok := waitStates[f.Metric.Name]
	switch f.Advice = known.advice; {
	case m.ours: // patterns say themselves what to do; the same words as in a report of one run
		f.Advice = cube.ValueOf(f.Metric.Attrs, "advice")
	case !ok:
		f.Advice = f.Metric.Doc
	}
	f.Text = fmt.Sprintf("%s of waiting in %s", duration(f.Severity.Float64()*SecondsPer(f.Metric.Unit)), f.Path.Region.Name)
	if f.Share > 0 {
		f.Text += fmt.Sprintf(", %s of all time", readable.RoughPercent(f.Share))
	}
	if ok {
		f.Text += ": " + known.happened
	}
	f.Text += "." + m.whoWaited(f)
	f.Text += causes[known.delay]
}

// whoWaited says how many locations waited, and which one longest.
func (m *Model) whoWaited(f *Finding) string {
	values, err := m.ByResource(What{Metric: f.Metric, Self: true}, f.Path, false)
	if err != nil || len(m.leaves) < 2 {
		return ""
	}
	waited, worst := 0, m.leaves[0]
	for _, leaf := range m.leaves {
		v := values[leaf.Index].Float64()
		if v > 0 {
			waited++
		}
		if v > values[worst.Index].Float64() {
			worst = leaf
		}
	}
	name := worst.Name
	if g := worst.Parent; g != nil && !m.ours {
		name = g.Name + ", " + name
	}
	who := fmt.Sprintf("%d of %d locations waited", waited, len(m.leaves))
	if waited == 1 {
		return " Only " + name + " waited."
	}
	return fmt.Sprintf(" %s, %s longest: %s.", who, name, duration(values[worst.Index].Float64()*SecondsPer(f.Metric.Unit)))
}

// causedIn says where most of the time lies that caused waiting of a sort.
func (m *Model) causedIn(delay string) string {
	sum := make([]float64, len(m.paths.parent))
	all, most := 0.0, 0
	for _, name := range []string{delay, delay + "_longterm"} {
		q := m.byName[name]
		if q == nil {
			continue
		}
		_, exclusive, err := m.ByPath(What{Metric: q}, nil)
		if err != nil {
			return ""
		}
		for i, v := range exclusive {
			all += v.Float64()
			if sum[i] += v.Float64(); sum[i] > sum[most] {
				most = i
			}
		}
	}
	if all <= 0 || sum[most] <= 0 {
		return ""
	}
	return fmt.Sprintf(" Of the delays that caused such waiting, all of which is here, %s lie in %s.", readable.RoughPercent(sum[most]/all), pathName(m.Cube.Paths()[most]))
}

// pathName names a call path by its last regions.
func pathName(p *cube.CallPath) string {
	var names []string
	for q := p; q != nil && len(names) < 3; q = q.Parent {
		names = append(names, q.Region.Name)
	}
	slices.Reverse(names)
	return strings.Join(names, readable.Arrow)
}

// duration writes seconds for a sentence.
func duration(s float64) string { return readable.Quantity(s, "sec") }
