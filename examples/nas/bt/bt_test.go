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

// The solution of a random block tridiagonal system fulfils it.
func TestSolve(t *testing.T) {
	s := newSolver(12, 1)
	r := rand.New(rand.NewPCG(1, 1))
	random := func(diagonal float64) (m cfd.Matrix) {
		for i := range m {
			for j := range m[i] {
				m[i][j] = r.Float64() - 0.5
			}
			m[i][i] += diagonal
		}
		return m
	}
	for i := range s.a {
		s.a[i], s.b[i], s.c[i] = random(0), random(10), random(0)
	}
	for p := range s.Change {
		for m := range 5 {
			s.Change[p][m] = r.Float64()
		}
	}
	a, b, c := append([]cfd.Matrix{}, s.a...), append([]cfd.Matrix{}, s.b...), append([]cfd.Matrix{}, s.c...)
	right := append([]cfd.Vector{}, s.Change...)
	const stride, start = 12, 5 + 3*144
	s.solve(stride, start)
	for i := range a {
		sum := right[start+i*stride]
		subtractVector(sum[:], b[i][:], s.Change[start+i*stride][:])
		if i > 0 {
			subtractVector(sum[:], a[i][:], s.Change[start+(i-1)*stride][:])
		}
		if i < len(a)-1 {
			subtractVector(sum[:], c[i][:], s.Change[start+(i+1)*stride][:])
		}
		for _, x := range sum {
			require.InDelta(t, 0, x, 1e-13)
		}
	}
	require.Equal(t, right[start+1], s.Change[start+1], "other lines are as they were")
}
