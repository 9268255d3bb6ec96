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
func holds(loc uint32, lock wire.Hold, calls ...[2]int64) (ops []analyzer.Op) {
	for i, c := range calls {
		what := lock
		switch i {
		case 0:
			what |= wire.HoldBegins
		case len(calls) - 1:
			what |= wire.HoldEnds
		default:
			what |= wire.HoldAccesses
		}
		ops = append(ops, analyzer.Op{Kind: wire.Held, Loc: loc, Begin: c[0], Blocked: atOnce, End: c[1], Path: uint32(c[0]), Mode: uint32(what)})
	}
	return ops
}

// heldCall is a call of a location that has the lock of all parts of a window.
type heldCall struct {
	begin, end int64
	what       wire.Hold
}

// holdsAll are the calls of a location in which it has the lock of all parts of a window.
func holdsAll(loc uint32, calls ...heldCall) (ops []analyzer.Op) {
	for _, c := range calls {
		ops = append(ops, analyzer.Op{Kind: wire.Held, Loc: loc, Begin: c.begin, Blocked: atOnce, End: c.end, Path: uint32(c.begin), Mode: uint32(c.what | wire.HoldAll | wire.HoldShared)})
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
	const alone, shared = wire.Hold(0), wire.HoldShared
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

// TestLocksOfAllParts: such a lock is shared, and excludes whoever has one part alone.
func TestLocksOfAllParts(t *testing.T) {
	const alone, shared, flushes, flushesOne = wire.Hold(0), wire.HoldShared, wire.HoldFlushes, wire.HoldFlushes | wire.HoldVague
	type at = [2]int64
	lock := func(begin, end int64) heldCall { return heldCall{begin, end, wire.HoldBegins} }
	put := func(begin, end int64, part uint32) heldCall {
		return heldCall{begin, end, wire.HoldAccesses.Of(part)}
	}
	flush := func(begin, end int64, how wire.Hold) heldCall { return heldCall{begin, end, how} }
	unlock := func(begin, end int64) heldCall { return heldCall{begin, end, wire.HoldEnds} }
	first := holds(0, alone, at{10, 12}, at{12, 14}, at{40, 50})        // part 0 is free from 50 on
	second := holds(2, alone.Of(1), at{10, 12}, at{12, 14}, at{50, 60}) // and part 1 from 60 on
	run(t, []scenario{
		{name: "the call that locks all waits", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 51), unlock(60, 61))),
			want: []string{"mpi_rma_sync_lock_competition 1 20-50 by 0@40"}},
		{name: "likewise, for the last one of two parts", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 62), unlock(70, 71)), second),
			want: []string{"mpi_rma_sync_lock_competition 1 20-60 by 2@50"}},
		{name: "who has different parts does not wait for the other one", kind: wire.WindowLock, ops: slices.Concat(holds(1, alone.Of(1), at{20, 51}, at{52, 53}, at{54, 55}), first)},
		{name: "an access to the part waits", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(25, 52, 0), unlock(60, 61))),
			want: []string{"mpi_rma_comm_lock_competition 1 25-50 by 0@40"}},
		{name: "one to another part does not", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(25, 52, 1), unlock(60, 61)))},
		{name: "one access after the other", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(21, 52, 0), put(53, 65, 1), unlock(66, 67)), second),
			want: []string{"mpi_rma_comm_lock_competition 1 21-50 by 0@40", "mpi_rma_comm_lock_competition 1 53-60 by 2@50"}},
		{name: "the call that unlocks completes an access", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(22, 23, 0), unlock(30, 55))),
			want: []string{"mpi_rma_sync_lock_competition 1 30-50 by 0@40"}},
		{name: "there is none to the part", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(22, 23, 1), unlock(30, 55)))},
		{name: "it was completed before", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(22, 23, 0), flush(24, 25, flushesOne), unlock(30, 55)))},
		{name: "or may have been", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(22, 23, 0), flush(24, 25, wire.HoldVague), unlock(30, 55)))},
		{name: "a flush completes the only one", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(22, 23, 0), put(23, 24, 0), flush(30, 55, flushesOne), unlock(60, 61))),
			want: []string{"mpi_rma_sync_lock_competition 1 30-50 by 0@40"}},
		{name: "it does not say which of two", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(22, 23, 0), put(23, 24, 1), flush(30, 55, flushesOne), unlock(60, 61)))},
		{name: "it completes both", kind: wire.WindowLock, ops: slices.Concat(first, holdsAll(1, lock(20, 21), put(22, 23, 0), put(23, 24, 1), flush(30, 55, flushes), unlock(60, 61))),
			want: []string{"mpi_rma_sync_lock_competition 1 30-50 by 0@40"}},
		{name: "whoever needs one part alone waits for who has all", kind: wire.WindowLock, ops: slices.Concat(holdsAll(0, lock(10, 12), unlock(40, 50)), holds(1, alone.Of(3), at{20, 22}, at{23, 24}, at{30, 55})),
			want: []string{"mpi_rma_sync_lock_competition 1 30-50 by 0@40"}},
		{name: "who shares it does not", kind: wire.WindowLock, ops: slices.Concat(holdsAll(0, lock(10, 12), unlock(40, 50)), holds(1, shared.Of(3), at{20, 22}, at{23, 24}, at{30, 55}), holdsAll(2, lock(20, 55), unlock(60, 61)))},
		{name: "for whichever came last before it", kind: wire.WindowLock,
			ops:  slices.Concat(holdsAll(0, lock(10, 12), unlock(40, 50)), holds(1, alone.Of(3), at{20, 22}, at{23, 24}, at{30, 65}), holds(2, shared.Of(3), at{13, 14}, at{14, 15}, at{58, 60})),
			want: []string{"mpi_rma_sync_lock_competition 1 30-60 by 2@58"}},
		{name: "the owner of the part is not in MPI until 40", kind: wire.WindowLock, ops: slices.Concat(holdsAll(1, lock(20, 21), put(25, 45, 0), unlock(60, 61)), present(0, at{5, 10}, at{40, 60})),
			want: []string{"mpi_rma_comm_wait_for_progress 1 25-40 by 0@40"}},
		{name: "nor is that of another part", kind: wire.WindowLock, ops: slices.Concat(holdsAll(1, lock(20, 21), put(25, 45, 1), unlock(60, 61)), present(0, at{5, 10}, at{40, 60}))},
		{name: "that unlocks: for the last of the owners", kind: wire.WindowLock,
			ops:  slices.Concat(holdsAll(1, lock(20, 21), put(25, 26, 0), put(27, 28, 2), unlock(30, 50)), present(0, at{5, 10}, at{40, 60}), of(2, present(2, at{5, 10}, at{44, 60})), of(3, present(3, at{48, 60}))),
			want: []string{"mpi_rma_sync_wait_for_progress 1 30-44 by 2@44"}},
		{name: "nothing was accessed since", kind: wire.WindowLock, ops: slices.Concat(holdsAll(1, lock(20, 39), put(25, 26, 0), flush(27, 28, flushes), unlock(30, 50)), present(0, at{5, 29}, at{40, 60}))},
	})
}

// of makes calls those of the owner of a part of a window.
func of(part uint32, calls []analyzer.Op) []analyzer.Op {
	for i := range calls {
		calls[i].Mode = part
	}
	return calls
}

// naiveProgress returns when the last of the owners of some parts comes while a call lasts, "" if none does. owners are their calls, in which they are.
func naiveProgress(c *analyzer.Op, from int64, parts []uint32, owners []analyzer.Op) string {
	var last *analyzer.Op
	for _, part := range parts {
		var next *analyzer.Op
		in := false
		for i := range owners {
			o := &owners[i]
			if o.Mode != part {
				continue
			}
			in = in || o.Begin <= from && from < o.End || o.Loc == c.Loc
			if o.Begin > from && (next == nil || o.Begin < next.Begin) {
				next = o
			}
		}
		if !in && next != nil && next.Begin < c.End && (last == nil || next.Begin > last.Begin) {
			last = next
		}
	}
	if last == nil {
		return ""
	}
	name := "mpi_rma_sync_wait_for_progress"
	if wire.Hold(c.Mode)&wire.HoldAccesses != 0 {
		name = "mpi_rma_comm_wait_for_progress"
	}
	return fmt.Sprintf("%s %d %d-%d by %d@%d", name, c.Loc, from, last.Begin, last.Loc, last.Begin)
}

// lockEpoch is the calls of a location between asking for a lock and releasing it.
type lockEpoch []analyzer.Op

func (e lockEpoch) has(i int, what wire.Hold) bool { return wire.Hold(e[i].Mode)&what != 0 }
func (e lockEpoch) all() bool                      { return e.has(0, wire.HoldAll) }
func (e lockEpoch) unlock() *analyzer.Op           { return &e[len(e)-1] }

func (e lockEpoch) end() int64 {
	if !e.has(len(e)-1, wire.HoldEnds) {
		return 1 << 62
	}
	return e.unlock().End
}

// about returns the parts that a call has to do with.
func (e lockEpoch) about(i int) (parts []uint32) {
	if !e.all() || e.has(i, wire.HoldAccesses) {
		return []uint32{wire.Hold(e[i].Mode).Part()}
	}
	if i == 0 || e.has(i, wire.HoldVague) && !e.has(i, wire.HoldFlushes) {
		return nil
	}
	for k := i - 1; k > 0 && !e.has(k, wire.HoldFlushes|wire.HoldVague); k-- {
		if part := wire.Hold(e[k].Mode).Part(); e.has(k, wire.HoldAccesses) && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if e.has(i, wire.HoldVague) && len(parts) > 1 {
		return nil
	}
	return parts
}

// naiveBefore returns the epochs that one waits for.
func naiveBefore(e lockEpoch, epochs []lockEpoch) (before []lockEpoch) {
	parts := []uint32{wire.Hold(e[0].Mode).Part()}
	if e.all() {
		parts = []uint32{0, 1, 2}
	}
	for _, part := range parts {
		var last lockEpoch
		for _, x := range epochs {
			same := x.all() || wire.Hold(x[0].Mode).Part() == part
			excluded := !x.has(0, wire.HoldShared) || !e.has(0, wire.HoldShared)
			if same && excluded && x.end() < e.end() && (last == nil || x.end() > last.end()) {
				last = x
			}
		}
		if last != nil {
			before = append(before, last)
		}
	}
	return before
}

// naiveWindow finds the waits for locks by comparing each epoch with all others.
func naiveWindow(epochs []lockEpoch, owners []analyzer.Op) []string {
	list := []string{}
	for _, e := range epochs {
		release := make([]*analyzer.Op, len(e)) // for which the call waits
		for _, before := range naiveBefore(e, epochs) {
			call, longest, r := -1, int64(0), before.unlock()
			for i, c := range e {
				needs := !e.all() || i == 0 || slices.Contains(e.about(i), wire.Hold(r.Mode).Part())
				if d := min(c.End, r.End) - c.Begin; needs && c.End > r.Begin && d > longest {
					call, longest = i, d
				}
			}
			if call >= 0 && (release[call] == nil || r.End > release[call].End) {
				release[call] = r
			}
		}
		for i := range e {
			c, from := &e[i], e[i].Begin
			if r := release[i]; r != nil {
				name := "mpi_rma_sync_lock_competition"
				if e.has(i, wire.HoldAccesses) {
					name = "mpi_rma_comm_lock_competition"
				}
				from = min(c.End, r.End)
				if r.Loc != c.Loc { // nobody waits for himself
					list = append(list, fmt.Sprintf("%s %d %d-%d by %d@%d", name, c.Loc, c.Begin, from, r.Loc, r.Begin))
				}
			}
			if wait := naiveProgress(c, from, e.about(i), owners); wait != "" {
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

// randomEpoch returns the calls of a location in which it has a lock.
func randomEpoch(r *rand.Rand, loc uint32, calls [][2]int64) (e lockEpoch) {
	part, shared := r.Uint32N(3), []wire.Hold{0, wire.HoldShared}[r.IntN(2)]
	if r.IntN(3) > 0 {
		return holds(loc, shared.Of(part), calls...)
	}
	var all []heldCall
	for i, c := range calls {
		what := []wire.Hold{wire.HoldAccesses, wire.HoldAccesses, wire.HoldFlushes, wire.HoldFlushes | wire.HoldVague, wire.HoldVague}[r.IntN(5)]
		switch {
		case i == 0:
			what = wire.HoldBegins
		case i == len(calls)-1:
			what = wire.HoldEnds
		case what == wire.HoldAccesses:
			what = what.Of(r.Uint32N(3))
		}
		all = append(all, heldCall{c[0], c[1], what})
	}
	return holdsAll(loc, all...)
}

// TestWindowLocksAgree compares what is found of locks that locations have at random, some of which share them, with what is found by looking at all others for each one. Clocks may be wrong.
func TestWindowLocksAgree(t *testing.T) {
	found := map[string]int{}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 4))
		var epochs []lockEpoch
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
				epochs = append(epochs, randomEpoch(r, loc, calls))
			}
			if e := epochs[len(epochs)-1]; r.IntN(4) == 0 {
				epochs[len(epochs)-1] = e[:1]
			}
		}
		var owners []analyzer.Op
		for loc := range uint32(4) {
			at := r.Int64N(40)
			for range r.IntN(5) {
				begin := unused(used, at+r.Int64N(60))
				used[begin] = true
				at = begin + r.Int64N(20)
				owners = append(owners, of(loc%3, present(4+loc, [2]int64{begin, at}))...)
			}
		}
		want := naiveWindow(epochs, owners)
		var ops []analyzer.Op
		for _, e := range epochs {
			ops = append(ops, e...)
		}
		sorted, waits, _ := match(wire.WindowLock, 0, append(ops, owners...))
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
