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

// holds are calls of a location in which it has the lock of a window, or waits for it, each from begin to end: the first one asks for it, the last one releases it, and those between put data.
func holds(loc uint32, shared uint32, calls ...[2]int64) (ops []analyzer.Op) {
	for i, c := range calls {
		what := shared
		switch i {
		case 0:
			what |= wire.HoldBegins
		case len(calls) - 1:
			what |= wire.HoldEnds
		default:
			what |= wire.HoldAccesses
		}
		ops = append(ops, analyzer.Op{Kind: wire.Held, Loc: loc, Begin: c[0], Blocked: atOnce, End: c[1], Path: uint32(c[0]), Mode: what})
	}
	return ops
}

// present are calls of MPI of a location that owns a window.
func present(loc uint32, calls ...[2]int64) (ops []analyzer.Op) {
	for _, c := range calls {
		ops = append(ops, analyzer.Op{Kind: wire.Present, Loc: loc, Begin: c[0], Blocked: atOnce, End: c[1], Path: uint32(c[0])})
	}
	return ops
}

func TestWindowLocks(t *testing.T) {
	const alone, shared = 0, wire.HoldShared
	type at = [2]int64
	first := holds(0, alone, at{10, 12}, at{12, 14}, at{40, 50}) // the lock is free from 50 on
	run(t, []scenario{
		{name: "the call that unlocks waits, as others needed no lock yet", kind: wire.WindowLock,
			ops:  slices.Concat(first, holds(1, alone, at{20, 22}, at{23, 24}, at{30, 55})),
			want: []string{"mpi_rma_sync_lock_competition 1 30-50 by 0@40"}},
		{name: "the call that locks waits", kind: wire.WindowLock,
			ops:  slices.Concat(first, holds(1, alone, at{20, 51}, at{52, 53}, at{54, 56})),
			want: []string{"mpi_rma_sync_lock_competition 1 20-50 by 0@40"}},
		{name: "the call that puts waits", kind: wire.WindowLock,
			ops:  slices.Concat(first, holds(1, alone, at{20, 21}, at{25, 52}, at{54, 56})),
			want: []string{"mpi_rma_comm_lock_competition 1 25-50 by 0@40"}},
		{name: "no call waits: when the first one needs the lock, it is free", kind: wire.WindowLock,
			ops: slices.Concat(first, holds(1, alone, at{20, 22}, at{23, 24}, at{60, 65}))},
		{name: "a call that was over before the lock was released did not wait for it", kind: wire.WindowLock,
			ops:  slices.Concat(first, holds(1, alone, at{15, 38}, at{38, 39}, at{45, 55})),
			want: []string{"mpi_rma_sync_lock_competition 1 45-50 by 0@40"}},
		{name: "clocks: never longer than the call", kind: wire.WindowLock,
			ops:  slices.Concat(first, holds(1, alone, at{20, 48}, at{49, 53}, at{54, 56})),
			want: []string{"mpi_rma_sync_lock_competition 1 20-48 by 0@40"}},
		{name: "who shares it does not wait", kind: wire.WindowLock,
			ops: slices.Concat(holds(0, shared, at{10, 12}, at{12, 14}, at{40, 50}), holds(1, shared, at{20, 22}, at{23, 24}, at{30, 55}))},
		{name: "one that does not share it waits for the last of those that do", kind: wire.WindowLock,
			ops:  slices.Concat(holds(0, shared, at{10, 12}, at{12, 14}, at{40, 50}), holds(1, shared, at{9, 10}, at{12, 14}, at{58, 61}), holds(2, alone, at{20, 22}, at{23, 24}, at{30, 65})),
			want: []string{"mpi_rma_sync_lock_competition 2 30-61 by 1@58"}},
		{name: "those that share it wait for the one that does not", kind: wire.WindowLock,
			ops:  slices.Concat(first, holds(1, shared, at{20, 22}, at{23, 24}, at{30, 55}), holds(2, shared, at{35, 57}, at{58, 59}, at{60, 61})),
			want: []string{"mpi_rma_sync_lock_competition 1 30-50 by 0@40", "mpi_rma_sync_lock_competition 2 35-50 by 0@40"}},
		{name: "a queue", kind: wire.WindowLock,
			ops:  slices.Concat(first, holds(1, alone, at{20, 51}, at{52, 53}, at{70, 80}), holds(2, alone, at{15, 81}, at{82, 83}, at{84, 86})),
			want: []string{"mpi_rma_sync_lock_competition 1 20-50 by 0@40", "mpi_rma_sync_lock_competition 2 15-80 by 1@70"}},
		{name: "who never unlocks waits, too; for whom others wait then is not known", kind: wire.WindowLock,
			ops:  slices.Concat(first, holds(1, alone, at{20, 51}, at{52, 53}, at{70, 80})[:2], holds(2, alone, at{60, 99}, at{99, 99})[:1]),
			want: []string{"mpi_rma_sync_lock_competition 1 20-50 by 0@40"}},
		{name: "nobody waits for himself", kind: wire.WindowLock, ops: slices.Concat(first, holds(0, alone, at{50, 51}, at{52, 53}, at{54, 55}))},
		{name: "the owner of the window is not in MPI until 40", kind: wire.WindowLock,
			ops:  slices.Concat(holds(1, alone, at{20, 22}, at{23, 24}, at{30, 45}), present(0, at{5, 10}, at{40, 60})),
			want: []string{"mpi_rma_sync_wait_for_progress 1 30-40 by 0@40"}},
		{name: "likewise, in a call that puts", kind: wire.WindowLock,
			ops:  slices.Concat(holds(1, alone, at{20, 22}, at{23, 44}, at{50, 55}), present(0, at{5, 10}, at{40, 60})),
			want: []string{"mpi_rma_comm_wait_for_progress 1 23-40 by 0@40"}},
		{name: "the owner is in MPI, in any thread, or comes when the call is over", kind: wire.WindowLock,
			ops: slices.Concat(holds(1, alone, at{20, 22}, at{23, 24}, at{30, 45}), present(0, at{5, 35}, at{36, 37}), present(2, at{6, 8}), present(3, at{45, 50}))},
		{name: "the owner never comes", kind: wire.WindowLock, ops: slices.Concat(holds(1, alone, at{20, 22}, at{23, 24}, at{30, 45}), present(0, at{5, 10}))},
		{name: "behind the wait for the lock", kind: wire.WindowLock,
			ops:  slices.Concat(first, holds(1, alone, at{20, 22}, at{23, 24}, at{30, 65}), present(2, at{25, 35}, at{60, 61})),
			want: []string{"mpi_rma_sync_lock_competition 1 30-50 by 0@40", "mpi_rma_sync_wait_for_progress 1 50-60 by 2@60"}},
		{name: "what it owns itself", kind: wire.WindowLock, ops: slices.Concat(holds(0, alone, at{20, 22}, at{23, 24}, at{30, 45}), present(0, at{20, 22}, at{23, 24}, at{30, 45}), present(2, at{35, 36}))},
		{name: "calls without a lock, as of damage", kind: wire.WindowLock, ops: slices.Concat(first, holds(1, alone, at{20, 22}, at{23, 24}, at{30, 55})[1:])},
	})
}

// naiveProgress returns the wait of a call for the owner of a window, from some time on, "" if there is none. owner are its calls.
func naiveProgress(c *analyzer.Op, from int64, owner []analyzer.Op) string {
	var next *analyzer.Op
	for i := range owner {
		o := &owner[i]
		if o.Begin <= from && from < o.End {
			return ""
		}
		if o.Begin > from && (next == nil || o.Begin < next.Begin) {
			next = o
		}
	}
	if next == nil || next.Begin >= c.End {
		return ""
	}
	name := "mpi_rma_sync_wait_for_progress"
	if c.Mode&wire.HoldAccesses != 0 {
		name = "mpi_rma_comm_wait_for_progress"
	}
	return fmt.Sprintf("%s %d %d-%d by %d@%d", name, c.Loc, from, next.Begin, next.Loc, next.Begin)
}

// naiveWindow finds the waits for a lock by comparing each epoch with all others. An epoch is its calls.
func naiveWindow(epochs [][]analyzer.Op, owner []analyzer.Op) []string {
	list := []string{}
	unlock := func(e []analyzer.Op) *analyzer.Op { return &e[len(e)-1] }
	ends := func(e []analyzer.Op) int64 {
		if unlock(e).Mode&wire.HoldEnds == 0 {
			return 1 << 62
		}
		return unlock(e).End
	}
	for _, e := range epochs {
		var before []analyzer.Op
		for _, x := range epochs {
			excluded := x[0].Mode&wire.HoldShared == 0 || e[0].Mode&wire.HoldShared == 0
			if excluded && ends(x) < ends(e) && (before == nil || ends(x) > ends(before)) {
				before = x
			}
		}
		best, longest, call := "", int64(0), -1
		for i, c := range e {
			if before == nil || c.End <= unlock(before).Begin {
				continue
			}
			if d := min(c.End, ends(before)) - c.Begin; d > longest {
				name := "mpi_rma_sync_lock_competition"
				if c.Mode&wire.HoldAccesses != 0 {
					name = "mpi_rma_comm_lock_competition"
				}
				best, longest = fmt.Sprintf("%s %d %d-%d by %d@%d", name, c.Loc, c.Begin, c.Begin+d, before[0].Loc, unlock(before).Begin), d
				call = i
			}
		}
		if best != "" && before[0].Loc != e[0].Loc { // nobody waits for himself
			list = append(list, best)
		}
		for i := range e {
			from := e[i].Begin
			if i == call {
				from += longest
			}
			if wait := naiveProgress(&e[i], from, owner); wait != "" {
				list = append(list, wait)
			}
		}
	}
	return list
}

// unused returns the first time from one on that is not used.
func unused(used map[int64]bool, t int64) int64 {
	for used[t] {
		t++
	}
	return t
}

// TestWindowLocksAgree compares what is found of a lock that locations have at random, some of which share it, with what is found by looking at all others for each one. Clocks may be wrong.
func TestWindowLocksAgree(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 4))
		var epochs [][]analyzer.Op
		used := map[int64]bool{} // no two ends are equal
		for loc := range uint32(4) {
			now := r.Int64N(20)
			for range 1 + r.IntN(5) {
				var calls [][2]int64
				for range 2 + r.IntN(4) {
					begin := now + r.Int64N(8)
					now = begin + r.Int64N(25)
					now = unused(used, now)
					calls = append(calls, [2]int64{begin, now})
				}
				used[now] = true
				epochs = append(epochs, holds(loc, []uint32{0, wire.HoldShared}[r.IntN(2)], calls...))
			}
			if e := epochs[len(epochs)-1]; r.IntN(4) == 0 {
				epochs[len(epochs)-1] = e[:1]
			}
		}
		var owner []analyzer.Op
		for loc := range uint32(2) {
			at := r.Int64N(40)
			for range r.IntN(5) {
				begin := unused(used, at+r.Int64N(60))
				used[begin] = true
				at = begin + r.Int64N(20)
				owner = append(owner, present(4+loc, [2]int64{begin, at})...)
			}
		}
		want := naiveWindow(epochs, owner)
		sorted, waits, _ := match(wire.WindowLock, 0, slices.Concat(append(epochs, owner)...))
		require.ElementsMatch(t, want, show(sorted, waits), "seed %d", seed)
		for _, w := range waits {
			found[all[w.Metric].Name]++
		}
	}
	require.Len(t, found, 4)
	for name, n := range found {
		require.Greater(t, n, 1000, name)
	}
}
