package table

import (
	"fmt"
	"io"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// sign says what the values of a difference are.
func sign(m *query.Model) []string {
	if of := m.Difference(); of != "" {
		return []string{"Difference " + readable.Clean(of)}
	}
	return nil
}

// text writes the table for people.
func (t *Table) text(w io.Writer) error {
	heads, lines := t.heads()
	var rows [][]string
	add := func(label string, cell func(column int) string) {
		var row []string
		for i := range t.Columns {
			row = append(row, cell(i))
		}
		rows = append(rows, append(row, label))
	}
	for n := 1 - lines; n <= 0; n++ {
		label := ""
		if n == 0 {
			label = t.Labels[0]
		}
		add(label, func(i int) string {
			if at := n - 1 + len(heads[i]); at >= 0 {
				return heads[i][at]
			}
			return ""
		})
	}
	if t.whole {
		add("(whole program)", func(i int) string { return t.Columns[i].show(t.Columns[i].value(t.Columns[i].Total, t.Columns[i].in)) })
	}
	for _, r := range t.Rows {
		add(r.Shown, func(i int) string { return t.Columns[i].show(r.Values[i]) })
	}
	var out strings.Builder
	for _, line := range t.Title {
		out.WriteString(line + "\n")
	}
	readable.Table(&out, rows, strings.Repeat("r", len(t.Columns))+"-")
	if t.more > 0 {
		fmt.Fprintf(&out, "… %d more rows\n", t.more)
	}
	for _, note := range t.Notes {
		out.WriteString("! " + readable.Clean(note) + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// heads returns the headings of the columns, and how many lines they take.
func (t *Table) heads() (heads [][]string, lines int) {
	lines = 1
	for _, c := range t.Columns {
		h := heading(c.Name)
		heads = append(heads, h)
		lines = max(lines, len(h))
	}
	return heads, lines
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
	case v.In != nil:
		low, high := c.show(Value{Value: cube.Float(v.In.Low), Known: true}), c.show(Value{Value: cube.Float(v.In.High), Known: true})
		switch {
		case low == high:
			return low
		case v.In.Low == 0:
			return "≤" + high
		}
		return readable.Between(low, high)
	case !v.Known:
		return "–"
	case v.Zero():
		return "0"
	case c.Share:
		return readable.Percent(v.Float64())
	case strings.HasPrefix(c.Unit, "share"): // a ratio: "share of branches"
		return readable.Percent(100 * v.Float64())
	}
	return readable.Quantity(v.Float64(), c.Unit)
}
