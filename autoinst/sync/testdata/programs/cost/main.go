// Command cost does each of some things many times on one processor, and prints how many goroutines needed a larger stack for their first
// operation.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

const rounds = 1000

func main() {
	runtime.GOMAXPROCS(1)
	locks(new(sync.Mutex))
	readers(new(sync.RWMutex))
	buffered(make(chan int, 1))
	toAndFro(make(chan int), make(chan int))
	start()
	fmt.Println(moved)
}

//go:noinline
func locks(mu *sync.Mutex) {
	for range rounds {
		mu.Lock()
		mu.Unlock()
	}
}

//go:noinline
func readers(mu *sync.RWMutex) {
	for range rounds {
		mu.RLock()
		mu.RUnlock()
	}
}

//go:noinline
func buffered(ch chan int) {
	for range rounds {
		ch <- 1
		<-ch
	}
}

//go:noinline
func toAndFro(to, fro chan int) {
	go echo(to, fro)
	for range rounds {
		to <- 1
		<-fro
	}
}

func echo(to, fro chan int) {
	for v := range to {
		fro <- v
	}
}

//go:noinline
func start() {
	for range rounds {
		var wg sync.WaitGroup
		wg.Add(1)
		go done(&wg)
		wg.Wait()
	}
}

var moved int

func done(wg *sync.WaitGroup) {
	var here byte
	at := uintptr(unsafe.Pointer(&here))
	wg.Done()
	if uintptr(unsafe.Pointer(&here)) != at {
		moved++
	}
}
