package analyzer

import (
	"cmp"
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// windowEpoch is that a location had a lock of a window, or waited for it: from the call that asks for it to the one that releases it.
type windowEpoch struct {
	first, last int32 // its calls
	end         int64 // of the last one; endOfTime if that does not release the lock
	shared      bool
}

// window matches the calls in which locations have a lock of a window of MPI. When a lock is acquired is not recorded: the call that asks for it need not wait, but any later one up to that which
// releases it may. But who has a lock releases it in the end, so that those that exclude each other had it in the order in which they released it. Each waits for the last one before it of those
// that it excludes, in one of its calls: of those that ended after the other one began to release the lock, the one in which it waited longest.
func (m *Matcher) window(ops []Op) {
	epochs := m.epochs(ops, spill.Make[windowEpoch](m.store, len(ops))[:0])
	defer func() { spill.Free(m.store, epochs) }()
	looks := 0 // at epochs
	slices.SortFunc(epochs, func(x, y windowEpoch) int {
		if looks++; looks%paced == 0 {
			m.store.Pace()
		}
		return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.first, y.first))
	})
	var last, exclusive *windowEpoch
	for i := range epochs {
		e := &epochs[i]
		if e.shared {
			m.unlocked(e, exclusive)
		} else {
			m.unlocked(e, last)
		}
		if e.end == endOfTime {
			continue
		}
		if last = e; !e.shared {
			exclusive = e
		}
	}
}

// epochs finds the epochs of all locations.
func (m *Matcher) epochs(ops []Op, to []windowEpoch) []windowEpoch {
	open := false
	for i := range ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		o := &ops[i]
		if i > 0 && o.Loc != ops[i-1].Loc {
			open = false
		}
		if o.Mode&wire.HoldBegins != 0 {
			to, open = append(to, windowEpoch{int32(i), int32(i), endOfTime, o.Mode&wire.HoldShared != 0}), true
		}
		if !open {
			continue
		}
		e := &to[len(to)-1]
		if e.last = int32(i); o.Mode&wire.HoldEnds != 0 {
			e.end, open = o.End, false
		}
	}
	return to
}

// unlocked emits the wait of an epoch for the one before it, nil if there is none.
func (m *Matcher) unlocked(e, before *windowEpoch) {
	if before == nil {
		return
	}
	release, waits, longest := &m.ops[before.last], noOp, int64(0)
	for i := e.first; i <= e.last; i++ {
		if i%paced == 0 {
			m.store.Pace()
		}
		if o := &m.ops[i]; o.End > release.Begin && min(release.End, o.End)-o.Begin > longest {
			waits, longest = i, min(release.End, o.End)-o.Begin
		}
	}
	if waits == noOp {
		return
	}
	kind, begin := UnlockedToSync, m.ops[waits].Begin
	if m.ops[waits].Mode&wire.HoldAccesses != 0 {
		kind = UnlockedToAccess
	}
	m.point(kind, waits, before.last, begin, release.End, begin)
}
