// Polls tries to send and receive, in vain: with nothing else to do, and beside work.
package main

import (
	"sync"
	"time"
)

const times = 1 << 20

var (
	empty = make(chan int)
	other = make(chan int)
	mu    sync.Mutex
)

func main() {
	receives()
	sends()
	selects()
	works()
	locks()
	succeeds()
}

func receives() {
	for range times {
		select {
		case <-empty:
		default:
		}
	}
}

func sends() {
	for range times {
		select {
		case empty <- 1:
		default:
		}
	}
}

func selects() {
	for range times {
		select {
		case <-empty:
		case <-other:
		default:
		}
	}
}

// works looks whether it is to end, between its work.
func works() {
	for range 3000 {
		select {
		case <-empty:
			return
		default:
		}
		for start := time.Now(); time.Since(start) < 2*time.Microsecond; {
		}
	}
}

// locks does something that is recorded between its tries.
func locks() {
	for range 3000 {
		select {
		case <-empty:
			return
		default:
		}
		mu.Lock()
		mu.Unlock()
	}
}

// succeeds tries what can be done in half of the cases.
func succeeds() {
	c := make(chan int, 1)
	for i := range 3000 {
		if i%2 == 0 {
			c <- i
		}
		select {
		case <-c:
		default:
		}
	}
}
