// Command bt is the NAS application BT: each time step solves block tridiagonal systems, of blocks of 5 × 5, along each axis in turn
// (Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, section 3).
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
	'S': {12, 60, 0.010,
		cfd.Vector{1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02, 2.6436421275166801e-02, 1.9211784131744430e-01},
		cfd.Vector{4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05, 7.3821238632439731e-05, 8.9269630987491446e-04}},
	'W': {24, 200, 0.0008,
		cfd.Vector{0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02, 0.2469174937669e+02, 0.2638427874317e+03},
		cfd.Vector{0.4419655736008e+01, 0.4638531260002e+00, 0.1011551749967e+01, 0.9235878729944e+00, 0.1018045837718e+02}},
}

func main() { nas.Main("BT", solve) }

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
