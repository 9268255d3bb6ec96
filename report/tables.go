package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// shares writes the largest shares of a metric over call paths, with who has most of each.
func (p *page) shares(metricIndex int, whole int64, unit metric.Unit) {
	p.largest(p.e.Cells(metricIndex), whole, unit)
}

// largest is shares for cells; there are no shares of a whole of 0.
func (p *page) largest(cells []Cell, whole int64, unit metric.Unit) {
	all := byPath(p.e.asWritten(cells))
	for len(all) > 0 && all[len(all)-1].value <= 0 {
		all = all[:len(all)-1]
	}
	all, more := all[:min(len(all), p.top)], len(all)
	paths := make([]uint32, len(all))
	for i := range all {
		paths[i] = all[i].path
	}
	alike := p.alike(paths, 40, pageWidth-22)
	for _, s := range all {
		who := p.name(s.largest)
		if s.most < s.value {
			who += " " + readable.RoughPercent(float64(s.most)/float64(s.value))
		}
		share := ""
		if whole != 0 {
			share = percent(s.value, whole)
		}
		p.line(number(quantity(s.value, unit), 11), right(share, 9), "  ",
			p.path(s.path, 40), "  ", p.paint(dim, left(who, 16)))
		p.further(s.path, alike, 22)
	}
	p.more(p.top, more, "call path")
}

// alike returns more of those of some call paths that look like others of them in w columns, in a line with room for wide columns.
func (p *page) alike(paths []uint32, w, wide int) map[uint32]string {
	of, more := map[string]uint32{}, map[uint32]string{}
	for _, path := range paths {
		text := p.path(path, w)
		other, known := of[text]
		if of[text] = path; !known {
			continue
		}
		x, y := p.regionNames(other), p.regionNames(path)
		if slices.Equal(x, y) {
			continue
		}
		for _, n := range []struct {
			path  uint32
			names []string
			than  []string
		}{{other, x, y}, {path, y, x}} {
			line := elidePath(n.names, wide)
			if line == elidePath(n.than, wide) {
				line = elidePath(differing(n.names, n.than), wide)
			}
			more[n.path] = line
		}
	}
	return more
}

// differing returns a call path from the first region on that another one does not have there, and a few behind it.
func differing(names, than []string) []string {
	i := 0
	for i < len(names)-1 && i < len(than) && names[i] == than[i] {
		i++
	}
	part := slices.Clone(names[i:min(i+2, len(names))])
	if i > 0 {
		part = slices.Insert(part, 0, "…")
	}
	if i+2 < len(names) {
		part = append(part, "…")
	}
	return part
}

// further writes a line with more of a call path, indented, if there is any.
func (p *page) further(path uint32, alike map[uint32]string, indent int) {
	if alike[path] != "" {
		p.line(strings.Repeat(" ", indent), p.paint(dim, alike[path]))
	}
}

// criticalPath shows which code the critical path runs through: only making that faster makes the program
// faster. That of a service which mostly waits for what comes from outside, such as requests, tells nothing: it is wherever the program waits.
func (p *page) criticalPath() {
	i := p.e.MetricIndex(metric.CriticalPath)
	if i < 0 || p.e.Total(i) == 0 || p.e.Serves() && 10*p.e.Split.External >= 9*p.e.Header.Focus {
		return
	}
	p.title("The critical path runs through", "mostly on")
	p.shares(i, p.e.Header.Focus, p.e.Metrics[i].Unit)
	p.split()
	if text := p.counted(p.e.PathCounts); text != "" {
		p.styledPara(dim, 2, "", "Counted on it: "+text+".")
	}
}

// causes shows which code took some longer than others, so that these waited.
func (p *page) causes() {
	if p.e.Header.Uncaused {
		p.blank()
		p.styledPara(dim, 0, "", "What caused the waiting was not looked for, since this would take long with so many events, goroutines or waits; expert analyze --causes does it.")
	}
	i := p.e.MetricIndex(metric.Delays)
	if i < 0 {
		return
	}
	cells, known := p.e.inclusive(i, false), int64(0)
	for _, c := range cells {
		known += c.Value
	}
	if known == 0 {
		return
	}
	whole := max(known, p.sum(metric.WaitsByCause))
	p.title("The waiting was caused in", "mostly on")
	p.largest(cells, whole, p.e.Metrics[i].Unit)
	if d := whole - known; d > whole/1000 {
		p.line(number(quantity(d, p.e.Metrics[i].Unit), 11), right(percent(d, whole), 9), "  ", p.paint(dim, "not known"))
	}
	p.indirect()
}

// sum returns the sum of a metric and those below it over all call paths, 0 if there is none.
func (p *page) sum(name string) (sum int64) {
	if i := p.e.MetricIndex(name); i >= 0 {
		for _, c := range p.e.inclusive(i, false) {
			sum += c.Value
		}
	}
	return sum
}

// indirect says how much of the waiting other waits caused, and how much caused others, unless it is next to nothing.
func (p *page) indirect() {
	all, indirect, spreads := p.sum(metric.WaitsByCause), p.sum(metric.IndirectWait), p.sum(metric.Propagating)
	if max(indirect, spreads) < (all+99)/100 || all == 0 {
		return
	}
	p.styledPara(dim, 2, "", fmt.Sprintf("Of the waiting, %s is indirect (whoever was waited for had been waiting, too), and %s made others wait in turn.",
		strings.ReplaceAll(percent(indirect, all), " ", nbsp), strings.ReplaceAll(percent(spreads, all), " ", nbsp)))
}

// OnPath is a part of the critical path.
type OnPath struct {
	Time int64  // ns
	What string // what its goroutines did: "waiting for others"
}

// parts divides the critical path by what its goroutines did. Who sends what comes by the network may be in the same process, so that is not said to be outside.
func (p *page) parts() (list []OnPath) {
	s := &p.e.Split
	network, timers, calls := p.e.network(), p.e.timers(), p.e.calls()
	external := "waiting for what is not in the trace"
	if p.e.Header.allAsleep() {
		external = "waiting for what had not come, or is not in the trace"
	}
	for _, x := range []OnPath{
		{s.Execution, p.executing()}, {s.Runnable, "ready to run"}, {s.Waiting, "waiting for others"}, {s.Sleep, "asleep"},
		{network, "waiting for the network"}, {timers, "waiting for timers"}, {calls, "in system calls"},
		{s.External - network - timers - calls, external}, {s.NotRecorded, "not recorded"},
	} {
		if x.Time > 0 {
			list = append(list, x)
		}
	}
	return list
}

// byTime says that some steps of the critical path are a guess, "" if none is.
func (p *page) byTime() string {
	if p.e.Split.ByTime == 0 {
		return ""
	}
	return glue(count(int64(p.e.Split.ByTime), "step")) + " by time alone, where it is not recorded who started a " + p.e.Header.worker()
}

// split says what the goroutines of the critical path did.
func (p *page) split() {
	var parts []string
	for _, x := range p.parts() {
		parts = append(parts, glue(percent(x.Time, p.e.Header.Focus))+" "+x.What)
	}
	if text := p.byTime(); text != "" {
		parts = append(parts, text)
	}
	if len(parts) > 0 {
		p.styledPara(dim, 2, "", strings.Join(parts, ", ")+".")
	}
}

// imbalance shows call paths that cost some goroutines more than the average of their group, once that is at least a hundredth of
// the time.
func (p *page) imbalance() {
	i := p.e.MetricIndex(metric.Overload)
	if i < 0 {
		i = p.e.MetricIndex(metric.Imbalance)
	}
	if i < 0 || p.e.Total(i)*100 < p.e.Header.Time || p.e.Total(i) == 0 {
		return
	}
	p.title("Unevenly distributed: time above the average of similar "+p.e.Header.worker()+"s", "most on")
	p.shares(i, p.e.Header.Time, p.e.Metrics[i].Unit)
	p.para(2, "", "If this work can be shared, give the others a part of it. Work that only one does by design, "+
		"such as initialisation, is listed, too.")
}

// instances shows how the waits of each wait state are distributed, and its longest one.
func (p *page) instances() {
	e := p.e
	first := true
	for i := range e.Stats {
		s := &e.Stats[i]
		if s.Count == 0 || s.Sampled {
			continue
		}
		if first {
			p.title("Single waits", "")
			p.line(p.paint(dim, left("", 28)+right("waits", 10)+right("mean", 8)+right("25 %", 8)+right("median", 8)+
				right("75 %", 8)+right("longest", 10)))
			first = false
		}
		p.line(p.paint(cyan, left("  "+clean(e.Metrics[i].Name), 28)), number(grouped(int64(s.Count)), 10), number(seconds(s.Mean), 8),
			number(seconds(s.Q25), 8), number(seconds(s.Median), 8), number(seconds(s.Q75), 8), number(seconds(s.Max), 10))
		for _, w := range s.Worst[:min(len(s.Worst), 1)] {
			text := fmt.Sprintf("the longest began %s after the start of the trace: %s in %s", glue(seconds(w.Begin)), p.name(w.Location), p.at(w.Path))
			if w.Causer >= 0 {
				text += ", for " + p.name(uint32(w.Causer))
				if w.CauserPath >= 0 {
					text += " in " + p.at(uint32(w.CauserPath))
				}
			}
			p.styledPara(dim, 4, "", text)
		}
	}
}

// samples shows the program's own metrics.
func (p *page) samples() {
	first := true
	for i := range p.e.Stats {
		s, m := &p.e.Stats[i], &p.e.Metrics[i]
		if s.Count == 0 || !s.Sampled {
			continue
		}
		if first {
			p.title("Metrics of the program", "")
			p.line(p.paint(dim, left("", 36)+right("samples", 11)+right("min", 11)+right("mean", 11)+right("max", 11)))
			first = false
		}
		name := "  " + clean(m.Name)
		if m.Unit == metric.Count && m.UnitName != "" {
			name += " (" + clean(m.UnitName) + ")"
		}
		p.line(p.paint(cyan, left(name, 36)), number(grouped(int64(s.Count)), 11), " ", number(quantity(s.Min, m.Unit), 10),
			" ", number(average(s.mean(), m.Unit), 10), " ", number(quantity(s.Max, m.Unit), 10))
	}
}

// mean returns the mean of the values, not rounded.
func (s *Stats) mean() float64 { return float64(s.Sum) / float64(s.Count) }

// average writes a mean of values in their unit.
func average(v float64, u metric.Unit) string {
	switch {
	case u == metric.Nanoseconds || u == metric.Bytes || math.Abs(v) >= 1000:
		return quantity(int64(math.Round(v)), u)
	}
	return digits(v)
}
