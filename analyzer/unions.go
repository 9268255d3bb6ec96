package analyzer

import (
	"slices"
	"sync/atomic"

	"tracerec/internal/spill"
)

// interval is a part of the trail of a causer, in lengths of that: while it was on the way there, a group waited for it.
type interval struct{ from, to int64 }

// unionKey is what intervals are united over: a waiting line, and the causer. Intervals of different causers
// have no time of the critical path in common.
type unionKey struct {
	line     lineKey
	causer   uint32
	doubtful bool // only until all waits are measured
}

// criticalWaits is what waits have in common with the critical path.
type criticalWaits struct {
	cells  map[cellKey]int64
	unions map[unionKey][]interval // ascending and disjoint

	blocks, jumps [][]byte // of waitStreams, to be looked at again: jumps has the last wait of each operation, blocks those before
}

// union is a growing union of intervals.
type union struct {
	store *spill.Store
	list  []interval // ascending and disjoint
	at    int        // in list: where the last one belonged
	late  []interval // what began in a gap of list, or closed one, as it came
}

// meter is one worker that measures waits against the critical path.
type meter struct {
	m      *matching
	path   *criticalPath
	cells  sums[cellKey]
	doubts sums[doubt]
	unions map[unionKey]*union
	pieces list[piece]
	at     [1 << meterBits]int      // by low bits of a location: the last finger on its trail
	recent [1 << meterBits]struct { // of a hash of the key: the last one used
		key   unionKey
		union *union
	}
}

const meterBits = 8

// critical measures the waits of all matchWorkers in parallel and takes them over.
func (m *matching) critical(p *criticalPath, matchWorkers []*matchWorker) *criticalWaits {
	all := &criticalWaits{cells: map[cellKey]int64{}, unions: map[unionKey][]interval{}}
	var idle [][]byte
	meters := make([]*meter, len(matchWorkers))
	p.groups = m.groupTrails(p)
	for i, w := range matchWorkers {
		all.blocks, all.jumps, idle = append(all.blocks, w.waits.blocks...), append(all.jumps, w.jumps.blocks...), append(idle, w.idle.blocks...)
		w.waits, w.jumps, w.idle = waitStream{}, waitStream{}, waitStream{}
		meters[i] = &meter{m: m, path: p, cells: newSums[cellKey](), doubts: newSums[doubt](), unions: map[unionKey]*union{}, pieces: list[piece]{store: m.s.store}}
	}
	each(meters, all.blocks, func(c *meter, block []byte) {
		m.s.store.Pace()
		for r := newWaitReader(block); r.next(); {
			c.measure(&r.keptWait)
		}
	})
	each(meters, all.jumps, func(c *meter, block []byte) {
		m.s.store.Pace()
		for r := newWaitReader(block); r.next(); {
			c.measure(&r.keptWait)
			if !m.s.locations[r.causer].lives(r.end) { // else it is one of the jumps
				c.piece(&r.keptWait, false)
			}
		}
	})
	each(meters, idle, func(c *meter, block []byte) {
		m.s.store.Pace()
		for r := newWaitReader(block); r.next(); {
			c.piece(&r.keptWait, true)
		}
	})
	parallel(meters, func(c *meter) {
		for _, u := range c.unions {
			u.merge()
		}
	})
	for _, c := range meters {
		for k, d := range c.cells.all() {
			all.cells[k] += d
		}
		for k, u := range c.unions {
			all.unions[k] = absorb(m.s.store, all.unions[k], u.list)
			u.list = nil
		}
	}
	all.settle(m.s.store, p, meters)
	m.s.store.GiveBack(idle)
	p.complete(meters, m.s.store)
	return all
}

// each lets workers look at all things of a list, each at a part of it: what is near in the list belongs together.
func each[W, T any](workers []W, list []T, f func(W, T)) {
	var next atomic.Int64
	n := len(workers)
	parallel(workers, func(w W) {
		i := int(next.Add(1))
		for _, x := range list[(i-1)*len(list)/n : i*len(list)/n] {
			f(w, x)
		}
	})
}

// onTrail returns where the critical path was on a location before two times, from ≤ to, in lengths of its trail.
func (c *meter) onTrail(loc uint32, from, to int64) (x interval) {
	on := c.finger(loc)
	x.from = on.until(from)
	x.to = on.until(to)
	c.at[loc%(1<<meterBits)] = on.at
	return x
}

// finger returns one on the trail of a location, near the last time asked for.
func (c *meter) finger(loc uint32) finger {
	v := c.path.trail(loc)
	return finger{v, max(0, min(c.at[loc%(1<<meterBits)], len(v)-1))}
}

// groupTrail is for how long the critical path is on the locations of a group, and until when.
type groupTrail struct{ length, end int64 }

// groupTrails returns those of all groups.
func (m *matching) groupTrails(p *criticalPath) []groupTrail {
	of := make([]groupTrail, len(m.places.groups))
	for loc, g := range m.places.group {
		if v := p.trail(uint32(loc)); len(v) > 0 {
			of[g].length += v[len(v)-1].before
			of[g].end = max(of[g].end, v.end())
		}
	}
	return of
}

// doubt is the cell of waits that perhaps held up the critical path.
type doubt struct {
	line lineKey
	loc  uint32
}

// needs is how many times as long as the critical path is on locations like that of a line at all, such waits can have held it up.
const needs = 10

// settle decides on the lines with waits that perhaps held up the critical path: they did not if somebody was in them for far longer than the path was on locations like that.
func (w *criticalWaits) settle(store *spill.Store, p *criticalPath, meters []*meter) {
	time := map[lineKey]int64{}
	for k, v := range w.unions {
		if k.doubtful {
			time[k.line] += length(store, v)
		}
	}
	p.needless = map[lineKey]bool{}
	for line, t := range time {
		p.needless[line] = t > needs*p.groups[line.group].length
	}
	for k, v := range w.unions {
		if !k.doubtful {
			continue
		}
		delete(w.unions, k)
		if p.needless[k.line] {
			spill.Free(store, v)
			continue
		}
		k.doubtful = false
		w.unions[k] = absorb(store, w.unions[k], v)
	}
	for _, c := range meters {
		for k, d := range c.doubts.all() {
			if !p.needless[k.line] {
				w.cells[cellKey{k.line.metric, k.line.path, k.loc}] += d
			}
		}
	}
}

// idles is how much longer a wait is than the time for which the critical path then leaves its causer, if that is worth nothing.
const idles = 4

// moment is the same of a wait for a lock, which others take in turn.
const moment = 50

// answer says whether a wait held up the critical path.
type answer uint8

const (
	no      answer = iota
	perhaps        // if its line is not needless
	yes
)

// held says whether a wait of a metric held up the critical path.
//   - One for a value did if the path is on its location later than ever on its causer, and not only for a moment, or goes on from the causer to a location like its own, either last of all or from
//     where it was last on the causer before the end of the wait, without being back soon. Else its location was idle until it was asked for something, and for little.
//   - One for a close did if the path comes from its causer to its location when it ends, and one of these is true, however long it is there later.
//   - One for a lock, a condition, or others to be done did if states are not told, as the path may have gone on in a wait that is not recorded; if the path goes on from the causer to a location like its own when it
//     ends; and perhaps if it is on its location or ones like that for more than a moment, and later. Else nobody needed what its location did behind it, such as one that shows what the program does. And one for a lock did not if the path leaves the causer with the lock, is back after a moment, and is hardly
//     ever on the location of the wait later. Then the causer works under the lock, and others take it for a moment.
func (c *meter) held(k *keptWait) answer {
	of := &c.m.s.metrics.of
	closed, lock := k.metric == of[Closed], k.metric == of[HeldLock] || k.metric == of[WroteBefore] || k.metric == of[ReadBefore]
	needed := lock || k.metric == of[Signalled] || k.metric == of[WasDone] || k.metric == of[RanOnce]
	if !closed && !needed && k.metric != of[Sent] {
		return yes
	}
	on := c.finger(k.causer)
	on.until(k.end)
	c.at[k.causer%(1<<meterBits)] = on.at
	if on.at == 0 { // nothing of it is critical
		return surely(!closed)
	}
	stay, after := &on.trail[on.at-1], &on.trail[on.at]
	left := stay.end(after)
	least := int64(idles)
	if needed {
		least = moment
	}
	little := (k.end - k.from + least - 1) / least
	back := after.from != endOfTime && after.from-left < little
	switch {
	case lock && left == k.end && back:
		return surely(c.later(k.loc, k.end) >= little)
	case needed && (!c.m.s.told(k.causer) || left == k.end && c.alike(k.loc, stay.next)):
		return yes
	case needed && (c.later(k.loc, k.end) >= little || c.groupLater(k.loc, k.end, little)):
		return perhaps
	case needed || closed && (stay.next != k.loc || left != k.end):
		return no
	}
	if closed {
		little = 1
	}
	return surely(!back && c.alike(k.loc, stay.next) || c.alike(k.loc, on.trail[len(on.trail)-2].next) || c.later(k.loc, on.trail.end()) >= little)
}

// surely is the answer that a wait did, or did not.
func surely(held bool) answer {
	if held {
		return yes
	}
	return no
}

// groupLater says whether the critical path is on locations like loc for so long in all, and on one of them later than t.
func (c *meter) groupLater(loc uint32, t, long int64) bool {
	g := &c.path.groups[c.m.places.group[loc]]
	return g.end > t && g.length >= long
}

// alike says whether another location is of the group of loc.
func (c *meter) alike(loc, other uint32) bool {
	return other < uint32(len(c.m.places.group)) && c.m.places.group[other] == c.m.places.group[loc]
}

// later returns for how long the critical path is on a location from a time on.
func (c *meter) later(loc uint32, t int64) int64 {
	on := c.finger(loc)
	if len(on.trail) == 0 {
		return 0
	}
	before := on.until(t)
	c.at[loc%(1<<meterBits)] = on.at
	return on.trail[len(on.trail)-1].before - before
}

func (x interval) empty() bool { return x.from == x.to }

// measure measures a wait.
func (c *meter) measure(k *keptWait) {
	x := c.onTrail(k.causer, k.from, k.end)
	if x.from == x.to {
		return
	}
	how := c.held(k)
	if how == no {
		return
	}
	loc := c.m.places.reported[k.loc]
	hash := cellHash(k.metric, k.path, loc)
	key := unionKey{lineKey{k.metric, k.path, c.m.places.group[k.loc], k.class}, k.causer, how == perhaps}
	if key.doubtful {
		c.doubts.add(hash, doubt{key.line, loc}, x.to-x.from)
	} else {
		c.cells.add(hash, cellKey{k.metric, k.path, loc}, x.to-x.from)
	}
	recent := &c.recent[(hash+k.causer*0x9e3779b1)>>(32-meterBits)]
	if recent.union == nil || recent.key != key {
		if c.unions[key] == nil {
			c.unions[key] = &union{store: c.m.s.store}
		}
		recent.key, recent.union = key, c.unions[key]
	}
	recent.union.add(x)
}

// add adds an interval. Most begin behind the one before, or close to it.
func (u *union) add(x interval) {
	v := u.list
	if n := len(v); n == 0 || x.from > v[n-1].to {
		u.list = push(u.store, v, x)
		return
	}
	lo, hi := u.at, u.at // the first that ends at x.from or behind lies in between, once the steps are far enough
	for step := 1; v[hi].to < x.from; step *= 2 {
		lo, hi = hi+1, min(hi+step, len(v)-1)
	}
	for step := 1; lo > 0 && v[lo-1].to >= x.from; step *= 2 {
		lo, hi = max(lo-step, 0), lo-1
	}
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); v[mid].to < x.from {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	u.at = lo
	in := lo // those from lo to in become one
	for in < len(v) && v[in].from <= x.to && in-lo < nearEnd {
		in++
	}
	switch n := in - lo; {
	case n == 1:
		v[lo] = interval{min(v[lo].from, x.from), max(v[lo].to, x.to)}
	case len(v)-lo > nearEnd:
		u.addLate(x)
	case n == 0:
		u.list = push(u.store, v, x) // v may be good for nothing now
		copy(u.list[lo+1:], u.list[lo:])
		u.list[lo] = x
	default:
		v[lo] = interval{min(v[lo].from, x.from), max(v[in-1].to, x.to)}
		u.list = slices.Delete(v, lo+1, in)
	}
}

// nearEnd is how many intervals are moved at most where one is put between others, or closes gaps.
const nearEnd = 64

func (u *union) addLate(x interval) {
	n := len(u.late)
	if n > 0 && x.from <= u.late[n-1].to && u.late[n-1].from <= x.to {
		v := &u.late[n-1]
		*v = interval{min(x.from, v.from), max(x.to, v.to)}
		return
	}
	if n >= 1024 && n >= len(u.list) {
		u.merge()
	}
	u.late = push(u.store, u.late, x)
}

// push appends x with as few copies of large lists as possible.
func push[T any](store *spill.Store, v []T, x T) []T {
	if len(v) == cap(v) {
		v = spill.Extend(store, v, max(2*len(v), 1))
	}
	return append(v, x)
}

// merge unites what came late with the rest. It is a few ascending runs, one or two for each who waited.
func (u *union) merge() {
	if len(u.late) > 0 {
		order := merger{store: u.store}
		order.start(len(u.late), func(i int32) (int64, bool) { return u.late[i].from, true })
		late := spill.Make[interval](u.store, len(u.late))[:0]
		for e, ok := order.next(); ok; e, ok = order.next() {
			x := u.late[e.op]
			if n := len(late); n > 0 && x.from <= late[n-1].to {
				late[n-1].to = max(late[n-1].to, x.to)
			} else {
				late = append(late, x)
			}
		}
		before := u.list
		u.list = unite(u.store, before, late)
		spill.Free(u.store, before)
		if len(before) > 0 {
			spill.Free(u.store, late)
		}
	}
	u.late, u.at = u.late[:0], 0
}

// unite returns the union of two lists of ascending disjoint intervals. It may be one of them.
func unite(store *spill.Store, a, b []interval) []interval {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := spill.Make[interval](store, len(a)+len(b))[:0]
	for len(a) > 0 || len(b) > 0 {
		if len(out)%paced == 0 {
			store.Pace()
		}
		from := &a
		if len(a) == 0 || len(b) > 0 && b[0].from < a[0].from {
			from = &b
		}
		x := (*from)[0]
		*from = (*from)[1:]
		if n := len(out); n > 0 && x.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, x.to)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// absorb returns the union of two lists of ascending disjoint intervals, and uses them up.
func absorb(store *spill.Store, a, b []interval) []interval {
	if len(a) == 0 || len(b) == 0 {
		return unite(store, a, b)
	}
	if a[0].from > b[0].from {
		a, b = b, a
	}
	if a[len(a)-1].to >= b[0].from {
		all := unite(store, a, b)
		spill.Free(store, a)
		spill.Free(store, b)
		return all
	}
	a = spill.Extend(store, a, len(a)+len(b))
	for part := range slices.Chunk(b, paced) {
		store.Pace()
		a = append(a, part...)
	}
	spill.Free(store, b)
	return a
}

// length is the sum of the lengths of disjoint intervals.
func length(store *spill.Store, v []interval) (d int64) {
	for part := range slices.Chunk(v, paced) {
		store.Pace()
		for _, x := range part {
			d += x.to - x.from
		}
	}
	return d
}
