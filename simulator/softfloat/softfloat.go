// Package softfloat computes with IEEE 754 binary32 and binary64 numbers in all rounding modes of RISC-V, with
// exception flags. Numbers are bit patterns. Results are those of the RISC-V specification (volume I, chapters 11
// and 12): every NaN result is the canonical one, tininess is detected after rounding.
package softfloat

import "math/bits"

// Rounding is a rounding mode, numbered as in the rm field of instructions.
type Rounding uint8

// The rounding modes.
const (
	NearestEven Rounding = 0 // RNE
	TowardZero  Rounding = 1 // RTZ
	Down        Rounding = 2 // RDN
	Up          Rounding = 3 // RUP
	NearestAway Rounding = 4 // RMM: ties to the larger magnitude
)

// Flags are accrued exceptions, as in the fflags register.
type Flags uint8

// The exceptions.
const (
	Inexact   Flags = 1 << iota // NX
	Underflow                   // UF
	Overflow                    // OF
	DivByZero                   // DZ
	Invalid                     // NV
)

// Format is a binary interchange format.
type Format struct {
	fraction int // bits of the stored significand
	bias     int
	top      int // the exponent field of infinities and NaNs
}

// The two formats.
var (
	Single = &Format{23, 127, 255}
	Double = &Format{52, 1023, 2047}
)

func (f *Format) signBit() uint64 { return 1 << (f.width() - 1) }
func (f *Format) width() int {
	if f == Single {
		return 32
	}
	return 64
}
func (f *Format) infinity() uint64 { return uint64(f.top) << f.fraction }

// NaN returns the canonical NaN.
func (f *Format) NaN() uint64 { return f.infinity() | 1<<(f.fraction-1) }

func (f *Format) exponent(x uint64) int { return int(x>>f.fraction) & f.top }
func (f *Format) bits(x uint64) uint64  { return x & (1<<f.fraction - 1) }

// IsNaN tells whether x is a NaN.
func (f *Format) IsNaN(x uint64) bool { return f.exponent(x) == f.top && f.bits(x) != 0 }

// IsSignaling tells whether x is a signaling NaN.
func (f *Format) IsSignaling(x uint64) bool { return f.IsNaN(x) && x>>(f.fraction-1)&1 == 0 }

func (f *Format) isInf(x uint64) bool  { return f.exponent(x) == f.top && f.bits(x) == 0 }
func (f *Format) isZero(x uint64) bool { return x&^f.signBit() == 0 }

// number is a finite number that is not 0: (-1)^sign × m × 2^e, with the highest bit of m set.
type number struct {
	sign bool
	e    int
	m    uint64
}

// unpack takes apart a finite number that is not 0.
func (f *Format) unpack(x uint64) number {
	n := number{sign: x&f.signBit() != 0}
	e := f.exponent(x)
	if n.m = f.bits(x); e == 0 {
		e = 1
	} else {
		n.m |= 1 << f.fraction
	}
	shift := bits.LeadingZeros64(n.m)
	n.m <<= shift
	n.e = e - f.bias - f.fraction - shift
	return n
}

func (f *Format) sign(negative bool) uint64 {
	if negative {
		return f.signBit()
	}
	return 0
}

// round packs n, of whose significand less than the lowest bit is lost if sticky: the value lies between m and m+1 then.
// The highest bit of m is set.
func (f *Format) round(n number, sticky bool, rm Rounding, flags *Flags) uint64 {
	drop := 63 - f.fraction // bits of m behind those stored
	exponent := n.e + 63 + f.bias
	tiny := false
	if exponent <= 0 {
		// Rounded with an unbounded exponent: is it still below the smallest normal number?
		tiny = exponent < 0 || !carries(n.m, drop, sticky, rm, n.sign)
		shift := uint(1 - exponent)
		if shift > 63 {
			sticky, n.m = true, 0 // something, far below
		} else {
			sticky = sticky || n.m<<(64-shift) != 0
			n.m >>= shift
		}
		exponent = 0
	}
	rest := n.m & (1<<drop - 1)
	inexact := rest != 0 || sticky
	m := n.m >> drop
	if roundsUp(m&1 != 0, rest, drop, sticky, rm, n.sign) {
		m++
	}
	if inexact {
		*flags |= Inexact
		if tiny {
			*flags |= Underflow
		}
	}
	packed := m // of subnormal numbers; m may have become the smallest normal one
	if exponent > 0 {
		packed = uint64(exponent-1)<<f.fraction + m // the leading bit of m adds 1 to the exponent, a carry another
	}
	if exponent >= f.top || packed >= f.infinity() {
		*flags |= Overflow | Inexact
		packed = f.infinity()
		if rm == TowardZero || rm == Down && !n.sign || rm == Up && n.sign {
			packed-- // the largest finite number
		}
	}
	return f.sign(n.sign) | packed
}

// roundsUp tells whether a significand grows by one when the bits behind it are dropped.
func roundsUp(odd bool, rest uint64, drop int, sticky bool, rm Rounding, negative bool) bool {
	half := uint64(1) << (drop - 1)
	switch rm {
	case NearestEven:
		return rest > half || rest == half && (sticky || odd)
	case NearestAway:
		return rest >= half
	case Down:
		return negative && (rest != 0 || sticky)
	case Up:
		return !negative && (rest != 0 || sticky)
	}
	return false
}

// carries tells whether rounding m to its leading 64-drop bits gives the next power of two.
func carries(m uint64, drop int, sticky bool, rm Rounding, negative bool) bool {
	rest := m & (1<<drop - 1)
	all := m>>drop == 1<<(64-drop)-1
	return all && roundsUp(true, rest, drop, sticky, rm, negative)
}

// nan returns the result of an operation on a NaN or of an invalid one.
func (f *Format) nan(flags *Flags, operands ...uint64) uint64 {
	quiet := false
	for _, x := range operands {
		if f.IsSignaling(x) {
			*flags |= Invalid
		}
		quiet = quiet || f.IsNaN(x)
	}
	if !quiet {
		*flags |= Invalid
	}
	return f.NaN()
}

// Add returns a + b.
func (f *Format) Add(a, b uint64, rm Rounding, flags *Flags) uint64 {
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.isInf(a) && f.isInf(b) && a != b:
		return f.nan(flags, a, b)
	case f.isInf(a):
		return a
	case f.isInf(b):
		return b
	case f.isZero(a) && f.isZero(b):
		return f.zeroSum(a, b, rm)
	case f.isZero(a):
		return b
	case f.isZero(b):
		return a
	}
	return f.sum(f.unpack(a), f.unpack(b), rm, flags)
}

// Sub returns a − b.
func (f *Format) Sub(a, b uint64, rm Rounding, flags *Flags) uint64 {
	if f.IsNaN(b) {
		return f.nan(flags, a, b)
	}
	return f.Add(a, b^f.signBit(), rm, flags)
}

// zeroSum returns the sum of two zeros, or of two numbers that cancel.
func (f *Format) zeroSum(a, b uint64, rm Rounding) uint64 {
	if a == b {
		return a
	}
	return f.sign(rm == Down)
}

// sum adds numbers with 64 bits each; nothing is lost but what is sticky.
func (f *Format) sum(x, y number, rm Rounding, flags *Flags) uint64 {
	return f.wideSum(wide{x.sign, x.e - 64, x.m, 0}, wide{y.sign, y.e - 64, y.m, 0}, rm, flags)
}

// wide is a number with 128 bits: (-1)^sign × (hi·2^64 + lo) × 2^e, with the highest bit of hi set.
type wide struct {
	sign   bool
	e      int
	hi, lo uint64
}

func (f *Format) wideSum(x, y wide, rm Rounding, flags *Flags) uint64 {
	if y.e > x.e || y.e == x.e && (y.hi > x.hi || y.hi == x.hi && y.lo > x.lo) {
		x, y = y, x
	}
	sticky := y.shiftRight(uint(x.e - y.e))
	var carry uint64
	if x.sign == y.sign {
		if x.lo, carry = bits.Add64(x.lo, y.lo, 0); true {
			x.hi, carry = bits.Add64(x.hi, y.hi, carry)
		}
		if carry != 0 {
			sticky = sticky || x.lo&1 != 0
			x.lo = x.lo>>1 | x.hi<<63
			x.hi = x.hi>>1 | 1<<63
			x.e++
		}
	} else {
		x.lo, carry = bits.Sub64(x.lo, y.lo, 0)
		x.hi, _ = bits.Sub64(x.hi, y.hi, carry)
		if sticky { // a little less than y was subtracted: the value lies below x
			x.lo, carry = bits.Sub64(x.lo, 1, 0)
			x.hi -= carry
		}
		if x.hi|x.lo == 0 && !sticky {
			return f.sign(rm == Down)
		}
	}
	x.normalize()
	return f.round(number{x.sign, x.e + 64, x.hi}, sticky || x.lo != 0, rm, flags)
}

// shiftRight divides by a power of two and tells whether something was lost.
func (w *wide) shiftRight(n uint) (sticky bool) {
	switch {
	case n == 0:
	case n < 64:
		sticky = w.lo<<(64-n) != 0
		w.lo = w.lo>>n | w.hi<<(64-n)
		w.hi >>= n
	case n < 128:
		n -= 64
		sticky = w.lo != 0 || n > 0 && w.hi<<(64-n) != 0
		w.lo, w.hi = w.hi>>n, 0
	default:
		sticky = true
		w.lo, w.hi = 0, 0
	}
	return sticky
}

func (w *wide) normalize() {
	if w.hi == 0 {
		w.hi, w.lo = w.lo, 0
		w.e -= 64
	}
	if n := uint(bits.LeadingZeros64(w.hi)); n > 0 && n < 64 {
		w.hi = w.hi<<n | w.lo>>(64-n)
		w.lo <<= n
		w.e -= int(n)
	}
}

// Mul returns a × b.
func (f *Format) Mul(a, b uint64, rm Rounding, flags *Flags) uint64 {
	negative := (a^b)&f.signBit() != 0
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.isInf(a) && f.isZero(b) || f.isZero(a) && f.isInf(b):
		return f.nan(flags, a, b)
	case f.isInf(a) || f.isInf(b):
		return f.sign(negative) | f.infinity()
	case f.isZero(a) || f.isZero(b):
		return f.sign(negative)
	}
	p := product(f.unpack(a), f.unpack(b))
	return f.round(number{p.sign, p.e + 64, p.hi}, p.lo != 0, rm, flags)
}

// product multiplies exactly.
func product(x, y number) wide {
	w := wide{sign: x.sign != y.sign, e: x.e + y.e}
	w.hi, w.lo = bits.Mul64(x.m, y.m)
	w.normalize()
	return w
}

// FMA returns a × b + c, rounded once.
func (f *Format) FMA(a, b, c uint64, rm Rounding, flags *Flags) uint64 {
	negative := (a^b)&f.signBit() != 0
	switch invalid := f.isInf(a) && f.isZero(b) || f.isZero(a) && f.isInf(b); {
	case invalid:
		*flags |= Invalid // also beside a quiet NaN
		return f.nan(flags, a, b, c)
	case f.IsNaN(a) || f.IsNaN(b) || f.IsNaN(c):
		return f.nan(flags, a, b, c)
	case f.isInf(a) || f.isInf(b):
		p := f.sign(negative) | f.infinity()
		if f.isInf(c) && c != p {
			return f.nan(flags)
		}
		return p
	case f.isInf(c):
		return c
	case f.isZero(a) || f.isZero(b):
		if f.isZero(c) {
			return f.zeroSum(f.sign(negative), c, rm)
		}
		return c
	}
	p := product(f.unpack(a), f.unpack(b))
	if f.isZero(c) {
		return f.round(number{p.sign, p.e + 64, p.hi}, p.lo != 0, rm, flags)
	}
	z := f.unpack(c)
	return f.wideSum(p, wide{z.sign, z.e - 64, z.m, 0}, rm, flags)
}

// Div returns a ÷ b.
func (f *Format) Div(a, b uint64, rm Rounding, flags *Flags) uint64 {
	negative := (a^b)&f.signBit() != 0
	switch {
	case f.IsNaN(a) || f.IsNaN(b) || f.isInf(a) && f.isInf(b) || f.isZero(a) && f.isZero(b):
		return f.nan(flags, a, b)
	case f.isInf(a):
		return f.sign(negative) | f.infinity()
	case f.isInf(b) || f.isZero(a):
		return f.sign(negative)
	case f.isZero(b):
		*flags |= DivByZero
		return f.sign(negative) | f.infinity()
	}
	x, y := f.unpack(a), f.unpack(b)
	quotient, rest := bits.Div64(x.m>>1, x.m<<63, y.m) // at least 2^62, below 2^64
	n := number{negative, x.e - y.e - 63, quotient}
	if quotient>>63 == 0 {
		// One more bit, so that the highest is set.
		more := uint64(0)
		if double, over := bits.Add64(rest, rest, 0); over != 0 || double >= y.m {
			more, rest = 1, double-y.m
		} else {
			rest = double
		}
		n.m, n.e = quotient<<1|more, n.e-1
	}
	return f.round(n, rest != 0, rm, flags)
}

// Sqrt returns the square root.
func (f *Format) Sqrt(a uint64, rm Rounding, flags *Flags) uint64 {
	switch {
	case f.IsNaN(a):
		return f.nan(flags, a)
	case f.isZero(a):
		return a
	case a&f.signBit() != 0:
		return f.nan(flags)
	case f.isInf(a):
		return a
	}
	x := f.unpack(a)
	// The root of m·2^e is that of (m·2^s)·2^-s·2^e, with e-s even and the radicand in [2^126, 2^128).
	hi, lo, e := x.m, uint64(0), x.e-64
	if e&1 != 0 {
		hi, lo, e = x.m>>1, x.m<<63, e+1
	}
	root, exact := sqrt128(hi, lo)
	return f.round(number{false, e / 2, root}, !exact, rm, flags)
}

// sqrt128 returns the integer square root of hi·2^64 + lo, which is at least 2^126, and whether it is exact.
func sqrt128(hi, lo uint64) (root uint64, exact bool) {
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		try := root | bit
		h, l := bits.Mul64(try, try)
		if h < hi || h == hi && l <= lo {
			root = try
		}
	}
	h, l := bits.Mul64(root, root)
	return root, h == hi && l == lo
}
