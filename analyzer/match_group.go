package analyzer

import (
	"cmp"
	"slices"

	"tracerec/internal/spill"
	"tracerec/trace/wire"
)

// group matches the collective operations of the locations of a group: the n-th of each location are one. An operation ends when its
// end was recorded, which is before the region that it is in ends.
//
// Who has arrived last is the first location of those that began latest. Where operations of one number differ, which only damage suggests, they are Impossible.
func (m *Matcher) group(ops []Op) {
	var rest [][2]int32 // of each location: its operations
	for i := range ops {
		if i%paced == 0 {
			m.store.Pace()
		}
		if i == 0 || ops[i].Loc != ops[i-1].Loc {
			rest = append(rest, [2]int32{int32(i), int32(i)})
		}
		rest[len(rest)-1][1]++
	}
	m.others = slices.ContainsFunc(rest, func(r [2]int32) bool {
		return !slices.ContainsFunc(ops[r[0]:r[1]], func(o Op) bool { return o.Kind == wire.Met })
	})
	members, before := make([]int32, 0, len(rest)), []int32(nil)
	defer func() { spill.Free(m.store, before) }()
	touched := 0 // since the limit on memory was looked at
	for {
		members, before = members[:0], before[:0]
		for i := range rest {
			r := &rest[i]
			for ; r[0] < r[1] && ops[r[0]].Kind != wire.Met; r[0]++ {
				before = spill.Append(m.store, before, r[0])
			}
			if r[0] == r[1] {
				continue
			}
			met := r[0]
			members = append(members, met)
			for r[0]++; r[0] < r[1] && ops[r[0]].Kind == wire.Within && ops[r[0]].Begin < ops[met].End; r[0]++ { // they begin later
				before = spill.Append(m.store, before, r[0])
			}
		}
		if len(members) == 0 {
			return
		}
		if touched += len(members) + len(before); touched >= paced {
			m.store.Pace()
			touched = 0
		}
		if len(members) > 1 {
			m.meeting(ops, members, before)
		}
	}
}

// meeting emits the synch points of one collective operation. What locations did since the one before, or within it, is in before.
func (m *Matcher) meeting(ops []Op, members, before []int32) {
	kind := wire.Meeting(ops[members[0]].Mode).Operation()
	for _, i := range members {
		if wire.Meeting(ops[i].Mode).Operation() != kind {
			m.count.Impossible++
			return
		}
	}
	switch kind {
	case wire.AllArrive, wire.AllBegin, wire.AllEnd, wire.AtCreate, wire.AtFree:
		m.assembled(ops, members, kind)
	case wire.ExplicitBarrier, wire.ImplicitBarrier:
		m.teamBarrier(ops, members, before, kind)
	case wire.AtFence:
		m.fence(ops, members, before)
	case wire.TeamFork:
		if root := m.latest(ops, members, isRoot); root != noOp {
			m.arrive(ops, members, root, Forked, NoPoint)
			m.attendAll(Forked, members, root, false)
		}
	case wire.AllExchange:
		m.exchange(ops, members)
	case wire.RootSends, wire.RootReceives:
		m.rooted(ops, members, kind)
	case wire.LowerSend:
		m.prefix(ops, members)
	case wire.BetweenArrive:
		m.between(ops, members, ArrivedAtBarrier, everybody, everybody)
	case wire.BetweenExchange:
		m.between(ops, members, ArrivedAtExchange, senders, receivers)
	}
}

// assemblies are the operations in which all wait for the last one.
var assemblies = [...]struct {
	waits, leaves PointKind
	together      bool // they leave together
	overlap       bool // they wait only if all are in it at one time
}{
	wire.AllArrive: {ArrivedAtBarrier, LeftBarrierFirst, true, false}, wire.AllBegin: {NoPoint, InitializedFirst, true, false}, wire.AllEnd: {ArrivedAtFinalize, NoPoint, true, false},
	wire.AtCreate: {ArrivedAtCreate, NoPoint, false, true}, wire.AtFree: {ArrivedAtFree, NoPoint, false, true},
}

// assembled emits the waits of an operation in which all wait for the last one.
func (m *Matcher) assembled(ops []Op, members []int32, kind wire.Meeting) {
	x := &assemblies[kind]
	last := m.latest(ops, members, everybody)
	overlap := m.overlap(ops, members, last)
	if overlap || !x.overlap {
		m.arrive(ops, members, last, x.waits, x.leaves)
	}
	if !x.overlap {
		m.attendAll(x.waits, members, last, x.together)
	}
	if kind == wire.AllBegin || kind == wire.AllEnd {
		m.bound(ops, members)
	}
}

// bound notes how processes begin or end.
func (m *Matcher) bound(ops []Op, members []int32) {
	for _, i := range members {
		m.bounds = append(m.bounds, ops[i])
	}
}

func everybody(wire.Meeting) bool { return true }

func isRoot(x wire.Meeting) bool { return x&wire.Root != 0 }

func senders(x wire.Meeting) bool { return x&wire.Sends != 0 }

// latest returns the first of the members that are meant and began latest, noOp if there is none.
func (m *Matcher) latest(ops []Op, members []int32, meant func(wire.Meeting) bool) int32 {
	last := noOp
	for _, i := range members {
		if meant(wire.Meeting(ops[i].Mode)) && (last == noOp || ops[i].Begin > ops[last].Begin) {
			last = i
		}
	}
	return last
}

// arrive emits that all members wait for the last one, and that they leave after the first one.
func (m *Matcher) arrive(ops []Op, members []int32, last int32, waits, leaves PointKind) {
	first := ops[members[0]].End
	for _, i := range members {
		first = min(first, ops[i].End)
	}
	for _, i := range members {
		if waits != NoPoint {
			m.meet(waits, i, last)
		}
		if leaves != NoPoint {
			from := max(first, min(ops[last].Begin, ops[i].End))
			m.point(leaves, i, noOp, from, ops[i].End, from)
		}
	}
}

// overlap says whether all members were in the operation at one time: when the last one began.
func (m *Matcher) overlap(ops []Op, members []int32, last int32) bool {
	return !slices.ContainsFunc(members, func(i int32) bool { return ops[i].End <= ops[last].Begin })
}

// exchange emits the waits of members that all get something of all: if all were in it at one time, for the last one; else receivers for the last of the senders.
func (m *Matcher) exchange(ops []Op, members []int32) {
	last := m.latest(ops, members, everybody)
	if m.overlap(ops, members, last) {
		m.arrive(ops, members, last, ArrivedAtExchange, LeftExchangeFirst)
		m.attendAll(ArrivedAtExchange, members, last, true)
		return
	}
	if last = m.latest(ops, members, senders); last == noOp {
		return
	}
	var met []int32
	for _, i := range members {
		receives := receivers(wire.Meeting(ops[i].Mode))
		if receives {
			m.meet(ArrivedAtExchange, i, last)
		}
		if i == last || receives && ops[i].Begin < ops[last].Begin {
			met = append(met, i)
		}
	}
	if len(met) > 1 {
		m.attendAll(ArrivedAtExchange, met, last, true)
	}
}

// rooted emits the waits of those that receive for the root, or of the root for all who send.
func (m *Matcher) rooted(ops []Op, members []int32, kind wire.Meeting) {
	root := m.latest(ops, members, isRoot)
	if root == noOp {
		return
	}
	does := wire.Meeting(ops[root].Mode)
	if kind == wire.RootReceives {
		if last := m.latest(ops, members, senders); last != noOp && receivers(does) {
			m.meet(SentToRoot, root, last)
			if ops[root].Begin < ops[last].Begin {
				m.attendRoot(SentToRoot, last, []int32{root}, []int32{root, last})
			}
		}
		return
	}
	var waiters []int32
	for _, i := range members {
		if i != root && senders(does) && receivers(wire.Meeting(ops[i].Mode)) {
			m.meet(RootSent, i, root)
			if ops[i].Begin < ops[root].Begin {
				waiters = append(waiters, i)
			}
		}
	}
	m.attendRoot(RootSent, root, waiters, waiters)
}

// between emits the waits of the members of each of two groups that are meant to wait, for the last one of the other group of those that are meant.
func (m *Matcher) between(ops []Op, members []int32, waits PointKind, meant, wait func(wire.Meeting) bool) {
	for _, second := range []bool{false, true} {
		last := m.latest(ops, members, func(x wire.Meeting) bool { return isRoot(x) != second && meant(x) })
		if last == noOp {
			continue
		}
		var waiters []int32
		for _, i := range members {
			if does := wire.Meeting(ops[i].Mode); isRoot(does) == second && wait(does) {
				m.meet(waits, i, last)
				if ops[i].Begin < ops[last].Begin {
					waiters = append(waiters, i)
				}
			}
		}
		m.attendRoot(waits, last, waiters, waiters)
	}
}

// prefix emits the waits of members for the last of those with lower numbers that send.
func (m *Matcher) prefix(ops []Op, members []int32) {
	slices.SortFunc(members, func(i, j int32) int {
		return cmp.Or(cmp.Compare(wire.Meeting(ops[i].Mode).Number(), wire.Meeting(ops[j].Mode).Number()), cmp.Compare(i, j))
	})
	last := noOp
	for _, i := range members {
		if last != noOp {
			m.meet(LowerSent, i, last)
		}
		if senders(wire.Meeting(ops[i].Mode)) && (last == noOp || ops[i].Begin > ops[last].Begin) {
			last = i
		}
	}
}
