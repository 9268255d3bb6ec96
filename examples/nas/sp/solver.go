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
	s.speeds()
	s.Scale(s.dt)
	s.Rows(s.toWaves)
	s.lines(0)
	s.Rows(s.turnX)
	s.lines(1)
	s.Rows(s.turnY)
	s.lines(2)
	s.Rows(s.fromWaves)
	s.Advance()
}

// speeds finds the speed of sound at each point.
func (s *solver) speeds() {
	sound, points := s.sound[:len(s.U)], s.Points[:len(s.U)]
	for i := range s.U {
		sound[i] = math.Sqrt(cfd.C1 * cfd.C2 * points[i].Inverse * (s.U[i][4] - points[i].Kinetic))
	}
}

// lines solves the systems of all lines along an axis.
func (s *solver) lines(axis uint) {
	stride := s.Strides[axis%3]
	s.Lines(axis, func(start int) {
		s.build(axis, start)
		s.solve(s.current, stride, start, 0, 3)
		s.solve(s.with, stride, start, 3, 4)
		s.solve(s.against, stride, start, 4, 5)
	})
}

// toWaves turns changes into those of waves along the first axis.
func (s *solver) toWaves(from, to int) {
	change, points, speeds := s.Change[from:to], s.Points[from:to], s.sound[from:to]
	half := halfRoot
	for i := range change {
		c, p := &change[i], &points[i]
		r1, r2, r3, r4, r5 := c[0], c[1], c[2], c[3], c[4]
		inverse, sound, x, y, z := p.Inverse, speeds[i], p.Velocity[0], p.Velocity[1], p.Velocity[2]
		t1 := cfd.C2 / (sound * sound) * (p.Specific*r1 - x*r2 - y*r3 - z*r4 + r5)
		t2 := half * inverse * (x*r1 - r2)
		t3 := half * inverse * sound * t1
		c[0], c[1], c[2], c[3], c[4] = r1-t1, inverse*(r4-z*r1), inverse*(y*r1-r3), t3-t2, t2+t3
	}
}

// turnX turns changes of waves along the first axis into those along the second.
func (s *solver) turnX(from, to int) {
	change, half := s.Change[from:to], halfRoot
	for i := range change {
		c := &change[i]
		r1, r2, r3, r4, r5 := c[0], c[1], c[2], c[3], c[4]
		t1, t2 := half*r3, 0.5*(r4+r5)
		c[0], c[1], c[2], c[3], c[4] = -r2, r1, half*(r4-r5), t2-t1, t1+t2
	}
}

// turnY turns changes of waves along the second axis into those along the third.
func (s *solver) turnY(from, to int) {
	change, half := s.Change[from:to], halfRoot
	for i := range change {
		c := &change[i]
		r1, r2, r3, r4, r5 := c[0], c[1], c[2], c[3], c[4]
		t1, t2 := half*r1, 0.5*(r4+r5)
		c[0], c[1], c[2], c[3], c[4] = half*(r4-r5), -r3, r2, t2-t1, t1+t2
	}
}

// fromWaves turns changes of waves along the third axis into those of the quantities.
func (s *solver) fromWaves(from, to int) {
	change, points, speeds, u := s.Change[from:to], s.Points[from:to], s.sound[from:to], s.U[from:to]
	half := halfRoot
	for i := range change {
		c, p := &change[i], &points[i]
		r1, r2, r3, r4, r5 := c[0], c[1], c[2], c[3], c[4]
		mass, sound, x, y, z := u[i][0], speeds[i], p.Velocity[0], p.Velocity[1], p.Velocity[2]
		scaled := half * mass
		t1 := scaled / sound * (r4 + r5)
		t2, t3 := r3+t1, scaled*(r4-r5)
		c[0], c[1], c[2], c[3] = t2, x*t2-mass*r2, mass*r1+y*t2, z*t2+t3
		c[4] = mass*(y*r1-x*r2) + p.Specific*t2 + sound*sound/cfd.C2*t1 + z*t3
	}
}

var halfRoot = math.Sqrt(0.5)
