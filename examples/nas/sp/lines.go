package main

import "tracerec/examples/nas/cfd"

// band is a row of a pentadiagonal matrix: the diagonal is in the middle.
type band [5]float64

// build makes the systems of the line along an axis from point start: current for waves that the current carries, and with for those
// that go faster than it by the speed of sound, and against for those that are slower. The first and last row are one: faces do not
// change.
func (s *solver) build(axis uint, start int) {
	along, stride, last := axis%3, s.Strides[axis%3], s.N-1
	d, velocity, diffusion, points := cfd.Diffusion[along], s.velocity, s.diffusion, s.Points[start:]
	for i := range diffusion {
		p := &points[i*stride]
		v := cfd.C34 * p.Inverse
		diffusion[i] = max(d+cfd.R43*v, d+cfd.C1*cfd.C5*v, d+v, d)
		velocity[i] = p.Velocity[along]
	}
	t1, t2 := s.dt/(s.H*s.H), s.dt/(2*s.H)
	twice := 2 * t1
	faces := band{2: 1}
	s.current[0], s.with[0], s.against[0] = faces, faces, faces
	s.current[last], s.with[last], s.against[last] = faces, faces, faces
	current := s.current
	for i := 1; i < last; i++ {
		b := &current[i]
		b[0], b[4] = 0, 0
		b[1] = -t2*velocity[i-1] - t1*diffusion[i-1]
		b[2] = 1 + twice*diffusion[i]
		b[3] = t2*velocity[i+1] - t1*diffusion[i+1]
	}
	s.dissipate()
	faster, slower, sound := s.with, s.against, s.sound[start:]
	for i := 1; i < last; i++ {
		b, with, against := &current[i], &faster[i], &slower[i]
		b0, b1, b2, b3, b4 := b[0], b[1], b[2], b[3], b[4]
		below, above := sound[(i-1)*stride], sound[(i+1)*stride]
		with[0], with[1], with[2], with[3], with[4] = b0, b1-t2*below, b2, b3+t2*above, b4
		against[0], against[1], against[2], against[3], against[4] = b0, b1+t2*below, b2, b3-t2*above, b4
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
	last, change := len(b)-1, s.Change[start:]
	for i := range b {
		row := &b[i]
		f := 1 / row[2]
		r3, r4 := f*row[3], f*row[4]
		row[3], row[4] = r3, r4
		c := change[i*stride][first:end]
		for m, x := range c {
			c[m] = f * x
		}
		if i < last {
			next := &b[i+1]
			l := next[1]
			next[2] -= l * r3
			next[3] -= l * r4
			subtract(change[(i+1)*stride][first:end], c, l)
		}
		if i < last-1 {
			next := &b[i+2]
			l := next[0]
			next[1] -= l * r3
			next[2] -= l * r4
			subtract(change[(i+2)*stride][first:end], c, l)
		}
	}
	for i := last - 1; i >= 0; i-- {
		row, c := &b[i], change[i*stride][first:end]
		r3, r4 := row[3], row[4]
		if i == last-1 {
			subtract(c, change[last*stride][first:end], r3)
			continue
		}
		next, over := change[(i+1)*stride][first:end], change[(i+2)*stride][first:end]
		next, over = next[:len(c)], over[:len(c)]
		for m, x := range c {
			c[m] = x - r3*next[m] - r4*over[m]
		}
	}
}

// subtract subtracts x, times a factor, from y.
func subtract(y, x []float64, factor float64) {
	x = x[:len(y)]
	for m := range y {
		y[m] -= factor * x[m]
	}
}
