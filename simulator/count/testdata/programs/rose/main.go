// Rose is the micro-benchmarks of Mindlin et al., "Obtaining Hardware Performance Metrics for the BlueGene/L Supercomputer", section
// 4.1, each a goroutine of its own, and one that does nothing. The argument is for how many seeds of the random indices. Arrays are
// slices: a pointer to an array would be checked for nil, by a load.
package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
)

const (
	n     = 1 << 20
	order = 64
)

var (
	d       = make([]float64, n)
	d2      = make([]float64, 2*n)
	index   = make([]int32, 1024)
	index2  = make([]int32, 1024)
	a, b, c = make([]float64, order*order), make([]float64, order*order), make([]float64, order*order)
	t       = make([]float64, order*order)
	sum     float64
	factor  = 1e-3
	done    = make(chan bool)
)

//go:noinline
func fill(d []float64, c float64) {
	for k := range d {
		d[k] = c
	}
}

func nothing() { done <- true }

func sequentialStores() { fill(d, factor); done <- true }

func sequentialLoads() {
	s, c := 0.0, factor
	for _, x := range d {
		s += c * x
	}
	sum = s
	done <- true
}

func sequentialLoadsStores() {
	d, c := d, factor
	for k := 1; k < len(d); k++ {
		d[k] += c * d[k-1]
	}
	done <- true
}

func gather(d []float64, index []int32) (s float64) {
	for _, i := range index {
		s += d[i]
	}
	return s
}

func gatherMany(d []float64, index []int32) (s float64) {
	for _, i := range index {
		for j := int32(0); j < 32; j++ {
			s += d[i+16*j]
		}
	}
	return s
}

func randomLoads()      { sum = gather(d, index); done <- true }
func randomLoads2()     { sum = gather(d2, index2); done <- true }
func manyRandomLoads()  { sum = gatherMany(d, index); done <- true }
func manyRandomLoads2() { sum = gatherMany(d2, index2); done <- true }
func traverse()         { sum = all(d); done <- true }
func traverse2()        { sum = all(d2); done <- true }
func all(d []float64) (s float64) {
	for _, x := range d {
		s += x
	}
	return s
}

func transpose() {
	b := t
	for i := range order {
		for j := range order {
			if i != j {
				aux := b[i*order+j]
				b[i*order+j] = b[j*order+i]
				b[j*order+i] = aux
			}
		}
	}
	done <- true
}

func multiply() {
	a, b, c := a, b, c
	for i := range order {
		for j := range order {
			s := c[i*order+j]
			for k := range order {
				s += a[i*order+k] * b[j*order+k]
			}
			c[i*order+j] = s
		}
	}
	done <- true
}

// choose fills the indices, so that 32 elements of a stride of 16 are there behind each.
func choose(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range index {
		index[i], index2[i] = r.Int32N(n-32*16), r.Int32N(2*n-32*16)
	}
}

func run(functions ...func()) {
	for _, f := range functions {
		go f()
		<-done
	}
}

func main() {
	debug.SetGCPercent(-1)
	seeds, err := strconv.ParseUint(os.Args[1], 10, 64)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for i := range d2 {
		d2[i] = 0.5
	}
	for i := range t {
		t[i], a[i], b[i] = float64(i), 2, 3
	}
	run(traverse2, nothing, traverse2, sequentialStores, traverse2, sequentialLoads, traverse2, sequentialLoadsStores,
		traverse2, transpose, traverse2, multiply)
	for seed := range seeds {
		choose(seed + 1)
		run(traverse, randomLoads, traverse2, randomLoads2, traverse, manyRandomLoads, traverse2, manyRandomLoads2)
	}
}
