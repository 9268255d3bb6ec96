package analyzer

import (
	"math"
	"slices"

	"tracerec/internal/spill"
)

// segment begins when the critical path comes to a location where it has been for so long before.
type segment struct {
	from, before int64
	next         uint32 // location where the path goes on; NoCauser if it does not
}

// trail is when the critical path is on one location: its segments, ascending, closed by one at the end of all times.
// It is empty if the path is never there.
type trail []segment

// end returns when the path goes on from the location where it is since s, of which the next segment is given.
func (s *segment) end(next *segment) int64 { return s.from + next.before - s.before }

// end returns when the path leaves the location for the last time, before all times if it is never there.
func (v trail) end() int64 {
	if len(v) == 0 {
		return unknownTime
	}
	return v[len(v)-2].end(&v[len(v)-1])
}

// finger answers questions about a trail, fastest when each is near the one before.
type finger struct {
	trail
	at int // segment that begins at or behind the last time asked for
}

// until returns how long the critical path was on the location before t.
func (f *finger) until(t int64) int64 {
	v := f.trail
	if len(v) == 0 {
		return 0
	}
	lo, hi := f.at, f.at // the first segment at or behind t lies in between, once the steps are far enough
	for step := 1; v[hi].from < t; step *= 2 {
		lo, hi = hi+1, min(hi+step, len(v)-1)
	}
	for step := 1; lo > 0 && v[lo-1].from >= t; step *= 2 {
		lo, hi = max(lo-step, 0), lo-1
	}
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); v[mid].from < t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	f.at = lo
	if lo == 0 {
		return 0
	}
	s := &v[lo-1]
	return s.before + min(t-s.from, v[lo].before-s.before)
}

// away returns until when the critical path is not on the location from t on, for which it was just asked: t if it is there.
func (f *finger) away(t int64) int64 {
	v := f.trail
	if len(v) == 0 {
		return endOfTime
	}
	if f.at > 0 && v[f.at-1].end(&v[f.at]) > t {
		return t
	}
	return v[f.at].from
}

// within returns for how long the critical path was on the location in [from, to).
func (v trail) within(from, to int64) int64 {
	f := finger{trail: v}
	before := f.until(from)
	return f.until(to) - before
}

// endOfTime closes a trail.
const endOfTime = int64(math.MaxInt64)

// step is a segment in the order in which the critical path is found, the last first.
type step struct {
	from int64
	loc  uint32
}

// trails sorts the steps of a path that ends at end by location, and uses them up. That of location l is
// segments[first[l]:first[l+1]].
func trails(steps *list[step], end int64, locations int, store *spill.Store) (segments []segment, first []uint32) {
	first = make([]uint32, locations+1)
	for _, b := range steps.blocks {
		store.Pace()
		for i := range b {
			first[b[i].loc+1]++
		}
	}
	for i := range locations {
		if first[i+1] > 0 {
			first[i+1]++ // for the one that closes it
		}
		first[i+1] += first[i]
	}
	segments = spill.Make[segment](store, int(first[locations]))
	at, next := slices.Clone(first[1:]), NoCauser
	for i, b := range steps.blocks {
		store.Pace()
		for _, x := range b {
			at[x.loc]--
			segments[at[x.loc]-1] = segment{x.from, end - x.from, next}
			end, next = x.from, x.loc
		}
		steps.blocks[i] = nil
	}
	for i := range locations {
		v := segments[first[i]:first[i+1]]
		sum := int64(0)
		for k := range v {
			if k%paced == paced-1 {
				store.Pace()
			}
			sum, v[k].before = sum+v[k].before, sum
		}
		if len(v) > 0 {
			v[len(v)-1].from = endOfTime
		}
	}
	return segments, first
}

// without returns the parts of ascending disjoint intervals of time in which the path is not there, as a trail of their own.
func (v trail) without(store *spill.Store, list []interval) trail {
	n := 1
	v.outside(store, list, func(from, to int64) { n++ })
	if n == 1 {
		return nil
	}
	rest, sum := trail(spill.Make[segment](store, n)[:0]), int64(0)
	v.outside(store, list, func(from, to int64) {
		rest = append(rest, segment{from: from, before: sum})
		sum += to - from
	})
	return append(rest, segment{from: endOfTime, before: sum})
}

// outside tells of the parts of ascending disjoint intervals of time in which the path is not there.
func (v trail) outside(store *spill.Store, list []interval, tell func(from, to int64)) {
	looks := 0
	look := func() {
		if looks++; looks%paced == 0 {
			store.Pace()
		}
	}
	add := func(from, to int64) {
		if look(); from < to {
			tell(from, to)
		}
	}
	end := func(i int) int64 { return v[i].end(&v[i+1]) }
	i := 0
	for _, x := range list {
		for ; i+1 < len(v) && end(i) <= x.from; i++ {
			look()
		}
		for k := i; k+1 < len(v) && v[k].from < x.to; k++ {
			add(x.from, v[k].from)
			x.from = end(k)
		}
		add(x.from, x.to)
	}
}
