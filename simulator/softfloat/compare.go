package softfloat

import "math/bits"

// less orders two numbers that are no NaNs; zeros are equal.
func (f *Format) less(a, b uint64) bool {
	if f.isZero(a) && f.isZero(b) {
		return false
	}
	negativeA, negativeB := a&f.signBit() != 0, b&f.signBit() != 0
	switch {
	case negativeA != negativeB:
		return negativeA
	case negativeA:
		return a > b
	}
	return a < b
}

// Equal tells whether a = b; only signaling NaNs are invalid.
func (f *Format) Equal(a, b uint64, flags *Flags) bool {
	if f.IsNaN(a) || f.IsNaN(b) {
		if f.IsSignaling(a) || f.IsSignaling(b) {
			*flags |= Invalid
		}
		return false
	}
	return a == b || f.isZero(a) && f.isZero(b)
}

// Less tells whether a < b; NaNs are invalid.
func (f *Format) Less(a, b uint64, flags *Flags) bool {
	if f.IsNaN(a) || f.IsNaN(b) {
		*flags |= Invalid
		return false
	}
	return f.less(a, b)
}

// LessOrEqual tells whether a ≤ b; NaNs are invalid.
func (f *Format) LessOrEqual(a, b uint64, flags *Flags) bool {
	if f.IsNaN(a) || f.IsNaN(b) {
		*flags |= Invalid
		return false
	}
	return !f.less(b, a)
}

// Min returns the smaller number, −0 being smaller than +0, and a number rather than a NaN (minimumNumber).
func (f *Format) Min(a, b uint64, flags *Flags) uint64 { return f.choose(a, b, flags, false) }

// Max returns the larger number likewise.
func (f *Format) Max(a, b uint64, flags *Flags) uint64 { return f.choose(a, b, flags, true) }

func (f *Format) choose(a, b uint64, flags *Flags, larger bool) uint64 {
	if f.IsSignaling(a) || f.IsSignaling(b) {
		*flags |= Invalid
	}
	switch {
	case f.IsNaN(a) && f.IsNaN(b):
		return f.NaN()
	case f.IsNaN(a):
		return b
	case f.IsNaN(b):
		return a
	}
	first := f.less(a, b) || f.isZero(a) && f.isZero(b) && a&f.signBit() != 0
	if first != larger {
		return a
	}
	return b
}

// Classify returns the mask of the FCLASS instructions.
func (f *Format) Classify(x uint64) uint64 {
	negative := x&f.signBit() != 0
	var class uint
	switch e := f.exponent(x); {
	case f.IsSignaling(x):
		return 1 << 8
	case f.IsNaN(x):
		return 1 << 9
	case e == f.top:
		class = 7
	case f.isZero(x):
		class = 4
	case e == 0:
		class = 5
	default:
		class = 6
	}
	if negative {
		class = 7 - class
	}
	return 1 << class
}

// To converts x to another format.
func (f *Format) To(to *Format, x uint64, rm Rounding, flags *Flags) uint64 {
	negative := x&f.signBit() != 0
	switch {
	case f.IsNaN(x):
		if f.IsSignaling(x) {
			*flags |= Invalid
		}
		return to.NaN()
	case f.isInf(x):
		return to.sign(negative) | to.infinity()
	case f.isZero(x):
		return to.sign(negative)
	}
	return to.round(f.unpack(x), false, rm, flags)
}

// FromInt converts an integer of 64 bits.
func (f *Format) FromInt(v int64, rm Rounding, flags *Flags) uint64 {
	if v < 0 {
		return f.fromMagnitude(true, -uint64(v), rm, flags)
	}
	return f.fromMagnitude(false, uint64(v), rm, flags)
}

// FromUint converts an unsigned integer of 64 bits.
func (f *Format) FromUint(v uint64, rm Rounding, flags *Flags) uint64 {
	return f.fromMagnitude(false, v, rm, flags)
}

func (f *Format) fromMagnitude(negative bool, m uint64, rm Rounding, flags *Flags) uint64 {
	if m == 0 {
		return 0
	}
	shift := bits.LeadingZeros64(m)
	return f.round(number{negative, -shift, m << shift}, false, rm, flags)
}

// ToInt converts x to an integer between low and high, the ends of the type's range; what lies outside, and NaNs, become the
// nearest end (NaNs the high one) and are invalid.
func (f *Format) ToInt(x uint64, low int64, high uint64, rm Rounding, flags *Flags) uint64 {
	negative := x&f.signBit() != 0 && !f.IsNaN(x)
	limit := high
	if negative {
		limit = -uint64(low)
	}
	outside := func() uint64 {
		*flags |= Invalid
		if negative {
			return uint64(low)
		}
		return high
	}
	switch {
	case f.exponent(x) == f.top:
		return outside()
	case f.isZero(x):
		return 0
	}
	m, inexact, fits := f.unpack(x).integer(rm)
	if !fits || m > limit {
		return outside()
	}
	if inexact {
		*flags |= Inexact
	}
	if negative {
		return -m
	}
	return m
}

// integer rounds the magnitude of n to an integer, if it fits into 64 bits.
func (n number) integer(rm Rounding) (m uint64, inexact, fits bool) {
	switch {
	case n.e > 0:
		return 0, false, false
	case n.e == 0:
		return n.m, false, true
	}
	drop := uint(-n.e)
	var rest, half uint64 // of the bits dropped, aligned to the top
	sticky := false
	switch {
	case drop < 64:
		m, rest = n.m>>drop, n.m<<(64-drop)
	case drop == 64:
		rest = n.m
	default:
		rest, sticky = 0, true // less than a half
	}
	half = 1 << 63
	inexact = rest != 0 || sticky
	up := false
	switch rm {
	case NearestEven:
		up = rest > half || rest == half && m&1 != 0
	case NearestAway:
		up = rest >= half
	case Down:
		up = n.sign && inexact
	case Up:
		up = !n.sign && inexact
	}
	if up {
		m++
		if m == 0 {
			return 0, inexact, false
		}
	}
	return m, inexact, true
}
