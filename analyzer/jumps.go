package analyzer

import (
	"cmp"
	"slices"
	"sort"

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
	left  []uint32        // by location: end of those that were not passed
	nests map[uint32]nest // of locations whose operations with jumps overlap
}

// nest is what is not in order where operations overlap.
type nest struct {
	since []int64 // the earliest begin of each jump and the later ones
	reach []int64 // when each jump and those before were done
}

// newJumps collects the jumps of all locations. A wait whose causer does not live at its end is none.
func newJumps(s *scan, matchWorkers []*matchWorker) *jumps {
	n := len(s.locations)
	t := &jumps{first: make([]uint32, n+1), nests: map[uint32]nest{}}
	each := func(f func(k *keptWait)) {
		for _, w := range matchWorkers {
			for _, b := range w.jumps.blocks {
				s.store.Pace()
				for r := newWaitReader(b); r.next(); {
					if s.locations[r.causer].lives(r.end) {
						f(&r.keptWait)
					}
				}
			}
		}
	}
	each(func(k *keptWait) { t.first[k.loc+1]++ })
	for i := range n {
		t.first[i+1] += t.first[i]
	}
	t.list = spill.Make[jump](s.store, int(t.first[n]))
	at := slices.Clone(t.first[:n])
	each(func(k *keptWait) {
		t.list[at[k.loc]] = jump{k.end, k.begin, k.done, k.causer, k.path}
		at[k.loc]++
	})
	order := merger{store: s.store} // they are a few ascending runs, one or two for each object
	var sorted []jump
	for i := range uint32(n) {
		v := t.of(i)
		if len(v) > 1 {
			sorted = sortJumps(s, v, &order, spill.Grow(s.store, sorted, len(v)))
		}
		t.nest(s.store, i, v)
	}
	spill.Free(s.store, sorted)
	t.left = slices.Clone(t.first[1:])
	return t
}

// of returns the jumps of a location.
func (t *jumps) of(loc uint32) []jump { return t.list[t.first[loc]:t.first[loc+1]] }

// sortJumps sorts v with the help of some memory, which it returns.
func sortJumps(s *scan, v []jump, order *merger, sorted []jump) []jump {
	order.start(len(v), func(i int32) (int64, bool) { return v[i].at, true })
	for same := order.same(); len(same) > 0; same = order.same() {
		slices.SortFunc(same, func(a, b stamped) int {
			x, y := &v[a.op], &v[b.op]
			if c := cmp.Or(cmp.Compare(x.causer, y.causer), cmp.Compare(x.begin, y.begin)); c != 0 {
				return c
			}
			return cmp.Compare(s.paths.depth(x.path), s.paths.depth(y.path))
		})
		for _, e := range same {
			sorted = append(sorted, v[e.op])
		}
	}
	spill.Copy(s.store, v, sorted)
	return sorted
}

// nest notes what is not in order in the jumps of a location, if they overlap because there are operations within operations.
func (t *jumps) nest(store *spill.Store, loc uint32, v []jump) {
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
	t.nests[loc] = x
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
