package main

import (
	"math"

	"tracerec/examples/nas/cfd"
)

// solver is a flow, and the systems of equations of a line.
type solver struct {
	*cfd.Flow
	dt                     float64
	sound                  []float64 // its speed at each point
	velocity, diffusion    []float64 // along the line
	current, with, against []band
}

func newSolver(n int, dt float64) *solver {
	bands := func() []band { return make([]band, n) }
	return &solver{cfd.New(n), dt, make([]float64, n*n*n), make([]float64, n), make([]float64, n), bands(), bands(), bands()}
}

// step is one step in time. The equations along an axis are not of the five quantities, but of combinations of them that travel as
// waves: changes are turned into those of the first axis, from one axis' to the next, and at the end back.
func (s *solver) step() {
	s.Derive()
	for p := range s.U {
		s.sound[p] = math.Sqrt(cfd.C1 * cfd.C2 * s.Inverse[p] * (s.U[p][4] - s.Kinetic[p]))
	}
	for p := range s.Change {
		for m := range 5 {
			s.Change[p][m] *= s.dt
		}
	}
	s.inside(s.toWaves)
	s.lines(0)
	s.inside(s.turnX)
	s.lines(1)
	s.inside(s.turnY)
	s.lines(2)
	s.inside(s.fromWaves)
	for p := range s.U {
		for m := range 5 {
			s.U[p][m] += s.Change[p][m]
		}
	}
}

// inside calls do for the rows of points inside the cube.
func (s *solver) inside(do func(from, to int)) {
	for k := 1; k < s.N-1; k++ {
		for j := 1; j < s.N-1; j++ {
			row := (k*s.N + j) * s.N
			do(row+1, row+s.N-1)
		}
	}
}

// lines solves the systems of all lines along an axis.
func (s *solver) lines(axis uint) {
	stride, a, b := s.Strides[axis%3], s.Strides[(axis+1)%3], s.Strides[(axis+2)%3]
	for k := 1; k < s.N-1; k++ {
		for j := 1; j < s.N-1; j++ {
			start := j*a + k*b
			s.build(axis, start)
			s.solve(s.current, stride, start, 0, 3)
			s.solve(s.with, stride, start, 3, 4)
			s.solve(s.against, stride, start, 4, 5)
		}
	}
}

// toWaves turns changes into those of waves along the first axis.
func (s *solver) toWaves(from, to int) {
	for p := from; p < to; p++ {
		c, v := &s.Change[p], &s.Velocity[p]
		r1, r2, r3, r4, r5 := c[0], c[1], c[2], c[3], c[4]
		inv, sound := s.Inverse[p], s.sound[p]
		t1 := cfd.C2 / (sound * sound) * (s.Specific[p]*r1 - v[0]*r2 - v[1]*r3 - v[2]*r4 + r5)
		t2 := halfRoot * inv * (v[0]*r1 - r2)
		t3 := halfRoot * inv * sound * t1
		c[0], c[1], c[2] = r1-t1, -inv*(v[2]*r1-r4), inv*(v[1]*r1-r3)
		c[3], c[4] = t3-t2, t2+t3
	}
}

// turnX turns changes of waves along the first axis into those along the second.
func (s *solver) turnX(from, to int) {
	change := s.Change[from:to]
	for p := range change {
		c := &change[p]
		r1, r2, r3, r4, r5 := c[0], c[1], c[2], c[3], c[4]
		t1, t2 := halfRoot*r3, 0.5*(r4+r5)
		c[0], c[1], c[2], c[3], c[4] = -r2, r1, halfRoot*(r4-r5), t2-t1, t1+t2
	}
}

// turnY turns changes of waves along the second axis into those along the third.
func (s *solver) turnY(from, to int) {
	change := s.Change[from:to]
	for p := range change {
		c := &change[p]
		r1, r2, r3, r4, r5 := c[0], c[1], c[2], c[3], c[4]
		t1, t2 := halfRoot*r1, 0.5*(r4+r5)
		c[0], c[1], c[2], c[3], c[4] = halfRoot*(r4-r5), -r3, r2, t2-t1, t1+t2
	}
}

// fromWaves turns changes of waves along the third axis into those of the quantities.
func (s *solver) fromWaves(from, to int) {
	for p := from; p < to; p++ {
		c, v := &s.Change[p], &s.Velocity[p]
		r1, r2, r3, r4, r5 := c[0], c[1], c[2], c[3], c[4]
		sound, mass := s.sound[p], s.U[p][0]
		scaled := halfRoot * mass
		t1 := scaled / sound * (r4 + r5)
		t2, t3 := r3+t1, scaled*(r4-r5)
		c[0], c[1], c[2], c[3] = t2, v[0]*t2-mass*r2, mass*r1+v[1]*t2, v[2]*t2+t3
		c[4] = mass*(v[1]*r1-v[0]*r2) + s.Specific[p]*t2 + sound*sound/cfd.C2*t1 + v[2]*t3
	}
}

var halfRoot = math.Sqrt(0.5)
