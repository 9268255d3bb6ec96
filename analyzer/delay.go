package analyzer

import (
	"cmp"
	"math"
	"slices"

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

// What causes the waits of goroutines is looked for where there are no more, unless told.
const (
	causesEvents     = 3_000_000
	causesLocations  = 50_000
	causesEncounters = 1_000_000
)

// Causing says whether what causes the waits of goroutines is looked for in an archive with so many of everything, if there are not too many waits.
func Causing(events, locations int64) bool {
	return events <= causesEvents && locations <= causesLocations
}

// gather returns where a worker collects meetings, nil if it need not.
func (m *matching) gather(store *spill.Store) *gathering {
	if len(m.s.metrics.roots) == 0 || !m.anyhow() && !Causing(int64(m.s.events), int64(len(m.s.locations))) {
		return nil
	}
	g := &gathering{encounters: list[encounter]{store: store}, meetings: list[meeting]{store: store}, most: math.MaxInt}
	if !m.anyhow() {
		g.most = causesEncounters
	}
	return g
}

// anyhow says whether what causes waits is looked for, whatever it costs.
func (m *matching) anyhow() bool { return m.forced || m.threads }

// decide says whether what causes waits is looked for: if all meetings were collected. If not, there are no metrics of it.
func (m *matching) decide(workers []*matchWorker) {
	n := 0
	for _, w := range workers {
		if w.gathered == nil {
			n = math.MaxInt
			break
		}
		n += w.gathered.n
	}
	m.causes = n <= causesEncounters || n < math.MaxInt && m.anyhow()
	if of := m.s.metrics; !m.causes && !m.threads {
		of.list = of.list[:of.firstCause]
	}
}

// causes are the causes of waits: what causers did too much between the last time they met who waits, and when that began.
type causes struct {
	*assembly
	s       *scan
	laps    *laps
	waits   []int32     // by encounter: the last one of its location before that waited, noOp for none
	costs   []float64   // by encounter and root: what later waits of others its wait causes,
	shares  []coverage  // by root: besides these shares of what it waits
	spread  []float64   // by encounter: the most of it that causes one later wait, if it is for a message, of those for messages
	largest [2]coverage // the largest shares of it besides, of waits for messages and of others
	sums    *exactSums
	mine    profile // of the causer: known, since the encounter from
	theirs  profile // of who waits
	known   int32
	from    int32
	under   int32   // the wait of the causer in which it met who waits, noOp if there is none
	left    int64   // of that, from then on
	open    []int32 // by time: the last encounters that were left of locations when it was last asked for the latest
}

// findCauses goes back from the end, meeting by meeting: what a wait causes later is known when it is its turn.
func (s *scan) findCauses(workers []*matchWorker) map[cellKey]float64 {
	a := s.assemble(workers)
	c := &causes{assembly: a, s: s, laps: s.findLaps(a), sums: newExactSums(), known: noOp}
	n, roots := len(a.encounters), len(s.metrics.roots)
	c.costs, c.spread = spill.Make[float64](s.store, n*roots), spill.Make[float64](s.store, n)
	for range roots {
		c.shares = append(c.shares, newCoverage(s.store, n))
	}
	c.largest = [...]coverage{newCoverage(s.store, n), newCoverage(s.store, n)}
	c.mine, c.theirs = newProfile(len(s.paths.nodes)), newProfile(len(s.paths.nodes))
	c.waits = a.waiting(s)
	c.backwards()
	for i := range a.encounters {
		if i%paced == 0 {
			s.store.Pace()
		}
		if r := c.spreading(int32(i)); r != nil {
			e := &a.encounters[i]
			c.charge(r.spreading, e.path, e.loc, c.most(int32(i), r))
		}
	}
	return c.sums.all()
}

// waiting finds the last encounters before each of its location that waited.
func (a *assembly) waiting(s *scan) []int32 {
	waits := spill.Make[int32](s.store, len(a.encounters))
	for loc := range len(a.first) - 1 {
		last := noOp
		for i := a.first[loc]; i < a.first[loc+1]; i++ {
			if i%paced == 0 {
				s.store.Pace()
			}
			if waits[i] = last; a.encounters[i].wait > 0 {
				last = i
			}
		}
	}
	return waits
}

// backwards looks at each meeting when all later ones of those who met have been looked at. If clocks make that impossible, the one that is open on the location with the latest comes next.
func (c *causes) backwards() {
	last := make([]int32, len(c.first)-1) // by location: the last encounter that is left
	waiting := spill.Make[int32](c.s.store, len(c.meetings))
	var ready []int32
	head := 0
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
		if head == len(ready) {
			ready, head = append(ready[:0], c.latest(last)), 0
		}
		m := ready[head]
		if head++; head == len(ready) {
			ready, head = ready[:0], 0
		}
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
func (c *causes) latest(last []int32) int32 {
	byTime := func(x, y int32) int { // of equals the one of the lowest location is last
		a, b := &c.encounters[x], &c.encounters[y]
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.loc, a.loc))
	}
	if c.open == nil {
		for loc, i := range last {
			if i >= c.first[loc] {
				c.open = append(c.open, i)
			}
		}
		slices.SortFunc(c.open, byTime)
	}
	for { // what a location has left becomes earlier only
		k := len(c.open) - 1
		i := c.open[k]
		loc := c.encounters[i].loc
		now := last[loc]
		if now == i {
			return c.encounters[i].of
		}
		c.open = c.open[:k]
		if now < c.first[loc] {
			continue
		}
		place, _ := slices.BinarySearchFunc(c.open, now, byTime)
		c.open = slices.Insert(c.open, place, now)
	}
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

// before returns the last encounters before of locations that met, each noOp if they never had. It looks for them on both, since one may have met many others.
func (c *causes) before(causer, waiter int32) (int32, int32) {
	loc, other := c.encounters[causer].loc, c.encounters[waiter].loc
	for i, k := causer-1, waiter-1; i >= c.first[loc] && k >= c.first[other]; i, k = i-1, k-1 {
		if at := c.meets(i, other); at != noOp && at < waiter {
			return i, at
		}
		if at := c.meets(k, loc); at != noOp && at < causer {
			return at, k
		}
	}
	return noOp, noOp
}

// meets returns the encounter that a location had in the meeting of another one's, noOp if these two did not meet there.
func (c *causes) meets(i int32, other uint32) int32 {
	e := &c.encounters[i]
	if m := &c.meetings[e.of]; m.star && m.causer != e.loc && m.causer != other {
		return noOp
	}
	return c.member(e.of, other)
}

// worked fills a profile with what a location did from one encounter to another one without waiting. The first one may lie within a wait.
// Then that wait is returned, and what was left of it.
func (c *causes) worked(p *profile, from, to int32, within bool) (under int32, left int64) {
	p.clear()
	p.between(c.laps, c.encounters[to].loc, from, to)
	if from == noOp {
		return noOp, 0
	}
	e := &c.encounters[from]
	p.add(e.path, -max(e.spent, 0))
	if i := c.waits[from]; within && i != noOp {
		last := &c.encounters[i]
		if d := last.at + last.wait - e.at; d > 0 {
			p.add(last.path, -d)
			p.waited += d
			return i, d
		}
	}
	return noOp, 0
}

// meeting divides the waits of a meeting among their causes.
func (c *causes) meeting(m int32) {
	x := &c.meetings[m]
	if x.kind == NoPoint || c.s.metrics.rootOf[x.kind] < 0 {
		return
	}
	causer := c.member(m, x.causer)
	for _, i := range c.membersOf(m) {
		if i == causer || c.encounters[i].wait <= 0 {
			continue
		}
		e := &c.encounters[i]
		for by, rest := causer, e.wait; rest > 0 && by != noOp; {
			mine, theirs := c.before(by, i)
			c.know(by, mine, x.kind.keeps())
			if x.kind == Forked {
				c.theirs.clear() // who is idle does nothing
			} else {
				c.worked(&c.theirs, theirs, i, false)
			}
			before := int64(0) // the causer had not been created yet
			if mine == noOp {
				by, before = c.created(by)
				before = min(max(0, before-e.at), rest)
			}
			c.wait(x.kind, c.known, i, mine, rest-before)
			rest = before
		}
	}
}

// know fills the profile of a causer, unless that was for the same.
func (c *causes) know(causer, from int32, within bool) {
	if c.known != causer || c.from != from {
		c.known, c.from = causer, from
		c.under, c.left = c.worked(&c.mine, from, causer, within)
	}
}

// created returns the encounter in which its creator made the location of an encounter, and when that was; noOp if it is not known.
func (c *causes) created(causer int32) (by int32, at int64) {
	first := &c.encounters[c.first[c.encounters[causer].loc]]
	if m := &c.meetings[first.of]; threads(c.s.defs) || m.kind != NoPoint || m.causer == first.loc || m.object != uint32(len(c.s.defs.Objects)) {
		return noOp, 0
	}
	return c.member(first.of, c.meetings[first.of].causer), first.at
}

// excess is how much more the causer did in a call path than who waits.
func (c *causes) excess(path uint32) int64 {
	return max(0, max(0, c.mine.times[path])-max(0, c.theirs.times[path]))
}

// wait divides a wait, or so much of it, among what the causer did too much since it met who waits, and its own waits meanwhile.
func (c *causes) wait(kind PointKind, causer, waiter, from int32, of int64) {
	too := int64(0)
	for _, path := range c.mine.touched {
		too += c.excess(path)
	}
	base := float64(too + c.mine.waited)
	if base == 0 || of == 0 {
		return
	}
	root, e := int(c.s.metrics.rootOf[kind]), &c.encounters[waiter]
	share := float64(of) / base
	switch {
	case kind == Forked:
		share = 1 // from the last meeting on
	case kind == LateSenderRight || kind == ReceiverCame || kind.ofGoroutines() || kind == ArrivedLast:
		share = min(share, 1)
	}
	n := len(c.s.metrics.roots)
	for r := range n {
		cost := c.costs[int(waiter)*n+r]
		c.shares[r].at(waiter, func(d float64) { cost += float64(d * float64(e.wait)) })
		if of != e.wait {
			cost = cost * float64(of) / float64(e.wait)
		}
		if cost > 0 {
			c.blame(c.s.metrics.roots[r].long, r, causer, from, cost/base)
		}
	}
	c.blame(c.s.metrics.roots[root].short, root, causer, from, share)
	if to := c.s.metrics.roots[root]; to.indirect != unnamed {
		c.charge(to.indirect, e.path, e.loc, min(float64(share*float64(c.mine.waited)), float64(of)))
		c.spreads(causer, from, min(share, 1), to.messages)
	}
}

// blame charges a share of what the causer did too much, and passes on the same share of its waits.
func (c *causes) blame(to uint16, root int, causer, from int32, share float64) {
	loc := c.encounters[causer].loc
	for _, path := range c.mine.touched {
		if d := c.excess(path); d > 0 {
			c.charge(to, path, loc, float64(share*float64(d)))
		}
	}
	n := len(c.s.metrics.roots)
	c.shares[root].cover(max(from+1, c.first[loc]), causer, func(i int32) {
		c.costs[int(i)*n+root] += float64(share * float64(c.encounters[i].wait))
	}, func(d *float64) { *d += share })
	if c.under != noOp {
		c.costs[int(c.under)*n+root] += float64(share * float64(c.left))
	}
}

// spreads notes which share of the causer's waits causes a wait, which is for a message or not.
func (c *causes) spreads(causer, from int32, share float64, message bool) {
	kind := 0
	if message {
		kind = 1
	}
	spread := func(i int32, wait int64) {
		if r := c.spreading(i); r != nil && (message || !r.messages) {
			c.spread[i] = max(c.spread[i], float64(share*float64(wait)))
		}
	}
	c.largest[kind].cover(max(from+1, c.first[c.encounters[causer].loc]), causer, func(i int32) { spread(i, c.encounters[i].wait) }, func(d *float64) { *d = max(*d, share) })
	if c.under != noOp {
		spread(c.under, c.left)
	}
}

// spreading returns where the part of a wait goes that causes others, nil if it is none or they are not told.
func (c *causes) spreading(i int32) *root {
	e := &c.encounters[i]
	x := &c.meetings[e.of]
	if e.wait <= 0 || x.causer == e.loc {
		return nil
	}
	of := c.s.metrics.rootOf[x.kind]
	if of < 0 || c.s.metrics.roots[of].spreading == unnamed {
		return nil
	}
	return &c.s.metrics.roots[of]
}

// most returns the largest part of a wait that causes a later one.
func (c *causes) most(i int32, r *root) float64 {
	most := c.spread[i]
	wider := func(d float64) { most = max(most, float64(d*float64(c.encounters[i].wait))) }
	c.largest[1].at(i, wider)
	if !r.messages {
		c.largest[0].at(i, wider)
	}
	return most
}

func (c *causes) charge(metric uint16, path, loc uint32, d float64) {
	if metric != unnamed && d != 0 {
		c.sums.add(cellKey{metric, path, loc}, d)
	}
}

// delays charges what causes waits, and divides waits by that.
func (b *builder) delays() {
	m := b.s.metrics
	if !b.causes {
		b.out.Header.Uncaused = !b.threads && len(m.roots) > 0
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
