package naive

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tracerec/trace/wire"
)

// Causes are the metrics of what causes waits of goroutines, and of waits divided by that.
type Causes struct {
	Severity map[Cell]float64
	// Unclear says that events at one time could be in several orders, of which the causes depend.
	Unclear bool
}

// encounter is that a location met others: at a time, of several at one time the one with the lower order first.
type encounter struct {
	loc             *location
	at, order, wait int64
	path            string
	of              *meeting
	place           int // in its location's order

	costs     float64 // of later waits
	spreading float64 // the most of it that causes one later wait
	done      bool
}

type meeting struct {
	creation bool
	divided  bool // who waited in it did so because of the causer
	keeps    bool // it kept them waiting all the time
	causer   *encounter
	all      []*encounter
}

// causing finds causes.
type causing struct {
	*analysis
	by     map[*location][]*encounter
	caused map[*location][]*part
	result *Causes
}

// causes looks up what caused each wait.
func (n *analysis) causes() *Causes {
	c := &causing{n, map[*location][]*encounter{}, map[*location][]*part{}, &Causes{Severity: map[Cell]float64{}}}
	for _, w := range n.waits {
		c.gather(w)
	}
	c.barriers()
	c.creations()
	c.order()
	c.result.Unclear = c.result.Unclear || !c.ordered()
	for _, all := range c.by {
		for _, e := range all {
			if e.of.divided && e != e.of.causer {
				for _, p := range c.parts(e) {
					c.caused[p.causer.loc] = append(c.caused[p.causer.loc], p)
				}
			}
		}
	}
	for _, all := range c.by {
		for _, e := range all {
			c.later(e)
		}
	}
	for _, all := range c.caused {
		for _, p := range all {
			c.charge(p)
		}
	}
	for loc, all := range c.by {
		for _, e := range all {
			c.add("go_propagating", e.path, loc, e.spreading)
		}
	}
	return c.result
}

func (c *causing) add(metric, path string, l *location, d float64) {
	if d > 0 {
		c.result.Severity[Cell{metric, path, l.id}] += d
	}
}

// meet adds a meeting.
func (c *causing) meet(m *meeting, all ...*encounter) {
	m.all = all
	for _, e := range all {
		e.of = m
		c.by[e.loc] = append(c.by[e.loc], e)
	}
}

// gather makes meetings of a wait.
func (c *causing) gather(w *wait) {
	if w.causer == nil || w.op.open || w.metric == "barrier_wait" || w.metric == "external_wait" {
		return
	}
	other := &encounter{loc: w.causer.loc, at: w.end, order: w.end}
	mine := &encounter{loc: w.op.loc, at: w.begin, order: w.op.end, wait: w.end - w.begin, path: w.op.path}
	m := &meeting{divided: true, causer: other}
	switch w.metric {
	case "lock_competition", "rw_reader_wait", "rw_writer_wait", "once_wait":
		m.keeps = true
		c.meet(&meeting{}, &encounter{loc: w.causer.loc, at: w.begin, order: w.begin}, &encounter{loc: w.op.loc, at: w.begin, order: w.begin})
	}
	c.meet(m, other, mine)
}

// barriers makes meetings of all who came to one.
func (c *causing) barriers() {
	generations := map[[2]uint32][]*op{}
	for _, o := range c.ops {
		if o.kind == wire.BarrierBegin && o.object != 0 && c.defs.Objects[o.object-1].Kind == wire.Barrier {
			k := [2]uint32{o.object, o.mode}
			generations[k] = append(generations[k], o)
		}
	}
	for _, all := range generations {
		m, latest := &meeting{divided: true}, all[0]
		for _, o := range all {
			if o.begin >= latest.begin {
				latest = o
			}
		}
		var list []*encounter
		for _, o := range all {
			e := &encounter{loc: o.loc, at: o.begin, order: o.end, path: o.path}
			if o.loc != latest.loc && !o.open {
				e.wait = min(latest.begin, o.end) - o.begin
			}
			if o == latest {
				m.causer = e
			}
			list = append(list, e)
		}
		c.meet(m, list...)
	}
}

func (c *causing) creations() {
	creators := map[*location]bool{} // of those who meet anybody
	for l := range c.by {
		for of := l.creator; of != nil && len(of.events) > 0 && !creators[of]; of = of.creator {
			creators[of] = true
		}
	}
	for _, l := range c.locations {
		if len(c.by[l]) == 0 && !creators[l] || l.creator == nil || len(l.creator.events) == 0 {
			continue
		}
		creator := &encounter{loc: l.creator, at: l.begin, order: l.begin}
		c.meet(&meeting{creation: true, causer: creator}, creator, &encounter{loc: l, at: l.begin, order: l.begin})
	}
}

// order puts the encounters of each location in order.
func (c *causing) order() {
	for _, all := range c.by {
		slices.SortStableFunc(all, func(a, b *encounter) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
		})
		for i, e := range all {
			e.place = i
			if i > 0 && all[i-1].at == e.at && all[i-1].order == e.order && (e.wait > 0 || all[i-1].wait > 0) {
				c.result.Unclear = true
			}
		}
	}
}

// ordered says whether meetings can be put in an order in which those of each location are.
func (c *causing) ordered() bool {
	left, next, looked := map[*meeting]bool{}, map[*location]int{}, 0
	for _, all := range c.by {
		for _, e := range all {
			left[e.of] = true
		}
	}
	first := func(e *encounter) bool { return next[e.loc] == e.place }
	for len(left) > 0 && looked != len(left) {
		looked = len(left)
		for m := range left {
			if !slices.ContainsFunc(m.all, func(e *encounter) bool { return !first(e) }) {
				for _, e := range m.all {
					next[e.loc]++
				}
				delete(left, m)
			}
		}
	}
	return len(left) == 0
}

// last returns the encounters of two locations in the last meeting of both before these, nil if there is none.
func (c *causing) last(causer, waiter *encounter) (*encounter, *encounter) {
	var mine, theirs *encounter
	for _, e := range c.by[causer.loc][:causer.place] {
		for _, x := range e.of.all {
			if x.loc == waiter.loc && x.place < waiter.place {
				if theirs != nil && x.place < theirs.place {
					c.result.Unclear = true
				}
				mine, theirs = e, x
			}
		}
	}
	return mine, theirs
}

// worked returns what a location did from one encounter, or its begin, to another one, by call path, and how long it waited.
func (c *causing) worked(from, to *encounter, within bool) (p map[string]int64, waits map[*encounter]int64, waited int64) {
	p, waits = map[string]int64{}, map[*encounter]int64{}
	since, first := int64(math.MinInt64), 0
	if from != nil {
		since, first = from.at, from.place+1
	}
	for _, s := range to.loc.steps {
		if d := min(s.to, to.at) - max(s.from, since); d > 0 {
			p[s.path] += d
		}
	}
	for _, e := range c.by[to.loc][first:to.place] {
		if e.wait > 0 {
			p[e.path] -= e.wait
			waits[e], waited = e.wait, waited+e.wait
		}
	}
	if from != nil {
		p[from.path] -= from.wait
	}
	if within && from != nil {
		for _, e := range c.by[to.loc][:from.place] {
			if d := e.at + e.wait - from.at; e.wait > 0 && d > 0 {
				p[e.path] -= d
				waits[e], waited = d, waited+d
			}
		}
	}
	for path, d := range p {
		p[path] = max(d, 0)
	}
	return p, waits, waited
}

// part is a part of a wait, with who caused it: the one waited for, or, before that was created, its creator.
type part struct {
	waiter, causer *encounter
	wait           int64
	excess         map[string]int64     // what the causer did too much
	waits          map[*encounter]int64 // of the causer, and how long they lasted meanwhile
	waited         int64
	base           float64
}

// share is which share of all that counts.
func (p *part) share() float64 { return min(1, float64(p.wait)/p.base) }

// parts divides a wait.
func (c *causing) parts(waiter *encounter) (list []*part) {
	for causer, rest := waiter.of.causer, waiter.wait; rest > 0 && causer != nil; {
		p := &part{waiter: waiter, causer: causer, wait: rest, excess: map[string]int64{}}
		from, since := c.last(causer, waiter)
		var mine map[string]int64
		mine, p.waits, p.waited = c.worked(from, causer, waiter.of.keeps)
		theirs, _, _ := c.worked(since, waiter, false)
		p.base = float64(p.waited)
		for path, d := range mine {
			if d -= theirs[path]; d > 0 {
				p.excess[path] = d
				p.base += float64(d)
			}
		}
		causer, rest = nil, 0
		if from == nil {
			if first := c.by[p.causer.loc][0]; first.of.creation && first.of.causer != first {
				causer, rest = first.of.causer, min(max(0, first.at-waiter.at), p.wait)
			}
		}
		if p.wait -= rest; p.wait > 0 && p.base > 0 {
			list = append(list, p)
		}
	}
	return list
}

// later finds what the wait of an encounter costs later: its part of all waits that it causes, and of what these cost.
func (c *causing) later(e *encounter) float64 {
	if e.done {
		return e.costs
	}
	e.done = true
	for _, p := range c.caused[e.loc] {
		if d := p.waits[e]; d > 0 {
			costs := c.later(p.waiter) * float64(p.wait) / float64(p.waiter.wait)
			e.costs += float64(d)*p.share() + float64(d)*costs/p.base
			e.spreading = max(e.spreading, float64(d)*p.share())
		}
	}
	return e.costs
}

// charge charges what caused a part of a wait.
func (c *causing) charge(p *part) {
	costs := c.later(p.waiter) * float64(p.wait) / float64(p.waiter.wait)
	for path, d := range p.excess {
		c.add("delay_go", path, p.causer.loc, float64(d)*p.share())
		c.add("delay_go_longterm", path, p.causer.loc, float64(d)*costs/p.base)
	}
	c.add("go_indirect", p.waiter.path, p.waiter.loc, min(float64(p.waited)*p.share(), float64(p.wait)))
}

// AddCauses adds the metrics that tell causes to the severities, rounded: shares, and what remains of the waits.
func (r *Result) AddCauses() {
	rest := map[Cell]int64{}
	for k, v := range r.Severity {
		if slices.Contains(WaitStates, k.Metric) && k.Metric != "external_wait" && k.Metric != "timer_wait" && k.Metric != "network" {
			rest[k.Clear()] += v
		}
	}
	for k, d := range r.Causes.Severity {
		r.Severity[k] = int64(math.Floor(d + 0.5))
	}
	for k, v := range rest {
		for _, both := range [][2]string{{"go_direct", "go_indirect"}, {"go_terminal", "go_propagating"}} {
			r.Severity[Cell{both[0], k.Path, k.Location}] = v - r.Severity[Cell{both[1], k.Path, k.Location}]
		}
	}
	for k, v := range r.Severity {
		if v == 0 {
			delete(r.Severity, k)
		}
	}
}

// Divides says whether a metric is one of those that tell causes.
func Divides(metric string) bool {
	return strings.HasPrefix(metric, "delay_go") || strings.HasPrefix(metric, "go_")
}
