// Command states has goroutines in all states, in ways that leave no choice to the scheduler.
package main

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func main() {
	runtime.GOMAXPROCS(1)
	preempted()
	late()
	woken()
	network()
	call()
	make(chan bool, 1) <- true // with this, what was noted before is recorded: a collection may bring more than there is room for
	runtime.GC()
	working()
}

// preempted returns when it has lost the processor.
func preempted() {
	var over atomic.Bool
	go over.Store(true)
	for !over.Load() {
	}
}

// late has a goroutine that loses the processor before it records anything of itself.
func late() {
	var seen, over atomic.Bool
	done := make(chan bool)
	go spin(&seen, &over, done)
	for !seen.Load() {
		runtime.Gosched()
	}
	over.Store(true)
	<-done
}

func spin(seen, over *atomic.Bool, done chan bool) {
	seen.Store(true)
	for !over.Load() {
	}
	done <- true
}

// woken waits for a goroutine that cannot run before.
func woken() {
	done := make(chan bool)
	go send(done)
	<-done
}

func send(done chan bool) { done <- true }

// network waits for what does not come.
func network() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	defer w.Close()
	if err := r.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		panic(err)
	}
	if _, err := r.Read(make([]byte, 1)); !os.IsTimeout(err) {
		panic(err)
	}
}

// call is in a system call for a millisecond.
func call() {
	d := syscall.Timespec{Nsec: 1e6}
	for syscall.Nanosleep(&d, &d) == syscall.EINTR {
	}
}

// working leaves a goroutine behind that never ends.
func working() {
	began := make(chan bool)
	go forever(began)
	<-began
}

func forever(began chan bool) {
	var mu sync.Mutex
	mu.Lock()
	mu.Unlock()
	close(began)
	for {
	}
}
