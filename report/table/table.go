// Package table shows reports as tables: metrics by region or call path (Stat), the call tree with the values of a metric
// (CallTree), and all single values (Dump); as text for people and as JSON, CSV or TSV for programs, in which values
// have all their digits.
package table

import (
	"io"
	"math"

	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Format is a form in which a table is written.
type Format string

// The formats.
const (
	Text Format = "text"
	JSON Format = "json"
	CSV  Format = "csv"
	TSV  Format = "tsv"
)

// Table is a table of values.
type Table struct {
	Title   []string // above the text, a line each
	Labels  []string // names of what a row is about
	Columns []Column
	Rows    []Row
	Notes   []string // what is missing, and why

	single bool // all values are of one metric, whose unit ends the lines of CSV
	whole  bool // the text begins with a row for the whole program
	more   int  // rows that were left out
}

// Column is a column of values.
type Column struct {
	Name, Title, Unit string
	Share             bool       // values are per cent
	Total             cube.Value // of the whole program, in the unit
	Error             string     // why there are no values

	in      *spec.Interval // of Total
	bounded bool           // values may have bounds
	derived bool           // from the values of rows: the whole program has none
}

// Row is what there is to say about a region, a call path or a location.
type Row struct {
	Shown  string // in the text, in place of the labels
	Labels []any  // strings, numbers or lists of strings
	Values []Value
}

// Value is a value that may be missing: nothing of it is certain, or a ratio has none.
type Value struct {
	cube.Value
	Known bool
	In    *spec.Interval // what the truth lies in; nil: the value is certain, or missing
}

// values are what was asked of a metric, with what each lies in, nil if all are certain.
type values struct {
	list []cube.Value
	in   []spec.Interval
}

// ask returns values and their bounds.
func ask(m *query.Model, w query.What, by query.Values) (v values, err error) {
	if v.list, err = by(w); err != nil || !w.Metric.Bounded() {
		return v, err
	}
	v.in, err = m.Bounds(w, by)
	return v, err
}

// at returns what one of the values lies in, nil if it is certain.
func (v *values) at(i int) *spec.Interval {
	if v.in == nil || v.in[i].Certain() || math.IsNaN(v.in[i].Low) {
		return nil
	}
	return &v.in[i]
}

// size is what values are sorted by: a bound counts only where nothing is certain.
func size(v cube.Value, in *spec.Interval) float64 {
	if v.Zero() && in != nil {
		return max(math.Abs(in.Low), math.Abs(in.High))
	}
	return math.Abs(v.Float64())
}

// Write writes the table.
func (t *Table) Write(w io.Writer, f Format) error {
	switch f {
	case JSON:
		return t.json(w)
	case CSV, TSV:
		return t.separated(w, f)
	}
	return t.text(w)
}

// column makes the column of a metric. What cannot be added up, such as a ratio, has no share of the whole program.
func column(m *query.Model, w query.What, share bool) Column {
	c := Column{Name: w.Metric.Name, Title: w.Metric.Title, Unit: w.Metric.Unit, Share: share && w.Metric.Additive}
	total, err := ask(m, w, func(w query.What) ([]cube.Value, error) {
		v, err := m.Total(w)
		return []cube.Value{v}, err
	})
	if err == nil {
		err = w.Metric.Err
	}
	if err != nil {
		c.Error = err.Error()
		return c
	}
	c.Total, c.in, c.bounded = total.list[0], total.at(0), w.Metric.Bounded() && !c.Share
	return c
}

// note says which columns have no values.
func (t *Table) note() {
	for _, c := range t.Columns {
		if c.Error != "" {
			t.Notes = append(t.Notes, c.Name+" cannot be evaluated: "+c.Error)
		}
	}
}

// share returns a value in per cent of the total.
func (c *Column) share(v cube.Value) Value {
	p := 100 * v.Float64() / c.Total.Float64()
	return Value{Value: cube.Float(p), Known: !math.IsNaN(p) && !math.IsInf(p, 0)}
}

// value returns a value as the column has it; in is what it lies in, nil if it is certain.
func (c *Column) value(v cube.Value, in *spec.Interval) Value {
	switch {
	case c.Error != "":
		return Value{}
	case c.Share && v.Zero() && in != nil:
		return Value{}
	case c.Share:
		return c.share(v)
	case math.IsNaN(v.Float64()):
		return Value{} // a ratio whose denominator is too small
	}
	return Value{v, in == nil || !v.Zero(), in}
}

// empty says that there is nothing to show: zero, or no value at all.
func empty(v cube.Value) bool { return v.Zero() || math.IsNaN(v.Float64()) }
