// Work is a program with known work: goroutine number i of ten takes 1000*(i+1) square roots, or the parts of them that the argument
// says, of ten, which the runtime never does, and meanwhile there is garbage to be
// collected, a recovered nil dereference, and sleep.
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

//go:noinline
func roots(x float64, times int) float64 {
	for range times {
		x = math.Sqrt(x + 1)
	}
	return x
}

type node struct {
	next *node
	data [10]int
}

//go:noinline
func garbage(n int) (head *node) {
	for i := range n {
		head = &node{next: head}
		if i%100 == 0 {
			head = nil
		}
	}
	return head
}

//go:noinline
func fault(p *node) (recovered bool) {
	defer func() { recovered = recover() != nil }()
	return p.data[3] == 0
}

func main() {
	parts := 10
	if len(os.Args) > 1 {
		parts, _ = strconv.Atoi(os.Args[1])
	}
	var group sync.WaitGroup
	results := make([]float64, 10)
	for i := range results {
		group.Add(1)
		go func() {
			defer group.Done()
			for part := range parts {
				results[i] = roots(2+results[i], 100*(i+1))
				garbage(500)
				if part == parts/2 {
					time.Sleep(time.Millisecond)
				}
			}
		}()
	}
	group.Wait()
	runtime.GC()
	fmt.Println(fault(nil), len(results))
}
