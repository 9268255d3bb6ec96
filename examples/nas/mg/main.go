// Command mg is the NAS kernel MG: it solves Poisson's equation on a periodic cube by V-cycles of the multigrid method (Bailey et
// al., "The NAS Parallel Benchmarks", RNR-94-007, section 2.2).
package main

import (
	"cmp"
	"fmt"
	"slices"

	"tracerec/examples/nas/nas"
)

const (
	seed    = 314159265
	charges = 10 // of each sign
)

// problems are the sizes of the classes, and the norm of the residual at the end.
var problems = map[nas.Class]struct {
	points, iterations int
	norm               float64
}{
	'S': {32, 4, 0.5307707005734e-04},
	'W': {128, 4, 0.6467329375339e-05},
}

func main() { nas.Main("MG", solve) }

func solve(c nas.Class) (*nas.Result, error) {
	p := problems[c]
	s := newSolver(p.points)
	s.v.charge()
	r := &nas.Result{Size: fmt.Sprintf("%d × %[1]d × %[1]d", p.points), Iterations: p.iterations, Epsilon: 1e-8}
	var norm float64
	r.Timed = nas.Timed(func() { norm = s.run(p.iterations) })
	r.Values = []nas.Value{{Name: "norm of the residual", Got: norm, Want: p.norm}}
	return r, nil
}

// charge sets g to 1 where random numbers are largest, to -1 where they are smallest, and to 0 elsewhere.
func (g *grid) charge() {
	x, points := float64(seed), g.n-2
	random := make([]float64, points*points*points)
	nas.Randoms(random, &x, nas.Multiplier)
	order := make([]int, len(random))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(random[i], random[j]) })
	set := func(at []int, charge float64) {
		for _, i := range at {
			g.row(1+i/points%points, 1+i/points/points)[1+i%points] = charge
		}
	}
	set(order[:charges], -1)
	set(order[len(order)-charges:], 1)
	g.exchange()
}
