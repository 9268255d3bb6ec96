package analyzer

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"sync/atomic"

	"tracerec/internal/spill"
)

// jump is what a location waited for in one operation: [begin, at) is from its first to the end of its last wait for another location,
// the causer of which let it go. Then it took until done.
type jump struct {
	at, begin, done int64
	causer, path    uint32
}

// jumps are the waits that the critical path can follow.
type jumps struct {
	list  []jump          // ascending by (at, causer, begin, depth of the path)
	first []uint32        // by location: where its jumps begin
	end   []uint32        // and end
	left  []uint32        // by location: end of those that were not passed
	nests map[uint32]nest // of locations whose operations with jumps overlap
}

// nest is what is not in order where operations overlap.
type nest struct {
	since []int64 // the earliest begin of each jump and the later ones
	reach []int64 // when each jump and those before were done
}

// jumpWorker is one worker that collects jumps.
type jumpWorker struct {
	s      *scan
	order  merger
	sorted []jump // memory for those of one location
	run    []jump // those of one location that are behind one another in a block
	nests  map[uint32]nest
}

// newJumps collects the jumps of all locations. A wait whose causer does not live at its end is none.
func newJumps(s *scan, matchWorkers []*matchWorker) *jumps {
	n := len(s.locations)
	var blocks [][]byte
	workers := make([]*jumpWorker, len(matchWorkers))
	for i, w := range matchWorkers {
		blocks = append(blocks, w.jumps.blocks...)
		workers[i] = &jumpWorker{s: s, order: merger{store: s.store}, nests: map[uint32]nest{}}
	}
	t, all := &jumps{first: make([]uint32, n), nests: map[uint32]nest{}}, uint32(0)
	for i := range n {
		t.first[i] = all
		for _, w := range matchWorkers {
			all += w.jumped[i]
		}
	}
	t.list, t.end = spill.Make[jump](s.store, int(all)), slices.Clone(t.first)
	each(workers, blocks, func(w *jumpWorker, block []byte) {
		w.runs(block, func(loc uint32, run []jump) {
			to := atomic.AddUint32(&t.end[loc], uint32(len(run)))
			copy(t.list[int(to)-len(run):], run)
		})
	})
	var next atomic.Uint32
	parallel(workers, func(w *jumpWorker) {
		for i := next.Add(1) - 1; i < uint32(n); i = next.Add(1) - 1 {
			w.sort(i, t.of(i))
		}
		spill.Free(s.store, w.sorted)
	})
	for _, w := range workers {
		maps.Copy(t.nests, w.nests)
	}
	t.left = slices.Clone(t.end)
	return t
}

// runs tells of the jumps in a block, those of a location that are behind one another at once.
func (w *jumpWorker) runs(block []byte, tell func(loc uint32, run []jump)) {
	w.s.store.Pace()
	loc := NoCauser
	for r := newWaitReader(block); r.next(); {
		if r.loc != loc && len(w.run) > 0 {
			tell(loc, w.run)
			w.run = w.run[:0]
		}
		loc = r.loc
		if w.s.locations[r.causer].lives(r.end) {
			w.run = append(w.run, jump{r.end, r.begin, r.done, r.causer, r.path})
		}
	}
	if len(w.run) > 0 {
		tell(loc, w.run)
		w.run = w.run[:0]
	}
}

// sort puts the jumps of a location in order. They are a few ascending runs, one or two for each object.
func (w *jumpWorker) sort(loc uint32, v []jump) {
	if len(v) < 2 {
		return
	}
	w.sorted = spill.Grow(w.s.store, w.sorted, len(v))
	w.order.start(len(v), func(i int32) (int64, bool) { return v[i].at, true })
	for same := w.order.same(); len(same) > 0; same = w.order.same() {
		if len(same) > 1 {
			slices.SortFunc(same, func(a, b stamped) int {
				x, y := &v[a.op], &v[b.op]
				if c := cmp.Or(cmp.Compare(x.causer, y.causer), cmp.Compare(x.begin, y.begin)); c != 0 {
					return c
				}
				return cmp.Compare(w.s.paths.depth(x.path), w.s.paths.depth(y.path))
			})
		}
		for _, e := range same {
			w.sorted = append(w.sorted, v[e.op])
		}
	}
	spill.Copy(w.s.store, v, w.sorted)
	w.nest(loc, v)
}

// of returns the jumps of a location.
func (t *jumps) of(loc uint32) []jump { return t.list[t.first[loc]:t.end[loc]] }

// nest notes what is not in order in the jumps of a location, if they overlap because there are operations within operations.
func (w *jumpWorker) nest(loc uint32, v []jump) {
	store := w.s.store
	apart := true
	for i := 1; i < len(v) && apart; i++ {
		if i%paced == 0 {
			store.Pace()
		}
		apart = v[i-1].done <= v[i].begin
	}
	if apart {
		return
	}
	x := nest{spill.Make[int64](store, len(v)), spill.Make[int64](store, len(v))}
	least, most := endOfTime, unknownTime
	for i := range slices.Backward(v) {
		if i%paced == 0 {
			store.Pace()
		}
		least = min(least, v[i].begin)
		x.since[i] = least
	}
	for i := range v {
		if i%paced == 0 {
			store.Pace()
		}
		most = max(most, v[i].done)
		x.reach[i] = most
	}
	w.nests[loc] = x
}

// doneBehind returns the jumps of a location from the first on that was not done before a time and, if they overlap, since when it is in them.
func (t *jumps) doneBehind(loc uint32, at int64) (v []jump, since []int64) {
	v = t.of(loc)
	x, overlap := t.nests[loc]
	i := sort.Search(len(v), func(i int) bool {
		if overlap {
			return x.reach[i] > at
		}
		return v[i].done > at
	})
	if overlap {
		since = x.since[i:]
	}
	return v[i:], since
}

// until returns the jumps of a location up to t that are left, and forgets those behind t. There are few, mostly.
func (t *jumps) until(loc uint32, at int64) []jump {
	mine := t.list[t.first[loc]:t.left[loc]]
	lo, hi := len(mine), len(mine)
	for step := 1; lo > 0 && mine[lo-1].at > at; step *= 2 {
		lo, hi = max(lo-step, 0), lo-1
	}
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); mine[mid].at <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	t.left[loc] = t.first[loc] + uint32(lo)
	return mine[:lo]
}

// waiting says whether a location waits for another at a time, which may never be later than the one before, and since when
// at least: it is between begin and end of a jump, or at the end of one that was passed.
func (t *jumps) waiting(loc uint32, at int64) (since int64, is bool) {
	i := len(t.until(loc, at))
	v := t.of(loc)
	if i == len(v) {
		return 0, false
	}
	since = v[i].begin
	if x, overlap := t.nests[loc]; overlap {
		since = x.since[i]
	}
	return since, since < at
}

// around returns the wait of a location in which it waits for another at a time, as waiting has it, the first to end of several; nil if it does not.
func (t *jumps) around(loc uint32, at int64) *jump {
	i := len(t.until(loc, at))
	v, x := t.of(loc), t.nests[loc]
	for ; i < len(v); i++ {
		if v[i].begin < at {
			return &v[i]
		}
		if x.since == nil || x.since[i] >= at {
			break
		}
	}
	return nil
}

// inside says whether a location waits for another before and after a time.
func (t *jumps) inside(loc uint32, at int64) bool {
	v := t.of(loc)
	i := sort.Search(len(v), func(i int) bool { return v[i].at > at })
	if i == len(v) {
		return false
	}
	if x, overlap := t.nests[loc]; overlap {
		return x.since[i] < at
	}
	return v[i].begin < at
}
