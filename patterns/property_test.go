package patterns_test

import (
	"cmp"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

// menus are the operations that may happen to an object, each given its location and times.
var menus = map[wire.ObjectKind][]analyzer.Op{
	wire.Channel: {
		{Kind: wire.SendBegin}, {Kind: wire.RecvBegin}, {Kind: wire.SendBegin}, {Kind: wire.RecvBegin},
		{Kind: wire.RecvBegin, Outcome: wire.Closed}, {Kind: wire.SendBegin, Outcome: wire.Panicked}, {Kind: wire.Close},
		{Kind: wire.SelectBegin, Outcome: wire.Sent}, {Kind: wire.SelectBegin, Outcome: wire.Received}, {Kind: wire.SelectBegin, Outcome: wire.Closed},
	},
	wire.Mutex: {{Kind: wire.LockBegin}, {Kind: wire.Release}, {Kind: wire.LockBegin, Outcome: wire.Failed}},
	wire.RWMutex: {
		{Kind: wire.LockBegin}, {Kind: wire.Release}, {Kind: wire.LockBegin, Mode: wire.Shared}, {Kind: wire.Release, Mode: wire.Shared},
		{Kind: wire.LockBegin, Mode: wire.Shared}, {Kind: wire.Release, Mode: wire.Shared},
	},
	wire.WaitGroup: {{Kind: wire.Add, Mode: 2}, {Kind: wire.Done, Mode: 1}, {Kind: wire.Done, Mode: 1}, {Kind: wire.JoinBegin}},
	wire.Cond:      {{Kind: wire.CondBegin}, {Kind: wire.CondBegin}, {Kind: wire.Signal}, {Kind: wire.Broadcast}},
	wire.Once:      {{Kind: wire.OnceBegin}, {Kind: wire.OnceBegin}, {Kind: wire.OnceRun}},
	wire.Barrier:   {{Kind: wire.BarrierBegin}},
}

func isPoint(k wire.Kind) bool {
	switch k {
	case wire.Close, wire.Release, wire.Add, wire.Done, wire.Signal, wire.Broadcast, wire.OnceRun:
		return true
	}
	return false
}

// disorder makes operations without any sense in them: what a trace with most of its events missing looks
// like. Times are multiples of unit; with unit 0 all are different.
func disorder(r *rand.Rand, kind wire.ObjectKind, locations, n int, unit int64) []analyzer.Op {
	const spread = 1000
	times := make([][]int64, locations)
	for i, t := range r.Perm(n * 3) {
		l := i % locations
		if unit > 0 {
			t = r.Intn(spread) / int(unit) * int(unit)
		}
		times[l] = append(times[l], int64(t))
	}
	var list []analyzer.Op
	for l := range times {
		t := times[l]
		slices.Sort(t)
		generation := uint32(0)
		for len(t) >= 3 {
			o := menus[kind][r.Intn(len(menus[kind]))]
			o.Loc, o.Path, o.Begin, o.Blocked, o.End = uint32(l), uint32(t[0]), t[0], atOnce, t[2]
			switch {
			case isPoint(o.Kind):
				o.End = o.Begin
			case o.Kind != wire.SelectBegin && r.Intn(2) == 0:
				o.Blocked = t[1]
			}
			if o.Kind == wire.BarrierBegin {
				o.Mode = generation
				generation += 1 + uint32(r.Intn(2))
			}
			if t = t[3:]; len(t) < 3 && o.End > o.Begin && r.Intn(2) == 0 {
				o.Open, o.End = true, int64(n*3+spread+l)
			}
			list = append(list, o)
		}
	}
	return list
}

// eachDisorder calls check with random objects of every kind.
func eachDisorder(t *testing.T, unit int64, check func(t *testing.T, kind wire.ObjectKind, size uint64, list []analyzer.Op)) {
	for kind := range menus {
		for seed := range int64(150) {
			r := rand.New(rand.NewSource(seed))
			list := disorder(r, kind, 1+r.Intn(6), 10+r.Intn(60), unit)
			check(t, kind, uint64(r.Intn(4)), list)
		}
	}
}

// Waits lie within their operations and do not overlap.
func TestWaitsPartitionOperations(t *testing.T) {
	for _, unit := range []int64{0, 1, 64} {
		eachDisorder(t, unit, func(t *testing.T, kind wire.ObjectKind, size uint64, list []analyzer.Op) {
			ops, waits, _ := match(kind, size, list)
			slices.SortStableFunc(waits, func(a, b analyzer.Wait) int {
				return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Begin, b.Begin))
			})
			for i, w := range waits {
				o := ops[w.Op]
				require.True(t, o.Begin <= w.Begin && w.Begin < w.Release && w.Release <= o.End, "%v outside of %v", w, o)
				require.True(t, w.Begin <= w.From && w.From <= w.Release, "%v", w)
				require.NotEqual(t, o.Loc, w.Causer, "%v waits for itself", o)
				if i > 0 && waits[i-1].Op == w.Op {
					require.LessOrEqual(t, waits[i-1].Release, w.Begin, "%v overlaps %v", waits[i-1], w)
				}
			}
		})
	}
}

func TestShiftedTimesGiveShiftedWaits(t *testing.T) {
	const by = int64(1 << 40)
	eachDisorder(t, 64, func(t *testing.T, kind wire.ObjectKind, size uint64, list []analyzer.Op) {
		_, waits, counts := match(kind, size, list)
		for i := range list {
			o := &list[i]
			o.Begin, o.End = o.Begin+by, o.End+by
			if o.Blocked != atOnce {
				o.Blocked += by
			}
		}
		_, shifted, shiftedCounts := match(kind, size, list)
		for i := range shifted {
			w := &shifted[i]
			w.Begin, w.Release, w.From = w.Begin-by, w.Release-by, w.From-by
		}
		require.Equal(t, waits, shifted)
		require.Equal(t, counts, shiftedCounts)
	})
}

// Without ties the numbers of the locations do not matter.
func TestRenumberedLocationsGiveTheSameWaits(t *testing.T) {
	const top = 100
	eachDisorder(t, 0, func(t *testing.T, kind wire.ObjectKind, size uint64, list []analyzer.Op) {
		ops, waits, counts := match(kind, size, list)
		want := show(ops, waits)
		for i := range list {
			list[i].Loc = top - list[i].Loc
		}
		ops, waits, renumbered := match(kind, size, list)
		for i := range ops {
			ops[i].Loc = top - ops[i].Loc
		}
		for i := range waits {
			if waits[i].Causer != analyzer.NoCauser {
				waits[i].Causer = top - waits[i].Causer
			}
		}
		require.ElementsMatch(t, want, show(ops, waits))
		require.Equal(t, counts, renumbered)
	})
}

// Operations on the object of one worker do not depend on the objects it had before.
func TestMatcherKeepsNothing(t *testing.T) {
	var first []string
	m := analyzer.Matcher{All: true}
	for range 2 {
		var got []string
		eachDisorder(t, 64, func(t *testing.T, kind wire.ObjectKind, size uint64, list []analyzer.Op) {
			slices.SortStableFunc(list, func(a, b analyzer.Op) int { return cmp.Compare(a.Loc, b.Loc) })
			c := m.Match(kind, size, list, func(points []analyzer.SynchPoint) {
				for _, p := range points {
					got = append(got, fmt.Sprint(kind, p))
				}
			})
			got = append(got, fmt.Sprint(kind, c))
		})
		slices.Sort(got) // the kinds come in random order
		if first == nil {
			first = got
		}
		require.Equal(t, first, got)
	}
}
