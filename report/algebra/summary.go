package algebra

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// Summary says of how many runs a report is the mean, and how their values for the whole program differ.
type Summary struct {
	Runs []string // names
	Rows []SummaryRow
}

// SummaryRow is a metric's value for the whole program.
type SummaryRow struct {
	Metric *query.Metric // nil: the time from start to end, in seconds
	Band
}

// Summarize returns the summary of a report that was made by Mean or Merge, nil of any other.
func Summarize(c *cube.Cube) (*Summary, error) {
	s, err := sidesOf(c)
	if err != nil || s == nil || len(s.sides[1]) > 0 {
		return nil, err
	}
	x := &Summary{}
	for _, r := range s.sides[0] {
		x.Runs = append(x.Runs, r.Name)
	}
	if walls := s.walls(0); len(walls) > 0 {
		x.Rows = append(x.Rows, SummaryRow{nil, bandOf(walls)})
	}
	for _, m := range s.model.Metrics {
		band, _, err := s.bands(m.Name, false, nil, true)
		if err == nil && band.N > 0 {
			x.Rows = append(x.Rows, SummaryRow{m, band})
		}
	}
	return x, nil
}

// Text prints the summary as a table of the metrics that are not zero, but for those deep in their trees.
func (x *Summary) Text(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%d runs: %s\n\n", len(x.Runs), readable.Clean(enumerate(x.Runs)))
	fmt.Fprintf(b, "%11s %11s %11s %11s %11s  for the whole program\n", "mean", "least", "greatest", "deviation", "noise")
	for _, r := range x.Rows {
		depth := r.depth()
		if r.Min == 0 && r.Max == 0 || depth > 2 {
			continue
		}
		title := strings.Repeat("  ", depth) + r.title()
		if r.N < len(x.Runs) {
			title += " (of " + readable.Plural(r.N, "run") + ")"
		}
		line := ""
		for _, v := range []float64{r.Mean, r.Min, r.Max, r.StdDev} {
			line += readable.Number(r.text(v), 11) + " "
		}
		fmt.Fprintf(b, "%s%s  %s\n", line, readable.Number(strings.Replace("±"+r.text(r.Noise), "±?", "?", 1), 11), readable.Clean(title))
	}
	return b.Flush()
}

func (r SummaryRow) depth() int {
	n := 0
	for m := r.Metric; m != nil && m.Parent != nil; m = m.Parent {
		n++
	}
	return n
}

func (r SummaryRow) title() string {
	if r.Metric == nil {
		return "From start to end"
	}
	return title(r.Metric)
}

// text writes a value, unless it is not known.
func (r SummaryRow) text(v float64) string {
	if math.IsNaN(v) {
		return "?"
	}
	return value(v, Change{Metric: r.Metric})
}

// JSON writes the summary for other programs, with all metrics.
func (x *Summary) JSON(w io.Writer) error {
	type row struct {
		Metric string   `json:"metric"`
		Unit   string   `json:"unit"`
		Runs   int      `json:"runs"`
		Mean   *float64 `json:"mean"` // null: not a number, or unknown
		Min    *float64 `json:"min"`
		Max    *float64 `json:"max"`
		StdDev *float64 `json:"std_dev"`
		Noise  *float64 `json:"noise"` // half width of the band of 95 %
	}
	rows := []row{}
	for _, r := range x.Rows {
		name, unit := "wall", "sec"
		if r.Metric != nil {
			name, unit = r.Metric.Name, r.Metric.Unit
		}
		rows = append(rows, row{name, unit, r.N, number64(r.Mean), number64(r.Min), number64(r.Max), number64(r.StdDev), number64(r.Noise)})
	}
	return readable.JSON(w, struct {
		Runs    []string `json:"runs"`
		Metrics []row    `json:"metrics"`
	}{x.Runs, rows})
}
