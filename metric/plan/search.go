package plan

import (
	"fmt"
	"math/bits"
	"slices"

	"tracerec/internal/readable"
)

// fromCounters makes a plan for a processor whose counters can be used in any combination. It tries all ways to distribute
// blocks over k sets, and single events over what room is left, for k from the lower bound on.
func (t *task) fromCounters() *Result {
	proof := t.bound()
	proof.Optimal = true
	var alone [][]int
	var single []int
	for _, e := range t.single {
		if t.alone[e] {
			alone = append(alone, []int{e})
		} else {
			single = append(single, e)
		}
	}
	hall := t.halls()
	var greedy [][]int // for when the search takes too long
	for k, tries := proof.LowerBound-len(alone), 0; ; k++ {
		if greedy != nil && (k >= len(greedy) || tries > most) {
			return t.result(append(greedy, alone...), proof)
		}
		t.looks = 0
		s := &search{task: t, others: single, sets: make([][]int, k), halls: hall}
		if s.place(0) {
			return t.result(append(s.done, alone...), proof)
		}
		if t.looks >= budget {
			tries++
			greedy = t.greedy(single)
		}
		switch {
		case t.looks >= budget && proof.Optimal:
			proof.Optimal = false
			proof.How += fmt.Sprintf("; whether %s are enough was not found out in time", readable.Plural(k+len(alone), "set"))
		case proof.Optimal:
			proof.LowerBound = k + len(alone) + 1
			proof.How = fmt.Sprintf("all ways were tried to have only %s: inputs of computations do not fit", readable.Plural(k+len(alone), "set"))
		}
	}
}

// most is how many times a search may take too long.
const most = 8

// greedy puts blocks, and then events, into the first set that can have them.
func (t *task) greedy(single []int) (sets [][]int) {
	parts := slices.Clone(t.blocks)
	for _, e := range single {
		parts = append(parts, []int{e})
	}
	for _, part := range parts {
		i := slices.IndexFunc(sets, func(s []int) bool { return t.legal(union(s, part)) })
		if i < 0 {
			i = len(sets)
			sets = append(sets, nil)
		}
		sets[i] = union(sets[i], part)
	}
	return sets
}

// search distributes blocks over sets.
type search struct {
	*task
	others []int
	sets   [][]int
	halls  []hall
	done   [][]int // the solution
}

// hall is a union of counters and which events fit only there.
type hall struct {
	size int
	fits []bool
}

// halls lists what room there is. Room in a set as a whole is one of them.
func (t *task) halls() []hall {
	var masks []uint64
	for _, m := range t.mask {
		if m != 0 && !slices.Contains(masks, m) {
			masks = append(masks, m)
		}
	}
	var list []hall
	for _, on := range unions(masks) {
		h := hall{bits.OnesCount64(on), make([]bool, len(t.name))}
		for i, m := range t.mask {
			h.fits[i] = m != 0 && m&^on == 0 && !t.alone[i]
		}
		list = append(list, h)
	}
	if t.Most > 0 {
		h := hall{t.Most, make([]bool, len(t.name))}
		for i := range h.fits {
			h.fits[i] = !t.alone[i]
		}
		list = append(list, h)
	}
	return list
}

// hopeless says that there is no room for all events that are in no set yet, even if they were alone in the world.
func (s *search) hopeless() bool {
	s.looks += len(s.halls) * len(s.name)
	in := make([]int, len(s.name)) // by event: number of sets that have it
	for _, set := range s.sets {
		for _, e := range set {
			in[e]++
		}
	}
	for _, h := range s.halls {
		need := 0
		for e, fits := range h.fits {
			if fits {
				need += max(1, in[e])
			}
		}
		if need > h.size*len(s.sets) {
			return true
		}
	}
	return false
}

// place finds places for block i and all behind it, first where most of it is.
func (s *search) place(i int) bool {
	if s.looks >= budget || s.hopeless() {
		return false
	}
	if i == len(s.blocks) {
		return s.fill()
	}
	type place struct {
		set, more int
		both      []int
	}
	var places []place
	for k, set := range s.sets {
		s.looks += len(s.blocks[i])
		if both := union(set, s.blocks[i]); s.legal(both) {
			places = append(places, place{k, len(both) - len(set), both})
		}
		if len(set) == 0 {
			break // all other empty sets are like this one
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return a.more - b.more })
	for _, p := range places {
		before := s.sets[p.set]
		s.sets[p.set] = p.both
		if s.place(i + 1) {
			return true
		}
		s.sets[p.set] = before
	}
	return false
}

// fill puts the single events where there is room.
func (s *search) fill() bool {
	rest := s.others
	for _, set := range s.sets {
		rest = without(rest, set)
	}
	full := s.places(s.sets, rest)
	if full == nil {
		return false
	}
	s.done = nonempty(full)
	return true
}

// without returns what a has and b has not.
func without(a, b []int) []int {
	var rest []int
	for _, x := range a {
		if !contains(b, []int{x}) {
			rest = append(rest, x)
		}
	}
	return rest
}

func nonempty(sets [][]int) [][]int {
	var list [][]int
	for _, s := range sets {
		if len(s) > 0 {
			list = append(list, s)
		}
	}
	return list
}
