package table

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

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
