package analyzer

import (
	"tracerec/internal/spill"
	"tracerec/metric"
)

// Roots are the metrics of what causes the waits of a wait state. Several may have them in common.
type Roots struct {
	Delay     string // what others did too much before, and so came late; what that costs later has metric.LongTerm behind it
	Direct    string // waits because of that, "" if waits are not divided so
	Indirect  string // waits because those others had waited themselves
	Spreading string // waits because of which others waited later; of waits for messages only others for messages
	Terminal  string // waits because of which nobody did
}

// root is a Roots as numbers of metrics.
type root struct {
	short, long, direct, indirect, spreading, terminal uint16
	messages                                           bool // the waits are for messages
}

// addRoots says to which metrics delays go, by kind of synch points.
func (m *metrics) addRoots(patterns []*Pattern) {
	known := map[Roots]int8{}
	for i := range m.rootOf {
		m.rootOf[i] = -1
	}
	for _, p := range patterns {
		if p.Roots == nil || m.of[p.Point] == unnamed {
			continue
		}
		r := *p.Roots
		if _, is := known[r]; !is {
			known[r] = int8(len(m.roots))
			m.roots = append(m.roots, root{m.named(r.Delay), m.named(r.Delay + metric.LongTerm), m.named(r.Direct), m.named(r.Indirect), m.named(r.Spreading), m.named(r.Terminal), forMessages(p.Point)})
		}
		m.rootOf[p.Point] = known[r]
	}
}

// forMessages says whether who waits at a synch point waits to send or receive a message.
func forMessages(kind PointKind) bool {
	return kind == LateSenderRight || kind == LateSenderOther || kind == LateSenderSame || kind == ReceiverCame || kind == ReceiverTookOthers
}

// delays says whether there are metrics of delays.
func (m *metrics) delays() bool { return len(m.roots) > 0 }

// causes are the causes of waits: what causers did too much between the last time they met who waits, and when that began.
type causes struct {
	*assembly
	s       *scan
	laps    *laps
	costs   []float64 // by encounter and root: what later waits of others its wait causes
	spreads []float64 // by encounter: the most of it that causes one later wait, if it is for a message, of those for messages
	sums    *exactSums
	mine    profile // of the causer
	theirs  profile // of who waits
}

// profile is what a location did in some time, by call path.
type profile struct {
	times   []int64
	touched []uint32
}

func (p *profile) clear() {
	for _, path := range p.touched {
		p.times[path] = 0
	}
	p.touched = p.touched[:0]
}

func (p *profile) add(path uint32, d int64) {
	if p.times[path] == 0 {
		p.touched = append(p.touched, path)
	}
	p.times[path] += d
}

// take takes away as much as there is.
func (p *profile) take(path uint32, d int64) {
	p.times[path] = max(0, p.times[path]-max(d, 0))
}

// findCauses goes back from the end, meeting by meeting: what a wait causes later is known when it is its turn.
func (s *scan) findCauses(workers []*matchWorker) map[cellKey]float64 {
	a := s.assemble(workers)
	n := len(s.paths.nodes)
	c := &causes{assembly: a, s: s, laps: s.findLaps(a), sums: newExactSums()}
	c.costs, c.spreads = spill.Make[float64](s.store, len(a.encounters)*len(s.metrics.roots)), spill.Make[float64](s.store, len(a.encounters))
	c.mine.times, c.theirs.times = make([]int64, max(n, len(s.paths.nodes))), make([]int64, max(n, len(s.paths.nodes)))
	c.backwards()
	for i := range a.encounters {
		if i%paced == 0 {
			s.store.Pace()
		}
		if d := c.spreads[i]; d > 0 {
			e := &a.encounters[i]
			c.charge(s.metrics.roots[s.metrics.rootOf[a.meetings[e.of].kind]].spreading, e.path, e.loc, d)
		}
	}
	return c.sums.all()
}

// backwards looks at each meeting when all later ones of those who met have been looked at. If clocks make that impossible, the one that is open on the location with the latest comes next.
func (c *causes) backwards() {
	last := make([]int32, len(c.first)-1) // by location: the last encounter that is left
	waiting := spill.Make[int32](c.s.store, len(c.meetings))
	var ready []int32
	arrive := func(loc int) {
		for last[loc] >= c.first[loc] {
			m := c.encounters[last[loc]].of
			if waiting[m] >= 0 {
				if waiting[m]++; waiting[m] == c.meetings[m].n {
					ready = append(ready, m)
				}
				return
			}
			last[loc]-- // it had to be looked at before its turn
		}
	}
	for loc := range last {
		last[loc] = c.first[loc+1] - 1
		arrive(loc)
	}
	for n := len(c.meetings); n > 0; n-- {
		if n%paced == 0 {
			c.s.store.Pace()
		}
		if len(ready) == 0 {
			ready = append(ready, c.latest(last))
		}
		m := ready[0]
		ready = ready[1:]
		c.meeting(m)
		waiting[m] = -1
		for _, i := range c.membersOf(m) {
			if loc := c.encounters[i].loc; last[loc] == i {
				last[loc]--
				arrive(int(loc))
			}
		}
	}
	spill.Free(c.s.store, waiting)
}

// latest returns the meeting with the latest of the last encounters that are left.
func (c *causes) latest(last []int32) (m int32) {
	at := unknownTime
	for loc, i := range last {
		if i >= c.first[loc] && c.encounters[i].at > at {
			m, at = c.encounters[i].of, c.encounters[i].at
		}
	}
	return m
}

// membersOf returns the encounters of a meeting.
func (c *assembly) membersOf(m int32) []int32 {
	x := &c.meetings[m]
	return c.members[x.first : x.first+x.n]
}

// member returns the encounter of a location in a meeting, noOp if it was not there.
func (c *assembly) member(m int32, loc uint32) int32 {
	list := c.membersOf(m)
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; c.encounters[list[mid]].loc < loc {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(list) && c.encounters[list[lo]].loc == loc {
		return list[lo]
	}
	return noOp
}

// before returns the last encounters before of locations that met, each noOp if they never had.
func (c *causes) before(causer, waiter int32) (int32, int32) {
	loc, other := c.encounters[causer].loc, c.encounters[waiter].loc
	for i := causer - 1; i >= c.first[loc]; i-- {
		m := c.encounters[i].of
		if x := &c.meetings[m]; x.star && x.causer != loc && x.causer != other {
			continue
		}
		if k := c.member(m, other); k != noOp && k < waiter {
			return i, k
		}
	}
	return noOp, noOp
}

// worked fills a profile with what a location did from one encounter to another one without waiting, and returns how long it waited meanwhile.
func (c *causes) worked(p *profile, from, to int32) (waited int64) {
	p.clear()
	loc := c.encounters[to].loc
	c.laps.between(loc, from, to, func(l *lap) { p.add(l.path, l.time) })
	for i := max(from+1, c.first[loc]); i < to; i++ {
		e := &c.encounters[i]
		p.take(e.path, e.wait)
		waited += e.wait
	}
	if from != noOp {
		p.take(c.encounters[from].path, c.encounters[from].spent)
	}
	return waited
}

// meeting divides the waits of a meeting among their causes.
func (c *causes) meeting(m int32) {
	x := &c.meetings[m]
	if x.kind == NoPoint || c.s.metrics.rootOf[x.kind] < 0 {
		return
	}
	causer := c.member(m, x.causer)
	from, waited := int32(noOp-1), int64(0) // what is known of the causer
	for _, i := range c.membersOf(m) {
		if i == causer || c.encounters[i].wait <= 0 {
			continue
		}
		mine, theirs := c.before(causer, i)
		if mine != from {
			from, waited = mine, c.worked(&c.mine, mine, causer)
		}
		if x.kind == Forked {
			c.theirs.clear() // who is idle does nothing
		} else {
			c.worked(&c.theirs, theirs, i)
		}
		c.wait(x.kind, causer, i, from, waited)
	}
}

// wait divides a wait among what the causer did too much since it met who waits, and its own waits meanwhile.
func (c *causes) wait(kind PointKind, causer, waiter, from int32, waited int64) {
	too := int64(0)
	for _, path := range c.mine.touched {
		too += max(0, c.mine.times[path]-c.theirs.times[path])
	}
	base := float64(too + waited)
	if base == 0 {
		return
	}
	of, e := int(c.s.metrics.rootOf[kind]), &c.encounters[waiter]
	share := float64(e.wait) / base
	switch kind {
	case LateSenderRight, ReceiverCame:
		share = min(share, 1)
	case Forked:
		share = 1 // from the last meeting on
	}
	n := len(c.s.metrics.roots)
	for r, cost := range c.costs[int(waiter)*n : (int(waiter)+1)*n] {
		if cost > 0 {
			c.blame(c.s.metrics.roots[r].long, r, causer, from, cost/base)
		}
	}
	c.blame(c.s.metrics.roots[of].short, of, causer, from, share)
	if to := c.s.metrics.roots[of]; to.indirect != unnamed {
		c.charge(to.indirect, e.path, e.loc, min(float64(share*float64(waited)), float64(e.wait)))
		c.spread(causer, from, min(share, 1), to.messages)
	}
}

// blame charges a share of what the causer did too much, and passes on the same share of its waits.
func (c *causes) blame(to uint16, root int, causer, from int32, share float64) {
	loc := c.encounters[causer].loc
	for _, path := range c.mine.touched {
		if d := c.mine.times[path] - c.theirs.times[path]; d > 0 {
			c.charge(to, path, loc, float64(share*float64(d)))
		}
	}
	n := len(c.s.metrics.roots)
	for i := max(from+1, c.first[loc]); i < causer; i++ {
		c.costs[int(i)*n+root] += float64(share * float64(c.encounters[i].wait))
	}
}

// spread notes which part of the causer's waits causes a wait, which is for a message or not.
func (c *causes) spread(causer, from int32, share float64, message bool) {
	for i := max(from+1, c.first[c.encounters[causer].loc]); i < causer; i++ {
		e := &c.encounters[i]
		if x := &c.meetings[e.of]; e.wait > 0 && x.causer != e.loc {
			if r := c.s.metrics.rootOf[x.kind]; r >= 0 && c.s.metrics.roots[r].spreading != unnamed && (message || !c.s.metrics.roots[r].messages) {
				c.spreads[i] = max(c.spreads[i], float64(share*float64(e.wait)))
			}
		}
	}
}

func (c *causes) charge(metric uint16, path, loc uint32, d float64) {
	if metric != unnamed && d != 0 {
		c.sums.add(cellKey{metric, path, loc}, d)
	}
}

// delays charges what causes waits, and divides waits by that.
func (b *builder) delays() {
	m := b.s.metrics
	if !m.delays() {
		return
	}
	for k, d := range b.s.findCauses(b.matchWorkers) {
		k.loc = b.places.reported[k.loc]
		b.cells[k] += int64(d + 0.5)
	}
	kinds := map[uint16]root{} // by wait state
	for kind, r := range m.rootOf {
		if r >= 0 {
			kinds[m.of[kind]] = m.roots[r]
		}
	}
	rest := map[cellKey]int64{}
	for k, v := range b.cells {
		if r, is := kinds[k.metric]; is && r.direct != unnamed {
			rest[cellKey{r.direct, k.path, k.loc}] += v
			rest[cellKey{r.terminal, k.path, k.loc}] += v
		}
	}
	for _, r := range m.roots {
		for k := range rest {
			switch k.metric {
			case r.direct:
				rest[k] -= b.cells[cellKey{r.indirect, k.path, k.loc}]
			case r.terminal:
				rest[k] -= b.cells[cellKey{r.spreading, k.path, k.loc}]
			}
		}
	}
	for k, v := range rest {
		if v > 0 {
			b.cells[k] = v
		}
	}
}
