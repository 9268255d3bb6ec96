package analyzer

import (
	"cmp"
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// without matches the times in which threads of a process are idle although another one works in a team with those in which threads work in teams that they have forked: the roots. The causer is
// the one that had forked its team last, of those that still worked in it when the time began.
func (m *Matcher) without(ops []Op) {
	order := spill.Make[int32](m.store, len(ops))
	defer spill.Free(m.store, order)
	looks := 0 // at operations
	for i := range order {
		if i%paced == 0 {
			m.store.Pace()
		}
		order[i] = int32(i)
	}
	root := func(i int32) bool { return isRoot(wire.Meeting(ops[i].Mode)) }
	slices.SortFunc(order, func(i, j int32) int {
		if looks++; looks%paced == 0 {
			m.store.Pace()
		}
		first := 0
		if root(i) != root(j) {
			if first = 1; root(i) {
				first = -1
			}
		}
		return cmp.Or(cmp.Compare(ops[i].Begin, ops[j].Begin), first, cmp.Compare(i, j))
	})
	var working []int32 // roots, nested in each other but for damage, and then no more than some
	for k, i := range order {
		if k%paced == 0 {
			m.store.Pace()
		}
		working = slices.DeleteFunc(working, func(r int32) bool { return ops[r].End <= ops[i].Begin })
		if root(i) {
			if len(working) == maxExpected {
				working = slices.Delete(working, 0, 1)
			}
			working = append(working, i)
		} else if n := len(working); n > 0 {
			m.point(WorkedWithout, i, working[n-1], ops[i].Begin, ops[i].End, ops[i].Begin)
		}
	}
}
