// Command known is an instrumented program whose goroutines do known work in their regions: so many additions of floating-point
// numbers each, while they often leave their threads.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"

	"tracerec/instrument"
)

func main() {
	defer instrument.Region("all").End()
	var wg sync.WaitGroup
	for _, arg := range os.Args[1:] {
		n, err := strconv.Atoi(arg)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		wg.Add(1)
		instrument.Go(func() {
			defer wg.Done()
			defer instrument.Region(arg).End()
			add(n)
		})
	}
	wg.Wait()
}

//go:noinline
func add(n int) (sum float64) {
	for i := range n {
		sum += 1.5
		if i%100 == 0 {
			runtime.Gosched()
		}
	}
	return sum
}
