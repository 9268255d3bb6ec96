// Command lu is the NAS application LU: each time step is one of symmetric successive over-relaxation, that solves a lower and an upper
// triangular system of blocks of 5 × 5 (Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 3).
package main

import (
	"fmt"

	"tracerec/examples/nas/cfd"
	"tracerec/examples/nas/nas"
)

// problems are the sizes of the classes, and at the end norms and the integral over a surface.
var problems = map[nas.Class]struct {
	points, steps   int
	dt              float64
	changes, errors cfd.Vector
	surface         float64
}{
	'S': {12, 50, 0.5,
		cfd.Vector{1.6196343210976702e-02, 2.1976745164821318e-03, 1.5179927653399185e-03, 1.5029584435994323e-03, 3.4264073155896461e-02},
		cfd.Vector{6.4223319957960924e-04, 8.4144342047347926e-05, 5.8588269616485186e-05, 5.8474222595157350e-05, 1.3103347914111294e-03},
		7.8418928865937083e+00},
	'W': {33, 300, 1.5e-3,
		cfd.Vector{0.1236511638192e+02, 0.1317228477799e+01, 0.2550120713095e+01, 0.2326187750252e+01, 0.2826799444189e+02},
		cfd.Vector{0.4867877144216e+00, 0.5064652880982e-01, 0.9281818101960e-01, 0.8570126542733e-01, 0.1084277417792e+01},
		0.1161399311023e+02},
}

func main() { nas.Main("LU", solve) }

func solve(c nas.Class) (*nas.Result, error) {
	p := problems[c]
	s := newSolver(p.points, p.dt)
	s.Derive()
	r := &nas.Result{Size: fmt.Sprintf("%d × %[1]d × %[1]d", p.points), Iterations: p.steps, Epsilon: 1e-8}
	r.Timed = nas.Timed(func() {
		for range p.steps {
			s.step()
		}
		s.Norms(s.Change)
	})
	r.Values = append(s.Values(p.changes, p.errors), nas.Value{Name: "integral", Got: s.surface(), Want: p.surface})
	return r, nil
}

// surface integrates pressure over the faces of a box inside the cube, by the trapezoidal rule.
func (s *solver) surface() float64 {
	low, high := [3]int{1, 1, 2}, [3]int{s.N - 2, s.N - 3, s.N - 2}
	pressure := func(axis int, at, j, k int) float64 {
		p := at*s.Strides[axis] + j*s.Strides[(axis+1)%3] + k*s.Strides[(axis+2)%3]
		u := &s.U[p]
		return cfd.C2 * (u[4] - 0.5*(u[1]*u[1]+u[2]*u[2]+u[3]*u[3])/u[0])
	}
	sum := 0.0
	for axis := range 3 {
		a, b := (axis+1)%3, (axis+2)%3
		for _, at := range [2]int{low[axis], high[axis]} {
			for k := low[b]; k < high[b]; k++ {
				for j := low[a]; j < high[a]; j++ {
					sum += pressure(axis, at, j, k) + pressure(axis, at, j+1, k) + pressure(axis, at, j, k+1) + pressure(axis, at, j+1, k+1)
				}
			}
		}
	}
	return 0.25 * sum * s.H * s.H
}
