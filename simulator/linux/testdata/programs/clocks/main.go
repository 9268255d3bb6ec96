// Command clocks looks whether time goes back: for a thread, for a sleeper, and between threads that tell each other the time.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	begin := time.Now()
	now := func() int64 { return time.Since(begin).Nanoseconds() }
	var told atomic.Int64
	var all sync.WaitGroup
	var back, early, skew [3]int64
	for i := range back {
		all.Go(func() {
			runtime.LockOSThread()
			last := now()
			for n := range 20_000 {
				seen := told.Load()
				t := now()
				back[i] = max(back[i], last-t)
				skew[i] = max(skew[i], seen-t)
				told.Store(t)
				last = t
				if n%4000 == 0 {
					time.Sleep(50 * time.Microsecond)
					early[i] = max(early[i], t+50_000-now())
				}
			}
		})
	}
	all.Wait()
	fmt.Fprintln(os.Stdout, max(back[0], back[1], back[2]), max(early[0], early[1], early[2]), max(skew[0], skew[1], skew[2]))
}
