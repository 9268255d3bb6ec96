package main

import "math"

// Weights of the 27 points around one: itself, faces, edges, corners. Those that are zero have no part in the loops. They are
// variables, that loops have in registers: constants would be loaded from memory for each use.
var (
	operator = [4]float64{-8.0 / 3, 0, 1.0 / 6, 1.0 / 12}      // A, Poisson's
	smoother = [4]float64{-3.0 / 8, 1.0 / 32, -1.0 / 64, 0}    // S
	full     = [4]float64{1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16} // of a coarse grid's point
)

// solver has grids of 2, 4, 8 … points along each axis.
type solver struct {
	v                     *grid   // the right side
	u, r                  []*grid // solution and residual
	faces, edges, corners []float64
}

func newSolver(points int) *solver {
	n := points + 2
	s := &solver{v: newGrid(points), faces: make([]float64, n), edges: make([]float64, n), corners: make([]float64, n)}
	for n := 2; n <= points; n *= 2 {
		s.u, s.r = append(s.u, newGrid(n)), append(s.r, newGrid(n))
	}
	return s
}

// run is what the benchmark measures. It returns the norm of the residual.
func (s *solver) run(iterations int) float64 {
	top := len(s.u) - 1
	s.residual(s.r[top], s.u[top], s.v)
	s.r[top].norm()
	for range iterations {
		s.cycle()
		s.residual(s.r[top], s.u[top], s.v)
	}
	return s.r[top].norm()
}

// cycle is a V-cycle: residuals go down to the coarsest grid, and corrections up to the finest.
func (s *solver) cycle() {
	top := len(s.u) - 1
	for l := top; l > 0; l-- {
		s.restrict(s.r[l-1], s.r[l])
	}
	clear(s.u[0].v)
	s.smooth(s.u[0], s.r[0])
	for l := 1; l <= top; l++ {
		right := s.v
		if l < top {
			clear(s.u[l].v)
			right = s.r[l]
		}
		s.interpolate(s.u[l], s.u[l-1])
		s.residual(s.r[l], s.u[l], right)
		s.smooth(s.u[l], s.r[l])
	}
}

// residual sets r to v - A u.
func (s *solver) residual(r, u, v *grid) {
	n, a0, a2, a3 := u.n, operator[0], operator[2], operator[3]
	for k := 1; k < n-1; k++ {
		for j := 1; j < n-1; j++ {
			center := u.sums(j, k, s.faces, s.edges)[1:]
			out, right := r.row(j, k)[1:n-1], v.row(j, k)[1:]
			right, center = right[:len(out)], center[:len(out)]
			faces, edges := s.faces[:len(out)+2], s.edges[:len(out)+2]
			for i := range out {
				out[i] = right[i] - a0*center[i] - a2*(edges[i+1]+faces[i]+faces[i+2]) - a3*(edges[i]+edges[i+2])
			}
		}
	}
	r.exchange()
}

// smooth adds S r to u.
func (s *solver) smooth(u, r *grid) {
	n, s0, s1, s2 := u.n, smoother[0], smoother[1], smoother[2]
	for k := 1; k < n-1; k++ {
		for j := 1; j < n-1; j++ {
			center := r.sums(j, k, s.faces, s.edges)
			out := u.row(j, k)[1 : n-1]
			center, faces, edges := center[:len(out)+2], s.faces[:len(out)+2], s.edges[:len(out)+2]
			for i, x := range out {
				out[i] = x + s0*center[i+1] + s1*(center[i]+center[i+2]+faces[i+1]) + s2*(edges[i+1]+faces[i]+faces[i+2])
			}
		}
	}
	u.exchange()
}

// restrict sets coarse to weighted means of fine.
func (s *solver) restrict(coarse, fine *grid) {
	w0, w1, w2, w3 := full[0], full[1], full[2], full[3]
	for k := 1; k < coarse.n-1; k++ {
		for j := 1; j < coarse.n-1; j++ {
			center := fine.sums(2*j, 2*k, s.faces, s.edges)
			out, faces, edges := coarse.row(j, k), s.faces, s.edges
			for i := 1; i < coarse.n-1; i++ {
				c, f, e := center[2*i-1:][:3], faces[2*i-1:][:3], edges[2*i-1:][:3]
				out[i] = w0*c[1] + w1*(c[0]+c[2]+f[1]) + w2*(f[0]+f[2]+e[1]) + w3*(e[0]+e[2])
			}
		}
	}
	coarse.exchange()
}

// interpolate adds to fine what is linear between the points of coarse.
func (s *solver) interpolate(fine, coarse *grid) {
	last := coarse.n - 1
	for k := range last {
		for j := range last {
			here, up := coarse.row(j, k), coarse.row(j+1, k)
			front, frontUp := coarse.row(j, k+1), coarse.row(j+1, k+1)
			y, z, yz := s.faces[:len(here)], s.edges[:len(here)], s.corners[:len(here)]
			for i, x := range here {
				y[i] = up[i] + x
				z[i] = front[i] + x
				yz[i] = frontUp[i] + front[i] + y[i]
			}
			row := fine.row(2*j, 2*k)
			for i, x := range here[:last] {
				row[2*i] += x
				row[2*i+1] += 0.5 * (here[i+1] + x)
			}
			spread(fine.row(2*j+1, 2*k), y, 0.5)
			spread(fine.row(2*j, 2*k+1), z, 0.5)
			spread(fine.row(2*j+1, 2*k+1), yz, 0.25)
		}
	}
}

// spread adds z, times a weight, to every second value of row, and its means to those between.
func spread(row, z []float64, weight float64) {
	half := weight / 2
	for i, x := range z[:len(z)-1] {
		row[2*i] += weight * x
		row[2*i+1] += half * (x + z[i+1])
	}
}

// norm is the root of the mean of squares.
func (g *grid) norm() float64 {
	sum, points := 0.0, float64(g.n-2)
	for k := 1; k < g.n-1; k++ {
		for j := 1; j < g.n-1; j++ {
			for _, x := range g.row(j, k)[1 : g.n-1] {
				sum += x * x
			}
		}
	}
	return math.Sqrt(sum / (points * points * points))
}
