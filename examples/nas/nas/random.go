package nas

// Multiplier is a of NAS's generator of pseudo-random numbers, x(k+1) = a x(k) mod 2^46: it is 5^13. All numbers of the
// generator are integers below 2^46, in float64.
const Multiplier = 1220703125

// Powers of two by which numbers are cut in halves of 23 bits.
const (
	r23, t23 = 1.0 / (1 << 23), 1 << 23
	r46, t46 = 1.0 / (1 << 46), 1 << 46
)

// Random replaces x by the next number of the generator, a x mod 2^46, and returns it divided by 2^46: a number between 0 and 1.
// All arithmetic in it is exact, fused or not.
func Random(x *float64, a float64) float64 {
	a1 := float64(int64(r23 * a))
	a2 := a - t23*a1
	*x = next(*x, a1, a2)
	return r46 * *x
}

// Randoms fills y with the next numbers of the generator between 0 and 1, and leaves the last, undivided, in x.
func Randoms(y []float64, x *float64, a float64) {
	a1 := float64(int64(r23 * a))
	a2 := a - t23*a1
	s := *x
	for i := range y {
		s = next(s, a1, a2)
		y[i] = r46 * s
	}
	*x = s
}

// next multiplies x by a = 2^23 a1 + a2, modulo 2^46: the product of the upper halves is a multiple of 2^46.
func next(x, a1, a2 float64) float64 {
	x1 := float64(int64(r23 * x))
	x2 := x - t23*x1
	middle := a1*x2 + a2*x1
	z := middle - t23*float64(int64(r23*middle))
	low := t23*z + a2*x2
	return low - t46*float64(int64(r46*low))
}

// Power returns a^n mod 2^46: multiplied by it, the generator goes n numbers ahead.
func Power(a float64, n int) float64 {
	power := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			Random(&power, a)
		}
		Random(&a, a)
	}
	return power
}
