package analyzer

import (
	"cmp"
	"slices"
	"sync/atomic"

	"tracerec/trace"
)

// stay is an interval in which the critical path is on one location.
type stay struct{ from, to, before int64 } // before: length of the stays of this location before it

// criticalPath is the chain of activities that determined how long the focus took.
type criticalPath struct {
	begin, end int64
	stays      map[uint32][]stay // by location, ascending
}

// jump is where a location was let go by another.
type jump struct {
	at     int64
	causer uint32
}

// jumps returns the jumps of all locations, ascending by (at, causer), those of location l at [first[l], first[l+1]).
func jumps(settlers []*settler, locations int) (list []jump, first []int) {
	first = make([]int, locations+1)
	each := func(f func(loc uint32, j jump)) {
		for _, w := range settlers {
			for r := w.jumps.reader(0); r.more(); {
				f(r.jump())
			}
		}
	}
	each(func(loc uint32, _ jump) { first[loc+1]++ })
	for i := range locations {
		first[i+1] += first[i]
	}
	list = make([]jump, first[locations])
	at := slices.Clone(first[:locations])
	each(func(loc uint32, j jump) {
		list[at[loc]] = j
		at[loc]++
	})
	for _, w := range settlers {
		w.jumps = stream{}
	}
	for i := range locations {
		slices.SortFunc(list[first[i]:first[i+1]], func(a, b jump) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.causer, b.causer))
		})
	}
	return list, first
}

// walker is where the critical path stands.
type walker struct {
	s     *scan
	root  uint32
	list  []jump
	first []int
	left  map[uint32]int // by location: jumps that were not passed
	path  *criticalPath
}

// findCriticalPath walks from the end of the root location backwards.
func findCriticalPath(s *scan, root uint32, settlers []*settler) *criticalPath {
	w := &walker{s: s, root: root, left: map[uint32]int{}, path: &criticalPath{stays: map[uint32][]stay{}}}
	if root == NoCauser {
		return w.path
	}
	w.list, w.first = jumps(settlers, len(s.locations))
	l := &s.locations[root]
	w.path.begin, w.path.end = l.begin, l.end
	for loc, t := root, l.end; t > w.path.begin; {
		loc, t = w.step(loc, t)
	}
	for _, v := range w.path.stays {
		slices.Reverse(v)
		sum := int64(0)
		for i := range v {
			v[i].before = sum
			sum += v[i].to - v[i].from
		}
	}
	return w.path
}

// step goes from location loc at time t to where the path was before.
func (w *walker) step(loc uint32, t int64) (uint32, int64) {
	l := &w.s.locations[loc]
	mine := w.list[w.first[loc]:w.first[loc+1]]
	n, ok := w.left[loc]
	if !ok {
		n = len(mine)
	}
	n, _ = slices.BinarySearchFunc(mine[:n], t, func(j jump, t int64) int {
		if j.at <= t {
			return -1
		}
		return 1
	})
	for n > 0 {
		n--
		j := mine[n]
		if j.at <= max(l.begin, w.path.begin) {
			break
		}
		if w.s.locations[j.causer].lives(j.at) {
			w.left[loc] = n
			w.stay(loc, j.at, t)
			return j.causer, j.at
		}
	}
	w.left[loc] = n
	from := max(l.begin, w.path.begin)
	w.stay(loc, from, t)
	if c := l.creator; c != uint32(trace.NoLocation) {
		// The order of (begin, location) keeps damaged traces from going round in circles.
		if x := &w.s.locations[c]; x.lives(from) && (x.begin < from || c < loc) {
			return c, from
		}
	}
	return w.root, from
}

// lives says whether t lies within the life of l.
func (l *location) lives(t int64) bool { return l.seen && l.begin <= t && t <= l.end }

func (w *walker) stay(loc uint32, from, to int64) {
	if from >= to {
		return
	}
	v := w.path.stays[loc]
	if n := len(v); n > 0 && v[n-1].from == to { // back without having been elsewhere for any time
		v[n-1].from = from
		return
	}
	w.path.stays[loc] = append(v, stay{from: from, to: to})
}

// until returns how long the critical path was on the stays' location before t.
func until(v []stay, t int64) int64 {
	i, _ := slices.BinarySearchFunc(v, t, func(s stay, t int64) int {
		if s.from < t {
			return -1
		}
		return 1
	})
	if i == 0 {
		return 0
	}
	s := &v[i-1]
	return s.before + min(t, s.to) - s.from
}

// pathCursor measures ascending intervals of one location against the critical path.
type pathCursor struct {
	rest []stay
	at   int64
}

// seek goes to the first stay that ends after t.
func (c *pathCursor) seek(all []stay, t int64) {
	i, _ := slices.BinarySearchFunc(all, t, func(s stay, t int64) int {
		if s.to <= t {
			return -1
		}
		return 1
	})
	c.rest = all[i:]
}

// within returns for how long the path was on the location in [from, to).
func (c *pathCursor) within(from, to int64) (d int64) {
	for len(c.rest) > 0 && c.rest[0].from < to {
		s := &c.rest[0]
		d += max(0, min(to, s.to)-max(from, s.from))
		if s.to > to {
			break
		}
		c.rest = c.rest[1:]
	}
	return d
}

// retrace charges the time of the critical path to call paths: it looks at the events in its stays again.
func (s *scan) retrace(p *criticalPath) []scanCell {
	tail := map[uint32]int{} // by location: chunk of its last batch
	for i, c := range s.chunks {
		for _, l := range c.Locations {
			if len(p.stays[uint32(l)]) > 0 {
				tail[uint32(l)] = i
			}
		}
	}
	workers := make([]*scanner, len(s.workers))
	for i := range workers {
		workers[i] = newScanner(s)
		workers[i].path = new(pathCursor)
	}
	var next atomic.Int64
	parallel(workers, func(w *scanner) {
		decoder, buf := s.archive.NewDecoder(), new(trace.Buffer)
		for i := int(next.Add(1) - 1); i < len(s.chunks); i = int(next.Add(1) - 1) {
			if s.onPath(p, i, tail) {
				batches, _ := decoder.Decode(s.chunks[i], buf)
				w.retrace(p, i, batches, tail)
			}
		}
	})
	var cells []scanCell
	for loc, v := range p.stays { // start latency
		l := &s.locations[loc]
		if d := until(v, l.first) - until(v, l.begin); d > 0 {
			cells = append(cells, scanCell{path: l.own, loc: loc, time: d})
		}
	}
	for _, w := range workers {
		for c := range w.cells.all() {
			cells = append(cells, *c)
		}
	}
	return cells
}

// onPath says whether the critical path may have been on a location of the chunk in the time of its batch there.
func (s *scan) onPath(p *criticalPath, chunk int, tail map[uint32]int) bool {
	c := s.chunks[chunk]
	if len(s.resume[chunk]) == 0 || c.First >= p.end && len(c.Locations) == 0 {
		return false
	}
	for i, l := range c.Locations {
		v := p.stays[uint32(l)]
		if len(v) == 0 || i >= len(s.resume[chunk]) {
			continue
		}
		to := c.Last
		if tail[uint32(l)] == chunk {
			to = s.locations[l].end
		}
		if until(v, to) > until(v, s.resume[chunk][i].time) {
			return true
		}
	}
	return false
}

// retrace charges the time of the critical path in one chunk.
func (w *scanner) retrace(p *criticalPath, chunk int, batches []trace.Batch, tail map[uint32]int) {
	from := w.s.resume[chunk]
	for i := range batches {
		b := &batches[i]
		v := p.stays[uint32(b.Location)]
		if len(v) == 0 || i >= len(from) || len(b.Events) == 0 {
			continue
		}
		end := b.Events[len(b.Events)-1].Time
		isTail := tail[uint32(b.Location)] == chunk
		known := &w.s.locations[b.Location]
		if isTail {
			end = known.end
		}
		if until(v, max(end, from[i].time)) == until(v, from[i].time) {
			continue
		}
		w.loc, w.batch = uint32(b.Location), b
		w.path.seek(v, from[i].time)
		l := location{own: known.own, last: from[i].time, end: unknownTime, seen: true}
		w.levels(&l, from[i].path)
		w.events(&l, b.Events)
		if isTail && l.end == unknownTime {
			w.charge(&l, max(known.end, l.last), 0)
		}
		w.flush()
	}
}

// levels opens the levels of a call path on l.
func (w *scanner) levels(l *location, path uint32) {
	if path == l.own {
		return
	}
	for p := path; p != noPath; p = w.s.paths.nodes[p].parent {
		l.stack = append(l.stack, level{path: p, kind: w.s.paths.nodes[p].kind, blocked: NotBlocked})
	}
	slices.Reverse(l.stack)
}

// interval is a time in which a group waited for a causer.
type interval struct{ from, to int64 }

// unionKey is what intervals are united over: a finding, and the causer. Intervals of different causers
// have no time of the critical path in common.
type unionKey struct {
	finding findingKey
	causer  uint32
}

// criticalWaits is what waits have in common with the critical path.
type criticalWaits struct {
	cells     map[cellKey]int64
	intervals map[unionKey][]interval // whose length counts, see criticalPath.length
	unions    map[unionKey]*union     // what they come from
}

// union is a growing union of intervals: list[:done] is ascending and disjoint, the rest is as it came.
type union struct {
	list, spare []interval
	done        int
}

// critical measures the waits of all settlers in parallel.
func (m *matching) critical(p *criticalPath, settlers []*settler) *criticalWaits {
	var blocks []stream // records do not refer to others
	for _, w := range settlers {
		for _, b := range w.waits.blocks {
			blocks = append(blocks, stream{[][]byte{b}})
		}
		w.waits = stream{}
	}
	results := make([]*criticalWaits, len(settlers))
	for i := range results {
		results[i] = &criticalWaits{cells: map[cellKey]int64{}, unions: map[unionKey]*union{}}
	}
	var next atomic.Int64
	parallel(results, func(c *criticalWaits) {
		for i := int(next.Add(1) - 1); i < len(blocks); i = int(next.Add(1) - 1) {
			c.measure(m, p, &blocks[i])
		}
	})
	all := results[0]
	all.intervals = map[unionKey][]interval{}
	for i, c := range results {
		if i > 0 {
			for k, d := range c.cells {
				all.cells[k] += d
			}
		}
		for k, u := range c.unions {
			u.merge()
			all.intervals[k] = append(all.intervals[k], u.list...)
		}
	}
	return all
}

// measure measures the waits of a stream.
func (c *criticalWaits) measure(m *matching, p *criticalPath, s *stream) {
	for r := s.reader(0); r.more(); {
		k := r.wait()
		v := p.stays[k.causer]
		if d := until(v, k.end) - until(v, k.from); d > 0 {
			c.cells[cellKey{k.metric, k.path, m.places.fold[k.loc]}] += d
			c.unite(unionKey{findingKey{k.metric, k.path, m.places.group[k.loc]}, k.causer}, interval{k.from, k.end})
		}
	}
}

// unite adds an interval; neighbours in time often come one after the other, so most need no room.
func (c *criticalWaits) unite(k unionKey, x interval) {
	u := c.unions[k]
	if u == nil {
		u = new(union)
		c.unions[k] = u
	}
	n := len(u.list)
	if n > u.done && x.from <= u.list[n-1].to && u.list[n-1].from <= x.to {
		v := &u.list[n-1]
		*v = interval{min(x.from, v.from), max(x.to, v.to)}
		return
	}
	if n >= 1024 && n >= 2*u.done {
		u.merge()
	}
	u.list = append(u.list, x)
}

// merge unites what was added with what was there.
func (u *union) merge() {
	a, b := u.list[:u.done], u.list[u.done:]
	b = merged(b)
	out := u.spare[:0]
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
	u.list, u.spare, u.done = out, u.list[:0], len(out)
}

// merged sorts and unites intervals in place.
func merged(v []interval) []interval {
	slices.SortFunc(v, func(a, b interval) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	n := 0
	for _, x := range v {
		if n > 0 && x.from <= v[n-1].to {
			v[n-1].to = max(v[n-1].to, x.to)
			continue
		}
		v[n] = x
		n++
	}
	return v[:n]
}

// length returns for how long the critical path was on the causer during the union of the intervals.
func (p *criticalPath) length(causer uint32, v []interval) (d int64) {
	stays := p.stays[causer]
	for _, x := range merged(v) {
		d += until(stays, x.to) - until(stays, x.from)
	}
	return d
}
