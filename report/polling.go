package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tracerec/metric"
)

// poll is what the goroutines of a group did that polled at one place.
type poll struct {
	path  uint32 // the call path with most of it
	group int32
	time  int64           // ns
	most  int64           // of it, in that call path, of one goroutine
	tries int64           // of which it consists
	ran   int64           // how long these goroutines ran, ns
	seen  map[uint32]bool // these
}

// polls lists where goroutines polled, longest first.
func (e *Experiment) polls() []*poll {
	polling := e.MetricIndex(metric.Polling)
	if e.Merged || e.Total(polling) == 0 {
		return nil
	}
	type place struct {
		region uint32
		group  int32
	}
	at := map[place]*poll{}
	of := func(c Cell) place { return place{e.Paths[c.Path].Region, e.Locations[c.Location].Group} }
	ran := e.ran()
	for _, c := range e.Cells(polling) {
		p := at[of(c)]
		if p == nil {
			p = &poll{group: of(c).group, seen: map[uint32]bool{}}
			at[of(c)] = p
		}
		if p.time += c.Value; c.Value > p.most {
			p.path, p.most = c.Path, c.Value
		}
		if !p.seen[c.Location] {
			p.seen[c.Location] = true
			p.ran += ran[c.Location]
		}
	}
	for _, c := range e.Cells(e.MetricIndex(metric.FailedTries)) {
		if p := at[of(c)]; p != nil {
			p.tries += c.Value
		}
	}
	return slices.SortedFunc(maps.Values(at), func(a, b *poll) int {
		return cmp.Or(-cmp.Compare(a.time, b.time), cmp.Compare(a.path, b.path), cmp.Compare(a.group, b.group))
	})
}

// ran returns how long each location ran, as far as that is known: the time in which it neither slept nor waited.
func (e *Experiment) ran() map[uint32]int64 {
	all := map[uint32]int64{}
	for _, name := range []string{metric.Execution, metric.Communication, metric.Synchronization} {
		for _, c := range e.Cells(e.MetricIndex(name)) {
			all[c.Location] += c.Value
		}
	}
	return all
}

// sentence says who polls where, and what that takes.
func (x *poll) sentence(p *page) string {
	who := p.who(x.group, slices.Sorted(maps.Keys(x.seen)))
	verb, they := "polls", "it"
	if len(x.seen) > 1 || p.e.Locations[slices.Min(slices.Collect(maps.Keys(x.seen)))].Count > 1 {
		verb, they = "poll", "they"
	}
	return fmt.Sprintf("%s %s in %s: %s failed, one every %s on average. With what is between, they took %s, %s of the time in which %s ran.", who, verb, p.at(x.path),
		glue(count(x.tries, "try")), glue(seconds(x.time/max(x.tries, 1))), glue(seconds(x.time)), glue(percent(x.time, x.ran)), they)
}

// polling tells who polls, if that takes as much processor time as a twentieth of the run.
func (p *page) polling() {
	told := 0
	for _, x := range p.e.polls() {
		if float64(x.time) >= worth*float64(p.e.Header.Focus) && told < p.top {
			p.para(0, "", x.sentence(p))
			told++
		}
	}
	if told > 0 {
		p.styledPara(cyan, 2, "→ ", p.e.Metrics[p.e.MetricIndex(metric.Polling)].Advice)
		p.blank()
	}
}

// triesAgain says whether what is done in a place is mostly polling, wherever it is called from: in an operation that is tried, or in a region that tries it.
func (e *Experiment) triesAgain(path uint32) bool {
	region := e.Paths[path].Region
	total := func(names ...string) (sum int64) {
		for _, name := range names {
			for _, c := range e.Cells(e.MetricIndex(name)) {
				x := e.Paths[c.Path]
				if x.Region == region || e.leaf(c.Path).Operation && x.Parent >= 0 && e.Paths[x.Parent].Region == region {
					sum += c.Value
				}
			}
		}
		return sum
	}
	polled := total(metric.Polling)
	return polled > 0 && 2*polled > total(metric.Execution, metric.Communication, metric.Synchronization)
}

// busyWait says whether the causers of a finding polled for more than half of the time in which they were waited for.
func (e *Experiment) busyWait(f *Finding) bool {
	polled := int64(0)
	for _, d := range e.doings(f) {
		if d.path >= 0 && d.group < 0 && e.triesAgain(uint32(d.path)) {
			polled += d.time
		}
	}
	return 2*polled > f.awaited()
}

// pollingOf says that polling is at least half of what a location did when it ran, if that is so; else "".
func (p *page) pollingOf(loc uint32) string {
	for _, x := range p.e.polls() {
		if x.seen[loc] && 2*x.time >= x.ran {
			return " " + x.sentence(p)
		}
	}
	return ""
}
