// Command stores writes to variables that watchpoints can watch: each of its threads so many times to its own.
package main

import (
	"os"
	"runtime"
	"strconv"
	"sync"
)

var cells [8]uint64

//go:noinline
func store(i int) { cells[i]++ }

func main() {
	threads, _ := strconv.Atoi(os.Args[1])
	times, _ := strconv.Atoi(os.Args[2])
	var wg sync.WaitGroup
	for i := range threads {
		wg.Go(func() {
			runtime.LockOSThread()
			for range times {
				store(i)
			}
		})
	}
	wg.Wait()
}
