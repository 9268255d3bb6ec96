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
	s.Scale(s.dt)
	for axis := range uint(3) {
		s.Lines(axis, func(start int) {
			s.build(axis, start)
			s.solve(s.Strides[axis%3], start)
		})
	}
	s.Advance()
}

// build makes the system of the line along an axis from point start. Its first and last block are one: faces do not change.
func (s *solver) build(axis uint, start int) {
	stride := s.Strides[axis%3]
	u, current, stick := s.U, s.current, s.stick
	for i := range current {
		cfd.Jacobians(&u[start+i*stride], axis, &current[i], &stick[i])
	}
	t1, t2 := s.dt/(s.H*s.H), s.dt/(2*s.H)
	d, last := t1*cfd.Diffusion[axis%3], len(current)-1
	combine(s.a[1:last], current[:last-1], stick[:last-1], -t2, t1, d)
	scale(s.b[1:last], stick[1:last], 2*t1, 1+2*d)
	combine(s.c[1:last], current[2:], stick[2:], t2, t1, d)
	s.b[0], s.c[0] = one, cfd.Matrix{}
	s.b[last], s.a[last] = one, cfd.Matrix{}
}

var one = cfd.Matrix{{0: 1}, {1: 1}, {2: 1}, {3: 1}, {4: 1}}

// solve replaces the changes along a line by the solution of the system.
func (s *solver) solve(stride, start int) {
	a, b, c, change := s.a, s.b, s.c, s.Change[start:]
	last := len(a) - 1
	eliminate(b[0][:], c[0][:], change[0][:])
	for i := 1; i < last; i++ {
		r := change[i*stride][:]
		subtractVector(r, a[i][:], change[(i-1)*stride][:])
		subtractProduct(b[i][:], a[i][:], c[i-1][:])
		eliminate(b[i][:], c[i][:], r)
	}
	subtractVector(change[last*stride][:], a[last][:], change[(last-1)*stride][:])
	subtractProduct(b[last][:], a[last][:], c[last-1][:])
	eliminateVector(b[last][:], change[last*stride][:])
	for i := last - 1; i >= 0; i-- {
		subtractVector(change[i*stride][:], c[i][:], change[(i+1)*stride][:])
	}
}
