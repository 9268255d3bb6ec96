package patterns_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// fences is a fence of a location, which has the same number in its group.
func fences(loc uint32, begin, end int64) analyzer.Op {
	return meets(loc, begin, end, wire.AtFence.Numbered(loc))
}

func TestFences(t *testing.T) {
	run(t, []scenario{
		{name: "one that others still access: 1 puts until 30, and 2 works on", kind: wire.Group,
			ops:  []analyzer.Op{fences(0, 10, 51), accesses(1, 15, 30, 0), fences(1, 32, 52), accesses(2, 11, 12, 0), fences(2, 50, 53)},
			want: []string{"mpi_rma_early_fence 0 10-30 by 1@15", "mpi_rma_wait_at_fence 0 30-50 by 2@50", "mpi_rma_wait_at_fence 1 32-50 by 2@50"}},
		{name: "what others access is not its own", kind: wire.Group,
			ops:  []analyzer.Op{fences(0, 10, 51), accesses(1, 15, 30, 2), fences(1, 32, 52), fences(2, 50, 53)},
			want: []string{"mpi_rma_wait_at_fence 0 10-50 by 2@50", "mpi_rma_wait_at_fence 1 32-50 by 2@50"}},
		{name: "accesses that were over, and those of the phase before", kind: wire.Group,
			ops:  []analyzer.Op{fences(0, 1, 6), fences(0, 20, 51), accesses(1, 2, 4, 0), fences(1, 4, 6), accesses(1, 10, 19, 0), fences(1, 50, 52)},
			want: []string{"mpi_rma_early_fence 0 1-4 by 1@2", "mpi_rma_wait_at_fence 0 20-50 by 1@50"}},
		{name: "clocks: an access that ends behind the begin of the last one", kind: wire.Group,
			ops:  []analyzer.Op{fences(0, 10, 51), accesses(1, 15, 45, 0), fences(1, 40, 52)},
			want: []string{"mpi_rma_early_fence 0 10-40 by 1@15"}},
		{name: "nobody waits who was not in it together with the last one", kind: wire.Group, ops: []analyzer.Op{fences(0, 10, 35), accesses(1, 15, 30, 0), fences(1, 40, 52)}},
		{name: "what it accesses itself, what nobody has, and what was accessed behind the last fence", kind: wire.Group,
			ops:  []analyzer.Op{accesses(0, 5, 9, 0), fences(0, 10, 51), accesses(1, 15, 30, 7), fences(1, 40, 52), accesses(1, 60, 70, 0)},
			want: []string{"mpi_rma_wait_at_fence 0 10-40 by 1@40"}},
	})
}

// naiveFences finds the waits at fences by looking at all accesses for each of them.
func naiveFences(ops []analyzer.Op) []string {
	list := []string{}
	place := func(i int) (n int) { // how many fences of the location come before
		for j := range i {
			if ops[j].Loc == ops[i].Loc && ops[j].Kind == wire.Met {
				n++
			}
		}
		return n
	}
	for i := range ops {
		if ops[i].Kind != wire.Met {
			continue
		}
		last, by, together := i, -1, true
		var members []int
		for j := range ops {
			if ops[j].Kind == wire.Met && place(j) == place(i) {
				members = append(members, j)
				if ops[j].Begin > ops[last].Begin || ops[j].Begin == ops[last].Begin && j < last {
					last = j
				}
			}
		}
		for _, j := range members {
			together = together && ops[j].End > ops[last].Begin
		}
		for j := range ops {
			if a := &ops[j]; a.Kind == wire.Accessed && a.Mode == ops[i].Loc && a.Loc != ops[i].Loc && place(j) == place(i) && (by < 0 || a.End > ops[by].End) {
				if slices.ContainsFunc(members, func(k int) bool { return ops[k].Loc == a.Loc }) {
					by = j
				}
			}
		}
		if !together || last == i {
			continue
		}
		from, end := ops[i].Begin, ops[last].Begin
		if by >= 0 && min(ops[by].End, end) > from {
			list = append(list, fmt.Sprintf("mpi_rma_early_fence %d %d-%d by %d@%d", ops[i].Loc, from, min(ops[by].End, end), ops[by].Loc, ops[by].Begin))
			from = min(ops[by].End, end)
		}
		if from < end {
			list = append(list, fmt.Sprintf("mpi_rma_wait_at_fence %d %d-%d by %d@%d", ops[i].Loc, from, end, ops[last].Loc, end))
		}
	}
	return list
}

// TestFencesAgree compares what is found at fences between accesses at random with what is found by looking at all of them again and again. Clocks may be wrong.
func TestFencesAgree(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 5))
		var ops []analyzer.Op
		for loc := range uint32(4) {
			now := r.Int64N(9)
			for range 3 + r.IntN(2) {
				for range r.IntN(4) {
					begin := now + r.Int64N(8)
					now = begin + r.Int64N(12)
					ops = append(ops, accesses(loc, begin, now, r.Uint32N(5)))
				}
				now += r.Int64N(8)
				begin := now
				now += r.Int64N(60)
				ops = append(ops, fences(loc, begin, now))
			}
		}
		sorted, waits, _ := match(wire.Group, 0, ops)
		require.ElementsMatch(t, naiveFences(sorted), show(sorted, waits), "seed %d", seed)
		for _, w := range waits {
			found[all[w.Metric].Name]++
		}
	}
	require.Len(t, found, 2)
	for name, n := range found {
		require.Greater(t, n, 1000, name)
	}
}

// fenced is a program of three processes with a window: between two fences, the first one puts data into what the second one has, from 20 to 30, and the others do nothing. All are at the first fence from 0 to 10; at the second
// one 0 is from 30 on, 1 from 12 and 2 from 40.
func fenced(puts bool) *threads {
	const ofWindow = ofWorld
	x := begun(3)
	fence := func(loc int, from, to int64) {
		x.enter(loc, from, "MPI_Win_fence mpi_rma_sync_active").add(loc, to, wire.Met, uint32(wire.AtFence.Numbered(uint32(loc))), ofWindow).leave(loc, to)
	}
	for loc := range 3 {
		fence(loc, 0, 10)
		x.enter(loc, 10, "work")
		if x.leave(loc, []int64{20, 12, 40}[loc]); loc == 0 {
			x.enter(0, 20, "MPI_Put mpi_rma_communication")
			if puts {
				x.add(0, 30, wire.Accessed, 1, ofWindow)
			}
			x.leave(0, 30)
		}
		fence(loc, []int64{30, 12, 40}[loc], 45)
	}
	return x.end(45, 45, 45)
}

// TestFenced: 1 waits from 12 to 30 while 0 puts, and then to 40 for 2, as 0 does. At both fences each process is synchronized with two others, that is 4; only 0 and 1 pass data, before the second one. Where nobody
// accesses anything, 1 waits for 2 alone, from 12 on, and all pairs are synchronized for nothing.
func TestFenced(t *testing.T) {
	for workers := range 2 {
		e := fenced(true).analyze(t, workers+1)
		require.Equal(t, []string{"MPI_Win_fence 1 18"}, cells(t, e, "mpi_rma_early_fence"))
		require.Equal(t, []string{"MPI_Win_fence 0 10", "MPI_Win_fence 1 10"}, cells(t, e, "mpi_rma_wait_at_fence"))
		require.Equal(t, []string{"MPI_Win_fence 0 1", "MPI_Win_fence 1 1"}, cells(t, e, "mpi_rma_pairsync_count"))
		require.Equal(t, []string{"MPI_Win_fence 0 3", "MPI_Win_fence 1 3", "MPI_Win_fence 2 4"}, cells(t, e, "mpi_rma_pairsync_unneeded_count"))
		e = fenced(false).analyze(t, workers+1)
		require.Empty(t, cells(t, e, "mpi_rma_early_fence"))
		require.Equal(t, []string{"MPI_Win_fence 0 10", "MPI_Win_fence 1 28"}, cells(t, e, "mpi_rma_wait_at_fence"))
		require.Equal(t, []string{"MPI_Win_fence 0 4", "MPI_Win_fence 1 4", "MPI_Win_fence 2 4"}, cells(t, e, "mpi_rma_pairsync_unneeded_count"))
	}
}

// TestFencedByOthers: where a thread that calls no fence accesses the window, as with MPI_THREAD_MULTIPLE, nothing is said of pairs that are synchronized for nothing: they may pass data by that. All else is as it was.
func TestFencedByOthers(t *testing.T) {
	for _, puts := range []bool{false, true} {
		x := fenced(puts)
		x.source.Definitions.Locations = append(x.source.Definitions.Locations, trace.Location{Process: 0, Number: 2, GoID: 2, Name: "thread"})
		x.events = append(x.events, nil)
		e := x.enter(3, 20, "MPI_Put mpi_rma_communication").add(3, 28, wire.Accessed, 1, ofWorld).leave(3, 28).analyze(t, 1)
		require.Empty(t, cells(t, e, "mpi_rma_pairsync_unneeded_count"))
		require.Equal(t, []string{"MPI_Win_fence 0 4", "MPI_Win_fence 1 4", "MPI_Win_fence 2 4"}, cells(t, e, "mpi_rma_pairsync_count"))
		if puts {
			require.Equal(t, []string{"MPI_Win_fence 1 18"}, cells(t, e, "mpi_rma_early_fence"))
		}
	}
}

// exposed is a program of two processes: 0 starts to access a window of 1 at 2, puts from 5 to 10 if it does, works, and completes that at 30. 1 posts it at 0, and waits from 8 on.
func exposed(puts bool) *threads {
	const queue, toStart = 3<<1 | 1, 4<<1 | 1
	x := begun(2)
	call := func(loc int, from, to int64, name string, how uint32, kind wire.Kind, queue uint32) {
		x.enter(loc, from, name+" mpi_rma_sync_active").add(loc, from+1, kind, queue, wire.NoMessage).add(loc, to, wire.Called, how, ofMessages).leave(loc, to)
	}
	call(0, 2, 4, "MPI_Win_start", wire.Accesses, wire.Arrived, toStart)
	if puts {
		x.enter(0, 5, "MPI_Put mpi_rma_communication").add(0, 10, wire.Accessed, queue, ofMessages).leave(0, 10)
	}
	x.enter(0, 10, "work").leave(0, 30)
	call(0, 30, 33, "MPI_Win_complete", wire.Accesses, wire.Dispatched, queue)
	call(1, 0, 2, "MPI_Win_post", 0, wire.Dispatched, toStart)
	call(1, 8, 35, "MPI_Win_wait", wire.Awaits, wire.Arrived, queue)
	return x.end(35, 35)
}

// TestExposed: 1 waits from 8 to 10 for data, and then to 30 for 0 to say that there is no more, which it would have known at 10. Both sides have one partner, which they need if it puts.
func TestExposed(t *testing.T) {
	e := exposed(true).analyze(t, 1)
	require.Equal(t, []string{"MPI_Win_wait 1 2"}, cells(t, e, "mpi_rma_early_wait"))
	require.Equal(t, []string{"MPI_Win_wait 1 20"}, cells(t, e, "mpi_rma_late_complete"))
	require.Equal(t, []string{"MPI_Win_complete 0 1", "MPI_Win_wait 1 1"}, cells(t, e, "mpi_rma_pairsync_count"))
	require.Empty(t, cells(t, e, "mpi_rma_pairsync_unneeded_count"))
	e = exposed(false).analyze(t, 1)
	require.Empty(t, cells(t, e, "mpi_rma_early_wait"))
	require.Equal(t, []string{"MPI_Win_wait 1 22"}, cells(t, e, "mpi_rma_late_complete"))
	require.Equal(t, []string{"MPI_Win_complete 0 1", "MPI_Win_wait 1 1"}, cells(t, e, "mpi_rma_pairsync_unneeded_count"))
}

// TestExposedToItself: who posts a window to itself, too, waits for nobody there, and is no pair.
func TestExposedToItself(t *testing.T) {
	const queue, toStart = 3<<1 | 1, 4<<1 | 1
	x := begun(2)
	call := func(from, to int64, name string, how uint32, kind wire.Kind, queue uint32) {
		x.enter(0, from, name+" mpi_rma_sync_active").add(0, from+1, kind, queue, wire.NoMessage).add(0, to, wire.Called, how, ofMessages).leave(0, to)
	}
	call(2, 4, "MPI_Win_post", 0, wire.Dispatched, toStart)
	call(5, 9, "MPI_Win_start", wire.Accesses, wire.Arrived, toStart)
	call(10, 12, "MPI_Win_complete", wire.Accesses, wire.Dispatched, queue)
	call(13, 15, "MPI_Win_wait", wire.Awaits, wire.Arrived, queue)
	e := x.end(15, 15).analyze(t, 1)
	for _, m := range []string{"mpi_rma_pairsync_count", "mpi_rma_pairsync_unneeded_count", "mpi_rma_sync_late_post", "mpi_rma_early_wait"} {
		require.Empty(t, cells(t, e, m), m)
	}
}
