package analyzer

import (
	"slices"
	"sort"
	"sync/atomic"

	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// follower measures a location against the critical path, in a second look at its events.
type follower struct {
	on    finger
	of    map[uint32][]pathPart // by location: parts of its trail that are measured on their own
	parts []pathPart            // those of the location, from the last time on
	times sums[partPath]        // what they collect

	pieces []piece // of the location, from the last time on
	split  report.Split
}

// pathPart is a part of a location's trail that belongs to the thing with this number: ascending and disjoint.
type pathPart struct {
	part int
	rest []interval
}

// within returns the length of the part in [from, to). Each call must go on behind the one before.
func (p *pathPart) within(from, to int64) (d int64) {
	for len(p.rest) > 0 && p.rest[0].from < to {
		d += max(0, min(to, p.rest[0].to)-max(from, p.rest[0].from))
		if p.rest[0].to > to {
			break
		}
		p.rest = p.rest[1:]
	}
	return d
}

// partPath is a call path in a part.
type partPath struct {
	part int
	path uint32
}

// seek goes to a location at time t.
func (f *follower) seek(loc uint32, p *criticalPath, t int64) {
	f.on = finger{trail: p.trail(loc)}
	f.pieces = p.piecesOf(loc)
	f.pieces = f.pieces[sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].reach > t }):]
	f.parts = f.parts[:0]
	if f.of[loc] == nil {
		return
	}
	at := f.on.until(t)
	for _, p := range f.of[loc] {
		i, _ := slices.BinarySearchFunc(p.rest, at, func(x interval, at int64) int {
			if x.to <= at {
				return -1
			}
			return 1
		})
		f.parts = append(f.parts, pathPart{p.part, p.rest[i:]})
	}
}

// time returns for how long the path was on the location in [from, to), when that was in a call path opened by kind.
func (f *follower) time(from, to int64, path uint32, kind wire.Kind) int64 {
	a, b := f.on.until(from), f.on.until(to)
	if a < b {
		f.divide(from, to, path, kind)
		for i := range f.parts {
			p := &f.parts[i]
			if d := p.within(a, b); d > 0 {
				f.times.add(cellHash(uint16(p.part), path, 0), partPath{p.part, path}, d)
			}
		}
	}
	return b - a
}

// retrace charges the time of the critical path, and of parts of it, to call paths: it looks at the events in its
// stays again.
func (s *scan) retrace(p *criticalPath, parts map[uint32][]pathPart) (cells []scanCell, times map[partPath]int64) {
	tail := make([]uint32, len(s.locations)) // by location: chunk of its last batch
	for i, c := range s.chunks {
		for _, l := range c.Locations {
			tail[l] = uint32(i)
		}
	}
	workers := make([]*scanner, len(s.workers)) // each has its own place on the path
	for i := range workers {
		workers[i] = newScanner(s)
		workers[i].path = &follower{of: parts, times: newSums[partPath]()}
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
	w := workers[0]
	for loc := range s.locations { // start latency
		if v := p.trail(uint32(loc)); len(v) > 0 {
			w.loc = uint32(loc)
			l := &s.locations[loc]
			w.path.seek(w.loc, p, l.begin)
			if d := w.path.time(l.begin, l.first, l.own, wire.Begin); d > 0 {
				w.path.split.Execution -= d
				w.path.split.Runnable += d
				cells = append(cells, scanCell{path: l.own, loc: w.loc, time: d})
			}
		}
	}
	times = map[partPath]int64{}
	for _, w := range workers {
		addSplit(&p.split, &w.path.split)
		for i := range w.cells {
			for c := range w.cells[i].all() {
				cells = append(cells, *c)
			}
		}
		for k, d := range w.path.times.all() {
			times[k] += d
		}
	}
	return cells, times
}

// onPath says whether the critical path may have been on a location of the chunk in the time of its batch there.
func (s *scan) onPath(p *criticalPath, chunk int, tail []uint32) bool {
	c := s.chunks[chunk]
	if len(s.resume[chunk]) == 0 || c.First >= p.end && len(c.Locations) == 0 {
		return false
	}
	for i, l := range c.Locations {
		v := p.trail(uint32(l))
		if len(v) == 0 || i >= len(s.resume[chunk]) {
			continue
		}
		to := c.Last
		if tail[l] == uint32(chunk) {
			to = s.locations[l].end
		}
		if v.within(s.resume[chunk][i].time, to) > 0 {
			return true
		}
	}
	return false
}

// retrace charges the time of the critical path in one chunk.
func (w *scanner) retrace(p *criticalPath, chunk int, batches []trace.Batch, tail []uint32) {
	from := w.s.resume[chunk]
	for i := range batches {
		b := &batches[i]
		v := p.trail(uint32(b.Location))
		if len(v) == 0 || i >= len(from) || len(b.Events) == 0 {
			continue
		}
		end := b.Events[len(b.Events)-1].Time
		isTail := tail[b.Location] == uint32(chunk)
		known := &w.s.locations[b.Location]
		if isTail {
			end = known.end
		}
		if end <= from[i].time || v.within(from[i].time, end) == 0 {
			continue
		}
		w.loc, w.batch = uint32(b.Location), b
		w.path.seek(w.loc, p, from[i].time)
		l := location{own: known.own, last: from[i].time, end: unknownTime, seen: true}
		w.levels(&l, from[i].path)
		w.s.forgotten.restore(&l, from[i].forgotten)
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
