package table

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// DumpOptions say which values are written.
type DumpOptions struct {
	Metrics   []*query.Metric
	Self      bool           // without the metrics below
	Inclusive bool           // with what is called
	Zero      bool           // those that are zero, too
	Paths     *regexp.Regexp // call paths that it matches, with their regions joined by " > "; nil all
	Format    Format         // JSON, CSV or TSV
}

// chosen says whether the values of a call path are written.
func (o *DumpOptions) chosen(p *cube.CallPath) bool {
	return o.Paths == nil || o.Paths.MatchString(strings.Join(names(p), separator))
}

// cell is a row of a dump.
type cell struct {
	Metric   string   `json:"metric"`
	CallPath []string `json:"callpath"` // from the root
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Location string   `json:"location"`
	Value    number   `json:"value"`
	Unit     string   `json:"unit"`
}

// Dump writes every value: metric, call path, location and value, in this order of the report. It returns what could not be
// evaluated, and why. Values are computed while they are written. It is an error if no call path matches.
func Dump(w io.Writer, m *query.Model, o DumpOptions) (notes []string, err error) {
	if !slices.ContainsFunc(m.Cube.Paths(), o.chosen) && o.Paths != nil {
		return nil, fmt.Errorf("no call path matches %q", o.Paths)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	d := &dump{m: m, o: o, out: out, names: locationNames(m)}
	if o.Format != JSON {
		d.separated = newSeparated(out, o.Format)
		d.separated.row([]string{"metric", "callpath", "file", "line", "location", "value", "unit"})
	}
	for _, q := range o.Metrics {
		if err := d.metric(q); err != nil {
			notes = append(notes, q.Name+" cannot be evaluated: "+err.Error())
		}
		if d.err != nil {
			break
		}
	}
	if err := d.close(); err != nil {
		return notes, err
	}
	return notes, out.Flush()
}

// dump is a dump in progress.
type dump struct {
	m         *query.Model
	o         DumpOptions
	out       *bufio.Writer
	separated *separated // nil: JSON
	names     []string   // of locations
	rows      int
	open      map[int]bool // by column, at the present call path: the value is not certain
	err       error        // in writing
}

// metric writes the values of a metric.
func (d *dump) metric(q *query.Metric) error {
	if q.Err != nil {
		return q.Err
	}
	what := query.What{Metric: q, Self: d.o.Self}
	for _, p := range d.m.Cube.Paths() {
		if !d.o.chosen(p) {
			continue
		}
		c := cell{Metric: q.Name, CallPath: names(p), Unit: q.Unit}
		c.File, c.Line = source(p.Region)
		if err := d.path(what, p, &c); err != nil || d.err != nil {
			return err
		}
	}
	return nil
}

// path writes the values of a metric at a call path.
func (d *dump) path(what query.What, p *cube.CallPath, c *cell) error {
	values, err := d.m.ByLocation(what, p, d.o.Inclusive)
	if err != nil {
		return err
	}
	if d.open, err = d.uncertain(what.Metric, p); err != nil {
		return err
	}
	next := 0 // column
	zeros := func(until int) {
		for ; d.o.Zero && next < until; next++ {
			d.write(c, next, cube.Int(0))
		}
	}
	for column, v := range values {
		if zeros(column); d.err != nil {
			return nil
		}
		if !math.IsNaN(v.Float64()) && (d.o.Zero || !v.Zero()) {
			d.write(c, column, v)
		}
		next = column + 1
	}
	zeros(len(d.names))
	return nil
}

// uncertain returns by column whether there may be more or less of a metric than what is certain. Only zeros need it.
func (d *dump) uncertain(q *query.Metric, p *cube.CallPath) (map[int]bool, error) {
	open := map[int]bool{}
	if !d.o.Zero {
		return open, nil
	}
	for _, margin := range q.Margins() {
		values, err := d.m.ByLocation(query.What{Metric: margin}, p, d.o.Inclusive)
		if err != nil {
			return nil, err
		}
		for column, v := range values {
			open[column] = open[column] || !v.Zero()
		}
	}
	return open, nil
}

// write writes a row, without a value where nothing of it is certain.
func (d *dump) write(c *cell, column int, v cube.Value) {
	if d.err != nil {
		return
	}
	d.rows++
	c.Location, c.Value = d.names[column], number{Value: v, Known: !v.Zero() || !d.open[column]}
	if d.separated != nil {
		d.separated.row([]string{c.Metric, strings.Join(c.CallPath, separator), c.File, strconv.Itoa(c.Line), c.Location, Value(c.Value).text(), c.Unit})
		d.err = d.separated.err
		return
	}
	b, err := json.Marshal(c)
	if err != nil {
		d.err = err
		return
	}
	sep := ",\n"
	if d.rows == 1 {
		sep = "[\n"
	}
	d.out.WriteString(sep)
	_, d.err = d.out.Write(b)
}

// close ends the dump.
func (d *dump) close() error {
	switch {
	case d.err != nil:
		return d.err
	case d.separated != nil:
		return d.separated.close()
	case d.rows == 0:
		d.out.WriteString("[")
	}
	_, err := d.out.WriteString("\n]\n")
	return err
}
