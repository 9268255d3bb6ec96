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
}

func newSolver(n int, dt float64) *solver {
	return &solver{Flow: cfd.New(n), dt: dt}
}

// step is one step in time. Change is that of a unit of time before, and again after.
func (s *solver) step() {
	n := s.N
	s.inside(func(p int) {
		for m := range 5 {
			s.Change[p][m] *= s.dt
		}
	})
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
	s.inside(func(p int) {
		for m := range 5 {
			s.U[p][m] += 1 / (omega * (2 - omega)) * s.Change[p][m]
		}
	})
	s.Derive()
}

func (s *solver) inside(do func(p int)) {
	for k := 1; k < s.N-1; k++ {
		for j := 1; j < s.N-1; j++ {
			row := (k*s.N + j) * s.N
			for p := row + 1; p < row+s.N-1; p++ {
				do(p)
			}
		}
	}
}

// lower solves the lower triangular system for point p, after all points before.
func (s *solver) lower(p int) {
	onDiagonal(&s.diagonal, &s.U[p], s.dt, s.H)
	v := &s.Change[p]
	for axis := 2; axis >= 0; axis-- {
		before := p - s.Strides[axis]
		m, x := &s.neighbors[axis], &s.Change[before]
		offDiagonal(m, &s.U[before], uint(axis), -s.dt, s.dt, s.H)
		for i := range m {
			v[i] -= omega * (m[i][0]*x[0] + m[i][1]*x[1] + m[i][2]*x[2] + m[i][3]*x[3] + m[i][4]*x[4])
		}
	}
	divide(v, &s.diagonal)
}

// upper solves the upper triangular system for point p, after all points behind.
func (s *solver) upper(p int) {
	onDiagonal(&s.diagonal, &s.U[p], s.dt, s.H)
	var sum cfd.Vector
	for axis := 2; axis >= 0; axis-- {
		behind := p + s.Strides[axis]
		m, x := &s.neighbors[axis], &s.Change[behind]
		offDiagonal(m, &s.U[behind], uint(axis), s.dt, s.dt, s.H)
		for i := range m {
			sum[i] += omega * (m[i][0]*x[0] + m[i][1]*x[1] + m[i][2]*x[2] + m[i][3]*x[3] + m[i][4]*x[4])
		}
	}
	divide(&sum, &s.diagonal)
	v := &s.Change[p]
	for i := range v {
		v[i] -= sum[i]
	}
}

// divide divides r by b from the left, by elimination without pivots, which destroys b.
func divide(r *cfd.Vector, b *cfd.Matrix) {
	for p := range 4 {
		pivot := 1 / b[p][p]
		for i := p + 1; i < 5; i++ {
			factor := pivot * b[i][p]
			for j := p + 1; j < 5; j++ {
				b[i][j] -= factor * b[p][j]
			}
			r[i] -= factor * r[p]
		}
	}
	for p := 4; p >= 0; p-- {
		for j := p + 1; j < 5; j++ {
			r[p] -= b[p][j] * r[j]
		}
		r[p] /= b[p][p]
	}
}
