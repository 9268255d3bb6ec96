// Command filter adds up the large ones of many numbers, again and again. The numbers are in random order, so no branch prediction can tell which
// are large. With -mask there is no branch. The result is the same.
//
//	tracerec sim --machine server -o slow.dir ./examples/filter
//	tracerec sim --machine server -o fast.dir ./examples/filter -mask
//	expert analyze slow.dir
//	expert diff slow.dir fast.dir
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
)

func main() {
	n := flag.Int("n", 20_000, "numbers")
	rounds := flag.Int("rounds", 50, "how often")
	mask := flag.Bool("mask", false, "compute in place of branching")
	flag.Parse()
	numbers, sum := random(*n), 0
	for range *rounds {
		sum += large(numbers, *mask)
	}
	fmt.Printf("%d numbers, %d times: %d\n", *n, *rounds, sum)
}

func random(n int) []int32 {
	r := rand.New(rand.NewPCG(1, 0))
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = r.Int32N(256)
	}
	return numbers
}

// large adds up the numbers of 128 and more.
//
//go:noinline
func large(numbers []int32, mask bool) (sum int) {
	if mask {
		for _, x := range numbers {
			sum += int(x & ((127 - x) >> 31)) // the sign of 127 - x is all ones if x is large
		}
		return sum
	}
	for _, x := range numbers {
		if x >= 128 {
			sum += int(x)
		}
	}
	return sum
}
