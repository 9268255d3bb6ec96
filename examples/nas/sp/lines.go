package main

import "tracerec/examples/nas/cfd"

// band is a row of a pentadiagonal matrix: the diagonal is in the middle.
type band [5]float64

// build makes the systems of the line along an axis from point start: current for waves that the current carries, and with for those
// that go faster than it by the speed of sound, and against for those that are slower. The first and last row are one: faces do not
// change.
func (s *solver) build(axis uint, start int) {
	along, stride, last := axis%3, s.Strides[axis%3], s.N-1
	d := cfd.Diffusion[along]
	for i := range s.diffusion {
		v := cfd.C34 * s.Inverse[start+i*stride]
		s.diffusion[i] = max(d+cfd.R43*v, d+cfd.C1*cfd.C5*v, d+v, d)
		s.velocity[i] = s.Velocity[start+i*stride][along]
	}
	t1, t2 := s.dt/(s.H*s.H), s.dt/(2*s.H)
	one := band{2: 1}
	s.current[0], s.with[0], s.against[0] = one, one, one
	s.current[last], s.with[last], s.against[last] = one, one, one
	for i := 1; i < last; i++ {
		b := &s.current[i]
		b[0], b[4] = 0, 0
		b[1] = -t2*s.velocity[i-1] - t1*s.diffusion[i-1]
		b[2] = 1 + 2*t1*s.diffusion[i]
		b[3] = t2*s.velocity[i+1] - t1*s.diffusion[i+1]
	}
	s.dissipate()
	for i := 1; i < last; i++ {
		b, with, against := &s.current[i], &s.with[i], &s.against[i]
		below, above := t2*s.sound[start+(i-1)*stride], t2*s.sound[start+(i+1)*stride]
		with[0], with[1], with[2], with[3], with[4] = b[0], b[1]-below, b[2], b[3]+above, b[4]
		against[0], against[1], against[2], against[3], against[4] = b[0], b[1]+below, b[2], b[3]-above, b[4]
	}
}

// dissipate adds the artificial dissipation to the bands of current, one-sided next to the faces.
func (s *solver) dissipate() {
	b, n := s.current, s.N
	e := s.dt * cfd.Dissipation
	e4, e5, e6 := 4*e, 5*e, 6*e
	b[1][2] += e5
	b[1][3] -= e4
	b[1][4] += e
	b[2][1] -= e4
	b[2][2] += e6
	b[2][3] -= e4
	b[2][4] += e
	for i := 3; i < n-3; i++ {
		b[i][0] += e
		b[i][1] -= e4
		b[i][2] += e6
		b[i][3] -= e4
		b[i][4] += e
	}
	b[n-3][0] += e
	b[n-3][1] -= e4
	b[n-3][2] += e6
	b[n-3][3] -= e4
	b[n-2][0] += e
	b[n-2][1] -= e4
	b[n-2][2] += e5
}

// solve replaces the changes of some quantities along a line by the solution of a system, by elimination without pivots.
func (s *solver) solve(b []band, stride, start, first, end int) {
	last := len(b) - 1
	for i := range last + 1 {
		row, at := &b[i], start+i*stride
		f := 1 / row[2]
		row[3] *= f
		row[4] *= f
		c := s.Change[at][first:end]
		for m := range c {
			c[m] *= f
		}
		if i < last {
			next, under := &b[i+1], s.Change[at+stride][first:end]
			next[2] -= next[1] * row[3]
			next[3] -= next[1] * row[4]
			for m, x := range c {
				under[m] -= next[1] * x
			}
		}
		if i < last-1 {
			next, under := &b[i+2], s.Change[at+2*stride][first:end]
			next[1] -= next[0] * row[3]
			next[2] -= next[0] * row[4]
			for m, x := range c {
				under[m] -= next[0] * x
			}
		}
	}
	for i := last - 1; i >= 0; i-- {
		row, at := &b[i], start+i*stride
		c, over := s.Change[at][first:end], s.Change[at+stride][first:end]
		for m, x := range over {
			c[m] -= row[3] * x
		}
		if i < last-1 {
			over := s.Change[at+2*stride][first:end]
			for m, x := range over {
				c[m] -= row[4] * x
			}
		}
	}
}
