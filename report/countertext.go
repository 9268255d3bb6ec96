package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// wholeProcess begins the names of counters that no way of recording attributes to goroutines (wire.ProcessCounter).
const wholeProcess = "go:"

// counters shows the hierarchies of counters as trees, ratios, and what is in no hierarchy, each with its call paths.
func (p *page) counters() {
	first := true
	for i := range p.e.Metrics {
		if m := &p.e.Metrics[i]; m.Hierarchy != "" && m.Parent == "" && p.e.anything(i) {
			p.hierarchy(i, first)
			first = false
		}
	}
	p.ratios()
	p.flatCounters(first)
	p.exactCounters()
	if len(p.e.Notes) > 0 {
		p.blank()
		p.line(p.paint(dim, "Not derived, or doubtful:"))
		for _, n := range p.e.Notes[:min(len(p.e.Notes), p.top)] {
			p.styledPara(dim, 2, "", n)
		}
		p.more(p.top, len(p.e.Notes), "metric")
	}
}

// hierarchy shows the tree of one root, and where most of it is.
func (p *page) hierarchy(root int, first bool) {
	e := p.e
	if p.blank(); first {
		p.line(p.paint(bold, left("Counters", 44)), p.paint(dim, right("total", 18)+right("of parent", 11)))
		p.processor()
	}
	m := &e.Metrics[root]
	certain, low, _ := e.bounds(root)
	if certain == 0 && low == 0 {
		p.line(p.paint(cyan, left("  "+clean(m.Label()), 43)), p.paint(dim, "of all goroutines, while one was in"))
		p.largest(e.inclusive(root, true), 0, m.Unit)
		return
	}
	p.branch(root, 0, certain)
	if certain > 0 {
		p.line(p.paint(dim, "    mostly in"))
	}
	p.largest(e.inclusive(root, false), certain, m.Unit)
}

// processor says what was counted on, as far as it is known.
func (p *page) processor() {
	h := &p.e.Header
	if h.CPU.Name == "" {
		return
	}
	text := "on " + clean(h.CPU.Name)
	if h.Frequency > 0 {
		text += ", cycles of " + digits(float64(h.Frequency)/1e9) + nbsp + "GHz"
	}
	p.styledPara(dim, 2, "", text)
}

// branch shows a metric of a hierarchy and those below it; whole is its parent's value.
func (p *page) branch(i, depth int, whole int64) {
	e := p.e
	m := &e.Metrics[i]
	total, low, high := e.bounds(i)
	p.row(depth, m.Label(), total, whole, m, cyan)
	p.bounds(depth+1, low, total, high, m)
	rest, slack, below := total, high-total, 0
	for k := i + 1; k < len(e.Metrics); k++ {
		if c := &e.Metrics[k]; c.Parent == m.Name && !c.Margin() {
			v, low, _ := e.bounds(k)
			if below++; e.anything(k) {
				p.branch(k, depth+1, total)
			}
			rest, slack = rest-v, slack+v-low
		}
	}
	switch {
	case below == 0 || rest == 0 || rest < 0 && rest+slack >= 0: // what is uncertain may make up for it
	case rest > 0:
		p.row(depth+1, "unaccounted", rest, total, m, dim)
	default:
		p.row(depth+1, "contradiction: parts exceed the whole", rest, total, m, red)
	}
}

// bounds shows what a metric lies in, if not all of it is certain.
func (p *page) bounds(depth int, low, certain, high int64, m *metric.Metric) {
	switch {
	case low == certain && high == certain:
	case low == certain:
		p.row(depth, "and at most, attribution uncertain", high-certain, 0, m, dim)
	default:
		text := quantity(low, m.Unit) + " and " + quantity(high, m.Unit)
		p.line(p.paint(dim, left(strings.Repeat("  ", depth+1)+"not certain, between", 62-width(text))+text))
	}
}

// anything says that something of a metric was counted, certain or not.
func (e *Experiment) anything(i int) bool {
	certain, low, high := e.bounds(i)
	return low != 0 || high != 0 || certain != 0
}

// row shows one value of a hierarchy. Cycles are told in seconds, too, if the clock rate is known.
func (p *page) row(depth int, name string, value, whole int64, m *metric.Metric, st style) {
	row := left(strings.Repeat("  ", depth+1)+clean(name), 42) + " "
	share := ""
	if depth > 0 && whole != 0 {
		share = percent(value, whole)
	}
	time := ""
	if m.UnitName == "cycles" && p.e.Header.Frequency > 0 {
		time = seconds(int64(float64(value) / float64(p.e.Header.Frequency) * 1e9))
	}
	text := number(quantity(value, m.Unit), 18)
	if _, low, high := p.e.bounds(p.e.MetricIndex(m.Name)); value == 0 && low != high {
		text = "–" // nothing of it is certain
	}
	p.line(p.paint(st, row), right(text, 19), right(share, 9), right(time, 9))
}

// exactCounters suggests a build in which counters are certain, if most of one of the goroutines' counters is not.
func (p *page) exactCounters() {
	for i := range p.e.Metrics {
		m := &p.e.Metrics[i]
		certain, _, _ := p.e.bounds(i)
		if m.Kind == metric.Counter && !strings.HasPrefix(m.Title, wholeProcess) && p.e.Total(i)-certain > certain {
			p.blank()
			p.styledPara(dim, 0, "", fmt.Sprintf("Most of %s is not certain: other goroutines may have run on the thread between readings. "+
				"A program built with tracerec build --exact-counters counts exactly.", clean(m.Title)))
			return
		}
	}
}

// ratioColumns is how many ratios stand beside each other.
const ratioColumns = 3

// ratios shows the ratios of the whole program, then of the call paths that matter most to them.
func (p *page) ratios() {
	list := p.e.Ratios
	if len(list) == 0 {
		return
	}
	p.title("Ratios", "")
	sums := p.sums()
	for i := range list {
		r := &list[i]
		p.line(p.paint(cyan, left("  "+clean(r.Name), 24)), right(p.ratio(sums, r, -1), 13), "  ", p.paint(dim, left(clean(r.Unit), 41)))
	}
	for from := 0; from < len(list); from += ratioColumns {
		p.ratioTable(sums, list[from:min(from+ratioColumns, len(list))])
	}
}

// ratio writes a ratio at a call path, of the whole program if it is negative.
func (p *page) ratio(sums *Sums, r *Ratio, path int) string {
	if v, ok := sums.Ratio(r, path); ok {
		return EstimateText(v, r.Unit)
	}
	return "–"
}

// ratioTable shows a few ratios by call path.
func (p *page) ratioTable(sums *Sums, list []Ratio) {
	const w = 16
	paths := sums.weightiest(list, func(path int) bool {
		return slices.ContainsFunc(list, func(r Ratio) bool { _, ok := sums.Ratio(&r, path); return ok })
	})
	if len(paths) == 0 {
		return
	}
	heads, room := "", pageWidth-w*len(list)
	for i := range list {
		heads += " " + right(clean(list[i].Name), w-1)
	}
	p.blank()
	p.line(p.paint(dim, left("  in", room)), p.paint(cyan, heads))
	for _, path := range paths[:min(len(paths), p.top)] {
		row := ""
		for i := range list {
			row += right(p.ratio(sums, &list[i], path), w)
		}
		names := p.ends(uint32(path))
		for i := range names {
			names[i] = regionName(names[i])
		}
		p.line("  ", left(elidePath(names, room-4), room-4), "  ", row)
	}
	p.more(p.top, len(paths), "call path")
}

// sums are those of the experiment, made once.
func (p *page) sums() *Sums {
	if p.ratioSums == nil {
		p.ratioSums = p.e.Sums()
	}
	return p.ratioSums
}

// weightiest lists the call paths that are wanted by the largest part that they have in any operand of the ratios.
func (s *Sums) weightiest(list []Ratio, wanted func(path int) bool) []int {
	weight := make([]float64, len(s.e.Paths))
	for i := range list {
		for _, o := range list[i].Operands {
			total := float64(s.Total(o.Metric, o.All))
			for path, v := range s.Paths(o.Metric, o.All) {
				if total > 0 {
					weight[path] = max(weight[path], float64(v)/total)
				}
			}
		}
	}
	var paths []int
	for path := range weight {
		if weight[path] > 0 && wanted(path) {
			paths = append(paths, path)
		}
	}
	slices.SortStableFunc(paths, func(a, b int) int { return cmp.Compare(weight[b], weight[a]) })
	return paths
}

// flatCounters shows the counters that no hierarchy shows.
func (p *page) flatCounters(only bool) {
	e := p.e
	first := true
	for i := range e.Metrics {
		m := &e.Metrics[i]
		total := e.Total(i)
		listed := !only && !slices.Contains(e.Unlisted, m.Title)
		if m.Kind != metric.Counter || listed || total == 0 {
			continue
		}
		if first {
			title := "Counters"
			if !only {
				title = "Counters in no hierarchy"
			}
			p.title(title, "most on")
			first = false
		}
		certain, _, _ := e.bounds(i)
		text := clean(m.Title) + ", of all goroutines, while one was in"
		if certain != 0 {
			text = fmt.Sprintf("%s: %s", clean(m.Title), quantity(certain, m.Unit))
			if more := total - certain; more != 0 {
				text += fmt.Sprintf(", and at most %s more, attribution uncertain", quantity(more, m.Unit))
			}
		}
		p.line(p.paint(cyan, "  "+strings.Join(wrap(text, pageWidth-2), "\n  ")))
		p.largest(e.inclusive(i, certain == 0), certain, m.Unit)
	}
}

// properties lists what is wrong by the counters, most events first.
func (p *page) properties() {
	e := p.e
	if len(e.Properties) == 0 {
		return
	}
	p.title("What the counters say", "by number of events, not time")
	said := map[string]int{}
	for i := range e.Properties[:min(len(e.Properties), p.top)] {
		f := &e.Properties[i]
		name, n := fmt.Sprintf("%2d  %s", i+1, clean(f.Title)), shortCount(f.Part)
		p.line(p.paint(bold, left(name, pageWidth-width(n)-1)), " ", p.paint(red, n))
		p.para(4, "", p.property(f))
		p.place("in", f.Path)
		if first, ok := said[f.Property+f.Advice]; ok {
			p.styledPara(cyan, 4, "→ ", fmt.Sprintf("same as for %d", first))
		} else {
			said[f.Property+f.Advice] = i + 1
			p.styledPara(cyan, 4, "→ ", f.Advice)
		}
	}
	p.more(p.top, len(e.Properties), "finding")
}

// property words a finding of a property.
func (p *page) property(f *PropertyFinding) string {
	of, part := float64(f.Of), float64(f.Part)
	perSecond := part * 1e9 / of
	words := strings.NewReplacer("{share}", glue(percent(f.Part, f.Of)), "{part}", glue(shortCount(f.Part)), "{of}", glue(shortCount(f.Of)),
		"{thousand}", digits(1000*part/of), "{rate}", glue(shortCount(int64(math.Round(min(perSecond, 1<<62))))),
		"{bytes}", glue(quantity(f.Part, metric.Bytes)), "{byterate}", glue(quantity(int64(min(perSecond, 1<<62)), metric.Bytes))).Replace(clean(f.Words))
	text := fmt.Sprintf("%s in %s: %s", clean(f.Title), p.at(f.Path), words)
	for i, k := range f.Kinds {
		if text += ", " + glue(percent(k.Part, f.Part)); i == 0 {
			text += " of them"
		}
		text += " " + clean(k.Words)
	}
	if f.Shared {
		text += "; the whole process is counted, so others may have contributed"
	}
	return fmt.Sprintf("%s (%s / %s).", text, clean(f.PartName), clean(f.OfName))
}

// shortCount writes a count for a sentence: 3.10 M.
func shortCount(n int64) string {
	if n > -10_000 && n < 10_000 {
		return strconv.FormatInt(n, 10)
	}
	return readable.Short(float64(n))
}
