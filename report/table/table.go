// Package table shows reports as tables: metrics by region or call path (Stat), the call tree with the values of a metric
// (CallTree), and every value there is (Dump); as text for people and as JSON, CSV or TSV for programs, in which values
// have all their digits.
package table

import (
	"io"
	"math"

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

	whole bool // the text begins with a row for the whole program
	more  int  // rows that were left out
}

// Column is a column of values.
type Column struct {
	Name, Title, Unit string
	Share             bool       // values are per cent
	Total             cube.Value // of the whole program, in the unit
	Error             string     // why there are no values

	derived bool // from the values of rows: the whole program has none
}

// Row is what there is to say about a region, a call path or a location.
type Row struct {
	Shown  string // in the text, in place of the labels
	Labels []any  // strings, numbers or lists of strings
	Values []Value
}

// Value is a value that may be missing.
type Value struct {
	cube.Value
	Known bool
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
	total, err := m.Total(w)
	if err == nil {
		err = w.Metric.Err
	}
	if c.Total = total; err != nil {
		c.Error = err.Error()
	}
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
	return Value{cube.Float(p), !math.IsNaN(p) && !math.IsInf(p, 0)}
}

// value returns a value as the column has it.
func (c *Column) value(v cube.Value) Value {
	switch {
	case c.Error != "":
		return Value{}
	case c.Share:
		return c.share(v)
	}
	return Value{v, !math.IsNaN(v.Float64())} // a ratio whose denominator is too small has no value
}

// empty says that there is nothing to show: zero, or no value at all.
func empty(v cube.Value) bool { return v.Zero() || math.IsNaN(v.Float64()) }
