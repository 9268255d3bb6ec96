package main

import (
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// sod computes a shock tube of n cells along axis.
func sod(t *testing.T, n, procs int, skew bool, axis int, end float64) *mesh {
	t.Helper()
	m, err := newMesh(n, procs, skew)
	require.NoError(t, err)
	m.fillTube(axis)
	m.solve(end, 0)
	return m
}

func TestExactSolutionOfSod(t *testing.T) {
	x := newRiemann(sodLeft, sodRight)
	// The reference values are those that every text book gives for this problem.
	require.InDelta(t, 0.30313, x.p, 1e-5)
	require.InDelta(t, 0.92745, x.u, 1e-5)
	require.InDelta(t, 0.42632, x.density(0.5), 1e-5, "between rarefaction and contact")
	require.InDelta(t, 0.26557, x.density(1.2), 1e-5, "between contact and shock")
	require.Equal(t, 1.0, x.density(-1.19))
	require.Equal(t, 0.125, x.density(1.76))
}

func TestExactSolutionIsSymmetric(t *testing.T) {
	x := newRiemann(sodLeft, sodRight)
	mirrored := newRiemann(sodRight, sodLeft)
	for xi := -2.0; xi <= 2; xi += 0.0625 {
		require.InDelta(t, x.density(xi), mirrored.density(-xi), 1e-12, "at %g", xi)
	}
}

func TestFluxOfEqualStatesIsExact(t *testing.T) {
	for _, u := range []float64{-3, -0.5, 0, 0.5, 3} {
		s := prim{rho: 1.3, u: u, v: 0.2, w: -0.4, p: 0.9}
		want, got := s.flux(), hllc(&s, &s)
		for i := range want {
			require.InDelta(t, want[i], got[i], 1e-13, "component %d at speed %g", i, u)
		}
	}
}

func TestContactAtRestStaysSharp(t *testing.T) {
	l, r := prim{rho: 1, p: 0.7}, prim{rho: 0.1, p: 0.7}
	got := hllc(&l, &r)
	want := flux{0, 0.7, 0, 0, 0}
	for i := range want {
		require.InDelta(t, want[i], got[i], 1e-15)
	}
}

func TestSlopeIsLimited(t *testing.T) {
	require.Zero(t, limited(0, 1, 0), "extremum")
	require.Equal(t, 1.0, limited(0, 1, 2), "smooth")
	require.Equal(t, 0.2, limited(0, 0.1, 5), "no steeper than twice the flatter side")
	require.Equal(t, -0.2, limited(0, -0.1, -5))
}

func TestShockTubeConverges(t *testing.T) {
	last := math.Inf(1)
	for _, n := range []int{10, 20, 40} {
		m := sod(t, n, 1, false, 0, endTime)
		e := m.errorOf(0)
		require.Less(t, e, m.errorBound(), "%d cells", n)
		require.Less(t, e, 0.65*last, "%d cells", n)
		last = e
	}
}

func TestAxesAreEqual(t *testing.T) {
	want := sod(t, 20, 1, false, 0, endTime).errorOf(0)
	for axis := 1; axis < 3; axis++ {
		require.InDelta(t, want, sod(t, 20, 2, true, axis, endTime).errorOf(axis), 1e-12, "axis %d", axis)
	}
}

func TestErrorBoundFindsWrongSolution(t *testing.T) {
	m := sod(t, 24, 1, false, 0, 0.2)
	before := m.total()
	m.domains[0].time = 0.15 // a solution that is not the one of this time
	require.ErrorContains(t, m.verify(before, 0, io.Discard), "deviates")
}

func TestLostMassIsFound(t *testing.T) {
	m := sod(t, 24, 2, false, 0, 0.2)
	before := m.total()
	before.rho *= 1 + 1e-9
	require.ErrorContains(t, m.verify(before, 0, io.Discard), "not conserved")
}

// The decomposition must not change a single bit: fluxes at borders are computed from the same cells on both sides.
func TestDecompositionChangesNothing(t *testing.T) {
	const n = 16
	cells := func(m *mesh) map[[3]float64]cons {
		all := make(map[[3]float64]cons)
		m.each(func(c *cons, at [3]float64) { all[at] = *c })
		return all
	}
	want := cells(blast(t, n, 1, false))
	for _, procs := range []int{2, 3, 4, 8} {
		for _, skew := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d skew %v", procs, skew), func(t *testing.T) {
				require.Equal(t, want, cells(blast(t, n, procs, skew)))
			})
		}
	}
}

// blast puts a hot ball off the centre, so that nothing is symmetric, and lets its wave reach the walls.
func blast(t *testing.T, n, procs int, skew bool) *mesh {
	t.Helper()
	m, err := newMesh(n, procs, skew)
	require.NoError(t, err)
	m.each(func(c *cons, at [3]float64) {
		s := prim{rho: 1, p: 0.1}
		if math.Hypot(math.Hypot(at[0]-0.4, at[1]-0.3), at[2]-0.45) < 0.2 {
			s.p = 10
		}
		*c = s.conserved(0)
	})
	before := m.total()
	m.solve(1, 12)
	after := m.total()
	require.InEpsilon(t, before.rho, after.rho, roundOff)
	require.InEpsilon(t, before.e, after.e, roundOff)
	return m
}

func TestCuts(t *testing.T) {
	require.Equal(t, []int{0, 6, 12}, cuts(12, 2, false))
	require.Equal(t, []int{0, 9, 12}, cuts(12, 2, true))
	require.Equal(t, []int{0, 6, 8, 10}, cuts(10, 3, true))
	require.Equal(t, []int{0, 10}, cuts(10, 1, true))
	require.Equal(t, [3]int{2, 2, 2}, factor(8))
	require.Equal(t, [3]int{3, 2, 2}, factor(12))
	require.Equal(t, [3]int{7, 1, 1}, factor(7))
	_, err := newMesh(4, 27, false)
	require.ErrorContains(t, err, "too small")
	_, err = newMesh(0, 1, false)
	require.Error(t, err)
}
