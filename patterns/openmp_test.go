package patterns_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

// acquires is a region from its begin until it has acquired a lock, as the how manieth.
func acquires(loc uint32, begin, end int64, order uint32, how wire.Acquisition) analyzer.Op {
	return analyzer.Op{Kind: wire.Acquired, Loc: loc, Begin: begin, Blocked: atOnce, End: end, Path: uint32(begin), Mode: order, Outcome: wire.Outcome(how)}
}

func frees(loc uint32, t int64, order uint32) analyzer.Op {
	return analyzer.Op{Kind: wire.Freed, Loc: loc, Begin: t, Blocked: atOnce, End: t, Path: uint32(t), Mode: order}
}

func TestOrderedLocks(t *testing.T) {
	const critical, call, mutex, cond = wire.ByCritical, wire.ByCall, wire.ByMutex, wire.ByCond
	run(t, []scenario{
		{name: "a critical section", kind: wire.OrderedLock,
			ops:  []analyzer.Op{acquires(0, 10, 12, 1, critical), frees(0, 40, 1), acquires(1, 20, 43, 2, critical), frees(1, 50, 2), acquires(2, 15, 52, 3, critical), frees(2, 60, 3)},
			want: []string{"omp_lock_contention_critical 1 20-40 by 0@40", "omp_lock_contention_critical 2 15-50 by 1@50"}},
		{name: "locks, mutexes and conditions", kind: wire.OrderedLock,
			ops: []analyzer.Op{acquires(0, 10, 12, 1, call), frees(0, 40, 1), acquires(0, 41, 75, 4, cond), acquires(1, 20, 43, 2, call), frees(1, 50, 2),
				acquires(2, 15, 52, 3, mutex), frees(2, 70, 3)},
			want: []string{"omp_lock_contention_api 1 20-40 by 0@40", "pthread_lock_contention_mutex_lock 2 15-50 by 1@50", "pthread_lock_contention_conditional 0 41-70 by 2@70"}},
		{name: "a lock that is free", kind: wire.OrderedLock,
			ops: []analyzer.Op{acquires(0, 10, 12, 1, critical), frees(0, 20, 1), acquires(1, 20, 22, 2, critical), frees(1, 30, 2)}},
		{name: "nobody waits for himself", kind: wire.OrderedLock,
			ops: []analyzer.Op{acquires(0, 10, 12, 1, cond), frees(0, 15, 1), acquires(0, 10, 22, 2, cond)}},
		{name: "clocks: never longer than until it had it", kind: wire.OrderedLock,
			ops:  []analyzer.Op{acquires(0, 10, 12, 1, critical), frees(0, 40, 1), acquires(1, 20, 35, 2, critical)},
			want: []string{"omp_lock_contention_critical 1 20-35 by 0@40"}},
		{name: "who had it before is not recorded", kind: wire.OrderedLock,
			ops: []analyzer.Op{acquires(0, 10, 12, 1, critical), frees(0, 40, 1), acquires(1, 20, 43, 3, critical)}},
		{name: "of a lock held twice, the last release counts", kind: wire.OrderedLock,
			ops:  []analyzer.Op{acquires(0, 10, 12, 1, call), frees(0, 30, 1), frees(0, 40, 1), acquires(1, 20, 43, 2, call)},
			want: []string{"omp_lock_contention_api 1 20-40 by 0@40"}},
		{name: "another kind of call", kind: wire.OrderedLock,
			ops: []analyzer.Op{acquires(0, 10, 12, 1, call), frees(0, 40, 1), acquires(1, 20, 43, 2, wire.ByNobody)}},
	})
}

// TestOrderedLocksAgree compares what is found of a lock that threads acquire at random with what is found by looking at all operations for each one.
func TestOrderedLocksAgree(t *testing.T) {
	names := map[wire.Acquisition]string{wire.ByCritical: "omp_lock_contention_critical", wire.ByCall: "omp_lock_contention_api", wire.ByMutex: "pthread_lock_contention_mutex_lock",
		wire.ByCond: "pthread_lock_contention_conditional"}
	found := map[string]int{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 2))
		var ops []analyzer.Op
		next := [4]int64{}
		free := int64(0)
		for order := range uint32(20) {
			loc := r.Uint32N(4)
			begin := next[loc] + r.Int64N(10)
			end := max(begin, free-r.Int64N(2)) + r.Int64N(3) // clocks may be wrong
			free = end + r.Int64N(20)
			next[loc] = free
			ops = append(ops, acquires(loc, begin, end, order+1, wire.Acquisition(r.IntN(5))))
			if r.IntN(8) > 0 {
				ops = append(ops, frees(loc, free, order+1))
			}
		}
		want := []string{}
		for _, a := range ops {
			for _, f := range ops {
				if a.Kind == wire.Acquired && f.Kind == wire.Freed && f.Mode == a.Mode-1 && f.Loc != a.Loc && f.End > a.Begin && a.End > a.Begin && a.Outcome != 0 {
					name := names[wire.Acquisition(a.Outcome)]
					want = append(want, fmt.Sprintf("%s %d %d-%d by %d@%d", name, a.Loc, a.Begin, min(a.End, f.End), f.Loc, f.End))
					found[name]++
				}
			}
		}
		sorted, waits, _ := match(wire.OrderedLock, 0, ops)
		require.ElementsMatch(t, want, show(sorted, waits), "seed %d", seed)
	}
	for _, name := range names {
		require.Greater(t, found[name], 100, name)
	}
}

// works is the time in which a location works in a team that it has forked, leftOut one in which it is idle meanwhile.
func works(loc uint32, begin, end int64) analyzer.Op {
	return meets(loc, begin, end, wire.TeamWithout|wire.Root)
}

func leftOut(loc uint32, begin, end int64) analyzer.Op {
	return meets(loc, begin, end, wire.TeamWithout)
}

func TestLeftOut(t *testing.T) {
	run(t, []scenario{
		{name: "a team of others", kind: wire.Idleness, ops: []analyzer.Op{works(0, 10, 40), leftOut(1, 10, 40), leftOut(2, 20, 40)},
			want: []string{"omp_limited_parallelism 1 10-40 by 0@10", "omp_limited_parallelism 2 20-40 by 0@10"}},
		{name: "teams in teams: the one that was forked last", kind: wire.Idleness,
			ops:  []analyzer.Op{works(0, 10, 60), works(1, 20, 40), works(1, 50, 55), leftOut(2, 15, 18), leftOut(2, 30, 60), leftOut(3, 45, 50)},
			want: []string{"omp_limited_parallelism 2 15-18 by 0@10", "omp_limited_parallelism 2 30-60 by 1@20", "omp_limited_parallelism 3 45-50 by 0@10"}},
		{name: "one team after the other", kind: wire.Idleness, ops: []analyzer.Op{works(0, 10, 30), works(0, 30, 40), leftOut(1, 10, 30), leftOut(1, 30, 40)},
			want: []string{"omp_limited_parallelism 1 10-30 by 0@10", "omp_limited_parallelism 1 30-40 by 0@30"}},
		{name: "a team that was over, and none", kind: wire.Idleness, ops: []analyzer.Op{works(0, 10, 30), leftOut(1, 30, 40), leftOut(2, 5, 8)}},
		{name: "a team of its own, as of damage", kind: wire.Idleness, ops: []analyzer.Op{works(0, 10, 30), leftOut(0, 15, 40)}},
	})
}

// TestLeftOutAgrees compares what is found of teams at random with what is found by looking at all of them for each time.
func TestLeftOutAgrees(t *testing.T) {
	found := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 6))
		var ops []analyzer.Op
		for loc := range uint32(5) {
			for now := r.Int64N(20); now < 100; now += r.Int64N(20) {
				begin := now
				now += r.Int64N(30)
				ops = append(ops, meets(loc, begin, now, wire.TeamWithout|wire.Meeting(r.Uint32N(2))<<5))
			}
		}
		want := []string{}
		for _, o := range ops {
			var root *analyzer.Op
			for i := range ops {
				x := &ops[i]
				if x.Mode&uint32(wire.Root) != 0 && x.Begin <= o.Begin && o.Begin < x.End && (root == nil || x.Begin >= root.Begin) {
					root = x
				}
			}
			if o.Mode&uint32(wire.Root) == 0 && root != nil && root.Loc != o.Loc && o.Begin < o.End {
				want = append(want, fmt.Sprintf("omp_limited_parallelism %d %d-%d by %d@%d", o.Loc, o.Begin, o.End, root.Loc, root.Begin))
			}
		}
		sorted, waits, _ := match(wire.Idleness, 0, ops)
		require.ElementsMatch(t, want, show(sorted, waits), "seed %d", seed)
		found += len(waits)
	}
	require.Greater(t, found, 5000)
}
