package main

import "tracerec/examples/nas/cfd"

// eliminate divides c and r by b from the left, by elimination without pivots, which destroys b.
func eliminate(b, c *cfd.Matrix, r *cfd.Vector) {
	for p := range b {
		pivot := 1 / b[p][p]
		for j := p + 1; j < 5; j++ {
			b[p][j] *= pivot
		}
		for j := range c[p] {
			c[p][j] *= pivot
		}
		r[p] *= pivot
		for i := range b {
			if i == p {
				continue
			}
			factor := b[i][p]
			for j := p + 1; j < 5; j++ {
				b[i][j] -= factor * b[p][j]
			}
			for j := range c[i] {
				c[i][j] -= factor * c[p][j]
			}
			r[i] -= factor * r[p]
		}
	}
}

// eliminateVector divides r by b from the left.
func eliminateVector(b *cfd.Matrix, r *cfd.Vector) {
	for p := range b {
		pivot := 1 / b[p][p]
		for j := p + 1; j < 5; j++ {
			b[p][j] *= pivot
		}
		r[p] *= pivot
		for i := range b {
			if i == p {
				continue
			}
			factor := b[i][p]
			for j := p + 1; j < 5; j++ {
				b[i][j] -= factor * b[p][j]
			}
			r[i] -= factor * r[p]
		}
	}
}

// subtractProduct subtracts a b from c.
func subtractProduct(c, a, b *cfd.Matrix) {
	for i := range a {
		a0, a1, a2, a3, a4 := a[i][0], a[i][1], a[i][2], a[i][3], a[i][4]
		for j := range b {
			c[i][j] = c[i][j] - a0*b[0][j] - a1*b[1][j] - a2*b[2][j] - a3*b[3][j] - a4*b[4][j]
		}
	}
}

// subtractVector subtracts a x from r.
func subtractVector(r *cfd.Vector, a *cfd.Matrix, x *cfd.Vector) {
	for i := range a {
		r[i] = r[i] - a[i][0]*x[0] - a[i][1]*x[1] - a[i][2]*x[2] - a[i][3]*x[3] - a[i][4]*x[4]
	}
}
