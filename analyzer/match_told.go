package analyzer

import (
	"sort"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// told finds who ended the waits of a goroutine of which the trace tells that, but not for which objects they were. All these waits are operations
// on one object of kind Waits, and what others did to end them are operations on it, too. Nothing is simulated.
//
// A wait is an operation that blocked. Of what did not block, it was ended by the last that began in [Blocked, End], whatever that is; without one it
// is unmatched, and so is one that panicked. What it waited for is told by its kind, its outcome and, of a lock acquired exclusively, by the mode of the release. Nobody knows who
// held a lock before the one who released it, or when the other Dones of a WaitGroup were; so joins lead the critical path on, but are
// never critical themselves. The synch points are in the order of the operations.
func (m *Matcher) told(ops []Op) {
	ends := m.chans.sent[:0]
	m.order.start(len(ops), func(i int32) (int64, bool) { return ops[i].Begin, ops[i].Blocked == NotBlocked })
	for same := m.order.same(); len(same) > 0; same = m.order.same() {
		for _, e := range same {
			ends = spill.Append(m.store, ends, e)
		}
	}
	m.chans.sent = ends
	for i := range ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		o := &ops[i]
		if o.Blocked == NotBlocked {
			continue
		}
		last := sort.Search(len(ends), func(k int) bool { return ends[k].time > o.End }) - 1
		if last < 0 || ends[last].time < o.Blocked || o.Outcome == wire.Panicked {
			m.unmatched(int32(i))
			continue
		}
		by := ends[last].op
		end, from := ops[by].Begin, o.Begin
		if o.Kind == wire.JoinBegin {
			from = end
		}
		m.point(o.endedBy(&ops[by]), int32(i), by, o.Begin, end, from)
		m.release(int32(i), o.Kind == wire.SendBegin)
	}
}

// endedBy returns what the operation did that ended the wait o.
func (o *Op) endedBy(by *Op) PointKind {
	switch o.Kind {
	case wire.RecvBegin:
		if o.Outcome == wire.Closed {
			return Closed
		}
		return Sent
	case wire.SendBegin:
		return Received
	case wire.SelectBegin:
		switch o.Outcome {
		case wire.Closed:
			return Closed
		case wire.Sent:
			return Received
		}
		return Sent
	case wire.LockBegin:
		switch {
		case o.Mode == wire.Shared:
			return WroteBefore
		case by.Kind == wire.Release && by.Mode == wire.Shared:
			return ReadBefore
		}
		return HeldLock
	case wire.JoinBegin:
		return WasDone
	case wire.CondBegin:
		return Signalled
	case wire.OnceBegin:
		return RanOnce
	case wire.BarrierBegin:
		return ArrivedLast
	}
	return DidNotCome
}
