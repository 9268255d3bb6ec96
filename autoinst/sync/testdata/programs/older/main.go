// Program older has goroutines that wait from before it is recorded until that is over, and others: one that works meanwhile, and one that is started.
package main

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"time"

	"tracerec/instrument"
)

var (
	lock   sync.Mutex
	never  = make(chan int)
	orders = make(chan int)
)

func locked() { lock.Lock() }

func receives() { <-never }

func works() {
	for range orders {
	}
}

func started() { <-never }

func main() {
	lock.Lock()
	for range 3 {
		go locked()
	}
	go receives()
	go works()
	await(func() bool {
		stacks := make([]byte, 1<<16)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return strings.Count(string(stacks), "[sync.Mutex.Lock") == 3 && strings.Count(string(stacks), "[chan receive") == 2
	})
	fmt.Println("ready")
	await(instrument.Enabled)
	go started()
	for range 2 { // so that it has done something when this goes on
		orders <- 1
	}
	fmt.Println("worked")
	await(func() bool { return !instrument.Enabled() })
}

func await(so func() bool) {
	for !so() {
		time.Sleep(time.Millisecond)
	}
}
