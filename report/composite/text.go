package composite

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report"
)

// JSON writes the comparison for programs.
func (c *Comparison) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(c)
}

// Text writes the comparison as a table with a column for each platform. Shares are of the root of the hierarchy, as in
// the paper, or of the parent.
func (c *Comparison) Text(w io.Writer, ofParent bool) error {
	t := table{}
	t.add("", names(c.Platforms, func(p Platform) string { return p.Name })...)
	for _, line := range []struct {
		title string
		of    func(Platform) string
	}{
		{"program", func(p Platform) string { return p.Program[strings.LastIndexByte(p.Program, '/')+1:] }},
		{"processor", func(p Platform) string { return p.Processor }},
		{"locations", func(p Platform) string { return fmt.Sprint(p.Locations) }},
	} {
		if values := names(c.Platforms, line.of); strings.Join(values, "") != "" {
			t.add(line.title, values...)
		}
	}
	for _, r := range c.Rows {
		if r.Depth == 0 {
			t.add("")
		}
		var cells []string
		for _, x := range r.Cells {
			cells = append(cells, x.text(r.Unit, r.Depth > 0, ofParent))
		}
		t.add(strings.Repeat("  ", r.Depth)+r.Label, cells...)
	}
	if len(c.Ratios) > 0 {
		t.add("")
	}
	for _, r := range c.Ratios {
		var cells []string
		for i, v := range r.Values {
			switch {
			case v == nil:
				cells = append(cells, "–")
			case r.AtLeast[i] != nil:
				cells = append(cells, report.EstimateText(report.Estimate{Value: *v, Interval: spec.Interval{Low: *r.AtLeast[i], High: *r.AtMost[i]}}, r.Unit))
			default:
				cells = append(cells, report.RatioText(*v, r.Unit))
			}
		}
		t.add(r.Name, append(cells, note+readable.Clean(r.Unit))...)
	}
	if c.Hidden > 0 {
		t.add("")
		t.add(fmt.Sprintf("left out: %d metrics of one platform only (--all shows them)", c.Hidden))
	}
	return t.write(w)
}

// names are the texts of all platforms.
func names(list []Platform, of func(Platform) string) (texts []string) {
	for _, p := range list {
		texts = append(texts, readable.Clean(of(p)))
	}
	return texts
}

// text writes a value: ~1,234 ± 5 (12.3 %).
func (x Cell) text(unit string, share, ofParent bool) string {
	if x.Value == nil && x.AtLeast == nil {
		return "–"
	}
	var b strings.Builder
	if x.Incomplete {
		b.WriteString(metric.Mark)
	}
	write := grouped
	if unit == "ns" {
		write = func(v float64) string { return report.Seconds(int64(math.Round(v))) }
	}
	switch {
	case x.AtLeast == nil:
		b.WriteString(write(*x.Value))
	case *x.AtLeast == 0:
		b.WriteString("≤" + write(*x.AtMost))
	default:
		b.WriteString(readable.Between(write(*x.AtLeast), write(*x.AtMost)))
	}
	if x.Noise != nil {
		b.WriteString(" ± " + write(*x.Noise))
	}
	of := x.OfRoot
	if ofParent {
		of = x.OfParent
	}
	if share && of != nil {
		fmt.Fprintf(&b, " (%5.1f %%)", *of)
	}
	return b.String()
}

// grouped writes a number with its thousands apart; a fraction only where there is little before it.
func grouped(v float64) string {
	if v != math.Trunc(v) && math.Abs(v) < 100 {
		return fmt.Sprintf("%.3g", v)
	}
	text := fmt.Sprintf("%.0f", math.Abs(v))
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if v <= -0.5 {
		text = "−" + text
	}
	return text
}

// note begins a text behind the columns.
const note = "\x00"

// table is lines of cells, of which the first is a title.
type table struct{ lines [][]string }

func (t *table) add(title string, cells ...string) {
	t.lines = append(t.lines, append([]string{readable.Clean(title)}, cells...))
}

// write writes the lines, cells at the right of their columns.
func (t *table) write(w io.Writer) error {
	var wide []int
	for _, line := range t.lines {
		for i, cell := range line {
			if len(line) == 1 || strings.HasPrefix(cell, note) {
				continue // a sentence
			}
			if i == len(wide) {
				wide = append(wide, 0)
			}
			wide[i] = max(wide[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range t.lines {
		var b strings.Builder
		for i, cell := range line {
			pad := ""
			if text, ok := strings.CutPrefix(cell, note); ok {
				cell = text
			} else if len(line) > 1 {
				pad = strings.Repeat(" ", wide[i]-utf8.RuneCountInString(cell))
			}
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
