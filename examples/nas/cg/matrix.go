package main

import (
	"math"

	"tracerec/examples/nas/nas"
)

// condition is the reciprocal of the matrix's condition number.
const condition = 0.1

// matrix holds the nonzeros of a square matrix, row by row.
type matrix struct {
	value  []float64
	column []int32
	start  []int32 // of each row, and the end of the last
}

// times stores the product with a vector in w.
//
//go:noinline
func (a *matrix) times(w, v []float64) {
	value, column, start := a.value, a.column, a.start
	for j := range w {
		sum := 0.0
		for k, end := start[j], start[j+1]; k < end; k++ {
			sum += value[k] * v[column[k]]
		}
		w[j] = sum
	}
}

// element is one term of a sum of matrices.
type element struct {
	row, column int32
	value       float64
}

// generate makes the matrix of the benchmark: the sum of the products of random sparse vectors with themselves, weighted by a
// geometric sequence from 1 to the condition, and of a diagonal matrix.
func generate(order, nonzeros int, shift float64) *matrix {
	g := &generator{order: order, seed: 314159265}
	g.random() // the first number of the benchmark is not used
	var sum []element
	weight, ratio := 1.0, math.Pow(condition, 1/float64(order))
	for i := range order {
		index, value := g.vector(nonzeros, int32(i))
		for n, column := range index {
			scale := weight * value[n]
			for m, row := range index {
				sum = append(sum, element{row, column, value[m] * scale})
			}
		}
		weight *= ratio
	}
	for i := range order {
		sum = append(sum, element{int32(i), int32(i), condition - shift})
	}
	return assemble(order, sum)
}

// generator makes random sparse vectors.
type generator struct {
	order int
	seed  float64
}

func (g *generator) random() float64 { return nas.Random(&g.seed, nas.Multiplier) }

// vector returns a vector of n random nonzeros at random places, but with 0.5 at place i, which may be one more.
func (g *generator) vector(n int, i int32) (index []int32, value []float64) {
	size := 1 // a power of two, from which places are taken
	for size < g.order {
		size *= 2
	}
	taken := map[int32]bool{}
	for len(index) < n {
		v, at := g.random(), int32(float64(size)*g.random())
		if int(at) < g.order && !taken[at] {
			taken[at] = true
			index, value = append(index, at), append(value, v)
		}
	}
	for k, at := range index {
		if at == i {
			value[k] = 0.5
			return index, value
		}
	}
	return append(index, i), append(value, 0.5)
}

// assemble adds up the elements of each place.
func assemble(order int, sum []element) *matrix {
	rows := make([][]element, order)
	for _, e := range sum {
		rows[e.row] = append(rows[e.row], e)
	}
	a := &matrix{start: make([]int32, 1, order+1)}
	place := make([]int, order) // by column: the place in a of the row's element, if it has one
	for j, row := range rows {
		begin := len(a.value)
		for _, e := range row {
			at := place[e.column]
			if at < begin || at >= len(a.value) || a.column[at] != e.column {
				at = len(a.value)
				place[e.column] = at
				a.value, a.column = append(a.value, 0), append(a.column, e.column)
			}
			a.value[at] += e.value
		}
		rows[j] = nil
		a.start = append(a.start, int32(len(a.value)))
	}
	return a
}
