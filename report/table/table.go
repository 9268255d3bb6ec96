// Package table shows reports as tables: metrics by region or call path (Stat), the call tree with the values of a metric
// (CallTree), and every value there is (Dump); as text for people and as JSON, CSV or TSV for programs, in which values
// have all their digits.
package table

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"

	"tracerec/internal/readable"
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

// gap separates the columns of a text.
const gap = "  "

// text writes the table for people.
func (t *Table) text(w io.Writer) error {
	var b strings.Builder
	for _, line := range t.Title {
		b.WriteString(line + "\n")
	}
	heads := make([][]string, len(t.Columns))
	cells := make([][]string, len(t.Rows))
	widths := make([]int, len(t.Columns))
	lines := 0
	for i, c := range t.Columns {
		heads[i] = heading(c.Name)
		lines = max(lines, len(heads[i]))
		for _, h := range heads[i] {
			widths[i] = max(widths[i], readable.Width(h))
		}
	}
	totals := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		if t.whole {
			totals[i] = c.show(c.value(c.Total))
			widths[i] = max(widths[i], readable.Width(totals[i]))
		}
	}
	for r := range t.Rows {
		cells[r] = make([]string, len(t.Columns))
		for i := range t.Columns {
			cells[r][i] = t.Columns[i].show(t.Rows[r].Values[i])
			widths[i] = max(widths[i], readable.Width(cells[r][i]))
		}
	}
	line := func(label string, cell func(i int) string) {
		var l strings.Builder
		for i := range t.Columns {
			l.WriteString(readable.Right(cell(i), widths[i]) + gap)
		}
		b.WriteString(strings.TrimRight(l.String()+label, " ") + "\n")
	}
	for n := range lines {
		label := ""
		if n == lines-1 {
			label = t.Labels[0]
		}
		line(label, func(i int) string {
			if at := n - lines + len(heads[i]); at >= 0 {
				return heads[i][at]
			}
			return ""
		})
	}
	if t.whole {
		line("(whole program)", func(i int) string { return totals[i] })
	}
	for r := range t.Rows {
		line(t.Rows[r].Shown, func(i int) string { return cells[r][i] })
	}
	if t.more > 0 {
		fmt.Fprintf(&b, "… %d more rows\n", t.more)
	}
	for _, note := range t.Notes {
		b.WriteString("! " + readable.Clean(note) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// heading divides the name of a column into lines.
func heading(name string) (lines []string) {
	const width = 12
	line := ""
	for _, word := range strings.SplitAfter(readable.Clean(name), "_") {
		if line != "" && readable.Width(line+word) > width {
			lines = append(lines, line)
			line = ""
		}
		line += word
	}
	return append(lines, line)
}

// show writes a value for people.
func (c *Column) show(v Value) string {
	switch {
	case !v.Known:
		return "–"
	case v.Zero():
		return "0"
	case c.Share:
		return readable.Percent(v.Float64())
	}
	return readable.Quantity(v.Float64(), c.Unit)
}

// separated writes a line per row, a header first. Missing values are empty.
func (t *Table) separated(w io.Writer, f Format) error {
	out := newSeparated(w, f)
	header := append([]string{}, t.Labels...)
	for _, c := range t.Columns {
		header = append(header, c.Name)
	}
	out.row(header)
	record := make([]string, 0, len(header))
	for _, r := range t.Rows {
		record = record[:0]
		for _, l := range r.Labels {
			record = append(record, plain(l))
		}
		for _, v := range r.Values {
			text := ""
			if v.Known {
				text = v.String()
			}
			record = append(record, text)
		}
		out.row(record)
	}
	return out.close()
}

// plain is a label as one field.
func plain(label any) string {
	switch l := label.(type) {
	case int:
		return strconv.Itoa(l)
	case []string:
		return strings.Join(l, separator)
	}
	return label.(string)
}

// separator stands between the regions of a call path.
const separator = " > "

// separated writes fields with separators between them.
type separated struct {
	csv *csv.Writer // nil: tabs
	out io.Writer
	err error
}

func newSeparated(w io.Writer, f Format) *separated {
	s := &separated{out: w}
	if f == CSV {
		s.csv = csv.NewWriter(w)
	}
	return s
}

// noTabs takes out of fields what separates them: there is no quoting in files of tab-separated values.
var noTabs = strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")

func (s *separated) row(fields []string) {
	if s.csv != nil {
		s.csv.Write(fields)
		return
	}
	if s.err == nil {
		for i, f := range fields {
			fields[i] = noTabs.Replace(f)
		}
		_, s.err = io.WriteString(s.out, strings.Join(fields, "\t")+"\n")
	}
}

func (s *separated) close() error {
	if s.csv == nil {
		return s.err
	}
	s.csv.Flush()
	return s.csv.Error()
}

// number is a value in JSON, null if it cannot be written there.
type number Value

// MarshalJSON writes all digits.
func (n number) MarshalJSON() ([]byte, error) {
	if f := n.Float64(); !n.Known || math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return n.Append(nil), nil
}

// json writes the table as one object, a row per line.
func (t *Table) json(w io.Writer) error {
	type column struct {
		Name  string `json:"name"`
		Title string `json:"title"`
		Unit  string `json:"unit"`
		Total number `json:"total"`
		Share bool   `json:"percent,omitempty"` // values are per cent of the total
		Error string `json:"error,omitempty"`
	}
	columns := make([]column, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = column{c.Name, c.Title, c.Unit, number{c.Total, c.Error == "" && !c.derived}, c.Share, c.Error}
	}
	head, err := json.Marshal(columns)
	if err != nil {
		return err
	}
	notes, err := json.Marshal(append([]string{}, t.Notes...))
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(w, "{\"columns\": %s,\n\"notes\": %s,\n\"rows\": [", head, notes); err != nil {
		return err
	}
	for r, row := range t.Rows {
		object := map[string]any{}
		for i, l := range row.Labels {
			object[t.Labels[i]] = l
		}
		values := map[string]number{}
		for i, v := range row.Values {
			values[t.Columns[i].Name] = number(v)
		}
		object["values"] = values
		b, err := json.Marshal(object)
		if err != nil {
			return err
		}
		comma := ","
		if r == 0 {
			comma = ""
		}
		if _, err := fmt.Fprintf(w, "%s\n%s", comma, b); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n]}\n")
	return err
}

// column makes the column of a metric.
func column(m *query.Model, w query.What, share bool) Column {
	c := Column{Name: w.Metric.Name, Title: w.Metric.Title, Unit: w.Metric.Unit, Share: share}
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
	return Value{v, true}
}

// place is where something stands in the source, for people: "mesh.go:17".
func place(file string, line int) string {
	if file == "" {
		return ""
	}
	name := readable.Clean(path.Base(file))
	if line > 0 {
		name += ":" + strconv.Itoa(line)
	}
	return name
}
