package analyzer

import (
	"cmp"
	"slices"
	"sort"

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
//
// And where no device does it, a call that accesses what another process has makes no progress while that is not in MPI: it waits until that comes into its next call, if that begins before the waiting one ends.
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
	owner := m.presence(ops)
	defer func() {
		spill.Free(m.store, owner.calls)
		spill.Free(m.store, owner.until)
	}()
	var last, exclusive *windowEpoch
	for i := range epochs {
		e := &epochs[i]
		before := last
		if e.shared {
			before = exclusive
		}
		m.excluded(e, before, owner)
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
		if o.Kind != wire.Held {
			continue
		}
		if open && o.Loc != ops[to[len(to)-1].first].Loc {
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

// excluded emits the waits of an epoch: for the one before it, nil if there is none, and for the owner of the window.
func (m *Matcher) excluded(e, before *windowEpoch, owner *presence) {
	waits := m.waitsIn(e, before)
	for i := e.first; i <= e.last; i++ {
		if i%paced == 0 {
			m.store.Pace()
		}
		o := &m.ops[i]
		if o.Kind != wire.Held {
			continue
		}
		from, unlocked, present := o.Begin, UnlockedToSync, PresentToSync
		if o.Mode&wire.HoldAccesses != 0 {
			unlocked, present = UnlockedToAccess, PresentToAccess
		}
		if i == waits {
			m.point(unlocked, i, before.last, from, m.ops[before.last].End, from)
			from = min(m.ops[before.last].End, o.End)
		}
		if comes := owner.next(from); comes != noOp && m.ops[comes].Begin < o.End && !owner.is[o.Loc] {
			m.point(present, i, comes, from, m.ops[comes].Begin, from)
		}
	}
}

// waitsIn returns the call of an epoch that waits for the one before it, noOp if there is none.
func (m *Matcher) waitsIn(e, before *windowEpoch) int32 {
	waits, longest := noOp, int64(0)
	if before == nil {
		return waits
	}
	release := &m.ops[before.last]
	for i := e.first; i <= e.last; i++ {
		if i%paced == 0 {
			m.store.Pace()
		}
		if o := &m.ops[i]; o.Kind == wire.Held && o.End > release.Begin && min(release.End, o.End)-o.Begin > longest {
			waits, longest = i, min(release.End, o.End)-o.Begin
		}
	}
	return waits
}

// presence is when the process that owns a window is in MPI.
type presence struct {
	ops   []Op
	calls []int32 // by begin
	until []int64 // by call: when all until then have ended
	is    map[uint32]bool
}

// presence returns when any thread of the owner of the window is in MPI.
func (m *Matcher) presence(ops []Op) *presence {
	p := &presence{ops: ops, is: map[uint32]bool{}}
	for i := range ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		if ops[i].Kind == wire.Present {
			p.calls = spill.Append(m.store, p.calls, int32(i))
			p.is[ops[i].Loc] = true
		}
	}
	compared := 0
	slices.SortFunc(p.calls, func(i, j int32) int {
		if compared++; compared%paced == 0 {
			m.store.Pace()
		}
		return cmp.Or(cmp.Compare(ops[i].Begin, ops[j].Begin), cmp.Compare(i, j))
	})
	p.until = spill.Make[int64](m.store, len(p.calls))
	for k, i := range p.calls {
		p.until[k] = ops[i].End
		if k > 0 {
			p.until[k] = max(p.until[k], p.until[k-1])
		}
	}
	return p
}

// next returns the next call of the owner from some time on, noOp if there is none, or if it is in a call then.
func (p *presence) next(t int64) int32 {
	k := sort.Search(len(p.calls), func(k int) bool { return p.ops[p.calls[k]].Begin > t })
	if k == len(p.calls) || k > 0 && p.until[k-1] > t {
		return noOp
	}
	return p.calls[k]
}
