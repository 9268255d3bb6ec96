package main

import (
	"math"
	"math/bits"
	"math/cmplx"
)

// block is how many lines are transformed at once, in scratch memory that stays in a cache.
const block = 16

// grid is how many points there are along each axis, all powers of two. In memory x is next to x+1.
type grid struct{ nx, ny, nz int }

func (g grid) points() int { return g.nx * g.ny * g.nz }

// transformer does discrete Fourier transforms of three-dimensional fields. It is not for concurrent use.
type transformer struct {
	grid
	roots [][]complex128 // [l]: the first half of the 2^(l+1)th roots of one, exp(-πi k/2^l)
	a, b  []complex128   // the lines, element by element: block first elements, block second elements …
}

func newTransformer(g grid) *transformer {
	longest := max(g.nx, g.ny, g.nz)
	t := &transformer{grid: g, a: make([]complex128, longest*block), b: make([]complex128, longest*block)}
	for half := 1; half < longest; half *= 2 {
		roots := make([]complex128, half)
		for k := range roots {
			sin, cos := math.Sincos(-math.Pi * float64(k) / float64(half))
			roots[k] = complex(cos, sin)
		}
		t.roots = append(t.roots, roots)
	}
	return t
}

// forward transforms u along x, then y, then z.
func (t *transformer) forward(u []complex128) {
	t.alongX(u, false)
	t.alongY(u, false)
	t.alongZ(u, false)
}

// inverse does the opposite of forward, but for the factor of the number of points.
func (t *transformer) inverse(u []complex128) {
	t.alongZ(u, true)
	t.alongY(u, true)
	t.alongX(u, true)
}

func (t *transformer) alongX(u []complex128, inverse bool) {
	for line := 0; line < t.ny*t.nz; line += block {
		t.lines(u[line*t.nx:], t.nx, 1, t.nx, inverse)
	}
}

func (t *transformer) alongY(u []complex128, inverse bool) {
	for k := range t.nz {
		for i := 0; i < t.nx; i += block {
			t.lines(u[k*t.nx*t.ny+i:], t.ny, t.nx, 1, inverse)
		}
	}
}

func (t *transformer) alongZ(u []complex128, inverse bool) {
	for line := 0; line < t.nx*t.ny; line += block {
		t.lines(u[line:], t.nz, t.nx*t.ny, 1, inverse)
	}
}

// lines transforms block lines of n elements. The elements of a line are stride apart, and the lines are apart by apart.
func (t *transformer) lines(u []complex128, n, stride, apart int, inverse bool) {
	from, to := t.a[:n*block], t.b[:n*block]
	for i := range n {
		row := from[i*block:][:block]
		for j, at := 0, i*stride; j < len(row); j, at = j+1, at+apart {
			row[j] = u[at]
		}
	}
	for half := 1; half < n; half *= 2 {
		stage(to, from, t.roots[bits.Len(uint(n/2/half))-1], half, inverse)
		from, to = to, from
	}
	for i := range n {
		row := from[i*block:][:block]
		for j, at := 0, i*stride; j < len(row); j, at = j+1, at+apart {
			u[at] = row[j]
		}
	}
}

// stage does one stage of the algorithm of Stockham, which sorts as it goes: half is the length of the transforms that are
// done, and there are as many roots as pairs of them to be joined. Elements that are half of all apart in src are joined, and
// come to be half apart in dst.
func stage(dst, src, roots []complex128, half int, inverse bool) {
	half *= block
	upper := src[len(src)/2:]
	for k, w := range roots {
		if inverse {
			w = cmplx.Conj(w)
		}
		join(dst[2*k*half:][:half], dst[(2*k+1)*half:][:half], src[k*half:][:half], upper[k*half:][:half], w)
	}
}

// join does butterflies: the sums of x and y, and w times their differences.
func join(sums, differences, x, y []complex128, w complex128) {
	sums, differences, y = sums[:len(x)], differences[:len(x)], y[:len(x)]
	for j, a := range x {
		b := y[j]
		sums[j] = a + b
		differences[j] = w * (a - b)
	}
}
