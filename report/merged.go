package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// readMerged returns a report of ours that was made of several as an experiment, to be shown as one: severities, hierarchies of counters, and
// ratios, but those that lack an operand. Means are rounded to integers. What several reports do not say together is left empty. The error is
// ErrForeign if it has no counters of ours.
func readMerged(c *cube.Cube) (*Experiment, error) {
	e := &Experiment{Cube: c, Merged: true}
	e.Header.Program, e.Header.Args = cube.ValueOf(c.Attrs, "program"), strings.Fields(cube.ValueOf(c.Attrs, "args"))
	e.connect(nil, nil, c.Paths())
	counter := func(m *cube.Metric) bool { return query.KindOf(m) == metric.Counter }
	if !slices.ContainsFunc(c.AllMetrics(), counter) || !query.Ours(c) {
		return nil, ErrForeign
	}
	e.mergedTrees()
	e.mergedMetrics()
	e.operands()
	e.unlisted()
	h := &e.Header
	h.Goroutines, h.Processes = len(e.Locations), 1
	h.Time, h.Focus = e.Total(e.MetricIndex(metric.Time)), e.Total(e.MetricIndex(metric.CriticalPath))
	e.Stats, e.OnPath = make([]Stats, len(e.Metrics)), make([]int64, len(e.Metrics))
	return e, nil
}

// mergedTrees takes over regions, call paths and locations.
func (e *Experiment) mergedTrees() {
	regions := map[*cube.Region]uint32{}
	for i, r := range e.Cube.Regions {
		regions[r] = uint32(i)
		e.Regions = append(e.Regions, Region{Name: r.Name, Func: r.Mangled, File: r.Module, Line: max(0, r.Begin), Operation: r.Role == "operation"})
	}
	for _, p := range e.Cube.Paths() {
		parent := int32(-1)
		if p.Parent != nil {
			parent = int32(p.Parent.Index())
		}
		e.Paths = append(e.Paths, CallPath{Parent: parent, Region: regions[p.Region]})
	}
	groups := map[*cube.LocationGroup]int32{}
	for _, l := range e.Cube.Locations() {
		g, known := groups[l.Group]
		if !known {
			g = int32(len(e.Groups))
			groups[l.Group] = g
			e.Groups = append(e.Groups, Group{Name: l.Group.Name, Creator: -1, Count: len(l.Group.Locations)})
		}
		e.Locations = append(e.Locations, Location{Group: g, Name: l.Name, Count: 1})
	}
}

// mergedMetrics takes over the metrics whose values can be added up, and the ratios.
func (e *Experiment) mergedMetrics() {
	for _, m := range e.Cube.AllMetrics() {
		q := e.numbers.model().Of(m)
		if q.Index < 0 {
			continue // hidden
		}
		a := attrs(q.Attrs)
		if a[query.RatioAttr] == "true" {
			e.Ratios = append(e.Ratios, Ratio{Name: q.Name, Unit: q.Unit, Description: q.Doc, Hierarchy: a[query.HierarchyAttr],
				Formula: a[query.FormulaAttr], Low: a.number(query.LowAttr), High: a.number(query.HighAttr), Least: a.number(query.LeastAttr)})
			continue
		}
		if !q.Additive || q.Err != nil {
			continue
		}
		x, err := MetricOf(m)
		if err != nil { // by an earlier version, which told the unit in the words of cubes
			x.Unit, x.UnitName = unitCalled(q.Unit)
		}
		if title, incomplete := strings.CutPrefix(q.Title, metric.Mark); incomplete {
			x.Title, x.Kind = title, metric.Incomplete
		}
		if q.Parent != nil {
			x.Parent = attrs(q.Parent.Attrs).verbatim("name", q.Parent.Name)
		}
		e.Metrics = append(e.Metrics, x)
		e.numbers.metrics, e.numbers.critical = append(e.numbers.metrics, m), append(e.numbers.critical, nil)
	}
}

// operands finds the operands of the ratios, of which the cube has only the names.
func (e *Experiment) operands() {
	lookup, all := NewLookup(e.Metrics), e.Ratios
	e.Ratios = nil
	for _, r := range all {
		if x, err := spec.ParseExpr(r.Formula); err == nil {
			if operands, known := lookup.Operands(x); known {
				r.Operands = operands
				e.Ratios = append(e.Ratios, r)
			}
		}
	}
}

// unlisted finds the counters that no formula of a hierarchy has.
func (e *Experiment) unlisted() {
	used := map[string]bool{}
	for i := range e.Metrics {
		if m := &e.Metrics[i]; m.Hierarchy != "" {
			for _, word := range strings.FieldsFunc(m.Formula, func(c rune) bool { return c == ' ' || c == ';' || c == '−' }) {
				used[word] = true
			}
		}
	}
	for i := range e.Metrics {
		if m := &e.Metrics[i]; m.Kind == metric.Counter && !used[m.Title] {
			e.Unlisted = append(e.Unlisted, m.Title)
		}
	}
}

// number reads an attribute that is a number, 0 if it is none.
func (a attributes) number(key string) float64 {
	v, err := strconv.ParseFloat(a[key], 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
