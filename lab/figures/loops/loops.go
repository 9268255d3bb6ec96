// Package loops is the work of May, "MPX: Software for Multiplexing Hardware Performance Counters in Multithreaded Programs",
// section 6: floating-point multiplications and additions on large arrays, in an order that keeps to the level-one cache,
// straight on, and at random places, which are the same in every run.
package loops

// The sizes. A tile of the three arrays is 24 KiB: three of the four ways of a cache of 32 KiB.
const (
	Elements = 1 << 18 // of each array: 2 MiB
	Tile     = 1 << 10 // elements
	Depth    = 22      // multiplications, and as many additions, of an iteration

	apart = 1 << 13 // elements between the arrays, so that they do not meet in translation buffers and caches of few ways
)

// Patterns are the orders, by their names.
var Patterns = []string{"tiled", "untiled", "random"}

// Arrays is what the loops work on; one goroutine at a time.
type Arrays struct {
	A, B, C []float64
	Index   []uint32
	Passes  int // over a tile before the next
}

// New returns arrays on which the loops converge to ones.
func New(passes int) *Arrays {
	all := make([]float64, 3*Elements+2*apart)
	x := &Arrays{all[:Elements], all[Elements+apart:][:Elements], all[2*(Elements+apart):], make([]uint32, Elements), passes}
	for i := range x.B {
		x.B[i], x.C[i], x.Index[i] = 0.5, 0.5, scatter(uint32(i))
	}
	return x
}

// scatter is a permutation of the elements' numbers.
func scatter(i uint32) uint32 {
	const mask = Elements - 1
	i = i * 0x9e375 & mask
	i ^= i >> 9
	i = i * 0x2c1b3 & mask
	return i ^ i>>7
}

// Run does the iterations from one number up to another, which is not done any more.
func (x *Arrays) Run(pattern string, from, to int) {
	if pattern == "random" {
		for ; from < to; from++ {
			k := x.Index[from%Elements]
			b, c := x.B[k], x.C[k]
			x.A[k] = work(work(x.A[k], b, c), b, c)
		}
		return
	}
	for from < to {
		at, n := from%Elements, to-from
		if pattern == "tiled" {
			at = (from/(Tile*x.Passes)*Tile + from%Tile) % Elements
			n = min(n, Tile-from%Tile)
		}
		n = min(n, Elements-at)
		straight(x.A[at:at+n], x.B[at:at+n], x.C[at:at+n])
		from += n
	}
}

//go:noinline
func straight(a, b, c []float64) {
	b, c = b[:len(a)], c[:len(a)]
	for i, v := range a {
		a[i] = work(work(v, b[i], c[i]), b[i], c[i])
	}
}

// work is half of an iteration: of as many operations as the compiler puts in line.
func work(v, b, c float64) float64 {
	v = v*b + c
	v = v*b + c
	v = v*b + c
	v = v*b + c
	v = v*b + c
	v = v*b + c
	v = v*b + c
	v = v*b + c
	v = v*b + c
	v = v*b + c
	return v*b + c
}

// Scrub fills the caches with what the loops do not use first.
func (x *Arrays) Scrub() (sum uint32) {
	const line = 32 / 4
	for i := 0; i < len(x.Index); i += line {
		sum += x.Index[i]
	}
	for i := 0; i < len(x.C)/2; i += line / 2 {
		sum += uint32(x.C[len(x.C)/2+i])
	}
	return sum
}
