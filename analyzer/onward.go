package analyzer

import (
	"cmp"
	"maps"
	"slices"

	"tracerec/internal/spill"
	"tracerec/report"
)

// awaitedKey is a causer of one of the first findings.
type awaitedKey struct {
	finding int
	causer  uint32
}

// onwardWorker is one worker that looks at the waits of the first findings again.
type onwardWorker struct {
	held   *meter
	lines  map[lineKey]int // finding of a line
	unions map[awaitedKey]*union
	recent [1 << meterBits]struct { // of a hash of the line and the causer: the last one used
		line   lineKey
		causer uint32
		union  *union // nil if it is of no such finding
	}
	times map[onwardKey]int64
}

// onward says of the first findings for how long their causers were waited for, and for whom these waited meanwhile, off the
// critical path.
func (b *builder) onward() {
	lines := map[lineKey]int{}
	for i, c := range b.collected[:min(explained, len(b.collected))] {
		for _, l := range c.lines {
			lines[l.key] = i
		}
	}
	workers := make([]*onwardWorker, len(b.matchWorkers))
	for i := range workers {
		workers[i] = &onwardWorker{held: &meter{m: b.matching, path: b.path}, lines: lines, unions: map[awaitedKey]*union{}, times: map[onwardKey]int64{}}
	}
	w := b.waits
	each(workers, append(w.blocks, w.jumps...), func(c *onwardWorker, block []byte) {
		b.s.store.Pace()
		c.awaited(block)
	})
	b.s.store.GiveBack(w.blocks)
	b.s.store.GiveBack(w.jumps)
	w.blocks, w.jumps = nil, nil
	off := b.offPath(workers)
	each(workers, slices.Collect(maps.Keys(off)), func(c *onwardWorker, loc uint32) { c.causerWaits(b.matching, b.path.jumps, loc, off[loc]) })
	spill.Free(b.s.store, b.path.jumps.list)
	b.path.jumps = nil
	times := map[onwardKey]int64{}
	for _, c := range workers {
		for k, t := range c.times {
			times[k] += t
		}
	}
	for k, t := range times {
		f := &b.out.Findings[k.finding]
		f.Onward = append(f.Onward, report.Onward{PathTime: report.PathTime{Path: b.rank[k.path], Time: t}, Group: k.group})
	}
	for i := range b.out.Findings {
		slices.SortFunc(b.out.Findings[i].Onward, func(x, y report.Onward) int {
			return cmp.Or(-cmp.Compare(x.Time, y.Time), cmp.Compare(x.Path, y.Path), cmp.Compare(x.Group, y.Group))
		})
	}
}

// awaited notes when the causers were waited for.
func (c *onwardWorker) awaited(block []byte) {
	m := c.held.m
	for r := newWaitReader(block); r.next(); {
		if r.from == r.end {
			continue
		}
		line := lineKey{r.metric, r.path, m.places.group[r.loc], r.class}
		recent := &c.recent[(cellHash(r.metric, r.path, uint32(line.group))+r.causer*0x9e3779b1)>>(32-meterBits)]
		if recent.line != line || recent.causer != r.causer {
			recent.line, recent.causer, recent.union = line, r.causer, nil
			if i, is := c.lines[line]; is {
				k := awaitedKey{i, r.causer}
				if c.unions[k] == nil {
					c.unions[k] = &union{store: m.s.store}
				}
				recent.union = c.unions[k]
			}
		}
		if recent.union == nil {
			continue
		}
		if how := c.held.held(&r.keptWait); how == yes || how == perhaps && !c.held.path.needless[line] {
			recent.union.add(interval{r.from, r.end})
		}
	}
}

// offFinding is when a causer was waited for while the critical path was elsewhere.
type offFinding struct {
	finding int
	trail   trail
}

// offPath sums up for how long the causers were waited for, and returns for each of them when that was off the critical path.
func (b *builder) offPath(workers []*onwardWorker) map[uint32][]offFinding {
	all := map[awaitedKey][]interval{}
	for _, c := range workers {
		for k, u := range c.unions {
			u.merge()
			all[k] = absorb(b.s.store, all[k], u.list)
		}
		c.unions = nil
	}
	off := map[uint32][]offFinding{}
	for k, v := range all {
		b.out.Findings[k.finding].Awaited += length(b.s.store, v)
		if rest := b.path.trail(k.causer).without(b.s.store, v); len(rest) > 0 {
			off[k.causer] = append(off[k.causer], offFinding{k.finding, rest})
		}
	}
	return off
}

// onwardKey is where a causer of a finding waited, and for which group.
type onwardKey struct {
	finding int
	path    uint32
	group   int32
}

// causerWaits adds up for how long a causer waited itself. Of waits in operations within operations, a time is that of the one that ended
// first, of equals that of the innermost.
func (c *onwardWorker) causerWaits(m *matching, jumps *jumps, loc uint32, off []offFinding) {
	fingers := make([]finger, len(off))
	for i := range off {
		fingers[i].trail = off[i].trail
	}
	_, nested := jumps.nests[loc]
	var covered []interval
	looks := 0
	for v := jumps.of(loc); len(v) > 0; {
		if looks++; looks%paced == 0 {
			m.s.store.Pace()
		}
		n := 1
		for n < len(v) && v[n].at == v[0].at {
			n++
		}
		m.s.innermostFirst(v[:n])
		for _, x := range v[:n] {
			add := func(from, to int64) {
				for i := range fingers {
					if d := -fingers[i].until(from) + fingers[i].until(to); d > 0 {
						c.times[onwardKey{off[i].finding, x.path, m.places.group[x.causer]}] += d
					}
				}
			}
			from, to := x.begin, x.at
			for n := len(covered); n > 0 && covered[n-1].to > x.begin; n = len(covered) {
				last := covered[n-1]
				covered = covered[:n-1]
				add(last.to, to)
				from, to = min(from, last.from), last.from
			}
			add(x.begin, max(x.begin, to))
			if nested {
				covered = append(covered, interval{from, x.at})
			}
		}
		v = v[n:]
	}
}

// innermostFirst sorts jumps of a location that end at one time.
func (s *scan) innermostFirst(v []jump) {
	if len(v) > 1 {
		slices.SortFunc(v, func(x, y jump) int {
			return cmp.Or(-cmp.Compare(x.begin, y.begin), -cmp.Compare(s.paths.depth(x.path), s.paths.depth(y.path)))
		})
	}
}
