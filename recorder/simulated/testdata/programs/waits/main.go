// Waits lets goroutines wait for each other in ways that are known: whoever is late computes meanwhile.
package main

import (
	"fmt"
	"sync"
	"time"
)

//go:noinline
func work(n int) (sum float64) {
	for i := range n {
		sum += 1 / float64(i+1)
	}
	return sum
}

//go:noinline
func lateSender(c chan float64) { c <- work(100_000) }

//go:noinline
func waitsForSender(c chan float64) float64 { return <-c }

//go:noinline
func lateReceiver(c chan float64) float64 { return work(200_000) + <-c }

//go:noinline
func waitsForReceiver(c chan float64) { c <- 1 }

//go:noinline
func emptiesLate(c chan float64) float64 { return work(300_000) + <-c }

//go:noinline
func fills(c chan float64) {
	for range 3 {
		c <- 1
	}
}

//go:noinline
func closesLate(c chan float64) {
	work(150_000)
	close(c)
}

//go:noinline
func waitsForClose(c chan float64) bool {
	_, ok := <-c
	return ok
}

//go:noinline
func choosesLate(c chan float64) { c <- work(250_000) }

//go:noinline
func chooses(a, b chan float64) float64 {
	select {
	case v := <-a:
		return v
	case v := <-b:
		return v
	}
}

//go:noinline
func tries(c chan float64) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

//go:noinline
func joins(n int) {
	var group sync.WaitGroup
	for i := range n {
		group.Add(1)
		go func() {
			defer group.Done()
			work(50_000 * (i + 1))
		}()
	}
	group.Wait()
}

//go:noinline
func sleeps() { time.Sleep(3 * time.Millisecond) }

//go:noinline
func holds(m *sync.Mutex, held chan float64) {
	m.Lock()
	held <- 1
	work(400_000)
	m.Unlock()
}

//go:noinline
func wantsLock(m *sync.Mutex, held chan float64) {
	<-held
	m.Lock()
	m.Unlock()
}

// pair runs two functions at the same time.
func pair(f func(c chan float64), capacity int, g func(c chan float64)) {
	c, done := make(chan float64, capacity), make(chan bool)
	go func() {
		f(c)
		close(done)
	}()
	g(c)
	<-done
}

func main() {
	pair(lateSender, 0, func(c chan float64) { waitsForSender(c) })
	pair(waitsForReceiver, 0, func(c chan float64) { lateReceiver(c) })
	pair(fills, 2, func(c chan float64) { emptiesLate(c) })
	pair(closesLate, 0, func(c chan float64) { waitsForClose(c) })
	pair(choosesLate, 0, func(c chan float64) { chooses(make(chan float64), c) })
	fmt.Println(tries(make(chan float64)))
	joins(4)
	sleeps()
	var m sync.Mutex
	pair(func(c chan float64) { holds(&m, c) }, 1, func(c chan float64) { wantsLock(&m, c) })
}
