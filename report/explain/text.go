package explain

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"tracerec/internal/readable"
	"tracerec/report"
	"tracerec/report/query"
)

const width = readable.Columns

// page is a text in the making.
type page struct {
	*bufio.Writer
	*Explanation
}

// Text writes the explanation for people, 80 columns wide, at most top findings. name is what the user calls the report.
func (x *Explanation) Text(w io.Writer, name string, top int) error {
	p := &page{bufio.NewWriter(w), x}
	if program := x.attr("program"); program != "" {
		name = strings.TrimSpace(report.ProgramName(program) + " " + x.attr("args"))
	}
	p.line(readable.Elide(readable.Clean(name), width))
	p.line("")
	p.para(0, "", x.Verdict.Text)
	for _, sentence := range x.Lead {
		p.para(0, "", sentence)
	}
	for _, text := range x.Warnings {
		p.para(0, "! ", text)
	}
	p.tree()
	p.findings(top)
	return p.Flush()
}

func (p *page) line(s string) { fmt.Fprintln(p, strings.TrimRight(s, " ")) }

// para writes wrapped text. mark stands before its first line.
func (p *page) para(indent int, mark, text string) {
	for _, l := range readable.Hang(strings.Repeat(" ", indent)+mark, readable.Clean(readable.Loose(text)), width) {
		p.line(l)
	}
}

// tree shows the metrics that divide time, or all if the report has none of time; those that are zero are left out.
func (p *page) tree() {
	time := p.model.Time()
	p.line("")
	if time == nil {
		p.line("Metrics")
	} else {
		p.line("Where the time goes")
	}
	for _, q := range p.model.Metrics {
		depth, top := 0, q
		for ; top.Parent != nil && top != time; top = top.Parent {
			depth++
		}
		v, err := p.model.Total(query.What{Metric: q})
		if time != nil && top != time || err != nil || v.Float64() == 0 || !finite(v) {
			continue
		}
		share := ""
		if p.time > 0 {
			share = readable.Percent(100 * v.Float64() * query.SecondsPer(q.Unit) * 1e9 / p.time)
		}
		title := strings.Repeat("  ", min(depth, 15)) + readable.Clean(q.Title)
		p.line(readable.Left(title, 56) + readable.Number(readable.Quantity(v.Float64(), unit(q)), 14) + readable.Right(share, 10))
	}
}

// unit is what readable calls a metric's unit.
func unit(q *query.Metric) string {
	if query.SecondsPer(q.Unit) == 1 {
		return "sec"
	}
	return q.Unit
}

// findings lists what was concluded, ranked by cost.
func (p *page) findings(top int) {
	p.line("")
	p.line("Findings")
	switch {
	case len(p.model.Waits()) == 0:
		p.para(0, "", "The report has no metrics of waiting.")
	case len(p.Findings) == 0:
		p.para(0, "", "No wait states were found.")
	}
	said := map[string]int{}
	for i := range p.Findings[:min(len(p.Findings), top)] {
		f := &p.Findings[i]
		cost := readable.Percent(100*f.Share) + " of all time"
		name := fmt.Sprintf("%2d  %s in %s", i+1, readable.Clean(f.Title), readable.Clean(f.Path.Region.Name))
		p.line(readable.Left(name, width-1-readable.Width(cost)) + " " + cost)
		p.para(4, "", f.Text)
		p.place(f)
		if first, ok := said[f.Advice]; ok {
			p.para(4, "→ ", fmt.Sprintf("same as for %d", first))
		} else if f.Advice != "" {
			p.para(4, "→ ", f.Advice)
			said[f.Advice] = i + 1
		}
	}
	if n := len(p.Findings) - top; n > 0 {
		p.line(fmt.Sprintf("    … and %d more (--top %d shows all)", n, len(p.Findings)))
	}
}

// place writes the call path of a finding, the end of it if it is long, and where it is in the source.
func (p *page) place(f *Finding) {
	names := callPath(f.Path)
	for i, name := range names {
		names[i] = readable.Elide(readable.Clean(name), width/2)
	}
	n := len(names)
	for n > 1 && readable.Width(readable.PathEnd(names, n)) > width-6 {
		n--
	}
	p.line("      " + readable.PathEnd(names, n))
	if r := f.Path.Region; r.Module != "" && r.Begin > 0 {
		p.line("      " + readable.Elide(readable.Place(r.Module, r.Begin), width-6))
	}
}
