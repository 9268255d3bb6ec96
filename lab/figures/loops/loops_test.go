package loops

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// With ones to multiply by and to add, each element tells how often it was worked on.
func TestPatterns(t *testing.T) {
	touched := func(pattern string, cuts ...int) (places, most int) {
		x := New(8)
		for i := range x.B {
			x.B[i], x.C[i] = 1, 1
		}
		from := 0
		for _, to := range cuts {
			x.Run(pattern, from, to)
			from = to
		}
		sum := 0
		for _, v := range x.A {
			times := int(v) / Depth
			if float64(times*Depth) != v { // require takes longer than the loops
				t.Fatalf("%s: %v operations on an element, of %d each time", pattern, v, Depth)
			}
			if most = max(most, times); times > 0 {
				places++
			}
			sum += times
		}
		require.Equal(t, from, sum, pattern)
		return places, most
	}
	for _, p := range []struct {
		pattern      string
		n            int
		places, most int
	}{
		{"tiled", 3 * Tile, Tile, 3}, {"tiled", 10 * Tile, 2 * Tile, 8}, {"tiled", Elements, Elements / 8, 8}, {"tiled", 9 * Elements, Elements, 16},
		{"untiled", 3 * Tile, 3 * Tile, 1}, {"untiled", Elements + 1, Elements, 2}, {"random", 5 * Tile, 5 * Tile, 1}, {"random", Elements, Elements, 1},
	} {
		for _, cuts := range [][]int{{p.n}, {1, 1000, p.n / 2, p.n}} {
			places, most := touched(p.pattern, cuts...)
			require.Equal(t, p.places, places, "%+v", p)
			require.Equal(t, p.most, most, "%+v", p)
		}
	}
}

// What is worked on converges, so that no time depends on the values.
func TestValuesStayFinite(t *testing.T) {
	x := New(8)
	for _, p := range Patterns {
		x.Run(p, 0, 4*Elements)
	}
	for _, v := range x.A {
		require.EqualValues(t, 1, v)
	}
	require.Equal(t, x.Scrub(), x.Scrub())
}
