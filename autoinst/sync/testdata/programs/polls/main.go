// Polls tries to receive, in vain: with nothing else to do, and beside work. What it does beside may only take longer than it says.
package main

import (
	"runtime"
	"sync"
	"time"
)

const (
	many = 1 << 16
	few  = 5000
)

var (
	empty = make(chan int)
	other = make(chan int)
	never chan int
	mu    sync.Mutex
)

func main() {
	receives()
	selects()
	until()
	selectsUntil()

	sends()
	selectsSend()
	selectsNever()
	alternates()
	works()
	worksMore()
	worksInSelect()
	locks()
	yields()
	succeeds()
}

func receives() {
	for range many {
		select {
		case <-empty:
		default:
		}
	}
}

func selects() {
	for range many {
		select {
		case <-empty:
		case <-other:
		default:
		}
	}
}

// until looks at the clock between its tries, whether it is to give up.
func until() {
	end := time.Now().Add(time.Hour)
	for n := 0; n < many && time.Now().Before(end); n++ {
		select {
		case <-empty:
		default:
		}
	}
}

func selectsUntil() {
	end := time.Now().Add(time.Hour)
	for n := 0; n < many && time.Now().Before(end); n++ {
		select {
		case <-empty:
		case <-other:
		case <-never:
		default:
		}
	}
}

// sends drops what nobody takes.
func sends() {
	for range few {
		select {
		case empty <- 1:
		default:
		}
	}
}

func selectsSend() {
	for range few {
		select {
		case empty <- 1:
		case <-other:
		default:
		}
	}
}

// selectsNever looks whether it is to end, and nobody can tell it.
func selectsNever() {
	for range few {
		select {
		case <-never:
		default:
		}
	}
	for range few {
		select {
		case <-never:
		case <-never:
		default:
		}
	}
}

// alternates tries the same in turn, at two places.
func alternates() {
	for range few {
		select {
		case <-empty:
		default:
		}
		select {
		case <-empty:
		default:
		}
		select {
		case <-empty:
		case <-other:
		default:
		}
		select {
		case <-other:
		case <-empty:
		default:
		}
	}
}

// works looks whether it is to end, between its work, of which nothing is recorded.
func works() {
	for range few {
		select {
		case <-empty:
			return
		default:
		}
		for start := time.Now(); time.Since(start) < 150*time.Nanosecond; {
		}
	}
}

func worksMore() {
	for range few {
		select {
		case <-empty:
			return
		default:
		}
		for start := time.Now(); time.Since(start) < 700*time.Nanosecond; {
		}
	}
}

func worksInSelect() {
	for range few {
		select {
		case <-empty:
			return
		case <-other:
			return
		default:
		}
		for start := time.Now(); time.Since(start) < 300*time.Nanosecond; {
		}
	}
}

// locks does something that is recorded between its tries.
func locks() {
	for range few {
		select {
		case <-empty:
			return
		default:
		}
		mu.Lock()
		mu.Unlock()
	}
}

// yields lets others run between its tries.
func yields() {
	for range few {
		select {
		case <-empty:
			return
		default:
		}
		runtime.Gosched()
	}
}

// succeeds tries what can be done in half of the cases.
func succeeds() {
	c := make(chan int, 1)
	for i := range few {
		if i%2 == 0 {
			c <- i
		}
		select {
		case <-c:
		default:
		}
	}
}
