package main

import "tracerec/examples/nas/cfd"

// solver is a flow, and the system of equations of a line.
type solver struct {
	*cfd.Flow
	dt             float64
	current, stick []cfd.Matrix // derivatives at each point of what flows, and of what viscosity carries
	a, b, c        []cfd.Matrix // blocks below, on, and above the diagonal
}

func newSolver(n int, dt float64) *solver {
	blocks := func() []cfd.Matrix { return make([]cfd.Matrix, n) }
	return &solver{cfd.New(n), dt, blocks(), blocks(), blocks(), blocks(), blocks()}
}

// step is one step in time.
func (s *solver) step() {
	s.Derive()
	for p := range s.Change {
		for m := range 5 {
			s.Change[p][m] *= s.dt
		}
	}
	n := s.N
	for axis := range uint(3) {
		a, b := s.Strides[(axis+1)%3], s.Strides[(axis+2)%3]
		for k := 1; k < n-1; k++ {
			for j := 1; j < n-1; j++ {
				s.build(axis, j*a+k*b)
				s.solve(s.Strides[axis%3], j*a+k*b)
			}
		}
	}
	for p := range s.U {
		for m := range 5 {
			s.U[p][m] += s.Change[p][m]
		}
	}
}

// build makes the system of the line along an axis from point start. Its first and last block are one: faces do not change.
func (s *solver) build(axis uint, start int) {
	stride := s.Strides[axis%3]
	for i := range s.current {
		cfd.Jacobians(&s.U[start+i*stride], axis, &s.current[i], &s.stick[i])
	}
	t1, t2 := s.dt/(s.H*s.H), s.dt/(2*s.H)
	d := t1 * cfd.Diffusion[axis%3]
	last := s.N - 1
	s.b[0], s.c[0] = one, cfd.Matrix{}
	s.b[last], s.a[last] = one, cfd.Matrix{}
	for i := 1; i < last; i++ {
		a, b, c := &s.a[i], &s.b[i], &s.c[i]
		below, above := &s.current[i-1], &s.current[i+1]
		stickBelow, stick, stickAbove := &s.stick[i-1], &s.stick[i], &s.stick[i+1]
		for m := range 5 {
			for l := range 5 {
				a[m][l] = -t2*below[m][l] - t1*stickBelow[m][l]
				b[m][l] = 2 * t1 * stick[m][l]
				c[m][l] = t2*above[m][l] - t1*stickAbove[m][l]
			}
			a[m][m] -= d
			b[m][m] += 1 + 2*d
			c[m][m] -= d
		}
	}
}

var one = cfd.Matrix{{0: 1}, {1: 1}, {2: 1}, {3: 1}, {4: 1}}

// solve replaces the changes along a line by the solution of the system.
func (s *solver) solve(stride, start int) {
	change := func(i int) *cfd.Vector { return &s.Change[start+i*stride] }
	last := s.N - 1
	eliminate(&s.b[0], &s.c[0], change(0))
	for i := 1; i < last; i++ {
		subtractVector(change(i), &s.a[i], change(i-1))
		subtractProduct(&s.b[i], &s.a[i], &s.c[i-1])
		eliminate(&s.b[i], &s.c[i], change(i))
	}
	subtractVector(change(last), &s.a[last], change(last-1))
	subtractProduct(&s.b[last], &s.a[last], &s.c[last-1])
	eliminateVector(&s.b[last], change(last))
	for i := last - 1; i >= 0; i-- {
		subtractVector(change(i), &s.c[i], change(i+1))
	}
}
