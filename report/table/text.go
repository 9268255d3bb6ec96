package table

import (
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// gap separates the columns of a text.
const gap = "  "

// layout is a table being laid out for people.
type layout struct {
	out    strings.Builder
	widths []int // of the columns
}

// sign says what the values of a difference are.
func sign(m *query.Model) []string {
	if of := m.Difference(); of != "" {
		return []string{"Difference " + readable.Clean(of)}
	}
	return nil
}

// text writes the table for people.
func (t *Table) text(w io.Writer) error {
	l := &layout{widths: make([]int, len(t.Columns))}
	heads, lines := t.heads()
	rows := make([][]string, 0, len(t.Rows)+lines+1)
	for n := range lines {
		row := make([]string, len(t.Columns))
		for i, h := range heads {
			if at := n - lines + len(h); at >= 0 {
				row[i] = h[at]
			}
		}
		rows = append(rows, row)
	}
	labels := make([]string, lines, cap(rows))
	labels[lines-1] = t.Labels[0]
	if t.whole {
		row := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			row[i] = c.show(c.value(c.Total, c.in))
		}
		rows, labels = append(rows, row), append(labels, "(whole program)")
	}
	for r := range t.Rows {
		row := make([]string, len(t.Columns))
		for i := range t.Columns {
			row[i] = t.Columns[i].show(t.Rows[r].Values[i])
		}
		rows, labels = append(rows, row), append(labels, t.Rows[r].Shown)
	}
	for _, line := range t.Title {
		l.out.WriteString(line + "\n")
	}
	l.rows(rows, labels)
	if t.more > 0 {
		fmt.Fprintf(&l.out, "… %d more rows\n", t.more)
	}
	for _, note := range t.Notes {
		l.out.WriteString("! " + readable.Clean(note) + "\n")
	}
	_, err := io.WriteString(w, l.out.String())
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

// rows writes rows, with a label behind each.
func (l *layout) rows(rows [][]string, labels []string) {
	for _, row := range rows {
		for i, cell := range row {
			l.widths[i] = max(l.widths[i], readable.Width(cell))
		}
	}
	for r, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			line.WriteString(readable.Right(cell, l.widths[i]) + gap)
		}
		l.out.WriteString(strings.TrimRight(line.String()+labels[r], " ") + "\n")
	}
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
