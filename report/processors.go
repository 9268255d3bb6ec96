package report

import (
	"fmt"
	"maps"
	"slices"

	"tracerec/metric"
)

// full is the verdict that all processors were busy nearly all the time: whatever goroutines wait for, nobody could have done more meanwhile. It says where most of the work was.
func (p *page) full() (Verdict, bool) {
	e, h := p.e, &p.e.Header
	if h.Load == nil || h.Processors == 0 || h.Of != "" || float64(h.Load.Busy) < mostly*float64(h.Wall) || !e.executionKnown() {
		return Verdict{}, false
	}
	most, share, known := p.mostWork()
	if !known {
		return Verdict{}, false
	}
	at := e.leaf(most.Path)
	so := "so that with less waiting it would hardly take less time"
	if e.robbed() { // with their own processors goroutines would have worked for less time, and waiting may then have been the rest
		so = "but goroutines had " + h.them() + " for only " + glue(percent(h.CPUTime, e.surelyRan())) + " of the time for which they ran, as other programs took the rest"
	}
	text := fmt.Sprintf("%s busy for %s of the run, %s; %s.%s", h.processors(), glue(percent(h.Load.Busy, h.Wall)), so, share, p.pollingOf(most.Location))
	return Verdict{Text: text, Certain: e.complete(h.Focus / 20), Metric: metric.Execution, File: at.File, Line: at.Line}, true
}

// processors begins a sentence about all that the program may use.
func (h *Header) processors() string {
	switch h.Processors {
	case 1:
		return "The only processor was"
	case 2:
		return "Both processors were"
	}
	return glue(fmt.Sprintf("All %d processors", h.Processors)) + " were"
}

// mostWork says where most of the work of all goroutines was, and how much; and returns the call path and the goroutine that have most of that. It is not known if all was outside of regions.
func (p *page) mostWork() (most Cell, share string, known bool) {
	e := p.e
	work, first := e.workIn()
	by := largestOf(work)
	if work[by] <= 0 {
		return Cell{}, "", false
	}
	return first[by], glue(percent(work[by], e.execution())) + " of the work is in " + p.at(first[by].Path) + p.belowToo(), true
}

// workIn returns the work of all goroutines in regions that have a name, by region, and the call path and the goroutine that have most of each.
func (e *Experiment) workIn() (work map[uint32]int64, most map[uint32]Cell) {
	return e.byRegion(metric.Execution, func(r *Region) bool { return !r.Operation && !isUnnamed(r.Name) })
}

// byRegion adds up a metric by region, of regions that count, and returns the call path and the goroutine that have most of each.
func (e *Experiment) byRegion(name string, counts func(*Region) bool) (sums map[uint32]int64, most map[uint32]Cell) {
	sums, most = map[uint32]int64{}, map[uint32]Cell{}
	for _, c := range e.Cells(e.MetricIndex(name)) {
		r := e.Paths[c.Path].Region
		if !counts(&e.Regions[r]) {
			continue
		}
		if sums[r] += c.Value; c.Value > most[r].Value {
			most[r] = c
		}
	}
	return sums, most
}

// largestOf returns the region that has most, the first of several; 0 if none has any.
func largestOf(sums map[uint32]int64) (most uint32) {
	for _, r := range slices.Sorted(maps.Keys(sums)) {
		if sums[r] > sums[most] {
			most = r
		}
	}
	return most
}

// starved returns the first finding, nil if it is not worth telling, and says whether those whom it waited for had no processor, so that they are no cause.
func (p *page) starved(top spending) (first *Finding, is bool) {
	e := p.e
	if len(e.Findings) == 0 || float64(e.Findings[0].Critical) < worth*float64(e.Header.Focus) {
		return nil, false
	}
	first = &e.Findings[0]
	return first, e.short() && e.starved(first) && !p.outweighed(first, top)
}

// kept is the verdict that goroutines on the critical path were ready to run more than half of the time, but did not, in many places, or while the first finding waited for them, which is the same then.
// Who gives up a processor is not kept from it.
func (p *page) kept(top spending) (Verdict, bool) {
	e := p.e
	ready := e.Split.Runnable
	for _, o := range e.Operations {
		ready -= o.Yielded
	}
	f, starved := p.starved(top)
	if starved {
		if v, ok := p.full(); ok { // the only processor was busy
			return v, true
		}
	}
	if 2*ready <= e.Header.Focus || top.doing == waking && 2*top.time > ready && !starved {
		return Verdict{}, false
	}
	h, but := &e.Header, "did not run yet"
	if e.short() {
		but = "had no processor"
	}
	v := Verdict{Metric: metric.Wakeup, Certain: e.executionKnown() && e.complete(2*ready-h.Focus)}
	if h.States {
		v.Metric = metric.Ready
	}
	v.Text = fmt.Sprintf("For %s of the critical path, goroutines were ready to run, but %s", glue(percent(ready, h.Focus)), but) + p.collected()
	if e.robbed() {
		v.Text += fmt.Sprintf("; those that ran had a real processor for only %s of that time, as other programs took the rest", glue(percent(h.CPUTime, e.surelyRan())))
	}
	if _, share, known := p.mostWork(); known && h.States {
		v.Text += "; " + share
	}
	if v.Text += "."; f != nil && !starved {
		v.Text += " " + p.delays("Of all waiting, that", f, p.extent(f))
	}
	return v, true
}
