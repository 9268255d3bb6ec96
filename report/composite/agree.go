package composite

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// metric.Visits counts how often call paths were entered.

// Differences between runs that are no more than chance, or of no interest. Counts of n vary by √n, if what is counted happens by
// chance; counters vary for more reasons than visits.
const (
	chance       = 4 // times √n
	visitsDiffer = 0.01
	eventsDiffer = 0.10
	wallsDiffer  = 0.25
	shortest     = 100e6 // ns, of differences between wall times
	mostListed   = 3
)

// disagree tells in which respects runs differ by more than what is to be expected of runs of one program.
func disagree(runs *cube.Cube) (notes []string, err error) {
	if note := wallTimes(runs); note != "" {
		notes = append(notes, note)
	}
	note, err := visitsOf(runs)
	if err != nil {
		return nil, err
	}
	if note != "" {
		notes = append(notes, note)
	}
	note, err = countersOf(runs)
	if err == nil && note != "" {
		notes = append(notes, note)
	}
	return notes, err
}

// countersOf tells which counters differ between the runs that measured them.
func countersOf(runs *cube.Cube) (string, error) {
	var list []difference
	for _, m := range runs.AllMetrics() {
		if query.KindOf(m) != metric.Counter || m.Kind.Derived() {
			continue
		}
		values, err := totals(runs, m, nil)
		if err != nil {
			return "", err
		}
		if low, high, differ := beyond(values, eventsDiffer); differ {
			write := grouped
			if m.Unit == "ns" {
				write = seconds
			}
			list = append(list, difference{fmt.Sprintf("%s %s to %s in %d runs", m.Title, write(low), write(high), len(values)), (high - low) / high})
		}
	}
	return enumerate("warning: the runs do not agree on counters: ", list), nil
}

// difference is what runs do not agree on, and by what part of it.
type difference struct {
	text string
	part float64
}

// enumerate lists the largest differences; there is no text if there are none.
func enumerate(begin string, list []difference) string {
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b difference) int { return cmp.Compare(b.part, a.part) })
	var texts []string
	for _, d := range list[:min(len(list), mostListed)] {
		texts = append(texts, d.text)
	}
	text := begin + strings.Join(texts, ", ")
	if more := len(list) - mostListed; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// wallTimes tells whether some runs took much longer than others.
func wallTimes(runs *cube.Cube) string {
	low, high := math.Inf(1), 0.0
	for _, l := range runs.Locations() {
		if ns, ok := algebra.RunWall(l); ok {
			low, high = min(low, float64(ns)), max(high, float64(ns))
		}
	}
	if high <= max(low*(1+wallsDiffer), low+shortest) {
		return ""
	}
	return fmt.Sprintf("warning: the runs took from %s to %s: their counters may be of different conditions", seconds(low), seconds(high))
}

// seconds writes a time in ns. Notes are sentences, in which lines may break.
func seconds(ns float64) string { return readable.Quantity(ns, "ns") }

// visitsOf tells which call paths were visited more often in one run than in another.
func visitsOf(runs *cube.Cube) (string, error) {
	m := runs.Metric(metric.Visits)
	if m == nil || m.Kind.Derived() {
		return "", nil
	}
	var places []difference
	for _, p := range m.Stored() {
		values, err := totals(runs, m, p)
		if err != nil {
			return "", err
		}
		if low, high, differ := beyond(values, visitsDiffer); differ {
			places = append(places, difference{fmt.Sprintf("%s %s to %s times", pathName(p), grouped(low), grouped(high)), (high - low) / high})
		}
	}
	return enumerate("warning: the runs do not agree on how often call paths were visited: ", places), nil
}

// totals returns the values of a metric in the runs that measured it, at a call path or, if it is nil, in all.
func totals(runs *cube.Cube, m *cube.Metric, p *cube.CallPath) ([]float64, error) {
	without := algebra.Unmeasured(m)
	paths := m.Stored()
	if p != nil {
		paths = []*cube.CallPath{p}
	}
	sums := make([]float64, len(runs.Locations()))
	for _, p := range paths {
		r, err := m.Row(p)
		if err != nil {
			return nil, err
		}
		for i, v := range r.All() {
			sums[i] += v.Float64()
		}
	}
	var values []float64
	for i, v := range sums {
		if !slices.Contains(without, i) {
			values = append(values, v)
		}
	}
	return values, nil
}

// beyond tells whether values differ by more than a part of them, and more than by chance.
func beyond(values []float64, part float64) (low, high float64, differ bool) {
	if len(values) < 2 {
		return 0, 0, false
	}
	low, high = slices.Min(values), slices.Max(values)
	size := max(math.Abs(low), math.Abs(high))
	return low, high, high-low > part*size && high-low > chance*math.Sqrt(size)
}

// pathName writes a call path: main/solve.
func pathName(p *cube.CallPath) string {
	if p.Parent == nil {
		return p.Region.Name
	}
	return pathName(p.Parent) + "/" + p.Region.Name
}

// inconsistent notes metrics that are less than their parts, or than nothing: the counters contradict each other, or are of runs that
// differ.
func (d *deriver) inconsistent() error {
	total := func(m *made) (sum float64, err error) {
		for _, p := range m.Stored() {
			r, err := m.Row(p)
			if err != nil {
				return 0, err
			}
			for _, v := range r.All() {
				sum += v.Float64()
			}
		}
		return sum, nil
	}
	for _, m := range d.made {
		if m.label == "" || len(m.form) == 0 {
			continue
		}
		all, err := total(m)
		if err != nil {
			return err
		}
		own := all
		for _, child := range m.children {
			v, err := total(child)
			if err != nil {
				return err
			}
			own -= v
		}
		rounding := 1e-9 * math.Abs(all)
		switch {
		case all < -rounding:
			d.notes = append(d.notes, fmt.Sprintf("warning: %s is %.0f, less than nothing: its counters contradict each other (%s)",
				m.label, all, strings.Replace(cube.ValueOf(m.Attrs, query.FormulaAttr), rest, "", 1)))
		case len(m.children) > 0 && own < -max(rounding, 0.5):
			d.notes = append(d.notes, fmt.Sprintf("warning: %s is %.0f less than its parts (%.2g %%): its counters contradict each other, or are of runs that differ",
				m.label, -own, -100*own/max(1, all)))
		}
	}
	return nil
}
