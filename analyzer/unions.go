package analyzer

import (
	"cmp"
	"slices"
	"sync/atomic"
)

// interval is a part of the trail of a causer, in lengths of that: while it was on the way there, a group waited for it.
type interval struct{ from, to int64 }

// unionKey is what intervals are united over: a waiting line, and the causer. Intervals of different causers
// have no time of the critical path in common.
type unionKey struct {
	line   lineKey
	causer uint32
}

// criticalWaits is what waits have in common with the critical path.
type criticalWaits struct {
	cells  map[cellKey]int64
	unions map[unionKey][]interval // ascending and disjoint

	blocks, jumps [][]byte // of waitStreams, to be looked at again: jumps has the last wait of each operation, blocks those before
}

// union is a growing union of intervals.
type union struct {
	list []interval // ascending and disjoint
	late []interval // what began before the end of list, as it came
}

// meter is one worker that measures waits against the critical path.
type meter struct {
	m      *matching
	path   *criticalPath
	cells  sums[cellKey]
	unions map[unionKey]*union
	recent [1 << meterBits]struct { // of a hash of the key or the causer: the last one used
		key   unionKey
		union *union
		at    int // of the finger
	}
}

const meterBits = 8

// critical measures the waits of all settlers in parallel and takes them over.
func (m *matching) critical(p *criticalPath, settlers []*settler) *criticalWaits {
	all := &criticalWaits{cells: map[cellKey]int64{}, unions: map[unionKey][]interval{}}
	for _, w := range settlers {
		all.blocks, all.jumps = append(all.blocks, w.waits.blocks...), append(all.jumps, w.jumps.blocks...)
		w.waits, w.jumps = waitStream{}, waitStream{}
	}
	blocks := append(slices.Clone(all.blocks), all.jumps...)
	meters := make([]*meter, len(settlers))
	for i := range meters {
		meters[i] = &meter{m: m, path: p, cells: newSums[cellKey](), unions: map[unionKey]*union{}}
	}
	var next atomic.Int64
	parallel(meters, func(c *meter) {
		for i := int(next.Add(1) - 1); i < len(blocks); i = int(next.Add(1) - 1) {
			c.measure(blocks[i])
		}
		for _, u := range c.unions {
			u.merge()
		}
	})
	for _, c := range meters {
		for k, d := range c.cells.all() {
			all.cells[k] += d
		}
		for k, u := range c.unions {
			all.unions[k] = unite(all.unions[k], u.list)
			u.list = nil
		}
	}
	return all
}

// measure measures the waits of a block.
func (c *meter) measure(block []byte) {
	for r := newWaitReader(block); r.next(); {
		v := c.path.trail(r.causer)
		if len(v) == 0 {
			continue
		}
		hint := &c.recent[r.causer%(1<<meterBits)].at
		on := finger{v, min(*hint, len(v)-1)}
		x := interval{on.until(r.from), on.until(r.end)}
		*hint = on.at
		if x.from == x.to {
			continue
		}
		loc := c.m.places.fold[r.loc]
		hash := cellHash(r.metric, r.path, loc)
		c.cells.add(hash, cellKey{r.metric, r.path, loc}, x.to-x.from)
		k := unionKey{lineKey{r.metric, r.path, c.m.places.group[r.loc], r.class}, r.causer}
		recent := &c.recent[(hash+r.causer*0x9e3779b1)>>(32-meterBits)]
		if recent.union == nil || recent.key != k {
			if c.unions[k] == nil {
				c.unions[k] = new(union)
			}
			recent.key, recent.union = k, c.unions[k]
		}
		recent.union.add(x)
	}
}

// add adds an interval. Most begin behind the one before.
func (u *union) add(x interval) {
	if n := len(u.list); n == 0 || x.from > u.list[n-1].to {
		u.list = push(u.list, x)
	} else if last := &u.list[n-1]; x.from >= last.from {
		last.to = max(last.to, x.to)
	} else {
		u.addLate(x)
	}
}

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
	u.late = push(u.late, x)
}

// push appends x with as few copies of large lists as possible.
func push[T any](v []T, x T) []T {
	if len(v) == cap(v) {
		v = slices.Grow(v, max(len(v), 4))
	}
	return append(v, x)
}

// merge unites what came late with the rest.
func (u *union) merge() {
	slices.SortFunc(u.late, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	n := 0
	for _, x := range u.late {
		if n > 0 && x.from <= u.late[n-1].to {
			u.late[n-1].to = max(u.late[n-1].to, x.to)
			continue
		}
		u.late[n] = x
		n++
	}
	u.list, u.late = unite(u.list, u.late[:n]), u.late[:0]
}

// unite returns the union of two lists of ascending disjoint intervals. It may be one of them.
func unite(a, b []interval) []interval {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	out := make([]interval, 0, len(a)+len(b))
	for len(a) > 0 || len(b) > 0 {
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

// length is the sum of the lengths of disjoint intervals.
func length(v []interval) (d int64) {
	for _, x := range v {
		d += x.to - x.from
	}
	return d
}
