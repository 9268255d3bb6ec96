package composite

import (
	"math"
	"strconv"
	"strings"

	"tracerec/metric"
	"tracerec/report"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Experiment returns a report that was made of several as an experiment, to be shown as one: severities, hierarchies of counters, and ratios,
// of which only the formula is known. Means are rounded to integers. What several reports do not say together is left empty.
func Experiment(c *cube.Cube) (*report.Experiment, error) {
	m, err := query.New(c)
	if err != nil {
		return nil, err
	}
	x := &importer{m: m, e: &report.Experiment{Merged: true}}
	x.trees()
	for _, q := range m.Metrics {
		if err := x.metric(q); err != nil {
			return nil, err
		}
	}
	x.header()
	return x.e, nil
}

// importer makes an experiment of a report.
type importer struct {
	m *query.Model
	e *report.Experiment
}

// trees takes over regions, call paths and locations.
func (x *importer) trees() {
	c, e := x.m.Cube, x.e
	regions := map[*cube.Region]uint32{}
	for i, r := range c.Regions {
		regions[r] = uint32(i)
		e.Regions = append(e.Regions, report.Region{Name: r.Name, Func: r.Mangled, File: r.Module, Line: max(0, r.Begin), Operation: r.Role == "operation"})
	}
	for _, p := range c.Paths() {
		parent := int32(-1)
		if p.Parent != nil {
			parent = int32(p.Parent.Index())
		}
		e.Paths = append(e.Paths, report.CallPath{Parent: parent, Region: regions[p.Region]})
	}
	groups := map[*cube.LocationGroup]int32{}
	for _, l := range c.Locations() {
		g, known := groups[l.Group]
		if !known {
			g = int32(len(e.Groups))
			groups[l.Group] = g
			e.Groups = append(e.Groups, report.Group{Name: l.Group.Name, Creator: -1, Count: len(l.Group.Locations)})
		}
		e.Locations = append(e.Locations, report.Location{Group: g, Name: l.Name, Count: 1})
	}
}

// metric takes over a metric with its values, or a ratio.
func (x *importer) metric(q *query.Metric) error {
	if attr(q.Metric, report.RatioAttr) == "true" {
		x.e.Ratios = append(x.e.Ratios, report.Ratio{Name: q.Name, Unit: q.Unit, Description: q.Doc, Hierarchy: attr(q.Metric, report.HierarchyAttr),
			Formula: attr(q.Metric, report.FormulaAttr), Low: number(q, report.LowAttr), High: number(q, report.HighAttr), Least: number(q, report.LeastAttr)})
		return nil
	}
	if !q.Additive || q.Err != nil {
		return nil // its values cannot be added up
	}
	is := func(key string) bool { return attr(q.Metric, key) == "true" }
	y := metric.Metric{Name: q.Name, Title: strings.TrimPrefix(q.Title, metric.Mark), Description: q.Doc, Formula: attr(q.Metric, report.FormulaAttr),
		Advice: attr(q.Metric, "advice"), Wait: is("wait"), Counter: is(report.CounterAttr), Uncertain: q.Margin(), Less: attr(q.Metric, report.UncertainAttr) == report.UncertainLess, Of: attr(q.Metric, report.UncertainOfAttr),
		Hierarchy: attr(q.Metric, report.HierarchyAttr), Incomplete: strings.HasPrefix(q.Title, metric.Mark)}
	if q.Parent != nil {
		y.Parent = q.Parent.Name
	}
	switch q.Unit {
	case "ns":
	case "occ":
		y.Unit = metric.Count
	case "bytes":
		y.Unit = metric.Bytes
	case "events":
		y.Unit = metric.Events
	default:
		y.Unit, y.UnitName = metric.Events, q.Unit
	}
	cells, sum := []report.Cell{}, cube.Value{} // what rounding takes from one cell the next ones get, so that sums are right
	for i, p := range x.m.Cube.Paths() {
		values, err := x.m.ByLocation(query.What{Metric: q, Self: true}, p, false)
		if err != nil {
			return err
		}
		for column, v := range values {
			before := rounded(sum)
			sum = sum.Add(v)
			if n := rounded(sum) - before; n != 0 {
				cells = append(cells, report.Cell{Path: uint32(i), Location: uint32(column), Value: n})
			}
		}
	}
	x.e.Metrics, x.e.Severity = append(x.e.Metrics, y), append(x.e.Severity, cells)
	return nil
}

// rounded returns a value as an integer; one that none can hold becomes 0.
func rounded(v cube.Value) int64 {
	if v.Integer() {
		return v.Int64()
	}
	f := math.Round(v.Float64())
	if !(math.Abs(f) < 1<<62) {
		return 0
	}
	return int64(f)
}

// header fills in what is known.
func (x *importer) header() {
	h, e := &x.e.Header, x.e
	for _, a := range x.m.Cube.Attrs {
		switch a.Key {
		case "program":
			h.Program = a.Value
		case "args":
			h.Args = strings.Fields(a.Value)
		}
	}
	x.unlisted()
	h.Goroutines, h.Processes = len(e.Locations), 1
	h.Time = e.Total(e.MetricIndex("time"))
	e.Critical = make([][]report.Cell, len(e.Metrics))
	e.Stats, e.OnPath = make([]report.Stats, len(e.Metrics)), make([]int64, len(e.Metrics))
	if i := e.MetricIndex("critical_path"); i >= 0 {
		h.Focus = e.Total(i)
	}
}

// unlisted finds the counters that no formula of a hierarchy has.
func (x *importer) unlisted() {
	used := map[string]bool{}
	for i := range x.e.Metrics {
		if m := &x.e.Metrics[i]; m.Hierarchy != "" {
			for _, word := range strings.FieldsFunc(m.Formula, func(c rune) bool { return c == ' ' || c == ';' || c == '−' }) {
				used[word] = true
			}
		}
	}
	for i := range x.e.Metrics {
		if m := &x.e.Metrics[i]; m.Counter && !used[m.Title] {
			x.e.Unlisted = append(x.e.Unlisted, m.Title)
		}
	}
}

// number reads an attribute that is a number, 0 if it is none.
func number(q *query.Metric, key string) float64 {
	v, err := strconv.ParseFloat(attr(q.Metric, key), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
