// Command collected does operations while the collector runs all the time, also for the first time at many places; then it counts what they
// allocate. It fails if that is anything.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

var garbage atomic.Pointer[[]byte]

func main() {
	debug.SetGCPercent(1)
	var done atomic.Bool
	var collector sync.WaitGroup
	collector.Go(func() {
		for !done.Load() {
			runtime.GC()
		}
	})
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			var o operations
			o.init()
			places(&o)
			for range 3000 {
				for _, f := range o.all() {
					f()
					b := make([]byte, 1<<10)
					garbage.Store(&b)
				}
			}
		})
	}
	workers.Wait()
	done.Store(true)
	collector.Wait()
	debug.SetGCPercent(-1)
	var o operations
	o.init()
	failed := false
	for i, f := range o.all() {
		for range 100 {
			f()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 2000 {
			f()
		}
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n > 20 { // the runtime's own, now and then
			fmt.Printf("operation %d: %d allocations\n", i, n)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// operations are what one goroutine can do alone.
type operations struct {
	m  sync.Mutex
	rw sync.RWMutex
	wg sync.WaitGroup
	c  chan int
	d  chan int
	s  *sync.Cond
}

func (o *operations) init() {
	o.c, o.d = make(chan int, 1), make(chan int)
	o.s = sync.NewCond(&o.m)
	close(o.d)
}

func (o *operations) all() []func() {
	return []func(){o.locks, o.rwlocks, o.joins, o.channels, o.selects, o.closed, o.conds}
}

func (o *operations) locks() {
	o.m.Lock()
	o.m.TryLock()
	o.m.Unlock()
}

func (o *operations) rwlocks() {
	o.rw.RLock()
	o.rw.RUnlock()
	o.rw.Lock()
	o.rw.Unlock()
}

func (o *operations) joins() {
	o.wg.Add(1)
	o.wg.Done()
	o.wg.Wait()
}

func (o *operations) channels() {
	o.c <- 1
	<-o.c
}

func (o *operations) selects() {
	select {
	case o.c <- 1:
	case <-o.d:
	}
	select {
	case <-o.c:
	default:
	}
}

func (o *operations) closed() { <-o.d }

func (o *operations) conds() {
	o.s.Signal()
	o.s.Broadcast()
}
