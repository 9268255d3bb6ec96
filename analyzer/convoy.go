package analyzer

import (
	"cmp"
	"slices"
	"sort"

	"tracerec/internal/spill"
)

// leastConvoy is how many goroutines there are in a convoy at least: who waits does so for three others, or one of them has the lock for half of that time.
const leastConvoy = 4

// convoys finds for how long goroutines waited for a lock in a queue that did not become empty, and in which none of them had it for long.
func (b *builder) convoys() {
	lines := map[lineKey][]span{}
	eachLine := func(c *collector, tell func(l *collector)) {
		if len(c.line.Locations) < leastConvoy || c.line.Instances <= uint64(len(c.line.Locations)) {
			return
		}
		for _, l := range c.lines {
			if b.s.metrics.of[HeldLock] == l.key.metric {
				tell(l)
			}
		}
	}
	for _, c := range b.collected {
		eachLine(c, func(l *collector) { lines[l.key] = nil })
	}
	if len(lines) == 0 {
		return
	}
	b.gatherSpans(lines)
	for i, c := range b.collected {
		var waits []span
		severity := int64(0)
		eachLine(c, func(l *collector) {
			severity += l.line.Severity
			for _, x := range lines[l.key] {
				waits = spill.Append(b.s.store, waits, x)
			}
			spill.Free(b.s.store, lines[l.key])
		})
		if in, all := b.inConvoy(waits); in > 0 { // in which the lock is free for moments
			b.out.Findings[i].Convoy = int64(float64(severity) * (float64(in) / float64(all)))
		}
		spill.Free(b.s.store, waits)
	}
}

// convoy is a queue at a lock from when one who had waited for it let one go on who was there before, as long as all do who get the lock.
type convoy struct {
	number int
	last   uint32    // who got the lock last
	holds  []oneHold // those of which none behind was longer, ascending by end, so that the first that ends behind a time is the longest
}

// oneHold is for how long one of a convoy had the lock: from when it was let go to when it let the next one go.
type oneHold struct{ end, length int64 }

// gotLock is when a location got a lock, and in which convoy.
type gotLock struct {
	at     int64
	in     *convoy
	number int // of the convoy, which is another one later
}

// lastOf says whether a location, of which this is the last time that it got the lock, is the last of the convoy.
func (g *gotLock) lastOf(loc uint32) bool {
	return g.in != nil && g.in.number == g.number && g.in.last == loc
}

// inConvoy returns for how long those who wait for a lock do so in a convoy, and for how long at all. A wait is one in a convoy if its location had got the lock in that before, and
// nobody had it for half of the wait. Several locks are told apart by who let whom go.
func (b *builder) inConvoy(waits []span) (in, all int64) {
	q := queue{got: map[uint32]gotLock{}}
	order := merger{store: b.s.store}
	order.start(len(waits), func(i int32) (int64, bool) { return waits[i].to, true })
	for same := order.same(); len(same) > 0; same = order.same() {
		if len(same) > 1 {
			slices.SortFunc(same, func(x, y stamped) int {
				return cmp.Or(cmp.Compare(waits[x.op].from, waits[y.op].from), cmp.Compare(waits[x.op].loc, waits[y.op].loc))
			})
		}
		for _, e := range same {
			w := &waits[e.op]
			if all += w.to - w.from; q.next(w) {
				in += w.to - w.from
				b.tellQueued(w)
			}
		}
	}
	return in, all
}

// tellQueued tells who asked for it of a wait in a convoy.
func (b *builder) tellQueued(w *span) {
	if b.onQueued != nil {
		begin, end := w.from, w.to
		timeScale(b.s.ticks).times(&begin, &end)
		b.onQueued(w.loc, begin, end)
	}
}

// queue is who waits for the locks of a finding.
type queue struct {
	got   map[uint32]gotLock
	ended []*convoy
	n     int // of all convoys
}

// next takes the wait that ends next, and says whether it is in a convoy.
func (q *queue) next(w *span) bool {
	by, own := q.got[w.causer], q.got[w.loc]
	c := by.in
	goesOn := by.lastOf(w.causer) && w.from < by.at
	if own.lastOf(w.loc) { // nobody waits for it any more
		q.ended = append(q.ended, own.in)
	}
	switch n := len(q.ended); {
	case goesOn:
		c.add(oneHold{w.to, w.to - by.at})
	case n > 0:
		c, q.ended = q.ended[n-1], q.ended[:n-1]
		*c = convoy{number: q.n, holds: c.holds[:0]}
	default:
		c = &convoy{number: q.n}
	}
	q.n++
	c.last, q.got[w.loc] = w.loc, gotLock{w.to, c, c.number}
	return goesOn && own.in == c && own.number == c.number && 2*c.longest(w.from) < w.to-w.from
}

func (c *convoy) add(h oneHold) {
	for n := len(c.holds); n > 0 && c.holds[n-1].length <= h.length; n-- {
		c.holds = c.holds[:n-1]
	}
	c.holds = append(c.holds, h)
}

// longest returns the longest hold that ended behind a time.
func (c *convoy) longest(from int64) int64 {
	return c.holds[sort.Search(len(c.holds), func(i int) bool { return c.holds[i].end > from })].length
}
