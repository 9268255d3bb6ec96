package table

import (
	"math"

	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// spreads are the columns of a spread behind the value of the metric.
var spreads = []struct {
	name, title string
	of          func(query.Box) float64
}{
	{"mean", "Mean", func(b query.Box) float64 { return b.Mean }},
	{"min", "Minimum", func(b query.Box) float64 { return b.Min }},
	{"q1", "Lower quartile", func(b query.Box) float64 { return b.Q1 }},
	{"median", "Median", func(b query.Box) float64 { return b.Median }},
	{"q3", "Upper quartile", func(b query.Box) float64 { return b.Q3 }},
	{"max", "Maximum", func(b query.Box) float64 { return b.Max }},
}

// spreadColumns adds the columns of a spread.
func (s *stat) spreadColumns() {
	c := s.t.Columns[0]
	for _, x := range spreads {
		s.t.Columns = append(s.t.Columns, Column{Name: x.name, Title: x.title, Unit: c.Unit, Share: c.Share, Total: c.Total, Error: c.Error, derived: true})
	}
	s.t.single = true
	s.t.whole = false // has no spread of its own
}

// spread adds a row.
func (s *stat) spread(r *statRow) {
	all, in := s.onLocations(r, 0), make([]*spec.Interval, len(s.t.Columns))
	if all.list == nil {
		s.add(r, make([]cube.Value, len(s.t.Columns)), in, "")
		return
	}
	row := []cube.Value{r.values[0]}
	in[0] = r.in[0]
	box := s.m.Distribution(all.list)
	for _, x := range spreads {
		v := cube.Float(x.of(box))
		if in[0] != nil && row[0].Zero() {
			v = cube.Float(math.NaN()) // of what is certain, which is nothing
		}
		row = append(row, v)
	}
	s.add(r, row, in, "")
}
