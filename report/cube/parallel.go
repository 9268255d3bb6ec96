package cube

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls do for all numbers below n, ascending on each of a few goroutines, and returns when all is done.
func parallel(n int, do func(int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	all.Wait()
}
