package main

import "tracerec/examples/nas/cfd"

// omega is the factor of over-relaxation.
const omega = 1.2

// solver is a flow, and the blocks of the matrix for one point.
type solver struct {
	*cfd.Flow
	dt        float64
	diagonal  cfd.Matrix
	neighbors [3]cfd.Matrix // by axis: the next point, below or above
	sum       cfd.Vector
}

func newSolver(n int, dt float64) *solver {
	return &solver{Flow: cfd.New(n), dt: dt}
}

// step is one step in time. Change is that of a unit of time before, and again after.
func (s *solver) step() {
	n := s.N
	s.Scale(s.dt)
	for k := 1; k < n-1; k++ {
		for j := 1; j < n-1; j++ {
			for i := 1; i < n-1; i++ {
				s.lower((k*n+j)*n + i)
			}
		}
	}
	for k := n - 2; k > 0; k-- {
		for j := n - 2; j > 0; j-- {
			for i := n - 2; i > 0; i-- {
				s.upper((k*n+j)*n + i)
			}
		}
	}
	s.Rows(s.relax)
	s.Derive()
}

// relax adds changes to the quantities, over-relaxed.
func (s *solver) relax(from, to int) {
	change, quantities := s.Change[from:to], s.U[from:to]
	const factor = 1 / (omega * (2 - omega))
	for i := range change {
		c, u := &change[i], &quantities[i]
		for m := range c {
			u[m] += factor * c[m]
		}
	}
}

// lower solves the lower triangular system for point p, after all points before.
func (s *solver) lower(p int) {
	u, change := s.U, s.Change
	onDiagonal(&s.diagonal, &u[p], s.dt, s.H)
	v := &change[p]
	for axis := 2; axis >= 0; axis-- {
		before := p - s.Strides[axis]
		m, x := &s.neighbors[axis], &change[before]
		offDiagonal(m, &u[before], uint(axis), -s.dt, s.dt, s.H)
		x0, x1, x2, x3, x4 := x[0], x[1], x[2], x[3], x[4]
		for i := range m {
			v[i] -= omega * (m[i][0]*x0 + m[i][1]*x1 + m[i][2]*x2 + m[i][3]*x3 + m[i][4]*x4)
		}
	}
	divide(v[:], s.diagonal[:])
}

// upper solves the upper triangular system for point p, after all points behind.
func (s *solver) upper(p int) {
	u, change := s.U, s.Change
	onDiagonal(&s.diagonal, &u[p], s.dt, s.H)
	sum := &s.sum
	*sum = cfd.Vector{}
	for axis := 2; axis >= 0; axis-- {
		behind := p + s.Strides[axis]
		m, x := &s.neighbors[axis], &change[behind]
		offDiagonal(m, &u[behind], uint(axis), s.dt, s.dt, s.H)
		x0, x1, x2, x3, x4 := x[0], x[1], x[2], x[3], x[4]
		for i := range m {
			sum[i] += omega * (m[i][0]*x0 + m[i][1]*x1 + m[i][2]*x2 + m[i][3]*x3 + m[i][4]*x4)
		}
	}
	divide(sum[:], s.diagonal[:])
	v := &change[p]
	for i := range v {
		v[i] -= sum[i]
	}
}

// divide divides r by b from the left, by elimination without pivots, which destroys b.
func divide(r []float64, b [][5]float64) {
	r, b = r[:5], b[:5]
	for p := range 4 {
		pivot, x := 1/b[p][p], r[p]
		bp := &b[p]
		for i := p + 1; i < 5; i++ {
			bi := &b[i]
			factor := pivot * bi[p]
			for j := p + 1; j < len(bi); j++ {
				bi[j] -= factor * bp[j]
			}
			r[i] -= factor * x
		}
	}
	for p := 4; p >= 0; p-- {
		x := r[p]
		for j := p + 1; j < 5; j++ {
			x -= b[p][j] * r[j]
		}
		r[p] = x / b[p][p]
	}
}
