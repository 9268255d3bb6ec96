// Command firsts has two goroutines meet at the first uses of channels, locks and wait groups, again and again.
package main

import (
	"runtime"
	"sync"
	"sync/atomic"
)

const rounds = 2000

type round struct {
	met atomic.Int32
	mu  sync.Mutex
	wg  sync.WaitGroup
	ch  chan int
}

// meet waits for the other goroutine.
func (r *round) meet(n int32) {
	r.met.Add(1)
	for tries := 1; r.met.Load() < 2*n; tries++ {
		if tries%1000 == 0 {
			runtime.Gosched()
		}
	}
}

func main() {
	var list [rounds]round
	for i := range list {
		list[i].ch = make(chan int, 2)
	}
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range list {
				r := &list[i]
				r.meet(1)
				lock(&r.mu)
				r.meet(2)
				add(&r.wg)
				r.meet(3)
				send(r.ch)
			}
		})
	}
	wg.Wait()
}

//go:noinline
func lock(m *sync.Mutex) { m.Lock(); m.Unlock() }

//go:noinline
func add(wg *sync.WaitGroup) { wg.Add(1) }

//go:noinline
func send(ch chan int) { ch <- 1 }
