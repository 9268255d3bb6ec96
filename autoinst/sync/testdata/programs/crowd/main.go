// Command crowd has many goroutines use locks for the first time.
package main

import (
	"runtime"
	"sync"
)

const (
	goroutines = 100
	each       = 500
)

func main() {
	runtime.GOMAXPROCS(4)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			locks := make([]sync.Mutex, each)
			for i := range locks {
				lock(&locks[i])
			}
		})
	}
	wg.Wait()
}

//go:noinline
func lock(m *sync.Mutex) { m.Lock(); m.Unlock() }
