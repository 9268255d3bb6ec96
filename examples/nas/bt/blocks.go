package main

// A block has five rows of five numbers.
type rows = [][5]float64

// combine sets b to f times x minus g times y, less d on the diagonal.
func combine(b, x, y rows, f, g, d float64) {
	b, x, y = b[:5], x[:5], y[:5]
	for m := range b {
		for l := range 5 {
			b[m][l] = f*x[m][l] - g*y[m][l]
		}
		b[m][m] -= d
	}
}

// eliminate divides c and r by b from the left, by elimination without pivots, which destroys b.
func eliminate(b, c rows, r []float64) {
	b, c, r = b[:5], c[:5], r[:5]
	for p := range b {
		pivot := 1 / b[p][p]
		for j := p + 1; j < 5; j++ {
			b[p][j] *= pivot
		}
		for j := range 5 {
			c[p][j] *= pivot
		}
		x := r[p] * pivot
		r[p] = x
		for i := range b {
			if i == p {
				continue
			}
			factor := b[i][p]
			for j := p + 1; j < 5; j++ {
				b[i][j] -= factor * b[p][j]
			}
			for j := range 5 {
				c[i][j] -= factor * c[p][j]
			}
			r[i] -= factor * x
		}
	}
}

// eliminateVector divides r by b from the left.
func eliminateVector(b rows, r []float64) {
	b, r = b[:5], r[:5]
	for p := range b {
		pivot := 1 / b[p][p]
		for j := p + 1; j < 5; j++ {
			b[p][j] *= pivot
		}
		x := r[p] * pivot
		r[p] = x
		for i := range b {
			if i == p {
				continue
			}
			factor := b[i][p]
			for j := p + 1; j < 5; j++ {
				b[i][j] -= factor * b[p][j]
			}
			r[i] -= factor * x
		}
	}
}

// subtractProduct subtracts a b from c.
func subtractProduct(c, a, b rows) {
	a, b, c = a[:5], b[:5], c[:5]
	for i := range a {
		a0, a1, a2, a3, a4 := a[i][0], a[i][1], a[i][2], a[i][3], a[i][4]
		for j := range 5 {
			c[i][j] = c[i][j] - a0*b[0][j] - a1*b[1][j] - a2*b[2][j] - a3*b[3][j] - a4*b[4][j]
		}
	}
}

// subtractVector subtracts a x from r.
func subtractVector(r []float64, a rows, x []float64) {
	r, a, x = r[:5], a[:5], x[:5]
	x0, x1, x2, x3, x4 := x[0], x[1], x[2], x[3], x[4]
	for i := range r {
		r[i] = r[i] - a[i][0]*x0 - a[i][1]*x1 - a[i][2]*x2 - a[i][3]*x3 - a[i][4]*x4
	}
}
