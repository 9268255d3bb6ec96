package cache

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// plain is a cache by its definition: of each set a list of lines with the time of their coming and of their last use.
type plain struct {
	g    Geometry
	sets map[uint64][]plainLine
	ever map[uint64]bool
	time int
}

type plainLine struct {
	line      uint64
	came, use int
	dirty     bool
}

func (p *plain) access(line uint64, store bool) (r result) {
	p.time++
	ways := int(p.g.Ways)
	if ways == 0 {
		ways = int(p.g.Size / p.g.Line)
	}
	set := line % (p.g.Size / p.g.Line / uint64(ways))
	lines := p.sets[set]
	if i := slices.IndexFunc(lines, func(l plainLine) bool { return l.line == line }); i >= 0 {
		lines[i].use = p.time
		lines[i].dirty = lines[i].dirty || store && !p.g.WriteThrough
		return result{Hit: true}
	}
	if store && p.g.NoWriteAllocate {
		return r
	}
	if len(lines) == ways {
		key := func(l plainLine) int {
			if p.g.Replacement == FIFO {
				return l.came
			}
			return l.use
		}
		oldest := slices.MinFunc(lines, func(a, b plainLine) int { return key(a) - key(b) })
		if oldest.dirty {
			r.WrittenBack, r.Victim = true, oldest.line
		}
		lines = slices.DeleteFunc(lines, func(l plainLine) bool { return l == oldest })
	}
	p.sets[set] = append(lines, plainLine{line, p.time, p.time, store && !p.g.WriteThrough})
	return r
}

func TestAgainstDefinition(t *testing.T) {
	for _, g := range []Geometry{
		{Size: 1024, Line: 32, Ways: 4, Replacement: LRU},
		{Size: 1024, Line: 32, Ways: 1, Replacement: LRU},
		{Size: 1024, Line: 64, Ways: 0, Replacement: LRU},
		{Size: 2048, Line: 32, Ways: 64, Replacement: FIFO},
		{Size: 512, Line: 16, Ways: 2, Replacement: FIFO, WriteThrough: true},
		{Size: 512, Line: 16, Ways: 2, Replacement: LRU, NoWriteAllocate: true},
		{Size: 768, Line: 64, Ways: 3, Replacement: LRU},
		{Size: 4096, Line: 32, Ways: 64, Replacement: LRU},
	} {
		t.Run(fmt.Sprint(g), func(t *testing.T) {
			c, err := newLevel(g, false)
			require.NoError(t, err)
			classified, err := newLevel(g, true)
			require.NoError(t, err)
			p := &plain{g: g, sets: map[uint64][]plainLine{}}
			r := rand.New(rand.NewPCG(1, 2))
			for range 20_000 {
				line, store := r.Uint64N(1+r.Uint64N(100)), r.IntN(3) == 0
				want := p.access(line, store)
				require.Equal(t, want, c.access(line, store))
				again := classified.access(line, store)
				if !again.Hit {
					require.NotEqual(t, Unknown, again.Kind)
				}
				again.Kind = Unknown
				require.Equal(t, want, again)
			}
		})
	}
}

// Lines 0, 4 and 8 fall into the one set of two ways; the cache has eight lines.
func TestKindsOfMisses(t *testing.T) {
	c, err := newLevel(Geometry{Size: 8 * 64, Line: 64, Ways: 2, Replacement: LRU}, true)
	require.NoError(t, err)
	for i, step := range []struct {
		line uint64
		want result
	}{
		{0, result{Kind: Cold}}, {4, result{Kind: Cold}}, {0, result{Hit: true}}, {8, result{Kind: Cold}},
		{4, result{Kind: Conflict}}, // a fully associative cache would still hold it
		{1, result{Kind: Cold}}, {2, result{Kind: Cold}}, {3, result{Kind: Cold}}, {5, result{Kind: Cold}}, {6, result{Kind: Cold}}, {7, result{Kind: Cold}}, {9, result{Kind: Cold}},
		{0, result{Kind: Capacity}}, // ten others since
	} {
		require.Equal(t, step.want, c.access(step.line, false), "step %d", i)
	}
}

// In a fully associative cache with LRU there are no conflicts, by definition.
func TestNoConflictsWithoutSets(t *testing.T) {
	c, err := newLevel(Geometry{Size: 16 * 64, Line: 64, Replacement: LRU}, true)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(3, 4))
	misses := map[Kind]int{}
	for range 5000 {
		if x := c.access(r.Uint64N(24), false); !x.Hit {
			misses[x.Kind]++
		}
	}
	require.Zero(t, misses[Conflict])
	require.Equal(t, 24, misses[Cold])
	require.Positive(t, misses[Capacity])
}

// The tree of four ways: after a use of ways 0 and 2 it points to the half of 0, and there to 1.
func TestTree(t *testing.T) {
	c, err := newLevel(Geometry{Size: 4 * 64, Line: 64, Ways: 4, Replacement: Tree}, false)
	require.NoError(t, err)
	for line := range uint64(4) {
		require.False(t, c.access(line, false).Hit)
	}
	require.True(t, c.access(0, false).Hit)
	require.True(t, c.access(2, false).Hit)
	c.access(9, false)
	require.Negative(t, c.find(1), "it had to go")
	for _, line := range []uint64{0, 2, 3, 9} {
		require.GreaterOrEqual(t, c.find(line), 0)
	}
}

func TestRandomIsRepeatable(t *testing.T) {
	run := func() (hits int) {
		c, err := newLevel(Geometry{Size: 1024, Line: 32, Ways: 8, Replacement: Random}, false)
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(5, 6))
		for range 10_000 {
			if c.access(r.Uint64N(48), false).Hit {
				hits++
			}
		}
		return hits
	}
	require.Equal(t, run(), run())
	require.InDelta(t, 10_000*32/48, run(), 700, "two thirds of the lines fit")
}

func TestGeometriesRefused(t *testing.T) {
	for _, g := range []Geometry{
		{}, {Size: 1024, Line: 33, Ways: 1, Replacement: LRU}, {Size: 1000, Line: 32, Ways: 1, Replacement: LRU},
		{Size: 96, Line: 32, Ways: 1, Replacement: LRU}, {Size: 1024, Line: 32, Ways: 2, Replacement: "mru"},
		{Size: 96, Line: 32, Ways: 3, Replacement: Tree}, {Size: 1 << 40, Line: 32, Ways: 2, Replacement: LRU},
		{Size: 64 * 64, Line: 64, Ways: 64, Replacement: Tree},
	} {
		_, err := newLevel(g, false)
		require.Error(t, err, "%+v", g)
	}
}

func BenchmarkAccess(b *testing.B) {
	c, _ := newLevel(Geometry{Size: 32 << 10, Line: 64, Ways: 8, Replacement: LRU}, false)
	r := rand.New(rand.NewPCG(1, 1))
	lines := make([]uint64, 4096)
	for i := range lines {
		lines[i] = uint64(i/8) % 700
		if r.IntN(8) == 0 {
			lines[i] = r.Uint64N(700)
		}
	}
	for i := 0; b.Loop(); i++ {
		c.access(lines[i&4095], false)
	}
}
