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

var begin = time.Now()

func now() int64 { return time.Since(begin).Nanoseconds() }

func main() {
	var all sync.WaitGroup
	var back, early [3]int64
	for i := range back {
		all.Go(func() {
			runtime.LockOSThread()
			last := now()
			for n := range 20_000 {
				t := now()
				back[i] = max(back[i], last-t)
				last = t
				if n%4000 == 0 {
					time.Sleep(50 * time.Microsecond)
					early[i] = max(early[i], t+50_000-now())
				}
			}
		})
	}
	all.Wait()
	fmt.Fprintln(os.Stdout, max(back[0], back[1], back[2]), max(early[0], early[1], early[2]), skew(min(100, 50*(runtime.NumCPU()-1))))
}

// skew returns how much too early a thread sees what another one stores without any system call.
func skew(rounds int) (most int64) {
	var round, seen atomic.Int64
	go func() {
		runtime.LockOSThread()
		for n := range int64(rounds) {
			for round.Load() != n+1 {
			}
			seen.Store(now())
		}
	}()
	for n := range int64(rounds) {
		for range 10_000 {
			work++
		}
		round.Store(n + 1)
		stored := now()
		for seen.Load() == 0 {
		}
		most = max(most, stored-seen.Swap(0))
	}
	return most
}

var work int
