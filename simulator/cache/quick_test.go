package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// walk returns addresses as programs have them: mostly near the last ones, of a few places, sometimes anywhere.
func walk(r *rand.Rand, space uint64) func() (address, size uint64, store bool) {
	places := [6]uint64{}
	return func() (uint64, uint64, bool) {
		p := &places[r.IntN(len(places))]
		switch r.IntN(40) {
		case 0:
			*p = r.Uint64N(space)
		default:
			*p = (*p + r.Uint64N(12)) % space
		}
		size := uint64(1) << r.IntN(4)
		address := *p
		if r.IntN(10) > 0 {
			address &^= size - 1
		}
		return address, size, r.IntN(3) == 0
	}
}

// A processor that asks only for what is not quick gets the same answers as one that always asks, and what it does not ask for is a hit
// everywhere; with all policies.
func TestQuick(t *testing.T) {
	for _, g := range []Geometry{
		{Size: 1024, Line: 32, Ways: 4, Replacement: LRU}, {Size: 512, Line: 32, Ways: 1, Replacement: LRU}, {Size: 1024, Line: 32, Replacement: LRU},
		{Size: 2048, Line: 64, Ways: 4, Replacement: Tree}, {Size: 512, Line: 16, Ways: 2, Replacement: FIFO}, {Size: 1024, Line: 16, Ways: 4, Replacement: Random},
		{Size: 1024, Line: 32, Ways: 4, Replacement: LRU, NoWriteAllocate: true}, {Size: 1024, Line: 32, Ways: 4, Replacement: Tree, WriteThrough: true},
		{Size: 4096, Line: 512, Ways: 2, Replacement: LRU},
	} {
		for _, tlb := range []Geometry{{Size: 2048, Line: 256, Replacement: LRU}, {Size: 1024, Line: 128, Ways: 2, Replacement: FIFO}, {Size: 2048, Line: 512, Ways: 4, Replacement: Tree}} {
			for _, classify := range []bool{false, true} {
				t.Run(fmt.Sprint(g, tlb, classify), func(t *testing.T) { quickRun(t, g, tlb, classify) })
			}
		}
	}
}

func quickRun(t *testing.T, g, tlb Geometry, classify bool) {
	m := Machine{L1I: g, L1D: g, L2: Geometry{Size: 8192, Line: 512, Ways: 4, Replacement: LRU}, ITLB: tlb, DTLB: tlb,
		Predictor: Prediction{Counters: 2, Targets: 1, Returns: 1}, Cycles: Cycles{Issue: 1000}}
	all, err := NewHierarchies(&m, 2, classify)
	require.NoError(t, err)
	always, sometimes := all[0], all[1]
	data, code := sometimes.Quick()
	next := walk(rand.New(rand.NewPCG(g.Size, g.Ways)), 20_000)
	var quick, asked int
	seen := map[Outcome]bool{}
	for range 5_000 {
		address, size, store := next()
		want := always.Data(address, size, store)
		if store && data.Store(address, size-1) || !store && data.Load(address, size-1) {
			require.Zero(t, want)
			quick++
		} else {
			require.Equal(t, want, sometimes.Data(address, size, store))
			seen[want] = true
			asked++
		}
		if address%3 > 0 {
			continue
		}
		if want = always.Fetch(address); code.Load(address, 0) {
			require.Zero(t, want)
		} else {
			require.Equal(t, want, sometimes.Fetch(address))
		}
	}
	require.Greater(t, len(seen), 3)
	if g.Line < tlb.Line && tlb.Replacement != Tree {
		require.Positive(t, quick)
	}
	t.Logf("%d quick, %d asked for", quick, asked)
}

// Accesses that are not aligned are not quick.
func TestNotQuick(t *testing.T) {
	m, err := Named("server")
	require.NoError(t, err)
	all, err := NewHierarchies(m, 1, true)
	require.NoError(t, err)
	h := all[0]
	q, _ := h.Quick()
	require.False(t, q.Load(64, 7))
	h.Data(64, 8, false)
	require.True(t, q.Load(64, 7))
	require.True(t, q.Load(64+56, 7))
	require.False(t, q.Load(64+4, 7))
	require.True(t, q.Load(64+4, 3))
	require.False(t, q.Load(128, 7), "the next line")
	require.False(t, q.Store(64, 7), "it becomes one that was stored to")
	h.Data(72, 8, true)
	require.True(t, q.Store(64, 7))
	require.False(t, NoQuick().Load(0, 0))
	require.False(t, NoQuick().Load(1, 0))
}

// plainShadow is the shadow by its definition: lines from the one used last on, and all that ever were there.
type plainShadow struct {
	lines []uint64
	ever  map[uint64]bool
	size  int
}

func (s *plainShadow) access(line uint64) (k Kind) {
	i := slices.Index(s.lines, line)
	switch {
	case i >= 0:
		s.lines, k = slices.Delete(s.lines, i, i+1), Conflict
	case s.ever[line]:
		k = Capacity
	default:
		k = Cold
	}
	s.ever[line] = true
	s.lines = slices.Insert(s.lines, 0, line)
	s.lines = s.lines[:min(len(s.lines), s.size)]
	return k
}

func TestShadowAgainstDefinition(t *testing.T) {
	for _, size := range []int{1, 2, 7, 32} {
		var now uint64
		s, p := newShadow(size, &now), &plainShadow{ever: map[uint64]bool{}, size: size}
		var gone []uint64
		s.left = func(line uint64) { gone = append(gone, line) }
		r := rand.New(rand.NewPCG(uint64(size), 9))
		seen := map[Kind]int{}
		for range 5_000 {
			now++
			line := r.Uint64N(1 + r.Uint64N(uint64(3*size)))
			before := slices.Clone(p.lines)
			want := p.access(line)
			gone = nil
			require.Equal(t, want, s.access(line))
			seen[want]++
			before = slices.DeleteFunc(before, func(l uint64) bool { return slices.Contains(p.lines, l) })
			require.ElementsMatch(t, before, gone)
		}
		require.Len(t, seen, 3, "size %d: %v", size, seen)
	}
}

// plainTree is a set of a cache with tree replacement by its definition: half of the ways each, and to which half the tree points.
type plainTree struct {
	left, right *plainTree
	toRight     bool
	line        uint64
	full        bool
}

func newPlainTree(ways int) *plainTree {
	if ways == 1 {
		return new(plainTree)
	}
	return &plainTree{left: newPlainTree(ways / 2), right: newPlainTree(ways / 2)}
}

// use looks for a leaf, and makes all nodes above it point away from it.
func (p *plainTree) use(wanted func(*plainTree) bool) bool {
	switch {
	case p.left == nil:
		return wanted(p)
	case p.left.use(wanted):
		p.toRight = true
		return true
	case p.right.use(wanted):
		p.toRight = false
		return true
	}
	return false
}

func (p *plainTree) access(line uint64) bool {
	if p.use(func(l *plainTree) bool { return l.full && l.line == line }) {
		return true
	}
	victim := p
	for victim.left != nil {
		if victim.toRight {
			victim = victim.right
		} else {
			victim = victim.left
		}
	}
	free := func(l *plainTree) bool { return !l.full }
	take := func(l *plainTree, ok bool) bool {
		if ok {
			l.line, l.full = line, true
		}
		return ok
	}
	if !p.use(func(l *plainTree) bool { return take(l, free(l)) }) {
		p.use(func(l *plainTree) bool { return take(l, l == victim) })
	}
	return false
}

func TestTreeAgainstDefinition(t *testing.T) {
	for _, ways := range []uint64{1, 2, 4, 8, 16, 32} {
		c, err := newLevel(Geometry{Size: 4 * ways * 64, Line: 64, Ways: ways, Replacement: Tree}, false)
		require.NoError(t, err)
		sets := [4]*plainTree{}
		for i := range sets {
			sets[i] = newPlainTree(int(ways))
		}
		r := rand.New(rand.NewPCG(ways, 11))
		for range 5_000 {
			line := r.Uint64N(1 + r.Uint64N(8*ways))
			require.Equal(t, sets[line%4].access(line), c.access(line, false).Hit)
		}
	}
}
