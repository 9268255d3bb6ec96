// Command sp is the NAS application SP: each time step solves scalar pentadiagonal systems along each axis in turn (Bailey et al.,
// "The NAS Parallel Benchmarks", RNR-94-007, section 3).
package main

import (
	"fmt"

	"tracerec/examples/nas/cfd"
	"tracerec/examples/nas/nas"
)

// problems are the sizes of the classes, and norms at the end.
var problems = map[nas.Class]struct {
	points, steps   int
	dt              float64
	changes, errors cfd.Vector
}{
	'S': {12, 100, 0.015,
		cfd.Vector{2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02, 1.5840557224455615e-02, 3.4849040609362460e-02},
		cfd.Vector{2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05, 1.5750704994480102e-05, 3.4177666183390531e-05}},
	'W': {36, 400, 0.0015,
		cfd.Vector{0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03, 0.2887475409984e-03, 0.3143611161242e-02},
		cfd.Vector{0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04, 0.1128838671535e-04, 0.1212845639773e-03}},
}

func main() { nas.Main("SP", solve) }

func solve(c nas.Class) (*nas.Result, error) {
	p := problems[c]
	s := newSolver(p.points, p.dt)
	r := &nas.Result{Size: fmt.Sprintf("%d × %[1]d × %[1]d", p.points), Iterations: p.steps, Epsilon: 1e-8}
	r.Timed = nas.Timed(func() {
		for range p.steps {
			s.step()
		}
	})
	s.Derive()
	r.Values = s.Values(p.changes, p.errors)
	return r, nil
}
