package main

import "tracerec/examples/nas/cfd"

// A block has five rows of five numbers.
type rows = [][5]float64

// combine sets each of b to f times x minus g times y, less d on the diagonal.
func combine(b, x, y []cfd.Matrix, f, g, d float64) {
	x, y = x[:len(b)], y[:len(b)]
	for i := range b {
		for m := range b[i] {
			row, p, q := &b[i][m], &x[i][m], &y[i][m]
			for l := range row {
				row[l] = f*p[l] - g*q[l]
			}
			row[m] -= d
		}
	}
}

// scale sets each of b to f times x, and d more on the diagonal.
func scale(b, x []cfd.Matrix, f, d float64) {
	x = x[:len(b)]
	for i := range b {
		for m := range b[i] {
			row, p := &b[i][m], &x[i][m]
			for l := range row {
				row[l] = f * p[l]
			}
			row[m] += d
		}
	}
}

// eliminate divides c and r by b from the left, by elimination without pivots, which destroys b.
func eliminate(b, c rows, r []float64) {
	b, c, r = b[:5], c[:5], r[:5]
	for p := range b {
		bp, cp := &b[p], &c[p]
		pivot := 1 / bp[p]
		for j := p + 1; j < len(bp); j++ {
			bp[j] *= pivot
		}
		c0, c1, c2, c3, c4, x := pivot*cp[0], pivot*cp[1], pivot*cp[2], pivot*cp[3], pivot*cp[4], pivot*r[p]
		cp[0], cp[1], cp[2], cp[3], cp[4], r[p] = c0, c1, c2, c3, c4, x
		for i := range b {
			if i == p {
				continue
			}
			bi, ci := &b[i], &c[i]
			factor := bi[p]
			for j := p + 1; j < len(bi); j++ {
				bi[j] -= factor * bp[j]
			}
			ci[0] -= factor * c0
			ci[1] -= factor * c1
			ci[2] -= factor * c2
			ci[3] -= factor * c3
			ci[4] -= factor * c4
			r[i] -= factor * x
		}
	}
}

// eliminateVector divides r by b from the left.
func eliminateVector(b rows, r []float64) {
	b, r = b[:5], r[:5]
	for p := range b {
		bp := &b[p]
		pivot := 1 / bp[p]
		for j := p + 1; j < len(bp); j++ {
			bp[j] *= pivot
		}
		x := r[p] * pivot
		r[p] = x
		for i := range b {
			if i == p {
				continue
			}
			bi := &b[i]
			factor := bi[p]
			for j := p + 1; j < len(bi); j++ {
				bi[j] -= factor * bp[j]
			}
			r[i] -= factor * x
		}
	}
}

// subtractProduct subtracts a b from c.
func subtractProduct(c, a, b rows) {
	a, b, c = a[:5], b[:5], c[:5]
	b0, b1, b2, b3, b4 := &b[0], &b[1], &b[2], &b[3], &b[4]
	for i := range a {
		a0, a1, a2, a3, a4 := a[i][0], a[i][1], a[i][2], a[i][3], a[i][4]
		row := &c[i]
		for j, x := range row {
			row[j] = x - a0*b0[j] - a1*b1[j] - a2*b2[j] - a3*b3[j] - a4*b4[j]
		}
	}
}

// subtractVector subtracts a x from r.
func subtractVector(r []float64, a rows, x []float64) {
	r, a, x = r[:5], a[:5], x[:5]
	x0, x1, x2, x3, x4 := x[0], x[1], x[2], x[3], x[4]
	for i := range r {
		row := &a[i]
		r[i] = r[i] - row[0]*x0 - row[1]*x1 - row[2]*x2 - row[3]*x3 - row[4]*x4
	}
}
