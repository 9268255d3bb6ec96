// Starts begins goroutines in all ways in which the compiler makes a function for it, each with a number of square roots of its own.
package main

import (
	"math"
	"os"
	"sync"
)

var (
	sink float64
	wait sync.WaitGroup
)

//go:noinline
func roots(n int) {
	for i := range n {
		sink += math.Sqrt(float64(i))
	}
	wait.Done()
}

func inlined(x float64) { sink += math.Sqrt(sink + x); wait.Done() }

type object struct{ n int }

//go:noinline
func (o *object) method(more int) { roots(o.n + more) }

//go:noinline
func generic[T any](_ T, n int) { roots(n) }

type does interface{ method(int) }

func main() {
	wait.Add(6)
	go roots(2)
	go inlined(3)
	o := &object{3}
	go o.method(1)
	go generic(o, 8)
	var d does = o
	variable := roots
	if len(os.Args) > 100 {
		d, variable = nil, nil
	}
	go d.method(13)
	go variable(32)
	wait.Wait()
}
