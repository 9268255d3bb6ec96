// Command ep makes pairs of normally distributed random numbers and counts them by size: NAS's kernel EP, which is all
// arithmetic, in batches that have nothing to do with each other.
//
//	ep -class S
package main

import (
	"fmt"
	"math"

	"tracerec/examples/nas/nas"
)

func main() { nas.Main("EP", solve) }

// batch is how many pairs are tried at a time.
const batch = 1 << 16

// problem is a class.
type problem struct {
	log2   int     // of the pairs that are tried
	sx, sy float64 // sums, as published
}

var problems = map[nas.Class]problem{
	'S': {24, -3.247834652034740e3, -6.958407078382297e3},
	'W': {25, -2.863319731645753e3, -6.320053679109499e3},
}

// tally is what is known of the pairs: their sums, and by the integer part of the larger absolute value, how many there are.
type tally struct {
	sx, sy float64
	count  [10]float64
}

func solve(class nas.Class) (*nas.Result, error) {
	p := problems[class]
	var t tally
	uniform := make([]float64, 2*batch)
	for i := range uniform { // touches all memory
		uniform[i] = -1
	}
	batches := 1 << p.log2 / batch
	timed := nas.Timed(func() { t.all(uniform, batches) })
	pairs := 0.0
	for _, n := range t.count {
		pairs += n
	}
	return &nas.Result{
		Size: fmt.Sprintf("2^%d pairs tried, %.0f taken", p.log2, pairs), Iterations: batches, Timed: timed, Epsilon: 1e-8,
		Values: []nas.Value{{Name: "sum of x", Got: t.sx, Want: p.sx}, {Name: "sum of y", Got: t.sy, Want: p.sy}},
	}, nil
}

// all does the batches, each of which goes to its own place in the sequence of random numbers.
func (t *tally) all(uniform []float64, batches int) {
	ahead := nas.Power(nas.Multiplier, len(uniform))
	for n := range batches {
		seed := 271828183.0
		nas.Random(&seed, nas.Power(ahead, n))
		nas.Randoms(uniform, &seed, nas.Multiplier)
		t.gaussian(uniform)
	}
}

// gaussian takes pairs of uniform numbers that are in the unit circle, and makes normally distributed ones.
func (t *tally) gaussian(uniform []float64) {
	sx, sy := t.sx, t.sy
	for i := 1; i < len(uniform); i += 2 {
		x, y := 2*uniform[i-1]-1, 2*uniform[i]-1
		r := x*x + y*y
		if r > 1 {
			continue
		}
		f := math.Sqrt(-2 * math.Log(r) / r)
		x *= f
		y *= f
		t.count[int(max(math.Abs(x), math.Abs(y)))]++
		sx += x
		sy += y
	}
	t.sx, t.sy = sx, sy
}
