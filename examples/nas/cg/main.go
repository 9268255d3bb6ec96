// Command cg estimates the largest eigenvalue of a large sparse matrix by inverse iteration, solving its systems of equations by
// conjugate gradients: NAS's kernel CG, on memory that is accessed through indices.
//
//	cg -class S
package main

import (
	"fmt"
	"math"

	"tracerec/examples/nas/nas"
)

func main() { nas.Main("CG", solve) }

// steps of conjugate gradients are made for every system, whatever is left of it.
const steps = 25

// problem is a class.
type problem struct {
	order, nonzeros, iterations int // nonzeros of each random vector of which the matrix consists
	shift                       float64
	zeta                        float64 // as published
}

var problems = map[nas.Class]problem{
	'S': {1400, 7, 15, 10, 8.5971775078648},
	'W': {7000, 8, 15, 12, 10.362595087124},
}

func solve(class nas.Class) (*nas.Result, error) {
	p := problems[class]
	s := newSolver(generate(p.order, p.nonzeros, p.shift))
	s.iterate(p.shift) // touches all memory
	var zeta, residual float64
	s.start()
	timed := nas.Timed(func() {
		for range p.iterations {
			zeta, residual = s.iterate(p.shift)
		}
	})
	if !(residual < 1e-10) {
		return nil, fmt.Errorf("the residual of the last system is %g: too large", residual)
	}
	return &nas.Result{
		Size: fmt.Sprintf("order %d, %d nonzeros", p.order, len(s.a.value)), Iterations: p.iterations, Timed: timed,
		Epsilon: 1e-10, Values: []nas.Value{{Name: "zeta", Got: zeta, Want: p.zeta}},
	}, nil
}

// solver solves a z = x; the other vectors are those of the method, w is where products of the matrix come.
type solver struct {
	a                *matrix
	x, z, p, q, r, w []float64
}

func newSolver(a *matrix) *solver {
	vector := func() []float64 { return make([]float64, len(a.start)-1) }
	s := &solver{a, vector(), vector(), vector(), vector(), vector(), vector()}
	s.start()
	return s
}

// start sets the estimate of the eigenvector.
func (s *solver) start() {
	for j := range s.x {
		s.x[j] = 1
	}
}

// iterate is one inverse iteration. It returns the estimate of the eigenvalue, and the residual of the system it solved.
func (s *solver) iterate(shift float64) (zeta, residual float64) {
	residual = s.conjugateGradients()
	x, z := s.x, s.z
	var xz, zz float64
	for j, v := range z {
		xz += x[j] * v
		zz += v * v
	}
	norm := 1 / math.Sqrt(zz)
	for j, v := range z {
		x[j] = norm * v
	}
	return shift + 1/xz, residual
}

// conjugateGradients approximates z, and returns the norm of x - a z. Every loop is one of the specification.
func (s *solver) conjugateGradients() float64 {
	rho := s.prepare()
	for range steps {
		rho = s.step(rho)
	}
	z, w, r, x := s.z, s.w, s.r, s.x
	s.a.times(w, z)
	for j, v := range w {
		r[j] = v
	}
	sum := 0.0
	for j, v := range x {
		d := v - r[j]
		sum += d * d
	}
	return math.Sqrt(sum)
}

// prepare begins at z = 0, and returns the square of the residual.
func (s *solver) prepare() (rho float64) {
	x, z, p, q, r, w := s.x, s.z, s.p, s.q, s.r, s.w
	for j, v := range x {
		q[j] = 0
		z[j] = 0
		r[j] = v
		p[j] = v
		w[j] = 0
	}
	for _, v := range r {
		rho += v * v
	}
	return rho
}

// step goes on in direction p, and returns the square of the residual. That w is copied and cleared is from the first versions of
// the benchmark, of which there are published counts: docs/validation.md has them beside ours.
//
//go:noinline
func (s *solver) step(rho0 float64) (rho float64) {
	z, p, q, r, w := s.z, s.p, s.q, s.r, s.w
	s.a.times(w, p)
	for j, v := range w {
		q[j] = v
	}
	for j := 0; j < len(w); j++ { // not a range clause, which would be clear, with fixed-point stores
		w[j] = 0
	}
	d := 0.0
	for j, v := range p {
		d += v * q[j]
	}
	alpha := rho0 / d
	for j, v := range p {
		z[j] += alpha * v
		r[j] -= float64(alpha * q[j]) // not fused, as in those counts
	}
	for _, v := range r {
		rho += v * v
	}
	beta := rho / rho0
	for j, v := range r {
		p[j] = v + beta*p[j]
	}
	return rho
}
