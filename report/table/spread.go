package table

import (
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
	s.t.whole = false // has no spread of its own
}

// spread adds a row.
func (s *stat) spread(r *statRow) {
	values := s.onLocations(r, 0)
	if values == nil {
		s.add(r, make([]cube.Value, len(s.t.Columns)), "")
		return
	}
	row := []cube.Value{r.values[0]}
	box := s.m.Distribution(values)
	for _, x := range spreads {
		row = append(row, cube.Float(x.of(box)))
	}
	s.add(r, row, "")
}
