package table

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report/cube"
)

// separated writes a line per row, a header first. Missing values are empty.
func (t *Table) separated(w io.Writer, f Format) error {
	out := newSeparated(w, f)
	header := append([]string{}, t.Labels...)
	for _, c := range t.Columns {
		if header = append(header, c.Name); c.bounded {
			header = append(header, c.Name+atLeast, c.Name+atMost)
		}
	}
	if t.single {
		header = append(header, "unit")
	}
	out.row(header)
	record := make([]string, 0, len(header))
	for _, r := range t.Rows {
		record = record[:0]
		for _, l := range r.Labels {
			record = append(record, plain(l))
		}
		for i, v := range r.Values {
			if record = append(record, v.text()); t.Columns[i].bounded {
				low, high := v.ends()
				record = append(record, low.text(), high.text())
			}
		}
		if t.single {
			record = append(record, t.Columns[0].unit())
		}
		out.row(record)
	}
	return out.close()
}

// unit is that of the values.
func (c *Column) unit() string {
	if c.Share {
		return "%"
	}
	return c.Unit
}

// atLeast and atMost end the names of columns with what values lie in.
const atLeast, atMost = ":at_least", ":at_most"

// text writes all digits, nothing if there is no value.
func (v Value) text() string {
	if !v.Known {
		return ""
	}
	return v.String()
}

// ends returns the least and the greatest that the value can be.
func (v Value) ends() (low, high Value) {
	if v.In == nil {
		return v, v
	}
	end := func(f float64) Value {
		if v.Integer() && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return Value{Value: cube.Int(int64(f)), Known: true}
		}
		return Value{Value: cube.Float(f), Known: true}
	}
	return end(v.In.Low), end(v.In.High)
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

// row writes fields. Names may have any bytes: tabs and line ends become spaces, as tab-separated values have no quoting, and what
// would control the terminal becomes U+FFFD.
func (s *separated) row(fields []string) {
	for i, f := range fields {
		fields[i] = readable.Clean(f)
	}
	if s.csv != nil {
		s.csv.Write(fields)
		return
	}
	if s.err == nil {
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

// jsonColumn is a Column as JSON.
type jsonColumn struct {
	Name  string  `json:"name"`
	Title string  `json:"title"`
	Unit  string  `json:"unit"`
	Total number  `json:"total"`
	Least *number `json:"at_least,omitempty"` // what the total lies in
	Most  *number `json:"at_most,omitempty"`
	Share bool    `json:"percent,omitempty"` // values are per cent of the total
	Error string  `json:"error,omitempty"`
}

func (c *Column) json() jsonColumn {
	total := Value{c.Total, c.Error == "" && !c.derived && (c.in == nil || !c.Total.Zero()), c.in}
	x := jsonColumn{c.Name, c.Title, c.Unit, number(total), nil, nil, c.Share, c.Error}
	if c.bounded {
		low, high := total.ends()
		x.Least, x.Most = (*number)(&low), (*number)(&high)
	}
	return x
}

// object is a row as JSON.
func (t *Table) object(row Row) map[string]any {
	object := map[string]any{}
	for i, l := range row.Labels {
		object[t.Labels[i]] = l
	}
	values, least, most := map[string]number{}, map[string]number{}, map[string]number{}
	for i, v := range row.Values {
		name := t.Columns[i].Name
		if values[name] = number(v); t.Columns[i].bounded {
			low, high := v.ends()
			least[name], most[name] = number(low), number(high)
		}
	}
	if object["values"] = values; len(least) > 0 {
		object["at_least"], object["at_most"] = least, most
	}
	return object
}

// json writes the table as one object, a row per line.
func (t *Table) json(w io.Writer) error {
	columns := make([]jsonColumn, len(t.Columns))
	for i := range t.Columns {
		columns[i] = t.Columns[i].json()
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
		b, err := json.Marshal(t.object(row))
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
