package cfd

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// At the exact solution nothing changes, and there is no error; in between there are both.
func TestExactIsStationary(t *testing.T) {
	f := New(12)
	for _, x := range f.Errors() {
		require.Greater(t, x, 1e-3)
	}
	f.Derive()
	for _, x := range f.Norms(f.Change) {
		require.Greater(t, x, 1e-3)
	}
	f.each(0, func(p int, at [3]float64) { f.U[p] = Exact(at) })
	require.Equal(t, Vector{}, f.Errors())
	f.Derive()
	for _, x := range f.Norms(f.Change) {
		require.Less(t, x, 1e-12)
	}
}

// The beginning is exact on the faces, and only there.
func TestBeginning(t *testing.T) {
	f := New(5)
	f.each(0, func(p int, at [3]float64) {
		face := false
		for _, x := range at {
			face = face || x == 0 || x == 1
		}
		require.Equal(t, face, f.U[p] == Exact(at), at)
	})
	require.Equal(t, Vector{2, 1, 2, 2, 5}, f.U[0])
	require.InDelta(t, 15.76, f.U[len(f.U)-1][0], 1e-12)
}

// A flow that is the same along an axis does not change by that axis, whatever the axis: all three get the same of the same
// profile, with momenta exchanged.
func TestAxesAreAlike(t *testing.T) {
	const n = 9
	profile := make([]Vector, n)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range profile {
		profile[i] = Vector{1 + r.Float64(), r.Float64(), r.Float64(), r.Float64(), 5 + r.Float64()}
	}
	var first []Vector
	for axis := range 3 {
		turn := func(u Vector) (v Vector) {
			v[0], v[4] = u[0], u[4]
			for m := range 3 {
				v[1+(axis+m)%3] = u[1+m]
			}
			return v
		}
		f := New(n)
		clear(f.forcing)
		defer func(d [3]float64) { Diffusion = d }(Diffusion)
		Diffusion = [3]float64{1, 1, 1}
		for p := range f.U {
			f.U[p] = turn(profile[p/f.Strides[axis]%n])
		}
		f.Derive()
		var line []Vector
		middle := n/2*(1+n+n*n) - n/2*f.Strides[axis]
		for i := range n {
			line = append(line, f.Change[middle+i*f.Strides[axis]])
		}
		if axis == 0 {
			first = line
			continue
		}
		for i := range line {
			want := turn(first[i])
			for m := range want {
				require.InDelta(t, want[m], line[i][m], 1e-9, "axis %d, point %d, quantity %d", axis, i, m)
			}
		}
	}
}

// current is what the current carries along an axis, by its definition.
func current(u Vector, axis int) (flux Vector) {
	w := u[1+axis] / u[0]
	pressure := C2 * (u[4] - 0.5*(u[1]*u[1]+u[2]*u[2]+u[3]*u[3])/u[0])
	for m := range u {
		flux[m] = u[m] * w
	}
	flux[1+axis] += pressure
	flux[4] += pressure * w
	return flux
}

// carried is what viscosity and conduction carry along an axis, of which differences are taken: velocity, its square, and heat.
func carried(u Vector, axis int) (flux Vector) {
	specific := 0.0
	for m := 1; m <= 3; m++ {
		v := u[m] / u[0]
		flux[m] = C34 * v
		specific += 0.5 * v * v
	}
	flux[1+axis] *= R43
	w := u[1+axis] / u[0]
	flux[4] = (C34-C1345)*specific + C34/6*w*w + C1345*u[4]/u[0]
	return flux
}

// The matrices are the derivatives of what they say.
func TestJacobians(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		u := Vector{1 + r.Float64(), r.Float64() - 0.5, r.Float64() - 0.5, r.Float64() - 0.5, 5 + r.Float64()}
		for axis := range 3 {
			var a, v Matrix
			Jacobians(&u, uint(axis), &a, &v)
			const step = 1e-5
			for l := range u {
				low, high := u, u
				low[l] -= step
				high[l] += step
				for m := range u {
					require.InDelta(t, (current(high, axis)[m]-current(low, axis)[m])/(2*step), a[m][l], 1e-7, "current, axis %d, %d by %d", axis, m, l)
					require.InDelta(t, (carried(high, axis)[m]-carried(low, axis)[m])/(2*step), v[m][l], 1e-7, "viscosity, axis %d, %d by %d", axis, m, l)
				}
			}
		}
	}
}
