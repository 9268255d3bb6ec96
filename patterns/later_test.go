package patterns_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

// met is that a collective operation of a group is finished, which had this number.
func met(n, group uint32, what wire.Meeting, t int64) []analyzer.Op {
	return []analyzer.Op{finishes(n, t), {Kind: wire.Met, Mode: group, End: t}, {Kind: wire.MetLater, Mode: uint32(what), End: t}}
}

// begunAndMet are the two calls of a location that begin a collective operation and finish it.
func begunAndMet(loc uint32, begins, waits, ends int64, what wire.Meeting) []analyzer.Op {
	return slices.Concat(call(loc, begins, begins+2, 0, requests(1, begins+1)), call(loc, waits, ends, wire.SendsOne, met(1, 3, what, ends-1)...))
}

func TestLater(t *testing.T) {
	const gives, takes, both = wire.Sends, wire.Receives, wire.Sends | wire.Receives
	run(t, []scenario{
		{name: "a barrier that the other one begins late", kind: wire.MessagesObject,
			ops:  slices.Concat(begunAndMet(0, 10, 20, 50, wire.AllArrive), begunAndMet(1, 40, 60, 61, wire.AllArrive)),
			want: []string{"mpi_ibarrier_wait 0 20-40 by 1@40"}},
		{name: "a barrier that all had begun before any waits for it", kind: wire.MessagesObject,
			ops: slices.Concat(begunAndMet(0, 10, 20, 50, wire.AllArrive), begunAndMet(1, 17, 60, 61, wire.AllArrive))},
		{name: "who only looks does not wait", kind: wire.MessagesObject,
			ops: slices.Concat(call(0, 10, 12, 0, requests(1, 11)), call(0, 20, 50, wire.Polls, met(1, 3, wire.AllArrive, 49)...), begunAndMet(1, 40, 60, 61, wire.AllArrive))},
		{name: "clocks: never longer than the call", kind: wire.MessagesObject,
			ops:  slices.Concat(begunAndMet(0, 10, 20, 30, wire.AllArrive), begunAndMet(1, 40, 60, 61, wire.AllArrive)),
			want: []string{"mpi_ibarrier_wait 0 20-30 by 1@40"}},
		{name: "a broadcast that the root begins late", kind: wire.MessagesObject,
			ops: slices.Concat(begunAndMet(0, 40, 60, 61, wire.RootSends|wire.Root|gives), begunAndMet(1, 10, 20, 50, wire.RootSends|takes), begunAndMet(2, 5, 8, 45, wire.RootSends),
				begunAndMet(3, 55, 58, 59, wire.RootSends|takes)),
			want: []string{"mpi_late_ibcast 1 20-40 by 0@40"}},
		{name: "a broadcast of nothing", kind: wire.MessagesObject,
			ops: slices.Concat(begunAndMet(0, 40, 60, 61, wire.RootSends|wire.Root), begunAndMet(1, 10, 20, 50, wire.RootSends|takes))},
		{name: "a reduction of which the root waits", kind: wire.MessagesObject,
			ops: slices.Concat(begunAndMet(0, 10, 20, 50, wire.RootReceives|wire.Root|both), begunAndMet(1, 30, 31, 32, wire.RootReceives|gives), begunAndMet(2, 45, 46, 47, wire.RootReceives),
				begunAndMet(3, 5, 8, 44, wire.RootReceives|gives)),
			want: []string{"mpi_early_ireduce 0 20-30 by 1@30"}},
		{name: "a reduction that only the root begins late", kind: wire.MessagesObject,
			ops: slices.Concat(begunAndMet(0, 40, 41, 50, wire.RootReceives|wire.Root|both), begunAndMet(1, 10, 12, 60, wire.RootReceives|gives))},
		{name: "a scan, by ranks", kind: wire.MessagesObject,
			ops: slices.Concat(begunAndMet(0, 5, 8, 50, (wire.LowerSend|both).Numbered(2)), begunAndMet(1, 30, 31, 32, (wire.LowerSend|both).Numbered(0)),
				begunAndMet(2, 10, 20, 60, (wire.LowerSend|both).Numbered(1)), begunAndMet(3, 40, 41, 42, (wire.LowerSend|both).Numbered(3))),
			want: []string{"mpi_early_iscan 0 8-30 by 1@30", "mpi_early_iscan 2 20-30 by 1@30"}},
		{name: "N × N, all in it at one time", kind: wire.MessagesObject,
			ops:  slices.Concat(begunAndMet(0, 10, 20, 50, wire.AllExchange|both), begunAndMet(1, 40, 41, 51, wire.AllExchange|both), begunAndMet(2, 5, 35, 55, wire.AllExchange)),
			want: []string{"mpi_wait_inxn 0 20-40 by 1@40", "mpi_wait_inxn 2 35-40 by 1@40"}},
		{name: "N × N, one has finished early: receivers wait for who sends", kind: wire.MessagesObject,
			ops: slices.Concat(begunAndMet(0, 10, 20, 50, wire.AllExchange|both), begunAndMet(1, 30, 41, 51, wire.AllExchange|both), begunAndMet(2, 5, 8, 20, wire.AllExchange),
				begunAndMet(3, 40, 52, 53, wire.AllExchange|takes)),
			want: []string{"mpi_wait_inxn 0 20-30 by 1@30"}},
		{name: "a barrier of two groups: each waits for the other one", kind: wire.MessagesObject,
			ops:  slices.Concat(begunAndMet(0, 10, 20, 50, wire.BetweenArrive), begunAndMet(1, 45, 60, 61, wire.BetweenArrive), begunAndMet(2, 30, 38, 48, wire.BetweenArrive|wire.Root)),
			want: []string{"mpi_ibarrier_wait 0 20-30 by 2@30", "mpi_ibarrier_wait 2 38-45 by 1@45"}},
		{name: "an exchange of two groups, in which one only gives", kind: wire.MessagesObject,
			ops: slices.Concat(begunAndMet(0, 10, 20, 50, wire.BetweenExchange|gives), begunAndMet(1, 40, 60, 61, wire.BetweenExchange|wire.Root|takes),
				begunAndMet(2, 30, 38, 48, wire.BetweenExchange|gives), begunAndMet(3, 15, 25, 50, wire.BetweenExchange|wire.Root|takes)),
			want: []string{"mpi_wait_inxn 3 25-30 by 2@30"}},
		{name: "operations that differ", kind: wire.MessagesObject, lost: 1,
			ops: slices.Concat(begunAndMet(0, 10, 20, 50, wire.AllArrive), begunAndMet(1, 40, 60, 61, wire.AllExchange))},
		{name: "one of which the begin is not known", kind: wire.MessagesObject, lost: 2,
			ops: slices.Concat(begunAndMet(0, 10, 20, 50, wire.AllArrive), call(1, 60, 61, wire.SendsOne, met(1, 3, wire.AllArrive, 60)...))},
		{name: "one of which the begin is not known, and others before and behind it", kind: wire.MessagesObject, lost: 4,
			ops: slices.Concat(begunAndMet(0, 10, 20, 50, wire.AllArrive), begunAndMet(0, 52, 54, 55, wire.AllArrive), begunAndMet(0, 56, 70, 90, wire.AllArrive),
				begunAndMet(1, 40, 60, 61, wire.AllArrive), call(1, 62, 63, wire.SendsOne, met(1, 3, wire.AllArrive, 63)...), begunAndMet(1, 80, 92, 93, wire.AllArrive)),
			want: []string{"mpi_ibarrier_wait 0 70-80 by 1@80"}},
		{name: "one of which the begin is not known, and one that was begun before it was finished", kind: wire.MessagesObject, lost: 4,
			ops: slices.Concat(begunAndMet(0, 10, 20, 50, wire.AllArrive), begunAndMet(0, 56, 70, 90, wire.AllArrive), call(1, 55, 56, 0, requests(9, 55)),
				call(1, 62, 63, wire.SendsOne, met(1, 3, wire.AllArrive, 63)...), call(1, 80, 81, wire.SendsOne, met(9, 3, wire.AllArrive, 81)...))},
		{name: "nobody waits in others", kind: wire.MessagesObject, ops: slices.Concat(begunAndMet(0, 10, 20, 50, wire.NoMeeting), begunAndMet(1, 40, 60, 61, wire.NoMeeting))},
	})
}

// Two operations of one group, and one of another, are finished in another order than begun.
func TestLaterSeveral(t *testing.T) {
	begins := func(loc uint32, at int64, n uint32) []analyzer.Op { return call(loc, at, at+1, 0, requests(n, at)) }
	barrier, other := func(n uint32, t int64) []analyzer.Op { return met(n, 3, wire.AllArrive, t) }, func(n uint32, t int64) []analyzer.Op { return met(n, 4, wire.AllArrive, t) }
	run(t, []scenario{
		{name: "the second one first", kind: wire.MessagesObject,
			ops: slices.Concat(begins(0, 1, 1), begins(0, 3, 2), begins(0, 5, 3), call(0, 10, 60, wire.SendsOne, barrier(2, 59)...), call(0, 70, 71, wire.SendsOne, barrier(1, 70)...),
				call(0, 72, 90, wire.SendsOne, other(3, 89)...),
				begins(1, 20, 5), begins(1, 40, 6), begins(1, 80, 7), call(1, 95, 99, wire.SendsOthers, slices.Concat(other(7, 96), barrier(5, 97), barrier(6, 98))...)),
			want: []string{"mpi_ibarrier_wait 0 10-40 by 1@40", "mpi_ibarrier_wait 0 72-80 by 1@80"}},
		{name: "of several the one begun last", kind: wire.MessagesObject,
			ops: slices.Concat(begins(0, 1, 1), begins(0, 3, 2), begins(0, 5, 3), call(0, 10, 90, wire.SendsOthers, slices.Concat(barrier(1, 87), other(3, 88), barrier(2, 89))...),
				begins(1, 20, 1), begins(1, 80, 3), begins(1, 82, 2), call(1, 95, 99, wire.SendsOthers, slices.Concat(other(3, 96), barrier(1, 97), barrier(2, 98))...)),
			want: []string{"mpi_ibarrier_wait 0 10-82 by 1@82"}},
		{name: "behind a message that was waited for", kind: wire.MessagesObject,
			ops: slices.Concat(begins(0, 1, 1), call(0, 10, 60, wire.SendsOthers, slices.Concat(barrier(1, 57), []analyzer.Op{finishes(9, 58), arrives(1, 58)})...),
				call(1, 30, 31, wire.SendsOne, sends(1, 30)), begins(1, 50, 1), call(1, 95, 99, wire.SendsOne, barrier(1, 98)...)),
			want: []string{"mpi_latesender 0 10-30 by 1@30", "mpi_ibarrier_wait 0 30-50 by 1@50"}},
		{name: "before a message that was waited for", kind: wire.MessagesObject,
			ops: slices.Concat(begins(0, 1, 1), call(0, 10, 60, wire.SendsOthers, slices.Concat(barrier(1, 57), []analyzer.Op{finishes(9, 58), arrives(1, 58)})...),
				begins(1, 30, 1), call(1, 50, 51, wire.SendsOne, sends(1, 50)), call(1, 95, 99, wire.SendsOne, barrier(1, 98)...)),
			want: []string{"mpi_latesender 0 10-50 by 1@50"}},
	})
}

// begins is a call that begins a collective operation which has a number, waits one that finishes it.
func (x *threads) begins(loc int, from, to int64, region string, n uint32) *threads {
	return x.enter(loc, from, region).add(loc, from+1, wire.Requested, n, 0).add(loc, to, wire.Called, 0, ofMessages).leave(loc, to)
}

func (x *threads) waits(loc int, from, to int64, n uint32, what wire.Meeting) *threads {
	x.enter(loc, from, "MPI_Wait mpi_point2point").add(loc, to-1, wire.Finished, n, 0).add(loc, to-1, wire.MetLater, uint32(what), ofWorld)
	return x.add(loc, to, wire.Called, wire.SendsOne, ofMessages).leave(loc, to)
}

// overlapped is a program of two processes with a barrier that does not block: the first one begins it after some work, the second one after 10, and does 8 more before it waits, from 20 on.
func overlapped(work int64) *threads {
	x := begun(2)
	x.enter(0, 0, "work").leave(0, work).begins(0, work, work+2, "MPI_Ibarrier mpi_sync_collective", 7).enter(0, work+2, "work").leave(0, 40).waits(0, 40, 44, 7, wire.AllArrive)
	x.enter(1, 0, "work").leave(1, 10).begins(1, 10, 12, "MPI_Ibarrier mpi_sync_collective", 1).enter(1, 12, "work").leave(1, 20).waits(1, 20, 35, 1, wire.AllArrive)
	return x.end(44, 35)
}

// TestOverlapped: 1 waits from 20 to 30 for 0 to begin the barrier, because of 12 that this has worked longer, 30 − 18; of MPI_Wait 5 are left on 1, and all 4 on 0. Each barrier is counted where it is finished.
// If 0 works for 15 only, nobody waits, though the calls are as long as before.
func TestOverlapped(t *testing.T) {
	for workers := range 3 {
		e := overlapped(30).analyze(t, workers+1)
		require.Equal(t, []string{"MPI_Wait 1 10"}, cells(t, e, "mpi_ibarrier_wait"))
		require.Equal(t, []string{"MPI_Wait 0 4", "MPI_Wait 1 5"}, cells(t, e, "mpi_point2point"))
		require.Equal(t, []string{"MPI_Ibarrier 0 2", "MPI_Ibarrier 1 2"}, cells(t, e, "mpi_sync_collective"))
		require.Equal(t, []string{"work 0 10"}, cells(t, e, "delay_barrier"))
		require.Equal(t, []string{"MPI_Wait 0 1", "MPI_Wait 1 1"}, cells(t, e, "syncs_coll"))
		e = overlapped(15).analyze(t, workers+1)
		require.Empty(t, cells(t, e, "mpi_ibarrier_wait"))
		require.Empty(t, cells(t, e, "delay_barrier"))
		require.Equal(t, []string{"MPI_Wait 0 4", "MPI_Wait 1 15"}, cells(t, e, "mpi_point2point"))
	}
}

// laterNames are the wait states, by what the operation is.
var laterNames = map[wire.Meeting]string{wire.AllArrive: "mpi_ibarrier_wait", wire.RootSends: "mpi_late_ibcast", wire.RootReceives: "mpi_early_ireduce", wire.AllExchange: "mpi_wait_inxn",
	wire.LowerSend: "mpi_early_iscan", wire.BetweenArrive: "mpi_ibarrier_wait", wire.BetweenExchange: "mpi_wait_inxn"}

// randomMeeting returns what the n-th operation of a group is, and what a location does in it.
func randomMeeting(r *rand.Rand, group, n, loc uint32) wire.Meeting {
	what := []wire.Meeting{wire.AllArrive, wire.RootSends, wire.RootReceives, wire.AllExchange, wire.LowerSend, wire.NoMeeting, wire.BetweenArrive, wire.BetweenExchange}[(group*5+n)%8]
	if (group+n)%3 == loc {
		what |= wire.Root
	}
	for _, flag := range []wire.Meeting{wire.Sends, wire.Receives} {
		if r.IntN(4) > 0 {
			what |= flag
		}
	}
	return what.Numbered((loc + group) % 3)
}

// naiveLater returns for whose begin a call waits longest in the collective operations that it finishes, and what these are, -1 for none.
func naiveLater(ops []analyzer.Op, from, call int) (by int, what wire.Meeting) {
	begun := func(i int) int { // where it was begun, -1 unknown
		for j := i - 3; j >= 0 && ops[j].Loc == ops[i].Loc; j-- {
			if ops[j].Kind == wire.Requested && ops[j].Mode == ops[i-2].Mode {
				return j
			}
		}
		return -1
	}
	of := func(i int, loc uint32) (list []int) { // what a location has finished in its group
		for j := range ops {
			if ops[j].Kind == wire.MetLater && ops[j].Loc == loc && ops[j-1].Mode == ops[i-1].Mode {
				list = append(list, j)
			}
		}
		return list
	}
	place := func(i int) (n int) { // how many of its location and group were begun before, -1 unknown
		for _, j := range of(i, ops[i].Loc) {
			if begun(i) < 0 || begun(j) < 0 && j > begun(i) {
				return -1
			}
			if begun(j) < begun(i) {
				n++
			}
		}
		return n
	}
	known := func(i int) bool { // in all locations, what is at its place in its group
		for loc := range uint32(3) {
			list := of(i, loc)
			if place(i) < len(list) && !slices.ContainsFunc(list, func(j int) bool { return place(j) == place(i) }) {
				return false
			}
		}
		return place(i) >= 0
	}
	by = -1
	for i := from; i < call; i++ {
		if ops[i].Kind != wire.MetLater || !known(i) {
			continue
		}
		var members []int
		for j := range ops {
			if ops[j].Kind == wire.MetLater && ops[j-1].Mode == ops[i-1].Mode && place(j) == place(i) {
				members = append(members, j)
			}
		}
		if j := naiveAwaited(ops, members, i, begun); j >= 0 && ops[j].Loc != ops[i].Loc && ops[begun(j)].Begin > ops[call].Begin && (by < 0 || ops[begun(j)].Begin > ops[by].Begin) {
			by, what = begun(j), wire.Meeting(ops[i].Mode)
		}
	}
	return by, what
}

// naiveAwaited returns the member whose begin one of them needs, -1 for none.
func naiveAwaited(ops []analyzer.Op, members []int, i int, begun func(int) int) int {
	does := func(j int) wire.Meeting { return wire.Meeting(ops[j].Mode) }
	last := func(meant func(j int) bool) int {
		found := -1
		for _, j := range members {
			if meant(j) && (found < 0 || ops[begun(j)].Begin > ops[begun(found)].Begin) {
				found = j
			}
		}
		return found
	}
	sends := func(j int) bool { return does(j)&wire.Sends != 0 }
	switch all := last(func(int) bool { return true }); does(i).Operation() {
	case wire.AllArrive:
		return all
	case wire.AllExchange:
		if !slices.ContainsFunc(members, func(j int) bool { return ops[j].End <= ops[begun(all)].Begin }) {
			return all
		} else if does(i)&wire.Receives != 0 {
			return last(sends)
		}
	case wire.RootSends:
		if does(i)&wire.Receives != 0 {
			return last(func(j int) bool { return sends(j) && does(j)&wire.Root != 0 })
		}
	case wire.RootReceives:
		if does(i)&wire.Root != 0 && does(i)&wire.Receives != 0 {
			return last(sends)
		}
	case wire.BetweenArrive:
		return last(func(j int) bool { return does(j)&wire.Root != does(i)&wire.Root })
	case wire.BetweenExchange:
		if does(i)&wire.Receives != 0 {
			return last(func(j int) bool { return sends(j) && does(j)&wire.Root != does(i)&wire.Root })
		}
	case wire.LowerSend:
		members = slices.SortedFunc(slices.Values(members), func(j, k int) int { return cmp.Compare(does(j).Number(), does(k).Number()) })
		return last(func(j int) bool { return sends(j) && does(j).Number() < does(i).Number() })
	}
	return -1
}

// showLater is a wait in a call for what is begun elsewhere, from some time on; nil if there is none.
func showLater(ops []analyzer.Op, from, call int, since int64) []string {
	by, what := naiveLater(ops, from, call)
	if by < 0 || ops[call].Mode&wire.Polls != 0 || min(ops[by].Begin, ops[call].End) <= since {
		return nil
	}
	return []string{fmt.Sprintf("%s %d %d-%d by %d@%d", laterNames[what.Operation()], ops[call].Loc, since, min(ops[by].Begin, ops[call].End), ops[by].Loc, ops[by].Begin)}
}
