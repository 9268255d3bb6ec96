// Command matrix multiplies two matrices. It walks down the columns of the second one, as most people would write it first, so that every access
// touches another line of the cache. With -transposed it walks along the rows of a transposed copy. The result is the same.
//
//	tracerec sim --machine server -o slow.dir ./examples/matrix
//	tracerec sim --machine server -o fast.dir ./examples/matrix -transposed
//	expert analyze slow.dir
//	expert diff slow.dir fast.dir
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
)

// matrix is square, row by row.
type matrix struct {
	n     int
	cells []float64
}

func main() {
	n := flag.Int("n", 128, "rows and columns")
	transposed := flag.Bool("transposed", false, "walk rows of a transposed copy, not columns")
	flag.Parse()
	a, b := random(*n, 1), random(*n, 2)
	var c matrix
	if *transposed {
		c = product(a, transpose(b), 1, *n) // a row of the copy is a column
	} else {
		c = product(a, b, *n, 1)
	}
	fmt.Printf("%d × %d: trace %.6f, sum %.6f\n", *n, *n, c.trace(), c.sum())
}

func random(n int, seed uint64) matrix {
	r := rand.New(rand.NewPCG(seed, 0))
	m := matrix{n, make([]float64, n*n)}
	for i := range m.cells {
		m.cells[i] = r.Float64()
	}
	return m
}

// transpose makes rows of columns.
func transpose(m matrix) matrix {
	t := matrix{m.n, make([]float64, len(m.cells))}
	for i := range m.n {
		for j := range m.n {
			t.cells[j*m.n+i] = m.cells[i*m.n+j]
		}
	}
	return t
}

// product multiplies a by b, in which the next row and the next column are so many cells further.
func product(a, b matrix, row, column int) matrix {
	n := a.n
	c := matrix{n, make([]float64, n*n)}
	for i := range n {
		line := a.cells[i*n : (i+1)*n]
		for j := range n {
			sum, at := 0.0, j*column
			for _, x := range line {
				sum += x * b.cells[at]
				at += row
			}
			c.cells[i*n+j] = sum
		}
	}
	return c
}

func (m matrix) trace() (sum float64) {
	for i := range m.n {
		sum += m.cells[i*m.n+i]
	}
	return sum
}

func (m matrix) sum() (sum float64) {
	for _, x := range m.cells {
		sum += x
	}
	return sum
}
