// Command tracebacks ends with all its goroutines waiting.
package main

import "sync"

func main() {
	var mu sync.Mutex
	var rw sync.RWMutex
	var group sync.WaitGroup
	group.Add(1)
	mu.Lock()
	rw.Lock()
	go locks(&mu)
	go writes(&rw)
	go reads(&rw)
	group.Wait()
}

func locks(mu *sync.Mutex) { mu.Lock() }

func writes(rw *sync.RWMutex) { rw.Lock() }

func reads(rw *sync.RWMutex) { rw.RLock() }
