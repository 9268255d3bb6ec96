// Package plan chooses the fewest sets of counters that measure all events of a specification under the constraints
// of a processor: how many counters it has, which of them an event can be counted on, which groups of events it offers, and
// which events must be counted alone. One run of the program measures one set.
//
// The inputs of one computation stay in one set if possible, so that they come from one run (paper "A holistic hardware
// counter analysis", section 2.1 and appendix A.1). For that reason, an event may be in several sets.
//
// [Plan] says how it knows that fewer sets are impossible: by counting, which is a theorem about matchings, or by having
// tried everything. [Check] checks a plan, with another algorithm than that of Plan.
package plan

import (
	"errors"
	"fmt"
	"slices"

	"tracerec/metric/spec"
)

// ErrUncountable says that an event cannot be counted by the processor at all.
var ErrUncountable = errors.New("no counter can count it")

// Problem is what is to be measured, and by what.
type Problem struct {
	Events   []string   // sets, and events in a set, are in this order as far as there is a choice
	Together [][]string // inputs of a computation each
	// Machine has the constraints. Beyond what its type says: an event that fits on no counter (0) takes none, as those that
	// the kernel counts by itself; bits beyond the general counters are counters for certain events only; and where there are
	// groups, they alone decide.
	Machine spec.Machine
	Most    int // events that can be read together, whoever counts them; 0: no limit
}

// Set is the events that are measured in one run.
type Set []string

// Proof says why there are no fewer sets.
type Proof struct {
	LowerBound int    // sets that are needed at least
	Optimal    bool   // there are no fewer
	How        string // in words
}

// Result is a plan.
type Result struct {
	Sets  []Set
	Split [][]string // of Together: what no set can have as a whole, so that runs must be merged before it is computed
	Proof Proof
}

// budget is how much a search may look at, edges of networks or groups: less than a second's work.
const budget = 1 << 22

// Plan returns the fewest sets that it can find. It is deterministic. The error names an event that cannot be counted,
// and is then ErrUncountable.
func Plan(p Problem) (*Result, error) {
	t, err := newTask(p)
	if err != nil {
		return nil, err
	}
	if len(p.Machine.Groups) > 0 {
		return t.fromGroups(), nil
	}
	return t.fromCounters(), nil
}

// Every event that is wanted has a number in a task.
type task struct {
	Problem
	name   []string
	number map[string]int
	mask   []uint64 // counters that the event fits on; 0: it takes none
	alone  []bool
	blocks [][]int // events that have to be in one set, by number, ascending; none is part of another
	single []int   // events of no block, ascending
	split  [][]string
	looks  int // how much was looked at
}

func newTask(p Problem) (*task, error) {
	t := &task{Problem: p, number: map[string]int{}}
	for _, e := range p.Events {
		if _, twice := t.number[e]; twice {
			continue
		}
		t.number[e] = len(t.name)
		t.name = append(t.name, e)
		t.mask = append(t.mask, maskOf(&p.Machine, e))
		t.alone = append(t.alone, slices.Contains(p.Machine.Alone, e))
		if !t.legal([]int{len(t.name) - 1}) {
			return nil, fmt.Errorf("%s: %w", e, ErrUncountable)
		}
	}
	t.makeBlocks()
	return t, nil
}

// maskOf returns the counters that an event fits on.
func maskOf(m *spec.Machine, event string) uint64 {
	if mask, told := m.Fits[event]; told {
		return mask
	}
	if m.Counters >= 64 {
		return 1<<64 - 1
	}
	return 1<<m.Counters - 1
}

// makeBlocks sorts out which events are kept together.
func (t *task) makeBlocks() {
	for _, inputs := range t.Together {
		var block []int
		for _, e := range inputs {
			if i, wanted := t.number[e]; wanted {
				block = append(block, i)
			}
		}
		slices.Sort(block)
		block = slices.Compact(block)
		switch {
		case len(block) < 2:
		case !t.legal(block):
			t.split = append(t.split, t.names(block))
		case !slices.ContainsFunc(t.blocks, func(b []int) bool { return contains(b, block) }):
			t.blocks = append(slices.DeleteFunc(t.blocks, func(b []int) bool { return contains(block, b) }), block)
		}
	}
	// Large blocks first: there are fewest places for them.
	slices.SortStableFunc(t.blocks, func(a, b []int) int { return len(b) - len(a) })
	for i := range t.name {
		if !slices.ContainsFunc(t.blocks, func(b []int) bool { return slices.Contains(b, i) }) {
			t.single = append(t.single, i)
		}
	}
}

// contains says that a has all of b; both are ascending.
func contains(a, b []int) bool {
	for _, x := range b {
		if _, ok := slices.BinarySearch(a, x); !ok {
			return false
		}
	}
	return true
}

// union merges ascending lists.
func union(a, b []int) []int {
	u := append(slices.Clone(a), b...)
	slices.Sort(u)
	return slices.Compact(u)
}

// legal says that the events can be counted together.
func (t *task) legal(set []int) bool {
	if t.Most > 0 && len(set) > t.Most || len(set) > 1 && slices.ContainsFunc(set, func(i int) bool { return t.alone[i] }) {
		return false
	}
	if len(t.Machine.Groups) > 0 {
		lone := len(set) == 1 && t.alone[set[0]]
		return lone || t.within(set, nil) || slices.ContainsFunc(t.Machine.Groups, func(g []string) bool { return t.within(set, g) })
	}
	return t.places([][]int{set}, nil) != nil
}

// within says that a group counts the events that need counters.
func (t *task) within(set []int, group []string) bool {
	return !slices.ContainsFunc(set, func(i int) bool { return !t.free(i) && !slices.Contains(group, t.name[i]) })
}

// free says that an event takes no counter. Where nothing is known about counters, none does.
func (t *task) free(i int) bool {
	if len(t.Machine.Groups) > 0 {
		mask, told := t.Machine.Fits[t.name[i]]
		return told && mask == 0
	}
	return t.mask[i] == 0
}

func (t *task) names(set []int) []string {
	var names []string
	for _, i := range set {
		names = append(names, t.name[i])
	}
	return names
}

// result makes the sets known, in the order of their first events.
func (t *task) result(sets [][]int, proof Proof) *Result {
	slices.SortFunc(sets, slices.Compare[[]int])
	r := &Result{Split: t.split, Proof: proof}
	for _, s := range sets {
		r.Sets = append(r.Sets, t.names(s))
	}
	return r
}
