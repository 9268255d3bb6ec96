package analyzer

import (
	"cmp"
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// awaited is that a call waited for a collective operation that does not block: one that was begun in a call before, and is finished in this one.
type awaited struct {
	met  int32 // what finished it, noOp if the call waited for none
	from int64 // until then the call waited for messages
}

// later finds out for whom locations have to wait in collective operations that do not block. All members of a group begin them in the same order, but may finish them in any
// other: the n-th that each has begun, of those of its group that it finishes, are one. Each was begun in the call that asked for it, and ended when it was finished. Who waits for whom is as for
// those that block (match_group.go), but only from the begin of the call on that finishes it, and not if that only looks. A call that finishes several waits for the one that takes longest; if it waits
// for messages, too, only for what is behind that.
//
// Where it is not known when a member began one, which of its operations are which is known again from the first on that it begins after it has finished that one: those before are Impossible, of all its group.
// An operation is told by each as two: Met, of which the mode is the group, and MetLater, of which it is the meeting.
func (m *Matcher) later(x *messages) {
	if x.later == 0 {
		return
	}
	list := spill.Make[int32](m.store, x.later)[:0]
	defer func() { spill.Free(m.store, list) }()
	for i := range m.ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		if m.ops[i].Kind == wire.MetLater && len(list) < x.later {
			list = append(list, int32(i))
		}
	}
	looks := 0 // at operations
	slices.SortFunc(list, func(i, j int32) int {
		if looks++; looks%paced == 0 {
			m.store.Pace()
		}
		return cmp.Or(cmp.Compare(m.among(i), m.among(j)), cmp.Compare(m.ops[i].Loc, m.ops[j].Loc), cmp.Compare(x.other[i], x.other[j]), cmp.Compare(i, j))
	})
	for len(list) > 0 {
		n := 1
		for n < len(list) && m.among(list[n]) == m.among(list[0]) {
			n++
		}
		m.laterAmong(x, list[:n])
		list = list[n:]
	}
}

// among returns the group that an operation was met in.
func (m *Matcher) among(i int32) uint32 {
	if i == 0 || m.ops[i-1].Kind != wire.Met {
		return 0
	}
	return m.ops[i-1].Mode
}

// laterAmong looks at all operations of a group, by location and begin.
func (m *Matcher) laterAmong(x *messages, list []int32) {
	var rest [][]int32 // of each location: its operations
	unclear := 0       // so many of the first ones of the group
	for i := 0; i < len(list); {
		n := i + 1
		for n < len(list) && m.ops[list[n]].Loc == m.ops[list[i]].Loc {
			n++
		}
		rest = append(rest, list[i:n])
		unclear = max(unclear, x.unclear(list[i:n]))
		i = n
	}
	members, touched := make([]int32, 0, len(rest)), 0
	for n := 0; ; n++ {
		members = members[:0]
		for i := range rest {
			if r := rest[i]; len(r) > 0 {
				members = append(members, r[0])
				rest[i] = r[1:]
			}
		}
		if len(members) == 0 {
			return
		}
		rest = slices.DeleteFunc(rest, func(r []int32) bool { return len(r) == 0 })
		if touched += len(members); touched >= paced {
			m.store.Pace()
			touched = 0
		}
		if n < unclear {
			m.count.Impossible += uint64(len(members))
		} else {
			m.metLater(x, members)
		}
	}
}

// unclear returns of how many of the first operations of a location in a group it is not known which they are. Those of which the begin is not known come first, in the order in which they were finished; each was begun
// before that, so it does not come behind what was begun later.
func (x *messages) unclear(list []int32) int {
	n := 0
	for n < len(list) && x.other[list[n]] == noOp {
		n++
	}
	if n == 0 {
		return 0
	}
	last := list[n-1]
	for n < len(list) && x.other[list[n]] < last {
		n++
	}
	return n
}

// metLater notes for whom each of the members of one operation has to wait.
func (m *Matcher) metLater(x *messages, members []int32) {
	does := func(i int32) wire.Meeting { return wire.Meeting(m.ops[i].Mode) }
	kind := does(members[0]).Operation()
	if slices.ContainsFunc(members, func(i int32) bool { return does(i).Operation() != kind }) {
		m.count.Impossible++
		return
	}
	last := m.begunLast(x, members, everybody)
	switch kind {
	case wire.AllArrive:
		m.waitFor(x, members, last, everybody)
	case wire.AllExchange:
		if begin := m.ops[x.other[last]].Begin; !slices.ContainsFunc(members, func(i int32) bool { return m.ops[i].End <= begin }) {
			m.waitFor(x, members, last, everybody)
		} else {
			m.waitFor(x, members, m.begunLast(x, members, senders), receivers)
		}
	case wire.RootSends:
		if root := m.begunLast(x, members, isRoot); root != noOp && senders(does(root)) {
			m.waitFor(x, members, root, receivers)
		}
	case wire.RootReceives:
		if root := m.begunLast(x, members, isRoot); root != noOp && receivers(does(root)) {
			m.waitFor(x, []int32{root}, m.begunLast(x, members, senders), everybody)
		}
	case wire.BetweenArrive, wire.BetweenExchange:
		meant, waits := everybody, everybody
		if kind == wire.BetweenExchange {
			meant, waits = senders, receivers
		}
		for _, second := range []bool{false, true} {
			last = m.begunLast(x, members, func(does wire.Meeting) bool { return isRoot(does) != second && meant(does) })
			m.waitFor(x, members, last, func(does wire.Meeting) bool { return isRoot(does) == second && waits(does) })
		}
	case wire.LowerSend:
		slices.SortFunc(members, func(i, j int32) int {
			return cmp.Or(cmp.Compare(does(i).Number(), does(j).Number()), cmp.Compare(i, j))
		})
		last = noOp
		for _, i := range members {
			m.waitFor(x, []int32{i}, last, everybody)
			if senders(does(i)) && (last == noOp || m.ops[x.other[i]].Begin > m.ops[x.other[last]].Begin) {
				last = i
			}
		}
	}
}

func receivers(x wire.Meeting) bool { return x&wire.Receives != 0 }

// begunLast returns the first of the members that are meant and have begun latest, noOp if there is none.
func (m *Matcher) begunLast(x *messages, members []int32, meant func(wire.Meeting) bool) int32 {
	last := noOp
	for _, i := range members {
		if meant(wire.Meeting(m.ops[i].Mode)) && (last == noOp || m.ops[x.other[i]].Begin > m.ops[x.other[last]].Begin) {
			last = i
		}
	}
	return last
}

// waitFor notes that those of the members that are meant have to wait for one of them.
func (m *Matcher) waitFor(x *messages, members []int32, last int32, meant func(wire.Meeting) bool) {
	for _, i := range members {
		if last != noOp && meant(wire.Meeting(m.ops[i].Mode)) && m.ops[i].Loc != m.ops[last].Loc {
			x.partner[i] = x.other[last]
		}
	}
}

// awaits returns for which of the collective operations that a call finishes it waits longest.
func (m *Matcher) awaits(x *messages, from, to int) awaited {
	a, call := awaited{met: noOp}, x.call[from]
	if m.ops[call].Mode&wire.Polls != 0 {
		return a
	}
	begin := m.ops[call].Begin
	for i := from; i < to; i++ {
		if by := x.partner[i]; m.ops[i].Kind == wire.MetLater && by != noOp && m.ops[by].Begin > begin {
			a.met, begin = int32(i), m.ops[by].Begin
		}
	}
	return a
}

// laterPoints are the synch points at which calls wait for collective operations.
var laterPoints = [...]PointKind{
	wire.AllArrive: AwaitedAtBarrier, wire.RootSends: AwaitedRoot, wire.RootReceives: AwaitedByRoot, wire.AllExchange: AwaitedInExchange, wire.LowerSend: AwaitedLower,
	wire.BetweenArrive: AwaitedAtBarrier, wire.BetweenExchange: AwaitedInExchange,
}

// waited emits the wait of a call for a collective operation.
func (m *Matcher) waited(x *messages, a awaited) {
	call, by := x.call[a.met], x.partner[a.met]
	if min(m.ops[by].Begin, m.ops[call].End) <= a.from {
		return
	}
	kind := laterPoints[wire.Meeting(m.ops[a.met].Mode).Operation()]
	if kind != AwaitedLower {
		m.attendMessage(kind, x, a.met, by, a.from)
	}
	m.point(kind, call, by, a.from, m.ops[by].Begin, a.from)
}
