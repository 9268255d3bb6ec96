// Command visits visits a short function so often that its visits are counted, on one processor, on several, and on more than there are
// counters.
package main

import (
	"runtime"
	"sync"
)

//go:noinline
func short(n int) (sum int) {
	for i := range n {
		sum += i
	}
	return sum
}

func main() {
	for _, processors := range []int{1, 4, 40, 3} {
		runtime.GOMAXPROCS(processors)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				for range 100_000 {
					short(9)
				}
			})
		}
		all.Wait()
	}
}
