package main

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/examples/nas/cfd"
)

func TestVerified(t *testing.T) {
	r, err := solve('S')
	require.NoError(t, err)
	require.Len(t, r.Values, 10)
	require.NoError(t, r.Verify())
}

// Turned into waves, from axis to axis, and back, changes are what they were.
func TestWaves(t *testing.T) {
	s := newSolver(8, 1)
	s.Derive()
	s.speeds()
	want := append([]cfd.Vector{}, s.Change...)
	s.Rows(s.toWaves)
	require.NotEqual(t, want, s.Change)
	s.Rows(s.turnX)
	s.Rows(s.turnY)
	s.Rows(s.fromWaves)
	for p := range want {
		for m := range 5 {
			require.InDelta(t, want[p][m], s.Change[p][m], 1e-9)
		}
	}
}

// The solution of a random pentadiagonal system fulfils it.
func TestSolve(t *testing.T) {
	s := newSolver(12, 1)
	r := rand.New(rand.NewPCG(1, 1))
	b := make([]band, 12)
	for i := range b {
		for d := range 5 {
			if j := i + d - 2; j >= 0 && j < len(b) {
				b[i][d] = r.Float64() - 0.5
			}
		}
		b[i][2] += 5
	}
	for p := range s.Change {
		for m := range 5 {
			s.Change[p][m] = r.Float64()
		}
	}
	bands, right := append([]band{}, b...), append([]cfd.Vector{}, s.Change...)
	const stride, start = 12, 5 + 3*144
	s.solve(b, stride, start, 0, 3)
	for i := range bands {
		at := start + i*stride
		for m := range 3 {
			sum := right[at][m]
			for d := range 5 {
				if j := i + d - 2; j >= 0 && j < len(b) {
					sum -= bands[i][d] * s.Change[start+j*stride][m]
				}
			}
			require.InDelta(t, 0, sum, 1e-14)
		}
		require.Equal(t, right[at][3:], s.Change[at][3:], "other quantities are as they were")
	}
}
