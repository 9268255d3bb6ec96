package analyzer

import (
	"slices"
	"sort"
	"sync/atomic"

	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// resume is what a second look at a batch starts from.
type resume struct {
	path      uint32    // innermost level, own path included
	forgotten uint32    // number of the forgotten selects in the levels
	time      int64     // of the event before; of the first batch: of its first event
	sample    uint32    // place of the last one before among those kept of the chunk, from 1 on; 0 if there is none
	does      wire.Kind // the state of the location
	blocked   bool      // the innermost operation is
	ended     bool      // the location did: what is in the batch is damage
}

// keepSample keeps a sample for a batch of a chunk and returns its place.
func (s *scan) keepSample(chunk uint32, c *counterSample) uint32 {
	if c == nil {
		return 0
	}
	s.keeping.Lock()
	defer s.keeping.Unlock()
	s.samples[chunk] = append(s.samples[chunk], c.clone())
	return uint32(len(s.samples[chunk]))
}

// sampleBefore returns the last sample before a batch of a chunk, nil if there is none.
func (s *scan) sampleBefore(chunk int, r *resume) *counterSample {
	if r.sample == 0 {
		return nil
	}
	return s.samples[chunk][r.sample-1]
}

// follower measures a location against the critical path, in a second look at its events.
type follower struct {
	on      finger
	of      []causerTimes  // parts of trails that are measured on their own
	parts   []pathPart     // those of the location, from the last time on
	times   sums[partPath] // what they collect
	loc     uint32
	last    stretch            // of the location
	away    int64              // until then the path is not there since the end of that
	group   []int32            // by location
	tallies map[tallyKey]tally // what was counted on the path and in its parts

	pieces []piece // of the location, from the last time on
	jumps  []jump  // likewise
	since  []int64 // if they overlap: the earliest begin of each and the later ones
	split  report.Split
	inside sums[insideKey] // split, by operation but sleeps

	laps *laps // all that is wanted, if it is not nil

	bounds *bounds
	edges  map[cellKey]int64 // time of the path that is not between them, without metric
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

// behind returns the intervals that end behind a time of the trail.
func behind(all []interval, at int64) []interval {
	return all[sort.Search(len(all), func(i int) bool { return all[i].to > at }):]
}

// partPath is a call path in a part.
type partPath struct {
	part int
	path uint32
}

// seek goes to a location at time t.
func (f *follower) seek(loc uint32, p *criticalPath, t int64) {
	f.on, f.loc = finger{trail: p.trail(loc)}, loc
	f.pieces = p.piecesOf(loc)
	f.pieces = f.pieces[sort.Search(len(f.pieces), func(i int) bool { return f.pieces[i].reach > t }):]
	f.jumps, f.since = p.jumps.doneBehind(loc, t)
	f.parts = f.parts[:0]
	at := f.on.until(t)
	f.last, f.away = stretch{t, t, at, at}, f.on.away(t)
	for i, of := range f.of {
		if all := of[loc]; all != nil {
			f.parts = append(f.parts, pathPart{i, behind(all, at)})
		}
	}
}

// stretch is [from, to) of a location, and for how long the path was on it before both.
type stretch struct {
	from, to      int64
	before, after int64
}

// stretch returns [from, to) of the location, which mostly begins where the one before has ended.
func (f *follower) stretch(from, to int64) stretch {
	x := stretch{from, to, f.last.after, 0}
	if from > max(f.last.to, f.away) || from < f.last.to {
		x.before = f.on.until(from)
	}
	x.after = f.on.until(to)
	f.last, f.away = x, f.on.away(to)
	return x
}

// skips says whether nothing has to be told of a location before the first of some events, at a time: the path is not there, or it tells only that
// an operation blocks, which the next one ends.
func (f *follower) skips(l *location, events []trace.Event, t int64) bool {
	if f.laps != nil {
		return false
	}
	if t <= f.away {
		l.last = t
		return true
	}
	return events[0].Kind == wire.Blocked && len(events) > 1 && events[1].Time >= t && events[1].Kind.Does() == wire.Leaves
}

// until returns for how long the path was on the location before a time within a stretch.
func (f *follower) until(x *stretch, t int64) int64 {
	switch {
	case t == x.from, x.before == x.after:
		return x.before
	case x.after-x.before == x.to-x.from:
		return x.before + t - x.from
	case t == x.to:
		return x.after
	}
	return f.on.until(t)
}

// time returns for how long the path was on the location in [from, to), when that was in a call path opened by kind, and in a state.
func (f *follower) time(from, to int64, path uint32, kind, does wire.Kind) int64 {
	if f.laps != nil {
		f.laps.add(f.loc, from, to, path, kind)
		return 0
	}
	x := f.stretch(from, to)
	a, b := x.before, x.after
	if a < b {
		if d := f.outside(from, to); d > 0 {
			f.edges[cellKey{path: path, loc: f.loc}] += d
		}
		if does == wire.None || does != wire.Lost && kind != wire.Enter && kind != wire.Begin { // in an operation it is known from its waits
			f.divide(&x, path, kind)
		} else {
			f.divideState(b-a, path, does)
		}
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
func (s *scan) retrace(p *criticalPath, f follower, charge func(*scanCell), outside func(path, loc uint32, d int64)) (times map[partPath]int64, tallies map[tallyKey]tally) {
	tail := s.tails()
	workers := make([]*scanner, len(s.workers)) // each has its own place on the path
	for i := range workers {
		workers[i] = newScanner(s)
		x := f
		x.times, x.inside, x.edges, x.tallies = newSums[partPath](), newSums[insideKey](), map[cellKey]int64{}, map[tallyKey]tally{}
		workers[i].path = &x
	}
	s.progress.begin("measuring the critical path", uint64(len(s.chunks)))
	var next atomic.Int64
	parallel(workers, func(w *scanner) {
		reader, buf := s.newReader(), new(chunkBuffer)
		for i := int(next.Add(1) - 1); i < len(s.chunks); i = int(next.Add(1) - 1) {
			s.store.Pace()
			if s.onPath(p, i, tail) {
				batches, _ := reader.read(i, buf)
				w.retrace(p, i, batches, tail)
			}
			s.progress.add(1)
		}
	})
	p.inside = map[insideKey]int64{}
	workers[0].path.startLatencies(s, p, charge)
	times, tallies = map[partPath]int64{}, map[tallyKey]tally{}
	for _, w := range workers {
		addSplit(&p.split, &w.path.split)
		for k, d := range w.path.inside.all() {
			p.inside[k] += d
		}
		for k, d := range w.path.edges {
			outside(k.path, k.loc, d)
		}
		w.eachCell(charge)
		for k, d := range w.path.times.all() {
			times[k] += d
		}
		for k, t := range w.path.tallies {
			t.add(tallies[k])
			tallies[k] = t
		}
	}
	return times, tallies
}

// tails returns the chunk of the last batch of each location.
func (s *scan) tails() []uint32 {
	tail := make([]uint32, len(s.locations))
	for i, c := range s.chunks {
		for _, l := range c.Locations {
			tail[l] = uint32(i)
		}
	}
	return tail
}

// startLatencies charges the time of the critical path in which locations were created and had not begun.
func (f *follower) startLatencies(s *scan, p *criticalPath, charge func(*scanCell)) {
	for i := range s.locations {
		loc, l := uint32(i), &s.locations[i]
		if len(p.trail(loc)) == 0 {
			continue
		}
		f.seek(loc, p, l.begin)
		does := wire.None
		if s.beforeBegin(l) != s.metrics.startLatency {
			does = wire.Lost
		}
		if d := f.time(l.begin, l.first, l.own, wire.Begin, does); d > 0 {
			if does == wire.None {
				f.split.Execution -= d
				f.split.Runnable += d
				f.did(runnable, l.own, d)
			}
			charge(&scanCell{path: l.own, loc: loc, time: d})
		}
	}
}

// onPath says whether the critical path may have been on a location of the chunk in the time of its batch there.
func (s *scan) onPath(p *criticalPath, chunk int, tail []uint32) bool {
	c := s.chunks[chunk]
	if len(s.resume[chunk]) == 0 || c.First >= p.end && len(c.Locations) == 0 {
		return false
	}
	for i, l := range c.Locations {
		if i >= len(s.resume[chunk]) {
			continue
		}
		to := c.Last
		if tail[l] == uint32(chunk) {
			to = s.locations[l].end
		}
		if s.meets(p, uint32(l), chunk, &s.resume[chunk][i], to) {
			return true
		}
	}
	return false
}

// meets says whether the critical path was on a location from where a batch begins to a time, or, if that has counters, from the sample before.
func (s *scan) meets(p *criticalPath, loc uint32, chunk int, r *resume, to int64) bool {
	v, from := p.trail(loc), r.time
	switch {
	case r.ended || len(v) == 0:
		return false
	case r.sample != 0:
		from, to = s.sampleBefore(chunk, r).time-1, to+1
	case len(s.defs.Processes[s.defs.Locations[loc].Process].Counters) > 0:
		from, to = s.locations[loc].begin-1, to+1
	}
	return from < to && v.within(from, to) > 0
}

// retrace charges the time of the critical path in one chunk.
func (w *scanner) retrace(p *criticalPath, chunk int, batches []trace.Batch, tail []uint32) {
	from := w.s.resume[chunk]
	for i := range batches {
		b := &batches[i]
		w.loc, w.batch = uint32(b.Location), b
		if i >= len(from) || len(b.Events) == 0 {
			continue
		}
		end := b.Events[len(b.Events)-1].Time
		isTail := tail[b.Location] == uint32(chunk)
		known := &w.s.locations[b.Location]
		if isTail {
			end = known.end
		}
		if !w.s.meets(p, w.loc, chunk, &from[i], end) {
			continue
		}
		w.path.seek(w.loc, p, from[i].time)
		l := location{own: known.own, last: from[i].time, end: unknownTime, seen: true, sample: w.s.sampleBefore(chunk, &from[i]).clone(), does: from[i].does}
		w.reopen(&l, from[i].path)
		w.s.forgotten.restore(&l.open, from[i].forgotten)
		w.events(&l, b.Events)
		if isTail && l.end == unknownTime {
			w.charge(&l, max(known.end, l.last), 0)
		}
		w.flush()
	}
}

// reopen opens the levels of a call path on l.
func (w *scanner) reopen(l *location, path uint32) {
	if path == l.own {
		return
	}
	for p := path; p != noPath; p = w.s.paths.nodes[p].parent {
		*l.open.Open(w.s.paths.nodes[p].kind) = level{path: p, blocked: NotBlocked}
	}
	slices.Reverse(l.open.Levels)
}
