// Command lives locks locks that are dropped and whose memory is used again, and prints how many addresses there were for how many locks.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

const rounds = 300

type holder struct {
	a, b   sync.Mutex
	shards [3]sync.Mutex
	rw     sync.RWMutex
}

var global sync.Mutex

var globalGroup sync.WaitGroup

func main() {
	addresses := map[uintptr]bool{}
	for range rounds {
		h := new(holder)
		addresses[uintptr(unsafe.Pointer(h))] = true
		once(&h.a)
		twice(&h.b)
		for i := range h.shards {
			shard(&h.shards[i])
		}
		h.rw.Lock()
		h.rw.Unlock()
		always(&global)
		runtime.GC()
	}
	fmt.Println(rounds, len(addresses))
	kept := new(holder)
	for range 5 {
		late(&kept.a)
		runtime.GC()
	}
	runtime.KeepAlive(kept)
	for range rounds {
		group(new(sync.WaitGroup))
		var own sync.WaitGroup
		group(&own)
		group(&own)
	}
	for range 5 {
		groups(&globalGroup)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var own sync.Mutex
			for range 3 {
				stack(&own)
			}
		})
		wg.Wait()
	}
}

//go:noinline
func once(m *sync.Mutex) { m.Lock(); m.Unlock() }

//go:noinline
func twice(m *sync.Mutex) { once(m); m.Lock(); m.Unlock() }

//go:noinline
func shard(m *sync.Mutex) { m.Lock(); m.Unlock() }

//go:noinline
func always(m *sync.Mutex) { m.Lock(); m.Unlock() }

//go:noinline
func late(m *sync.Mutex) { m.Lock(); m.Unlock() }

//go:noinline
func group(wg *sync.WaitGroup) { wg.Add(1); wg.Done(); wg.Wait() }

//go:noinline
func groups(wg *sync.WaitGroup) { wg.Add(1); wg.Done(); wg.Wait() }

//go:noinline
func stack(m *sync.Mutex) { m.Lock(); m.Unlock() }
