package report

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
)

// Row is one stored severity with the names spelled out: exclusive along the metric tree and the call tree, in
// the metric's unit.
type Row struct {
	Metric   string   `json:"metric"`
	CallPath []string `json:"callpath"` // from the root
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Location string   `json:"location"`
	Value    int64    `json:"value"`
}

// Rows calls yield for every stored severity that is not zero, in the order of (metric, call path, location).
func (e *Experiment) Rows(yield func(Row) bool) {
	for m, cells := range e.Severity {
		var row Row
		for i, c := range cells {
			if i == 0 || c.Path != cells[i-1].Path {
				r := e.leaf(c.Path)
				row = Row{Metric: e.Metrics[m].Name, CallPath: e.CallPath(c.Path), File: r.File, Line: r.Line}
			}
			row.Location, row.Value = e.Locations[c.Location].Name, c.Value
			if c.Value != 0 && !yield(row) {
				return
			}
		}
	}
}

// DumpCSV writes all rows as comma-separated values with a header. The regions of a call path are joined by " > ".
func DumpCSV(w io.Writer, e *Experiment) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"metric", "callpath", "file", "line", "location", "value"}); err != nil {
		return err
	}
	for r := range e.Rows {
		err := out.Write([]string{r.Metric, strings.Join(r.CallPath, " > "), r.File, strconv.Itoa(r.Line), r.Location,
			strconv.FormatInt(r.Value, 10)})
		if err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// DumpJSON writes all rows as one JSON array, a row per line.
func DumpJSON(w io.Writer, e *Experiment) error {
	out := bufio.NewWriter(w)
	sep := "[\n"
	for r := range e.Rows {
		b, err := json.Marshal(r)
		if err != nil {
			return err
		}
		out.WriteString(sep)
		out.Write(b)
		sep = ",\n"
	}
	if sep == "[\n" {
		out.WriteString("[")
	}
	out.WriteString("\n]\n")
	return out.Flush()
}
