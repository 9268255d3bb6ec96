package composite

import (
	"fmt"
	"io"
	"math"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report"
)

// JSON writes the comparison for programs.
func (c *Comparison) JSON(w io.Writer) error {
	return readable.JSON(w, c)
}

// Text writes the comparison as a table with a column for each platform. Shares are of the root of the hierarchy, as in
// the paper, or of the parent.
func (c *Comparison) Text(w io.Writer, ofParent bool) error {
	var rows [][]string
	add := func(title string, cells ...string) {
		rows = append(rows, append([]string{readable.Clean(title)}, cells...))
	}
	c.describe(add)
	for _, r := range c.Rows {
		if r.Depth == 0 {
			add("")
		}
		var cells []string
		for _, x := range r.Cells {
			cells = append(cells, x.text(r.Unit, r.Depth > 0, ofParent))
		}
		add(strings.Repeat("  ", r.Depth)+r.Label, cells...)
	}
	if len(c.Ratios) > 0 {
		add("")
	}
	for _, r := range c.Ratios {
		var cells []string
		for i := range r.Values {
			cells = append(cells, r.text(i))
		}
		add(r.Name, append(cells, readable.Clean(r.Unit))...)
	}
	if c.Hidden > 0 {
		add("")
		add(fmt.Sprintf("left out: %d metrics of one platform only (--all shows them)", c.Hidden))
	}
	align := "l" + strings.Repeat("r", len(c.Platforms)) + "-"
	return readable.Table(w, rows, align)
}

// describe adds what is known of the platforms.
func (c *Comparison) describe(add func(title string, cells ...string)) {
	add("", names(c.Platforms, func(p Platform) string { return p.Name })...)
	for _, line := range []struct {
		title string
		of    func(Platform) string
	}{
		{"program", func(p Platform) string { return readable.Base(p.Program) }},
		{"processor", func(p Platform) string { return p.Processor }},
		{"locations", func(p Platform) string { return fmt.Sprint(p.Locations) }},
	} {
		if values := names(c.Platforms, line.of); strings.Join(values, "") != "" {
			add(line.title, values...)
		}
	}
}

// text writes the value of a platform.
func (r RatioRow) text(platform int) string {
	switch v := r.Values[platform]; {
	case v == nil:
		return "–"
	case r.AtLeast[platform] != nil:
		return report.EstimateText(report.Estimate{Value: *v, Interval: spec.Interval{Low: *r.AtLeast[platform], High: *r.AtMost[platform]}}, r.Unit)
	default:
		return report.RatioText(*v, r.Unit)
	}
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
		write = seconds
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
		b.WriteString(" (" + readable.Right(readable.Percent(*of), 7) + ")")
	}
	return b.String()
}

// grouped writes a number with its thousands apart; a fraction only where there is little before it.
func grouped(v float64) string {
	if v != math.Trunc(v) && math.Abs(v) < 100 {
		return fmt.Sprintf("%.3g", v)
	}
	return readable.Count(math.RoundToEven(v) + 0) // no -0
}
