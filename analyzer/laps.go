package analyzer

import (
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// lap is time in a call path between an encounter of a location and the next one.
type lap struct {
	time int64
	path uint32
}

// laps is what locations did between their encounters.
type laps struct {
	a    *assembly
	of   []lapsOf  // by location
	idle [2]uint16 // the metrics of time in which locations do nothing
	s    *scan

	tail    []uint32 // by location: the chunk of its last events
	scratch profile
}

// lapsOf is that of one location.
type lapsOf struct {
	list  list[lap]
	n     int32    // laps in list
	some  []lap    // since the last encounter, those of the last call paths: others are in list
	next  int32    // the next encounter
	open  int32    // the first one of which it is not known how long its region lasted
	path  uint32   // the innermost level
	all   []lap    // in the end
	begin []int32  // in the end, by encounter and before the first one: where what comes behind it begins
	sums  *lapSums // nil if they were not needed yet
}

// findLaps reads all events again.
func (s *scan) findLaps(a *assembly) *laps {
	x := &laps{a: a, of: make([]lapsOf, len(s.locations)), idle: [...]uint16{s.metrics.of[Forked], s.metrics.of[WorkedWithout]}, s: s, tail: s.tails()}
	for i := range x.of {
		l := &x.of[i]
		l.next, l.open, l.path = a.first[i], a.first[i], noPath
		l.list.store = s.store
		l.begin = spill.Make[int32](s.store, int(a.first[i+1]-a.first[i])+2)
		if of := &s.locations[i]; of.seen && of.begin < of.first {
			x.add(uint32(i), of.begin, of.first, of.own, wire.Begin) // it took so long to start
		}
	}
	workers := make([]*scanner, len(s.workers))
	for i := range workers {
		workers[i] = newScanner(s)
		workers[i].path, workers[i].brief = &follower{laps: x}, false
	}
	s.inOrder(workers, nil, (*scanner).again)
	for i := range x.of {
		x.of[i].finish(x, uint32(i))
	}
	x.scratch = newProfile(len(s.paths.nodes))
	return x
}

// again looks at a batch for a second time, in the order of its location.
func (w *scanner) again(chunk, i int, b *trace.Batch) {
	if i >= len(w.s.resume[chunk]) || len(b.Events) == 0 {
		return
	}
	from := &w.s.resume[chunk][i]
	if w.loc, w.batch = uint32(b.Location), b; from.ended {
		return
	}
	l := location{own: w.s.locations[b.Location].own, last: from.time, end: unknownTime, seen: true, does: from.does}
	w.path.loc = w.loc
	w.reopen(&l, from.path)
	w.s.forgotten.restore(&l.open, from.forgotten)
	w.events(&l, b.Events)
	if w.path.laps.tail[b.Location] == uint32(chunk) && l.end == unknownTime {
		w.charge(&l, max(w.s.locations[b.Location].end, l.last), 0)
	}
}

// add adds time of a location in a call path.
func (x *laps) add(loc uint32, from, to int64, path uint32, kind wire.Kind) {
	l := &x.of[loc]
	if path != l.path {
		l.left(x, from)
		l.path = path
	}
	of := x.s.timeOf(path, kind)
	counts := of != x.idle[0] && of != x.idle[1]
	for ; l.next < x.a.first[loc+1] && x.a.encounters[l.next].at < to; l.next++ {
		if at := x.a.encounters[l.next].at; counts && at > from {
			l.spent(path, at-from)
			from = at
		}
		l.lap(x, loc)
	}
	if d := to - from; counts && d > 0 {
		l.spent(path, d)
	}
}

// someLaps is so many call paths that are added up: between two encounters there are few mostly, and which are in use changes slowly.
const someLaps = 16

// spent adds time in a call path.
func (l *lapsOf) spent(path uint32, d int64) {
	for i := len(l.some) - 1; i >= 0; i-- {
		if l.some[i].path == path {
			l.some[i].time += d
			return
		}
	}
	if len(l.some) == someLaps {
		l.keep(l.some[0])
		l.some = slices.Delete(l.some, 0, 1)
	}
	l.some = append(l.some, lap{d, path})
}

// keep appends to the list. A call path may be there several times.
func (l *lapsOf) keep(x lap) {
	l.list.add(x)
	l.n++
}

// left notes that the level ended in which the location was, or another one began in it.
func (l *lapsOf) left(x *laps, t int64) {
	for ; l.open < l.next && x.a.encounters[l.open].at < t; l.open++ {
		if e := &x.a.encounters[l.open]; e.spent == unknownTime && e.path == l.path {
			e.spent = t - e.at - e.rest
		}
	}
}

// lap ends the part before the next encounter.
func (l *lapsOf) lap(x *laps, loc uint32) {
	for _, x := range l.some {
		l.keep(x)
	}
	l.some = l.some[:0]
	l.begin[l.next-x.a.first[loc]+1] = l.n
}

// finish ends the last part.
func (l *lapsOf) finish(x *laps, loc uint32) {
	for end := x.a.first[loc+1]; l.next <= end; l.next++ {
		l.lap(x, loc)
	}
	l.all = spill.Make[lap](x.s.store, int(l.n))[:0]
	for _, b := range l.list.blocks {
		x.s.store.Pace()
		l.all = append(l.all, b...)
		spill.Free(x.s.store, b)
	}
	l.list, l.some = list[lap]{}, nil
}
