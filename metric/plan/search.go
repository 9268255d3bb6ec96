package plan

import "fmt"

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
	for k := proof.LowerBound - len(alone); ; k++ {
		t.looks = 0
		s := &search{task: t, others: single, sets: make([][]int, k)}
		if s.place(0) {
			return t.result(append(s.done, alone...), proof)
		}
		switch {
		case t.looks >= budget && proof.Optimal:
			proof.Optimal = false
			proof.How += fmt.Sprintf("; whether %s enough was not found out in time", plural(k+len(alone), "set"))
		case proof.Optimal:
			proof.LowerBound = k + len(alone) + 1
			proof.How = fmt.Sprintf("all ways were tried to have only %s: inputs of computations do not fit", plural(k+len(alone), "set"))
		}
	}
}

// search distributes blocks over sets.
type search struct {
	*task
	others []int
	sets   [][]int
	done   [][]int // the solution
}

// place finds places for block i and all behind it.
func (s *search) place(i int) bool {
	if s.looks >= budget {
		return false
	}
	// Whether there is room for all events, if blocks could be torn apart.
	rest := s.others
	for _, b := range s.blocks[i:] {
		rest = union(rest, b)
	}
	for _, set := range s.sets {
		rest = without(rest, set)
	}
	full := s.places(s.sets, rest)
	if full == nil {
		return false
	}
	if i == len(s.blocks) {
		s.done = nonempty(full)
		return true
	}
	for k, set := range s.sets {
		if both := union(set, s.blocks[i]); s.legal(both) {
			s.sets[k] = both
			if s.place(i + 1) {
				return true
			}
			s.sets[k] = set
		}
		if len(set) == 0 {
			break // all other empty sets are like this one
		}
	}
	return false
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
