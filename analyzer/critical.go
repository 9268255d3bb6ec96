package analyzer

import (
	"cmp"
	"slices"

	"tracerec/trace"
)

// criticalPath is the chain of activities that determined how long the focus took.
type criticalPath struct {
	begin, end int64
	stays      []stay
	first      []uint32 // by location: where its trail begins in stays; nil if there is no path
}

// trail returns the trail of a location.
func (p *criticalPath) trail(loc uint32) trail {
	if p.first == nil {
		return nil
	}
	return p.stays[p.first[loc]:p.first[loc+1]]
}

// jump is where a location was let go by another.
type jump struct {
	at     int64
	causer uint32
}

// jumps returns the jumps of all locations, ascending by (at, causer), those of location l at [first[l], first[l+1]).
func jumps(settlers []*settler, locations int) (list []jump, first []uint32) {
	first = make([]uint32, locations+1)
	each := func(f func(k *keptWait)) {
		for _, w := range settlers {
			for _, b := range w.jumps.blocks {
				for r := newWaitReader(b); r.next(); {
					f(&r.keptWait)
				}
			}
		}
	}
	each(func(k *keptWait) { first[k.loc+1]++ })
	for i := range locations {
		first[i+1] += first[i]
	}
	list = make([]jump, first[locations])
	at := slices.Clone(first[:locations])
	each(func(k *keptWait) {
		list[at[k.loc]] = jump{k.end, k.causer}
		at[k.loc]++
	})
	var order merger // they are a few ascending runs, one or two for each object
	var sorted []jump
	for i := range locations {
		if v := list[first[i]:first[i+1]]; len(v) > 1 {
			sorted = sorted[:0]
			order.start(len(v), func(i int32) (int64, bool) { return v[i].at, true })
			for same := order.same(); len(same) > 0; same = order.same() {
				slices.SortFunc(same, func(a, b stamped) int { return cmp.Compare(v[a.op].causer, v[b.op].causer) })
				for _, e := range same {
					sorted = append(sorted, v[e.op])
				}
			}
			copy(v, sorted)
		}
	}
	return list, first
}

// walker is where the critical path stands.
type walker struct {
	s     *scan
	root  uint32
	path  *criticalPath
	list  []jump
	first []uint32
	left  []uint32 // by location: end of its jumps that were not passed
	steps list[step]
	here  step // the last one found, not yet in steps
}

// findCriticalPath walks from the end of the root location backwards.
func findCriticalPath(s *scan, root uint32, settlers []*settler) *criticalPath {
	p := new(criticalPath)
	if root == NoCauser {
		return p
	}
	l := &s.locations[root]
	p.begin, p.end = l.begin, l.end
	w := &walker{s: s, root: root, path: p, here: step{loc: NoCauser}}
	w.list, w.first = jumps(settlers, len(s.locations))
	w.left = slices.Clone(w.first[1:])
	for loc, t := root, p.end; t > p.begin; {
		loc, t = w.step(loc, t)
	}
	if w.here.loc != NoCauser {
		w.steps.add(w.here)
	}
	w.list, w.first, w.left = nil, nil, nil
	p.stays, p.first = trails(&w.steps, p.end, len(s.locations))
	return p
}

// step goes from location loc at time t to where the path was before.
func (w *walker) step(loc uint32, t int64) (uint32, int64) {
	l := &w.s.locations[loc]
	for mine := w.until(loc, t); len(mine) > 0; mine = mine[:len(mine)-1] {
		j := mine[len(mine)-1]
		w.left[loc]--
		if j.at <= max(l.begin, w.path.begin) {
			break
		}
		if w.s.locations[j.causer].lives(j.at) {
			w.stay(loc, j.at, t)
			return j.causer, j.at
		}
	}
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

// until returns the jumps of a location up to t that are left, and forgets those behind t. There are few, mostly.
func (w *walker) until(loc uint32, t int64) []jump {
	mine := w.list[w.first[loc]:w.left[loc]]
	lo, hi := len(mine), len(mine)
	for step := 1; lo > 0 && mine[lo-1].at > t; step *= 2 {
		lo, hi = max(lo-step, 0), lo-1
	}
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); mine[mid].at <= t {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	w.left[loc] = w.first[loc] + uint32(lo)
	return mine[:lo]
}

// lives says whether t lies within the life of l.
func (l *location) lives(t int64) bool { return l.seen && l.begin <= t && t <= l.end }

func (w *walker) stay(loc uint32, from, to int64) {
	if from >= to {
		return
	}
	if w.here.loc != loc { // else it is back without having been elsewhere for any time
		if w.here.loc != NoCauser {
			w.steps.add(w.here)
		}
		w.here.loc = loc
	}
	w.here.from = from
}
