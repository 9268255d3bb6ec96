package analyzer

import (
	"cmp"
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// freed is at which synch points operations end that acquire a lock, by how they do.
var freed = [...]PointKind{wire.ByNobody: NoPoint, wire.ByCritical: FreedCritical, wire.ByCall: FreedCall, wire.ByMutex: FreedMutex, wire.ByCond: FreedCond}

// ordered matches the operations on a lock of which is known as the how manieth it was acquired each time: each waits for the last release by the one before it.
func (m *Matcher) ordered(ops []Op) {
	order := spill.Make[int32](m.store, len(ops))
	defer spill.Free(m.store, order)
	looks := 0 // at operations
	for i := range order {
		if i%paced == 0 {
			m.store.Pace()
		}
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		if looks++; looks%paced == 0 {
			m.store.Pace()
		}
		x, y := &ops[i], &ops[j]
		return cmp.Or(cmp.Compare(x.Mode, y.Mode), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.End, y.End), cmp.Compare(i, j)) // who acquires comes first
	})
	last := noOp // of those that released it
	for _, i := range order {
		if looks++; looks%paced == 0 {
			m.store.Pace()
		}
		o := &ops[i]
		if o.Kind == wire.Freed {
			last = i
			continue
		}
		if last != noOp && ops[last].Mode+1 == o.Mode && int(o.Outcome) < len(freed) && freed[o.Outcome] != NoPoint {
			m.meet(freed[o.Outcome], i, last)
		}
	}
}
