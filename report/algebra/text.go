package algebra

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/report/cube"
)

// TextOptions are choices about texts for people.
type TextOptions struct {
	Top        int      // rows of each list
	Notes      []string // of the Result
	Repeatable bool     // every run is the same, as on the simulator: between single runs there is no noise
}

// Text says what changed, the most important first.
func (x *Changes) Text(w io.Writer, o TextOptions) error {
	b := bufio.NewWriter(w)
	p := &page{Writer: b, changes: x, a: x.A, b: x.B, top: o.Top}
	if readable.Width(x.A) > maxTitle || readable.Width(x.B) > maxTitle {
		p.a, p.b = "A", "B"
		p.line("A = %s", x.A)
		p.line("B = %s", x.B)
		p.line("")
	}
	for _, n := range o.Notes {
		if rest, ok := strings.CutPrefix(n, "warning: "); ok {
			p.line("Warning: %s.", rest)
		}
	}
	for _, sentence := range x.lead(p.a, p.b, o.Repeatable) {
		p.line("%s", sentence)
	}
	p.line("")
	p.requests()
	p.totals()
	p.calls()
	p.comeAndGone()
	p.others()
	if p.within {
		p.line("~ stands before the noise of a change that is no larger.")
	}
	for _, u := range x.Unknown {
		p.line("Note: %s", u)
	}
	for _, n := range o.Notes {
		if !strings.HasPrefix(n, "warning: ") {
			p.line("Note: %s", n)
		}
	}
	return b.Flush()
}

const (
	maxTitle   = 12     // characters of a column's title
	maxWhere   = 76     // and of a call path
	negligible = 0.0005 // part of all time below which a change is not worth a line
)

// page is a text in the making.
type page struct {
	*bufio.Writer
	changes *Changes
	a, b    string // names of the sides
	top     int
	within  bool // a change was marked as no more than noise
}

func (p *page) line(format string, args ...any) {
	fmt.Fprintln(p, readable.Clean(strings.TrimRight(fmt.Sprintf(format, args...), " ")))
}

// totals shows the program as a whole.
func (p *page) totals() {
	p.head("Whole program")
	if c, ok := p.changes.wall(); ok {
		p.row(c, "from start to end")
	}
	for _, c := range p.changes.Totals {
		if c.Metric.Name == metric.CriticalPath {
			p.row(c, "critical path")
		}
	}
	for _, c := range p.changes.Totals {
		depth := 0
		for m := c.Metric.Parent; m != nil; m = m.Parent {
			depth++
		}
		if top(c) == metric.Time && depth < 3 && (c.A != 0 || c.B != 0) {
			title := title(c.Metric)
			if depth == 0 {
				title += ", all " + p.changes.locations + " together"
			}
			p.row(c, strings.Repeat("  ", depth)+title)
		}
	}
	p.line("")
}

// top returns the name of the metric at the top of the tree.
func top(c Change) string {
	m := c.Metric
	for m.Parent != nil {
		m = m.Parent
	}
	return m.Name
}

// head begins a table.
func (p *page) head(text string) {
	p.line("%s", text)
	p.line("%s %s %s %9s  %s", readable.Right("change", 11), readable.Right(p.a, maxTitle), readable.Right(p.b, maxTitle), "", p.noiseTitle())
}

func (p *page) noiseTitle() string {
	if p.changes.RunsA+p.changes.RunsB > 2 {
		return "   noise"
	}
	return ""
}

// row shows a change. What is not certain has no one number: behind its name is what it lies in.
func (p *page) row(c Change, what string) {
	change, part := signed(c), relative(c)
	if c.In != nil {
		change, part = "?", ""
	}
	p.line("%s %s %s %s %s %s%s", readable.Number(change, 11), readable.Number(c.side(0), maxTitle),
		readable.Number(c.side(1), maxTitle), readable.Number(part, 9), p.noise(c), what, c.between())
}

// noise shows the noise of a change, and whether it is less.
func (p *page) noise(c Change) string {
	if p.changes.RunsA+p.changes.RunsB <= 2 {
		return ""
	}
	beyond, known := c.Beyond()
	switch {
	case c.In != nil, known && c.A == c.B:
		return readable.Right("", 11) + " "
	case !known:
		return readable.Right("?", 11) + " "
	case beyond:
		return readable.Number("±"+value(c.Noise, c), 11) + " "
	}
	p.within = true
	return readable.Number("~±"+value(c.Noise, c), 11) + " "
}

// calls shows where time was won and lost.
func (p *page) calls() {
	whole := 0.0
	for _, c := range p.changes.Totals {
		if c.Metric.Parent == nil && len(p.changes.Calls) > 0 && top(p.changes.Calls[0]) == c.Metric.Name {
			whole = math.Max(c.A, c.B)
		}
	}
	for _, part := range []struct {
		title string
		sign  float64
	}{{"Less time", -1}, {"More time", 1}} {
		shown, rest := 0, 0.0
		for _, c := range p.changes.Calls {
			if c.Delta()*part.sign <= 0 {
				continue
			}
			if shown == p.top || c.size() < negligible*whole {
				rest += c.Delta()
				continue
			}
			if shown == 0 {
				p.head(part.title + " in " + p.b + ", by metric and call path")
			}
			shown++
			p.row(c, c.title+" in "+where(c.Path))
		}
		if shown > 0 {
			if c := p.changes.Calls[0]; rest != 0 {
				p.line("%s elsewhere", readable.Number(signed(Change{Metric: c.Metric, B: rest}), 11))
			}
			p.line("")
		}
	}
}

// comeAndGone lists the call paths that only one side has.
func (p *page) comeAndGone() {
	for _, part := range []struct {
		of   string
		list []Change
	}{{p.a, p.changes.Gone}, {p.b, p.changes.New}} {
		for i, c := range part.list {
			if i == 0 {
				p.line("Only in %s", part.of)
			}
			if i == p.top {
				p.line("  and %s", readable.Plural(len(part.list)-i, "more call path"))
				break
			}
			p.line("  %s with %s", where(c.Path), value(c.A+c.B, c))
		}
		if len(part.list) > 0 {
			p.line("")
		}
	}
}

// others shows what other metrics say.
func (p *page) others() {
	var list []Change
	for _, c := range p.changes.Totals {
		beyond, known := c.Beyond()
		changed := c.A != c.B && !math.IsNaN(c.Delta()) && (beyond || !known)
		if top(c) != metric.Time && c.Metric.Name != metric.CriticalPath && !c.Metric.Margin() && (changed || !c.Between().Certain()) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return
	}
	sortOthers(list)
	p.head("Other metrics")
	for i, c := range list {
		if i == p.top {
			p.line("%s and %d more metrics", readable.Right("", 11), len(list)-i)
			break
		}
		what := c.title
		for _, o := range p.changes.Others {
			if o.Metric == c.Metric {
				what += ", most in " + where(o.Path)
			}
		}
		p.row(c, what)
	}
	p.line("")
}

// where names a call path, the end of it if it is long, and its place in the source.
func where(c *cube.CallPath) string {
	name, place := pathName(c), ""
	if file, line := source(c); line > 0 {
		place = readable.Place(readable.Base(file), line)
	}
	if strings.HasSuffix(name, place) {
		place = ""
	}
	for full := name; readable.Width(name) > maxWhere; name = "…" + full {
		_, rest, ok := strings.Cut(full[1:], "/")
		if !ok {
			break
		}
		full = "/" + rest
	}
	if place != "" {
		place = " (" + place + ")"
	}
	return name + place
}

// source returns where a call is, or what is called.
func source(p *cube.CallPath) (file string, line int) {
	if p.Line > 0 && p.Module != "" {
		return p.Module, p.Line
	}
	return p.Region.Module, max(0, p.Region.Begin)
}
