// Command is ranks integers: NAS's kernel IS, on small integers that are counted. The rank of a key is the number of smaller keys.
//
//	is -class S
package main

import (
	"fmt"

	"tracerec/examples/nas/nas"
)

func main() { nas.Main("IS", solve) }

// iterations is how often the keys are ranked. Every time, two of them are changed.
const iterations = 10

// problem is a class: keys in [0, limit), and some of their ranks.
type problem struct {
	keys, limit int
	test        [5]int // the keys whose ranks are published
	rank        [5]int // their ranks, but for the iteration's changes
	adjust      func(which, iteration int) int
}

var problems = map[nas.Class]problem{
	'S': {1 << 16, 1 << 11, [5]int{48427, 17148, 23627, 62548, 4431}, [5]int{0, 18, 346, 64917, 65463},
		func(which, iteration int) int {
			if which <= 2 {
				return iteration
			}
			return -iteration
		}},
	'W': {1 << 20, 1 << 16, [5]int{357773, 934767, 875723, 898999, 404505}, [5]int{1249, 11698, 1039987, 1043896, 1048018},
		func(which, iteration int) int {
			if which < 2 {
				return iteration - 2
			}
			return -iteration
		}},
}

// sorter holds the keys and what ranks them.
type sorter struct {
	problem
	key     []int32
	work    []int32 // a copy of key, which an iteration may do with what it wants
	atMost  []int32 // by key: how many keys there are, and then how many that are not larger
	correct int     // ranks that are those published
}

func solve(class nas.Class) (*nas.Result, error) {
	s := newSorter(problems[class])
	s.iterate(1) // touches all memory
	s.correct = 0
	timed := nas.Timed(func() {
		for i := 1; i <= iterations; i++ {
			s.iterate(i)
		}
	})
	return &nas.Result{
		Size: fmt.Sprintf("%d keys below %d", s.keys, s.limit), Iterations: iterations, Timed: timed,
		Values: []nas.Value{
			{Name: "correct ranks", Got: float64(s.correct), Want: float64(iterations * len(s.test))},
			{Name: "keys out of order", Got: float64(s.outOfOrder())},
		},
	}, nil
}

// newSorter generates the keys: the sum of four random numbers makes those in the middle frequent.
func newSorter(p problem) *sorter {
	s := &sorter{problem: p, key: make([]int32, p.keys), work: make([]int32, p.keys), atMost: make([]int32, p.limit)}
	seed := 314159265.0
	for i := range s.key {
		sum := 0.0
		for range 4 {
			sum += nas.Random(&seed, nas.Multiplier)
		}
		s.key[i] = int32(float64(p.limit/4) * sum)
	}
	return s
}

// iterate changes two keys, ranks all and looks at the ranks of some.
func (s *sorter) iterate(i int) {
	s.key[i] = int32(i)
	s.key[i+iterations] = int32(s.limit - i)
	var chosen [5]int32
	for n, at := range s.test {
		chosen[n] = s.key[at]
	}
	rank(s.key, s.work, s.atMost)
	for n, k := range chosen {
		if k > 0 && int(s.atMost[k-1]) == s.rank[n]+s.adjust(n, i) {
			s.correct++
		}
	}
}

// rank counts how many keys are not larger than k, for all k. A loop of the specification is a loop here: range clauses that clear
// or copy would become something else, with fewer loads and stores.
//
//go:noinline
func rank(key, work, atMost []int32) {
	for k := 0; k < len(atMost); k++ {
		atMost[k] = 0
	}
	for i, k := range key {
		work[i] = k
	}
	for _, k := range work {
		atMost[k]++
	}
	for k := 1; k < len(atMost); k++ {
		atMost[k] += atMost[k-1]
	}
}

// outOfOrder puts the keys into the order of their ranks, and returns how many are less than the one before.
func (s *sorter) outOfOrder() (n int) {
	for _, k := range s.work {
		s.atMost[k]--
		s.key[s.atMost[k]] = k
	}
	for i := 1; i < s.keys; i++ {
		if s.key[i-1] > s.key[i] {
			n++
		}
	}
	return n
}
