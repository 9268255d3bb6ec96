// Command both uses package instrument for each operation once.
package main

import (
	"runtime"
	"sync"

	"tracerec/instrument"
)

func main() {
	c := make(chan int, 1)
	instrument.Send(c, 1)
	<-c
	c <- 2
	instrument.Recv(c)
	c <- 3
	s := instrument.Select()
	select {
	case <-c:
		s.Received(c, true)
	case c <- 4:
		s.Sent(c)
	}
	s = instrument.Select()
	select {
	case <-c:
		s.Received(c, true)
	default:
		s.Default()
	}
	instrument.Close(c)
	for range instrument.Range(c) {
	}

	var m instrument.Mutex
	m.Lock()
	m.Unlock()
	m.TryLock()
	m.Unlock()
	var rw instrument.RWMutex
	rw.RLock()
	rw.RUnlock()
	rw.Lock()
	rw.Unlock()

	var wg instrument.WaitGroup
	done := make(chan int, 2)
	done <- 0
	<-done
	wg.Go(func() { done <- 1 })
	wg.Wait()
	instrument.Go(func() { worker(done) })
	<-done
	<-done

	var l sync.Mutex
	cond := instrument.NewCond(&l)
	ready := false
	l.Lock()
	instrument.Go(func() {
		l.Lock()
		ready = true
		l.Unlock()
		cond.Signal()
	})
	for !ready {
		cond.Wait()
	}
	l.Unlock()
	cond.Broadcast()

	var o instrument.Once
	o.Do(func() {
		l.Lock()
		l.Unlock()
	})
	instrument.NewBarrier(1).Wait()
	instrument.Sleep(1)
	try(func() { instrument.Send(c, 1) })
	try(func() { wg.Add(-1) })
	for runtime.NumGoroutine() > 1 {
		runtime.Gosched()
	}
	l.Lock() // is recorded: nothing before it has kept the runtime quiet
	l.Unlock()
}

func try(f func()) {
	defer func() { recover() }()
	f()
}

//go:noinline
func worker(done chan int) { done <- 2 }
