package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerified(t *testing.T) {
	r, err := solve('S')
	require.NoError(t, err)
	require.NoError(t, r.Verify())
}

// Ten values each are 1 and -1 inside, and the copies are those of the other end.
func TestCharge(t *testing.T) {
	g := newGrid(8)
	g.charge()
	inside := map[float64]int{}
	for k := range g.n {
		for j := range g.n {
			for i, x := range g.row(j, k) {
				wrap := func(i int) int { return (i+g.n-3)%(g.n-2) + 1 }
				require.Equal(t, g.row(wrap(j), wrap(k))[wrap(i)], x)
				if i == wrap(i) && j == wrap(j) && k == wrap(k) {
					inside[x]++
				}
			}
		}
	}
	require.Equal(t, map[float64]int{-1: 10, 0: 492, 1: 10}, inside)
}

// Each V-cycle leaves much less of the residual.
func TestCycleConverges(t *testing.T) {
	s := newSolver(16)
	s.v.charge()
	top := len(s.u) - 1
	s.residual(s.r[top], s.u[top], s.v)
	before := s.r[top].norm()
	for range 5 {
		s.cycle()
		s.residual(s.r[top], s.u[top], s.v)
		after := s.r[top].norm()
		require.Less(t, after, before/2)
		before = after
	}
}
