package patterns_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

// within is a task that a location executes in a barrier.
func within(loc uint32, begin, end int64) analyzer.Op {
	return analyzer.Op{Kind: wire.Within, Loc: loc, Begin: begin, Blocked: atOnce, End: end, Path: uint32(begin)}
}

func TestTasks(t *testing.T) {
	const implicit, explicit = wire.ImplicitBarrier, wire.ExplicitBarrier
	run(t, []scenario{
		{name: "a thread executes two tasks while another one makes them, and waits before, between and behind", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 10, 60, implicit), within(0, 12, 20), within(0, 25, 35), meets(1, 40, 60, implicit)},
			want: []string{"omp_ibarrier_wait 0 10-12 by 1@40", "omp_ibarrier_wait 0 20-25 by 1@40", "omp_ibarrier_wait 0 35-40 by 1@40"}},
		{name: "a thread always has a task", kind: wire.Group,
			ops: []analyzer.Op{within(0, 10, 30), within(0, 30, 45), meets(0, 10, 60, implicit), meets(1, 40, 60, implicit)}},
		{name: "tasks when all have arrived are no part of the wait", kind: wire.Group,
			ops:  []analyzer.Op{meets(0, 10, 60, explicit), within(0, 45, 55), meets(1, 40, 60, explicit), within(1, 42, 58)},
			want: []string{"omp_ebarrier_wait 0 10-40 by 1@40"}},
		{name: "tasks of the barrier before", kind: wire.Group,
			ops: []analyzer.Op{meets(0, 1, 6, implicit), within(0, 2, 4), meets(0, 10, 60, implicit), meets(1, 5, 6, implicit), meets(1, 40, 60, implicit)},
			want: []string{"omp_ibarrier_wait 0 1-2 by 1@5",
				"omp_ibarrier_wait 0 4-5 by 1@5", "omp_ibarrier_wait 0 10-40 by 1@40"}},
	})
}

// TestTasksAgree compares the waits at barriers in which threads execute tasks at random with those that are found instant by instant.
func TestTasksAgree(t *testing.T) {
	total := int64(0)
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 6))
		var ops []analyzer.Op
		want := map[string]int64{}
		var begins, ends [3]int64
		for i := range begins {
			begins[i], ends[i] = r.Int64N(60), 100
		}
		latest := slices.Max(begins[:])
		for loc := range uint32(3) {
			now, busy := begins[loc], map[int64]bool{}
			barrier := meets(loc, begins[loc], ends[loc], wire.ImplicitBarrier)
			first := len(ops)
			for range r.IntN(5) {
				from := now + r.Int64N(10)
				now = min(from+r.Int64N(25), 100)
				ops = append(ops, within(loc, min(from, now), now))
				for x := from; x < now; x++ {
					busy[x] = true
				}
			}
			for x := begins[loc]; x < latest; x++ {
				if !busy[x] {
					want[fmt.Sprint(loc)]++
					total++
				}
			}
			for first < len(ops) && ops[first].Begin == barrier.Begin { // of those that begin at one time, the one that ends first comes first
				first++
			}
			ops = slices.Insert(ops, first, barrier)
		}
		got := map[string]int64{}
		sorted, waits, _ := match(wire.Group, 0, ops)
		for _, w := range waits {
			got[fmt.Sprint(sorted[w.Op].Loc)] += w.Release - w.Begin
			require.Equal(t, latest, begins[w.Causer], "seed %d", seed)
		}
		require.Equal(t, want, got, "seed %d", seed)
	}
	require.Greater(t, total, int64(10000))
}

// tasked is a team of two threads: the first one makes tasks until 50, and the other one is in the barrier from 10 on, where it executes a task from 20 to 45, and another one, as the first one does, from 60 to 80.
func tasked(tasks bool) *threads {
	x := begun(2)
	team := func(loc int, from int64, did ...[2]int64) {
		x.enter(loc, 0, "make").leave(loc, from).enter(loc, from, "barrier omp_ibarrier")
		for _, d := range did {
			if tasks {
				x.enter(loc, d[0], "task").add(loc, d[1], wire.Within, 0, ofWorld).leave(loc, d[1])
			}
		}
		x.add(loc, 90, wire.Met, uint32(wire.ImplicitBarrier), ofWorld).leave(loc, 90)
	}
	team(0, 50, [2]int64{60, 80})
	team(1, 10, [2]int64{20, 45}, [2]int64{60, 80})
	return x.end(90, 90)
}

// TestTasked: the second thread waits from 10 to 20 and from 45 to 50, and has 45 of work in tasks. In its barrier 80 − 45 − 15 are left. Without tasks it waits from 10 to 50.
func TestTasked(t *testing.T) {
	for workers := range 2 {
		e := tasked(true).analyze(t, workers+1)
		require.Equal(t, []string{"barrier 1 15"}, cells(t, e, "omp_ibarrier_wait"))
		require.Equal(t, []string{"barrier 0 20", "barrier 1 20"}, cells(t, e, "omp_ibarrier"))
		require.Equal(t, []string{"make 0 15"}, cells(t, e, "delay_ompbarrier"), "the wait")
		e = tasked(false).analyze(t, workers+1)
		require.Equal(t, []string{"barrier 1 40"}, cells(t, e, "omp_ibarrier_wait"))
		require.Equal(t, []string{"barrier 0 40", "barrier 1 40"}, cells(t, e, "omp_ibarrier"))
	}
}
