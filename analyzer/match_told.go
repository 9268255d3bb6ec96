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
// is unmatched, and so is one that panicked. What it waited for is told by its kind, its outcome and, of a lock acquired exclusively, by the mode of the release. Nobody knows
// when the other Dones of a WaitGroup were; so joins lead the critical path on, but are never critical themselves. The synch points are in the order of the operations.
//
// An acquisition that another one's release ended, neither of them shared, is a handoff of a lock. Its call paths, of the acquisition and of the release, belong to one lock, and so do those that have a third such
// in common. Who waits for a lock is woken whenever it is released, if he is first in the queue; but another one may get it before he runs, and then he waits again. So it is known since when the one who released it in handoff x had it,
// if another handoff y of that lock ended earlier that is the last in which one of these had a part: who released it in x, or who waited in x, unless he released it in y. If who released it in x was to get it in y, he had it since y; else, he, or another one before who waited, lost it in y,
// and he had it since y at the earliest, and is known to have had it from when the wait of x began. Until y, who released it then had it, and so on back to the begin of the acquisition. Each of them is waited for as long as he is known to have had it; what is between that is waking up.
// (Who waits for one lock while he has another that is waited for in the same call paths had both; that is rare.) Of more than maxTurns holders before the last one, the i-th of maxTurns groups of them, equal in number, is one holder, as in a convoy. Who had it before 4096 of them is not looked for.
func (m *Matcher) told(ops []Op) {
	m.ends(ops, func(i, by int32) {
		if by == noOp {
			m.unmatched(i)
			return
		}
		o, kind, end := &ops[i], ops[i].endedBy(&ops[by]), ops[by].Begin
		switch kind {
		case HeldLock:
			m.inTurn(i, by)
		case WasDone:
			m.point(kind, i, by, o.Begin, end, end)
		default:
			m.point(kind, i, by, o.Begin, end, o.Begin)
		}
		m.release(i, o.Kind == wire.SendBegin)
	})
}

// ends tells of every wait which operation ended it, noOp if none did.
func (m *Matcher) ends(ops []Op, tell func(i, by int32)) {
	ends := m.chans.sent[:0]
	m.order.store = m.store
	m.order.start(len(ops), func(i int32) (int64, bool) { return ops[i].Begin, ops[i].Blocked == NotBlocked })
	for e, ok := m.order.next(); ok; e, ok = m.order.next() {
		ends = spill.Append(m.store, ends, e)
	}
	m.chans.sent = ends
	last := 0
	for i := range ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		o := &ops[i]
		if o.Blocked == NotBlocked {
			continue
		}
		if last = latest(ends, o.End, last); last < 0 || ends[last].time < o.Blocked || o.Outcome == wire.Panicked {
			tell(int32(i), noOp)
		} else {
			tell(int32(i), ends[last].op)
		}
	}
}

// latest returns the number of the last of a list in the order of time that is not later than t, -1 if there is none. It is near the one before, from which it looks, as most are.
func latest(list []stamped, t int64, from int) int {
	at, step := max(from, 0), 1 // none before at is later
	if at < len(list) && list[at].time > t {
		at = 0
	}
	for at+step < len(list) && list[at+step].time <= t {
		at += step
		step *= 2
	}
	rest := list[at:min(at+step, len(list))]
	return at + sort.Search(len(rest), func(k int) bool { return rest[k].time > t }) - 1
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
