// Messages sends fewer than a thousand of them, through channels with and without a buffer, in goroutines that run at the same time on
// several processors, and one of which chooses.
package main

import (
	"fmt"
	"sync"
)

//go:noinline
func work(n int) (sum int) {
	for i := range n {
		sum += i
	}
	return sum
}

func produces(c chan int, n int) {
	for i := range n {
		c <- work(50 + i%7)
	}
	close(c)
}

func passes(from, to chan int) {
	for v := range from {
		to <- v + work(50)
	}
	close(to)
}

func chooses(a, b chan int) (n int) {
	for a != nil || b != nil {
		select {
		case _, ok := <-a:
			if !ok {
				a = nil
				continue
			}
		case _, ok := <-b:
			if !ok {
				b = nil
				continue
			}
		}
		n++
	}
	return n
}

func main() {
	a, b, c := make(chan int), make(chan int), make(chan int, 3)
	go produces(a, 200)
	go passes(a, b)
	go produces(c, 500)
	fmt.Println(chooses(b, c))
	for range 20 {
		var group sync.WaitGroup
		for i := range 3 {
			group.Go(func() { work(100 * i) })
		}
		group.Wait()
	}
}
