// Package cfd is what the NAS applications BT, LU and SP have in common: the flow of a compressible gas, by the equations of
// Navier and Stokes in three dimensions, with a source that makes a polynomial the exact solution (Bailey et al., "The NAS
// Parallel Benchmarks", RNR-94-007, section 3). They differ in how they solve the equations of a time step.
//
// Axes are numbered 0, 1, 2; of the five quantities, 1, 2 and 3 are the momenta along them. All axes have the same number of
// points. Functions for any axis take the momentum along it first, and then the other two.
package cfd

import (
	"math"

	"tracerec/examples/nas/nas"
)

// Vector is what there is of the five conserved quantities at a point: mass, momenta, energy.
type Vector [5]float64

// Constants of the gas, and of the artificial dissipation.
const (
	C1, C2, C3, C4, C5 = 1.4, 0.4, 0.1, 1.0, 1.4

	C34   = C3 * C4
	C1345 = C1 * C3 * C4 * C5
	R43   = 4.0 / 3

	Dissipation = 0.25
)

// Diffusion is the artificial diffusion of every quantity along an axis.
var Diffusion = [3]float64{0.75, 0.75, 1}

// solution has the coefficients of the exact solution: for each quantity a constant, and then those of x, y and z, their
// squares, third and fourth powers.
var solution = [5][13]float64{
	{2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
	{1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
	{2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
	{2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
	{5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
}

// Exact returns the exact solution at a place in the unit cube.
func Exact(at [3]float64) (u Vector) {
	for m, c := range solution {
		u[m] = c[0]
		for axis, x := range at {
			u[m] += x * (c[1+axis] + x*(c[4+axis]+x*(c[7+axis]+x*c[10+axis])))
		}
	}
	return u
}

// Flow is the state of a gas in the unit cube, and memory for computing how it changes.
type Flow struct {
	N       int // points along an axis
	Strides [3]int
	H       float64 // their distance

	U       []Vector
	Points  []Point  // derived from U
	Change  []Vector // of U; solvers work in it
	forcing []Vector
}

// New returns the flow in which the benchmarks begin: exact on the faces of the cube, and interpolated between them.
func New(n int) *Flow {
	points := n * n * n
	vectors := func() []Vector { return make([]Vector, points) }
	f := &Flow{N: n, Strides: [3]int{1, n, n * n}, H: 1 / float64(n-1),
		U: vectors(), Points: make([]Point, points), Change: vectors(), forcing: vectors()}
	f.each(0, func(p int, at [3]float64) { f.U[p] = Exact(at) })
	f.Derive()
	for p, c := range f.Change {
		for m := range c {
			f.forcing[p][m] = -c[m] // of the exact solution, nothing changes
		}
	}
	f.each(1, func(p int, at [3]float64) { f.U[p] = interpolate(at) })
	return f
}

// each calls do for all points, but for so many next to the faces.
func (f *Flow) each(margin int, do func(p int, at [3]float64)) {
	for k := margin; k < f.N-margin; k++ {
		for j := margin; j < f.N-margin; j++ {
			for i := margin; i < f.N-margin; i++ {
				do((k*f.N+j)*f.N+i, [3]float64{float64(i) * f.H, float64(j) * f.H, float64(k) * f.H})
			}
		}
	}
}

// interpolate mixes what there is on the six faces, by the formula of the specification. Its products are of quantities: it is not
// exact on the faces.
func interpolate(at [3]float64) (u Vector) {
	var mean [3]Vector // of the faces across an axis
	for axis, x := range at {
		low, high := at, at
		low[axis], high[axis] = 0, 1
		l, h := Exact(low), Exact(high)
		for m := range u {
			mean[axis][m] = (1-x)*l[m] + x*h[m]
		}
	}
	for m := range u {
		x, y, z := mean[0][m], mean[1][m], mean[2][m]
		u[m] = x + y + z - x*y - y*z - z*x + x*y*z
	}
	return u
}

// Scale multiplies Change by the length of a time step.
func (f *Flow) Scale(dt float64) {
	f.Rows(func(from, to int) {
		change := f.Change[from:to]
		for i := range change {
			c := &change[i]
			for m := range c {
				c[m] *= dt
			}
		}
	})
}

// Advance adds Change to U.
func (f *Flow) Advance() {
	f.Rows(func(from, to int) {
		change, quantities := f.Change[from:to], f.U[from:to]
		for i := range change {
			c, u := &change[i], &quantities[i]
			for m := range c {
				u[m] += c[m]
			}
		}
	})
}

// Rows calls do for each row of points inside the cube.
func (f *Flow) Rows(do func(from, to int)) {
	f.Lines(0, func(start int) { do(start+1, start+f.N-1) })
}

// Errors returns, for each quantity, the root of the mean square of what U differs from the exact solution by.
func (f *Flow) Errors() Vector {
	differences := make([]Vector, len(f.U))
	f.each(1, func(p int, at [3]float64) {
		exact := Exact(at)
		for m, x := range f.U[p] {
			differences[p][m] = x - exact[m]
		}
	})
	return f.Norms(differences)
}

// Norms returns the roots of the mean squares of v inside the cube.
func (f *Flow) Norms(v []Vector) (norms Vector) {
	f.each(1, func(p int, _ [3]float64) {
		for m, x := range v[p] {
			norms[m] += x * x
		}
	})
	inside := float64(f.N - 2)
	for m := range norms {
		norms[m] = math.Sqrt(norms[m] / (inside * inside * inside))
	}
	return norms
}

// Values pairs the norms of the changes, and of the errors, with those of NAS.
func (f *Flow) Values(changes, errors Vector) (values []nas.Value) {
	add := func(name string, got, want Vector) {
		for m, quantity := range [5]string{"mass", "momentum x", "momentum y", "momentum z", "energy"} {
			values = append(values, nas.Value{Name: name + quantity, Got: got[m], Want: want[m]})
		}
	}
	add("change, ", f.Norms(f.Change), changes)
	add("error, ", f.Errors(), errors)
	return values
}
