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

// call is a call of a location from begin to end, and what it did with messages.
func call(loc uint32, begin, end int64, how uint32, did ...analyzer.Op) (list []analyzer.Op) {
	for _, o := range append(did, analyzer.Op{Kind: wire.Called, Mode: how, End: end}) {
		o.Loc, o.Begin, o.Blocked, o.Path = loc, begin, atOnce, uint32(begin)
		list = append(list, o)
	}
	return list
}

func sends(queue uint32, t int64) analyzer.Op {
	return analyzer.Op{Kind: wire.Dispatched, Mode: queue << 1, End: t}
}

func arrives(queue uint32, t int64) analyzer.Op {
	return analyzer.Op{Kind: wire.Arrived, Mode: queue << 1, End: t}
}

func requests(n uint32, t int64) analyzer.Op {
	return analyzer.Op{Kind: wire.Requested, Mode: n, End: t}
}

func pending(n uint32, t int64) analyzer.Op {
	return analyzer.Op{Kind: wire.Pending, Mode: n, End: t}
}

func finishes(n uint32, t int64) analyzer.Op {
	return analyzer.Op{Kind: wire.Finished, Mode: n, End: t}
}

// accesses is that a location has accessed a window of another one.
func accesses(loc uint32, begin, end int64, of uint32) analyzer.Op {
	return analyzer.Op{Kind: wire.Accessed, Loc: loc, Begin: begin, Blocked: atOnce, End: end, Path: uint32(begin), Mode: of}
}

func TestMessages(t *testing.T) {
	const toZero, fromTwo = 1, 2 // queues from locations 1 and 2 to 0
	list := func(calls ...[]analyzer.Op) []analyzer.Op { return slices.Concat(calls...) }
	run(t, []scenario{
		{name: "a late sender", kind: wire.MessagesObject,
			ops:  list(call(0, 10, 60, 0, arrives(toZero, 55)), call(1, 40, 50, wire.SendsOne, sends(toZero, 41))),
			want: []string{"mpi_latesender 0 10-40 by 1@40"}},
		{name: "a message that was there", kind: wire.MessagesObject,
			ops: list(call(0, 10, 60, 0, arrives(toZero, 55)), call(1, 5, 9, wire.SendsOne, sends(toZero, 6)))},
		{name: "who only looks does not wait", kind: wire.MessagesObject,
			ops: list(call(0, 10, 60, wire.Polls, finishes(3, 55), arrives(toZero, 55)), call(1, 40, 50, 0, sends(toZero, 41)))},
		{name: "clocks: never longer than the call", kind: wire.MessagesObject,
			ops:  list(call(0, 10, 30, 0, arrives(toZero, 25)), call(1, 40, 50, wire.SendsOne, sends(toZero, 41))),
			want: []string{"mpi_latesender 0 10-30 by 1@40"}},
		{name: "of several messages the one waited for longest", kind: wire.MessagesObject,
			ops: list(call(0, 10, 60, wire.SendsOthers, finishes(1, 55), arrives(toZero, 55), finishes(2, 56), arrives(fromTwo, 56)),
				call(1, 30, 32, 0, sends(toZero, 31)), call(2, 40, 45, 0, sends(fromTwo, 41))),
			want: []string{"mpi_latesender 0 10-40 by 2@40"}},
		{name: "wrong order: another one had sent before", kind: wire.MessagesObject,
			ops: list(call(0, 10, 60, 0, arrives(toZero, 55)), call(0, 70, 80, 0, arrives(fromTwo, 75)),
				call(1, 40, 50, wire.SendsOne, sends(toZero, 41)), call(2, 15, 25, wire.SendsOne, sends(fromTwo, 16))),
			want: []string{"mpi_lswo_different 0 10-40 by 1@40"}},
		{name: "right order: another one sent later", kind: wire.MessagesObject,
			ops: list(call(0, 10, 60, 0, arrives(toZero, 55)), call(0, 70, 80, 0, arrives(fromTwo, 75)),
				call(1, 40, 50, wire.SendsOne, sends(toZero, 41)), call(2, 42, 52, 0, sends(fromTwo, 43))),
			want: []string{"mpi_latesender 0 10-40 by 1@40"}},
		{name: "wrong order: it had sent another one itself", kind: wire.MessagesObject,
			ops: list(call(0, 10, 60, 0, arrives(toZero, 55)), call(0, 70, 80, 0, arrives(9, 75)),
				call(1, 12, 14, 0, sends(9, 13)), call(1, 40, 50, wire.SendsOne, sends(toZero, 41))),
			want: []string{"mpi_lswo_same 0 10-40 by 1@40"}},
		{name: "a late receiver", kind: wire.MessagesObject,
			ops:  list(call(0, 40, 70, 0, arrives(toZero, 65)), call(1, 10, 60, wire.SendsOne, sends(toZero, 11))),
			want: []string{"mpi_latereceiver 1 10-40 by 0@40"}},
		{name: "a late receiver that took what was sent later first", kind: wire.MessagesObject,
			ops:  list(call(0, 20, 30, 0, arrives(fromTwo, 29)), call(0, 40, 70, 0, arrives(toZero, 65)), call(1, 10, 60, wire.SendsOne, sends(toZero, 11)), call(2, 15, 16, wire.SendsOne, sends(fromTwo, 15))),
			want: []string{"mpi_latereceiver_wo 1 10-40 by 0@40"}},
		{name: "a late receiver that took what was sent earlier first", kind: wire.MessagesObject,
			ops:  list(call(0, 20, 30, 0, arrives(fromTwo, 29)), call(0, 40, 70, 0, arrives(toZero, 65)), call(1, 10, 60, wire.SendsOne, sends(toZero, 11)), call(2, 5, 6, wire.SendsOne, sends(fromTwo, 5))),
			want: []string{"mpi_latereceiver 1 10-40 by 0@40"}},
		{name: "a send that was over", kind: wire.MessagesObject,
			ops: list(call(0, 40, 70, 0, arrives(toZero, 65)), call(1, 10, 40, wire.SendsOne, sends(toZero, 11)))},
		{name: "what sends and receives does not wait to send", kind: wire.MessagesObject,
			ops: list(call(0, 40, 70, 0, arrives(toZero, 65)), call(1, 10, 60, 0, sends(toZero, 11)))},
		{name: "a send that is finished later, for a receive that is asked for", kind: wire.MessagesObject,
			ops: list(call(0, 40, 45, 0, requests(7, 41)), call(0, 60, 70, wire.SendsOne, finishes(7, 65), arrives(toZero, 65)),
				call(1, 10, 12, 0, sends(toZero, 11), pending(8, 11)), call(1, 20, 50, wire.SendsOne, finishes(8, 49))),
			want: []string{"mpi_latereceiver 1 20-40 by 0@40"}},
		{name: "a receive that was asked for before", kind: wire.MessagesObject,
			ops: list(call(0, 5, 6, 0, requests(7, 6)), call(0, 60, 70, wire.SendsOne, finishes(7, 65), arrives(toZero, 65)),
				call(1, 10, 12, 0, sends(toZero, 11), pending(8, 11)), call(1, 20, 50, wire.SendsOne, finishes(8, 49)))},
		{name: "a late post, for which the start waits", kind: wire.MessagesObject,
			ops: list(call(0, 10, 60, wire.Accesses, arrives(toZero, 10), arrives(fromTwo, 10)), call(0, 65, 70, wire.Accesses, arrives(toZero, 65), arrives(fromTwo, 65)),
				call(1, 40, 50, 0, sends(toZero, 40), sends(toZero, 40)), call(2, 20, 25, 0, sends(fromTwo, 20), sends(fromTwo, 20))),
			want: []string{"mpi_rma_sync_late_post 0 10-40 by 1@40"}},
		{name: "a late post, for which not the start waits but what completes the access", kind: wire.MessagesObject,
			ops:  list(call(0, 10, 12, wire.Accesses, arrives(toZero, 10)), call(0, 20, 60, wire.Accesses, arrives(toZero, 20)), call(1, 40, 50, 0, sends(toZero, 40), sends(toZero, 40))),
			want: []string{"mpi_rma_sync_late_post 0 20-40 by 1@40"}},
		{name: "a late post, for which the call that puts waits", kind: wire.MessagesObject,
			ops: list(call(0, 10, 12, wire.Accesses, arrives(3, 10)), call(0, 20, 60, wire.Accesses|wire.Transfers, arrives(4, 21)), call(0, 70, 72, wire.Accesses, arrives(5, 70)),
				call(1, 40, 50, 0, sends(3, 40), sends(4, 40), sends(5, 40))),
			want: []string{"mpi_rma_comm_late_post 0 20-40 by 1@40"}},
		{name: "a call that puts behind the post", kind: wire.MessagesObject,
			ops: list(call(0, 10, 12, wire.Accesses, arrives(3, 10)), call(0, 45, 60, wire.Accesses|wire.Transfers, arrives(4, 46)), call(0, 70, 72, wire.Accesses, arrives(5, 70)),
				call(1, 40, 50, 0, sends(3, 40), sends(4, 40), sends(5, 40)))},
		{name: "a post that was there", kind: wire.MessagesObject,
			ops: list(call(0, 10, 12, wire.Accesses, arrives(toZero, 10)), call(0, 20, 60, wire.Accesses, arrives(toZero, 20)), call(1, 5, 9, 0, sends(toZero, 5), sends(toZero, 5)))},
		{name: "an early wait, for the last of those who access", kind: wire.MessagesObject,
			ops:  list(call(0, 10, 60, wire.Awaits, arrives(toZero, 10), arrives(fromTwo, 10)), call(1, 40, 50, wire.Accesses, sends(toZero, 40)), call(2, 45, 52, wire.Accesses, sends(fromTwo, 45))),
			want: []string{"mpi_rma_late_complete 0 10-45 by 2@45"}},
		{name: "a late complete: nobody accesses the window any more from 30 on, when the other one has put for the last time", kind: wire.MessagesObject,
			ops: list(call(0, 10, 60, wire.Awaits, arrives(toZero, 10), arrives(fromTwo, 10)), []analyzer.Op{accesses(1, 12, 14, toZero<<1), accesses(1, 20, 25, toZero<<1)}, call(1, 40, 50, wire.Accesses, sends(toZero, 40)),
				[]analyzer.Op{accesses(2, 28, 30, fromTwo<<1)}, call(2, 35, 52, wire.Accesses, sends(fromTwo, 35))),
			want: []string{"mpi_rma_early_wait 0 10-30 by 1@40", "mpi_rma_late_complete 0 30-40 by 1@40"}},
		{name: "accesses that are complete at once", kind: wire.MessagesObject,
			ops:  list(call(0, 10, 60, wire.Awaits, arrives(toZero, 10)), []analyzer.Op{accesses(1, 20, 40, toZero<<1)}, call(1, 40, 50, wire.Accesses, sends(toZero, 40))),
			want: []string{"mpi_rma_early_wait 0 10-40 by 1@40"}},
		{name: "a late complete from the begin on, of an access that was over, but not of that of the epoch before", kind: wire.MessagesObject,
			ops: list(call(0, 1, 9, wire.Awaits, arrives(toZero, 1)), call(0, 10, 60, wire.Awaits, arrives(toZero, 10)), []analyzer.Op{accesses(1, 2, 4, toZero<<1)}, call(1, 5, 6, wire.Accesses, sends(toZero, 5)),
				[]analyzer.Op{accesses(1, 7, 9, toZero<<1)}, call(1, 40, 50, wire.Accesses, sends(toZero, 40))),
			want: []string{"mpi_rma_early_wait 0 1-4 by 1@5", "mpi_rma_late_complete 0 4-5 by 1@5", "mpi_rma_late_complete 0 10-40 by 1@40"}},
		{name: "who tests does not wait", kind: wire.MessagesObject,
			ops: list(call(0, 10, 60, wire.Awaits|wire.Polls, arrives(toZero, 10)), call(1, 40, 50, wire.Accesses, sends(toZero, 40)))},
		{name: "accesses that were complete", kind: wire.MessagesObject,
			ops: list(call(0, 55, 60, wire.Awaits, arrives(toZero, 55)), call(1, 40, 50, wire.Accesses, sends(toZero, 40)))},
		{name: "the first sent is the first to arrive, and the rest has no partner", kind: wire.MessagesObject,
			ops: list(call(0, 10, 20, 0, arrives(toZero, 15)), call(0, 30, 50, 0, arrives(toZero, 45)), call(0, 60, 90, 0, arrives(toZero, 85)),
				call(1, 5, 6, 0, sends(toZero, 6)), call(1, 40, 41, 0, sends(toZero, 41))),
			want: []string{"mpi_latesender 0 30-40 by 1@40"}},
	})
}

// meets is a collective operation of a location.
func meets(loc uint32, begin, end int64, what wire.Meeting) analyzer.Op {
	return analyzer.Op{Kind: wire.Met, Loc: loc, Begin: begin, Blocked: atOnce, End: end, Path: uint32(begin), Mode: uint32(what)}
}

func TestMeetings(t *testing.T) {
	const gives, takes, both = wire.Sends, wire.Receives, wire.Sends | wire.Receives
	run(t, []scenario{
		{name: "a barrier", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 10, 45, wire.AllArrive), meets(1, 40, 44, wire.AllArrive), meets(2, 30, 47, wire.AllArrive)},
			want: []string{"mpi_barrier_wait 0 10-40 by 1@40", "mpi_barrier_wait 2 30-40 by 1@40", "mpi_barrier_completion 0 44-45", "mpi_barrier_completion 2 44-47"}},
		{name: "a barrier of one", kind: wire.Group, ops: []analyzer.Op{meets(0, 10, 45, wire.AllArrive)}},
		{name: "N × N, all in it at one time", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 10, 45, wire.AllExchange|both), meets(1, 40, 44, wire.AllExchange|both)},
			want: []string{"mpi_wait_nxn 0 10-40 by 1@40", "mpi_nxn_completion 0 44-45"}},
		{name: "N × N, one left early: receivers wait for who sends", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 10, 45, wire.AllExchange|both), meets(1, 30, 44, wire.AllExchange|both), meets(2, 12, 15, wire.AllExchange), meets(3, 40, 50, wire.AllExchange|takes)},
			want: []string{"mpi_wait_nxn 0 10-30 by 1@30"}},
		{name: "a late broadcast", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 30, 35, wire.RootSends|wire.Root|gives), meets(1, 10, 36, wire.RootSends|takes), meets(2, 31, 37, wire.RootSends|takes), meets(3, 5, 38, wire.RootSends)},
			want: []string{"mpi_latebroadcast 1 10-30 by 0@30"}},
		{name: "a broadcast of nothing", kind: wire.Group,
			ops: []analyzer.Op{meets(0, 30, 35, wire.RootSends|wire.Root), meets(1, 10, 36, wire.RootSends|takes)}},
		{name: "an early reduce", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 10, 50, wire.RootReceives|wire.Root|both), meets(1, 40, 41, wire.RootReceives|gives), meets(2, 45, 46, wire.RootReceives)},
			want: []string{"mpi_earlyreduce 0 10-40 by 1@40"}},
		{name: "a reduce of which the root is last", kind: wire.Group,
			ops: []analyzer.Op{meets(0, 42, 50, wire.RootReceives|wire.Root|both), meets(1, 40, 60, wire.RootReceives|gives)}},
		{name: "an early scan", kind: wire.Group,
			ops: []analyzer.Op{meets(0, 30, 32, (wire.LowerSend | both).Numbered(0)), meets(1, 10, 36, (wire.LowerSend | both).Numbered(1)),
				meets(2, 31, 37, (wire.LowerSend | both).Numbered(2)), meets(3, 5, 38, (wire.LowerSend | both).Numbered(3))},
			want: []string{"mpi_earlyscan 1 10-30 by 0@30", "mpi_earlyscan 3 5-31 by 2@31"}},
		{name: "a barrier of two groups: each waits for the other one", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 10, 45, wire.BetweenArrive), meets(1, 40, 46, wire.BetweenArrive), meets(2, 20, 47, wire.BetweenArrive|wire.Root), meets(3, 30, 48, wire.BetweenArrive|wire.Root)},
			want: []string{"mpi_barrier_wait 0 10-30 by 3@30", "mpi_barrier_wait 2 20-40 by 1@40", "mpi_barrier_wait 3 30-40 by 1@40"}},
		{name: "an exchange of two groups, in which one only gives, and who gives nothing is not waited for", kind: wire.Group,
			ops: []analyzer.Op{meets(0, 10, 45, wire.BetweenExchange|gives), meets(1, 40, 46, wire.BetweenExchange|gives), meets(2, 20, 47, wire.BetweenExchange|wire.Root|takes),
				meets(3, 50, 58, wire.BetweenExchange|wire.Root|takes)},
			want: []string{"mpi_wait_nxn 2 20-40 by 1@40"}},
		{name: "two groups of which one has no member", kind: wire.Group, ops: []analyzer.Op{meets(0, 10, 45, wire.BetweenArrive), meets(1, 40, 46, wire.BetweenArrive)}},
		{name: "begin and end of a program", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 10, 45, wire.AllBegin), meets(0, 50, 90, wire.AllEnd), meets(1, 40, 44, wire.AllBegin), meets(1, 80, 91, wire.AllEnd)},
			want: []string{"mpi_init_completion 0 44-45", "mpi_finalize_wait 0 50-80 by 1@80"}},
		{name: "barriers of a team", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 10, 45, wire.ExplicitBarrier), meets(0, 50, 61, wire.ImplicitBarrier), meets(1, 40, 44, wire.ExplicitBarrier), meets(1, 60, 62, wire.ImplicitBarrier)},
			want: []string{"omp_ebarrier_wait 0 10-40 by 1@40", "omp_ibarrier_wait 0 50-60 by 1@60"}},
		{name: "windows are made, fenced and freed", kind: wire.Group,
			ops: []analyzer.Op{meets(0, 10, 45, wire.AtCreate), meets(0, 50, 61, wire.AtFence), meets(0, 70, 91, wire.AtFree), meets(1, 40, 46, wire.AtCreate),
				meets(1, 60, 62, wire.AtFence), meets(1, 90, 92, wire.AtFree)},
			want: []string{"mpi_rma_wait_at_create 0 10-40 by 1@40", "mpi_rma_wait_at_fence 0 50-60 by 1@60", "mpi_rma_wait_at_free 0 70-90 by 1@90"}},
		{name: "a fence that one had left before the last one came", kind: wire.Group,
			ops: []analyzer.Op{meets(0, 10, 30, wire.AtFence), meets(1, 40, 50, wire.AtFence)}},
		{name: "idle threads wait for who forks a team", kind: wire.Group,
			ops: []analyzer.Op{meets(0, 30, 30, wire.TeamFork|wire.Root), meets(0, 50, 60, wire.ImplicitBarrier), meets(0, 80, 80, wire.TeamFork|wire.Root), meets(1, 5, 30, wire.TeamFork),
				meets(1, 55, 60, wire.ImplicitBarrier), meets(1, 60, 80, wire.TeamFork), meets(2, 30, 30, wire.TeamFork), meets(2, 52, 60, wire.ImplicitBarrier)},
			want: []string{"omp_idle_threads 1 5-30 by 0@30", "omp_ibarrier_wait 0 50-55 by 1@55", "omp_ibarrier_wait 2 52-55 by 1@55", "omp_idle_threads 1 60-80 by 0@80"}},
		{name: "a team of which who forked it is not recorded", kind: wire.Group,
			ops: []analyzer.Op{meets(1, 5, 30, wire.TeamFork), meets(2, 6, 30, wire.TeamFork)}},
		{name: "operations that differ", kind: wire.Group, lost: 1,
			ops: []analyzer.Op{meets(0, 10, 45, wire.AllArrive), meets(1, 40, 44, wire.AllExchange)}},
		{name: "nobody waits in others", kind: wire.Group, ops: []analyzer.Op{meets(0, 10, 45, wire.NoMeeting), meets(1, 40, 44, wire.NoMeeting)}},
	})
}

// TestMessagesAgree compares what is found in random messages, sent and received in calls of several, with what is found by looking at all of them again and again.
func TestMessagesAgree(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(4500) {
		ops := randomMessages(rand.New(rand.NewPCG(seed, 1)))
		sorted, waits, _ := match(wire.MessagesObject, 0, ops)
		got := show(sorted, waits)
		require.ElementsMatch(t, naiveMessages(sorted), got, "seed %d", seed)
		for _, w := range waits {
			found[all[w.Metric].Name]++
		}
	}
	require.Len(t, found, 5+5)
	for name, n := range found {
		require.Greater(t, n, 100, name)
	}
}

// randomMessages returns calls of three locations, with messages and collective operations that do not block. Not all messages arrive, and clocks may be wrong.
func randomMessages(r *rand.Rand) (ops []analyzer.Op) {
	hows, first := []uint32{0, wire.Polls, wire.SendsOne, wire.SendsOthers}, r.Uint32N(8)
	for loc := range uint32(3) {
		t, open := int64(r.IntN(5)), []analyzer.Op{} // requests
		id := uint32(0)
		var begun [][]analyzer.Op // what finishes them
		var places [2]uint32      // by group
		for k := range 12 {
			begin := t
			var did []analyzer.Op
			for range 1 + r.IntN(3) {
				t, id = t+int64(r.IntN(4)), id+1
				to := r.Uint32N(3)
				switch queue := loc*9 + to*3 + r.Uint32N(2); r.IntN(9) {
				case 6:
					group := r.Uint32N(2)
					if r.IntN(30) > 0 { // else it is lost
						did = append(did, requests(200+id, t))
					}
					begun = append(begun, met(200+id, group, randomMeeting(r, group, first+places[group], loc), 0))
					places[group]++
				case 7, 8:
					did, begun = finish(r, did, begun, t)
				case 0:
					did = append(did, sends(queue, t))
				case 1:
					did = append(did, sends(queue, t), pending(id, t))
					open = append(open, finishes(id, t))
				case 2:
					did = append(did, requests(100+id, t))
					open = append(open, finishes(100+id, t))
				case 3:
					did = append(did, arrives(to*9+loc*3+r.Uint32N(2), t))
				default:
					if len(open) > 0 {
						o := open[0]
						open, o.End = open[1:], t
						if did = append(did, o); o.Mode >= 100 {
							did = append(did, arrives(to*9+loc*3+r.Uint32N(2), t))
						}
					}
				}
			}
			for k == 11 && len(begun) > 0 {
				did, begun = finish(r, did, begun, t)
			}
			t += int64(r.IntN(20)) + 1
			ops = append(ops, call(loc, begin, t, hows[r.IntN(4)], did...)...)
			t += int64(r.IntN(10))
		}
	}
	return ops
}

// finish finishes one of the collective operations that were begun.
func finish(r *rand.Rand, did []analyzer.Op, begun [][]analyzer.Op, t int64) (_ []analyzer.Op, left [][]analyzer.Op) {
	if len(begun) == 0 {
		return did, begun
	}
	i := r.IntN(len(begun))
	for _, o := range begun[i] {
		o.End = t
		did = append(did, o)
	}
	return did, slices.Delete(begun, i, i+1)
}

// naiveMessages finds waits for messages by the definitions of the metrics.
func naiveMessages(ops []analyzer.Op) []string {
	waits := []string{}
	asks := func(i int) int { // what asked for a message, or itself
		if i > 0 && ops[i-1].Kind == wire.Finished && ops[i-1].Loc == ops[i].Loc {
			for j := i - 2; j >= 0 && ops[j].Loc == ops[i].Loc; j-- {
				if ops[j].Kind == wire.Requested && ops[j].Mode == ops[i-1].Mode {
					return j
				}
			}
		}
		return i
	}
	kth := func(i int, kind wire.Kind) (k int) { // how many of its kind are in the queue before it: were sent before, or asked for
		for j := range ops {
			if ops[j].Kind == kind && ops[j].Mode == ops[i].Mode && cmp.Or(cmp.Compare(asks(j), asks(i)), cmp.Compare(j, i)) < 0 {
				k++
			}
		}
		return k
	}
	partner := func(i int) int {
		other := wire.Dispatched
		if ops[i].Kind == other {
			other = wire.Arrived
		}
		for j := range ops {
			if ops[j].Kind == other && ops[j].Mode == ops[i].Mode && kth(j, other) == kth(i, ops[i].Kind) {
				return j
			}
		}
		return -1
	}
	type instance struct{ call, send int }
	var late []instance
	for c := range ops {
		if ops[c].Kind != wire.Called {
			continue
		}
		from := c
		for from > 0 && ops[from-1].Kind != wire.Called && ops[from-1].Loc == ops[c].Loc {
			from--
		}
		longest, most, received := -1, int64(0), false
		sent, asked, mostSent := -1, -1, int64(0)
		for i := from; i < c; i++ {
			switch o := &ops[i]; {
			case o.Kind == wire.Arrived && partner(i) >= 0:
				s := partner(i)
				received = received || ops[s].Begin > o.Begin
				if d := min(ops[s].Begin, ops[c].End) - o.Begin; d > most {
					longest, most = s, d
				}
			case o.Kind == wire.Dispatched && ops[i+1].Kind != wire.Pending, o.Kind == wire.Finished && o.Mode < 100:
				s := i
				for o.Kind == wire.Finished && (ops[s].Kind != wire.Pending || ops[s].Mode != o.Mode) {
					s--
				}
				if o.Kind == wire.Finished {
					s--
				}
				if p := partner(s); p >= 0 {
					if a := asks(p); ops[a].Begin-o.Begin > mostSent && ops[a].Begin < ops[c].End && ops[a].Loc != o.Loc {
						sent, asked, mostSent = s, a, ops[a].Begin-o.Begin
					}
				}
			}
		}
		since := ops[c].Begin // what is behind the waits for messages
		if longest >= 0 && ops[c].Mode&wire.Polls == 0 && ops[longest].Loc != ops[c].Loc {
			late = append(late, instance{c, longest})
			since = max(since, ops[longest].Begin)
		}
		if sent >= 0 && (ops[c].Mode&wire.SendsOne != 0 || ops[c].Mode&wire.SendsOthers != 0 && !received) {
			name := "mpi_latereceiver"
			for i := range asked {
				if ops[i].Loc == ops[asked].Loc && ops[i].Kind == wire.Arrived && partner(i) >= 0 && ops[partner(i)].End > ops[sent].End {
					name = "mpi_latereceiver_wo"
				}
			}
			waits = append(waits, fmt.Sprintf("%s %d %d-%d by %d@%d", name, ops[c].Loc, ops[c].Begin, ops[asked].Begin, ops[asked].Loc, ops[asked].Begin))
			since = max(since, ops[asked].Begin)
		}
		waits = append(waits, showLater(ops, from, c, since)...)
	}
	for _, l := range late {
		c, s := &ops[l.call], &ops[l.send]
		name := "mpi_latesender"
		for i := l.call + 1; i < len(ops) && ops[i].Loc == c.Loc && name == "mpi_latesender"; i++ {
			if ops[i].Kind == wire.Arrived && partner(i) >= 0 && ops[partner(i)].End < s.End {
				name = "mpi_lswo_different"
				if ops[partner(i)].Loc == s.Loc {
					name = "mpi_lswo_same"
				}
			}
		}
		waits = append(waits, fmt.Sprintf("%s %d %d-%d by %d@%d", name, c.Loc, c.Begin, min(s.Begin, c.End), s.Loc, s.Begin))
	}
	return waits
}

// TestFinishedForNothing: what a call finishes without anything that came, such as an operation of neighbours, is not what a later receive had asked for: the send waits from 20 until that begins, at 60.
func TestFinishedForNothing(t *testing.T) {
	x := processes(2)
	for loc := range 2 {
		x.enter(loc, 0, "main").meets(loc, 0, 0, "MPI_Init mpi_init_exit", wire.AllBegin)
	}
	x.enter(1, 5, "MPI_Ineighbor_alltoall mpi_collective").add(1, 6, wire.Requested, 7, 0).add(1, 6, wire.Called, 0, ofMessages).leave(1, 6)
	x.enter(1, 10, "MPI_Wait mpi_point2point").add(1, 11, wire.Finished, 7, 0).add(1, 11, wire.Called, 0, ofMessages).leave(1, 11)
	x.sends(0, 20, 70, 0).receives(1, 60, 70, 0)
	for loc := range 2 {
		x.meets(loc, 80, 80, "MPI_Finalize mpi_init_exit", wire.AllEnd).leave(loc, 80)
	}
	require.Equal(t, []string{"MPI_Send 0 40"}, cells(t, x.analyze(t, 1), "mpi_latereceiver"))
}
