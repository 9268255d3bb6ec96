// Command contexts starts many short goroutines, each with a context of its own, and prints, for each of them, how many objects it allocated and how often
// it needed a larger stack.
package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"unsafe"
)

const (
	rounds = 20
	each   = 1000
)

var moved int

func main() {
	var before, after runtime.MemStats
	debug.SetGCPercent(-1) // the collector learns with which stack goroutines should begin
	start()
	larger := float64(moved) / each
	for i := range 2 * rounds {
		if i == rounds { // memory is used again from here on
			runtime.ReadMemStats(&before)
		}
		start()
		runtime.GC()
	}
	runtime.ReadMemStats(&after)
	fmt.Println(float64(after.Mallocs-before.Mallocs)/(rounds*each), larger)
}

func start() {
	values := make(chan int)
	for range each {
		go one(values)
		<-values
	}
}

func one(values chan<- int) {
	var here byte
	at := uintptr(unsafe.Pointer(&here))
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(ctx, func() {})()
	cancel()
	<-ctx.Done()
	if uintptr(unsafe.Pointer(&here)) != at {
		moved++
	}
	select {
	case values <- 1:
	case <-context.Background().Done():
	}
}
