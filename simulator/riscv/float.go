//go:build linux

package riscv

import (
	"math"

	"tracerec/simulator/softfloat"
)

// boxed is the upper half of a register that holds a single.
const boxed = 0xffffffff_00000000

// single returns the single in a register; what is not boxed is a NaN.
func (h *Hart) single(r uint8) uint64 {
	if v := h.F[r&31]; v >= boxed {
		return v &^ boxed
	}
	return softfloat.Single.NaN()
}

// plain tells whether a result of the host that is normal, and well above the smallest such, can be taken: when rounding to
// nearest, nothing but Inexact can come of it then, and that is set already.
func (h *Hart) plain(in *Instruction) bool {
	return h.Flags&softfloat.Inexact != 0 && (in.Rm == 0 || in.Rm == dynamic && h.Rounding == 0)
}

// fastDouble executes a sum, difference, product, quotient or ±(a × b) ± c by the host if it can; otherwise it is slow.
func (h *Hart) fastDouble(in *Instruction) *Instruction {
	a, b := double(h.F[in.Rs1&31]), double(h.F[in.Rs2&31])
	var r float64
	switch in.Op {
	case FADDD:
		r = a + b
	case FSUBD:
		r = a - b
	case FMULD:
		r = a * b
	case FDIVD:
		r = a / b
	case FMADDD:
		r = math.FMA(a, b, double(h.F[in.Rs3&31]))
	case FMSUBD:
		r = math.FMA(a, b, -double(h.F[in.Rs3&31]))
	case FNMSUBD:
		r = math.FMA(-a, b, double(h.F[in.Rs3&31]))
	default:
		r = math.FMA(-a, b, -double(h.F[in.Rs3&31]))
	}
	if !h.plain(in) || !normalDouble(r) {
		return h.slow(in)
	}
	h.F[in.Rd&31] = math.Float64bits(r)
	return in
}

func double(v uint64) float64 { return math.Float64frombits(v) }

func normalDouble(r float64) bool {
	e := math.Float64bits(r) >> 52 & 0x7ff
	return e >= 2 && e <= 2046
}

func normalSingle(r float32) bool {
	e := math.Float32bits(r) >> 23 & 0xff
	return e >= 2 && e <= 254
}

// float executes a floating-point instruction; false if its rounding mode is none.
func (h *Hart) float(in *Instruction) bool {
	rm := softfloat.Rounding(in.Rm)
	if rm == dynamic {
		rm = h.Rounding
	}
	switch {
	case in.Op >= FMADDS && in.Op <= FMVWX:
		return h.floatSingle(in, rm)
	case in.Op >= FMADDD && in.Op <= FMVDX:
		return h.floatDouble(in, rm)
	}
	return false
}

// ranges of the conversions to integers, in the order of the operations.
var ranges = [4]struct {
	low  int64
	high uint64
}{{math.MinInt32, math.MaxInt32}, {0, math.MaxUint32}, {math.MinInt64, math.MaxInt64}, {0, math.MaxUint64}}

// toInt converts to the n-th kind of integer. Those of 32 bits are extended by their sign, also unsigned ones.
func (h *Hart) toInt(f *softfloat.Format, x uint64, n Op, rm softfloat.Rounding) uint64 {
	v := f.ToInt(x, ranges[n].low, ranges[n].high, rm, &h.Flags)
	if n < 2 {
		return word(uint32(v))
	}
	return v
}

// fromInt converts the n-th kind of integer.
func (h *Hart) fromInt(f *softfloat.Format, v uint64, n Op, rm softfloat.Rounding) uint64 {
	switch n {
	case 0:
		return f.FromInt(int64(int32(v)), rm, &h.Flags)
	case 1:
		return f.FromUint(uint64(uint32(v)), rm, &h.Flags)
	case 2:
		return f.FromInt(int64(v), rm, &h.Flags)
	}
	return f.FromUint(v, rm, &h.Flags)
}

// sign returns magnitude with the sign of another number: copied, inverted or multiplied.
func sign(n Op, a, b, bit uint64) uint64 {
	switch n {
	case 0:
		return a&^bit | b&bit
	case 1:
		return a&^bit | ^b&bit
	}
	return a ^ b&bit
}

func (h *Hart) floatDouble(in *Instruction, rm softfloat.Rounding) bool {
	f, flags := softfloat.Double, &h.Flags
	a, b := h.F[in.Rs1&31], h.F[in.Rs2&31]
	rounds := rm <= 4
	switch op := in.Op; op {
	case FSGNJD, FSGNJND, FSGNJXD:
		h.F[in.Rd&31] = sign(op-FSGNJD, a, b, 1<<63)
		return true
	case FMIND:
		h.F[in.Rd&31] = f.Min(a, b, flags)
		return true
	case FMAXD:
		h.F[in.Rd&31] = f.Max(a, b, flags)
		return true
	case FEQD:
		h.X[in.Rd] = b2u(f.Equal(a, b, flags))
		return true
	case FLTD:
		h.X[in.Rd] = b2u(f.Less(a, b, flags))
		return true
	case FLED:
		h.X[in.Rd] = b2u(f.LessOrEqual(a, b, flags))
		return true
	case FCLASSD:
		h.X[in.Rd] = f.Classify(a)
		return true
	case FMVXD:
		h.X[in.Rd] = a
		return true
	case FMVDX:
		h.F[in.Rd&31] = h.X[in.Rs1]
		return true
	}
	if !rounds {
		return false
	}
	switch op := in.Op; op {
	case FMADDD, FMSUBD, FNMSUBD, FNMADDD:
		h.fusedDouble(in, a, b, rm)
	case FADDD:
		h.F[in.Rd&31] = f.Add(a, b, rm, flags)
	case FSUBD:
		h.F[in.Rd&31] = f.Sub(a, b, rm, flags)
	case FMULD:
		h.F[in.Rd&31] = f.Mul(a, b, rm, flags)
	case FDIVD:
		h.F[in.Rd&31] = f.Div(a, b, rm, flags)
	case FSQRTD:
		if r := math.Sqrt(math.Float64frombits(a)); h.plain(in) && normalDouble(r) {
			h.F[in.Rd&31] = math.Float64bits(r)
		} else {
			h.F[in.Rd&31] = f.Sqrt(a, rm, flags)
		}
	case FCVTSD:
		h.F[in.Rd&31] = boxed | f.To(softfloat.Single, a, rm, flags)
	case FCVTDS:
		h.F[in.Rd&31] = softfloat.Single.To(f, h.single(in.Rs1), rm, flags)
	case FCVTWD, FCVTWUD, FCVTLD, FCVTLUD:
		h.X[in.Rd] = h.toInt(f, a, op-FCVTWD, rm)
	case FCVTDW, FCVTDWU, FCVTDL, FCVTDLU:
		h.F[in.Rd&31] = h.fromInt(f, h.X[in.Rs1], op-FCVTDW, rm)
	}
	return true
}

// fusedDouble computes ±(a × b) ± c.
func (h *Hart) fusedDouble(in *Instruction, a, b uint64, rm softfloat.Rounding) {
	c := h.F[in.Rs3&31]
	const negative = 1 << 63
	if in.Op == FNMSUBD || in.Op == FNMADDD {
		a ^= negative
	}
	if in.Op == FMSUBD || in.Op == FNMADDD {
		c ^= negative
	}
	h.F[in.Rd&31] = softfloat.Double.FMA(a, b, c, rm, &h.Flags)
}

func (h *Hart) floatSingle(in *Instruction, rm softfloat.Rounding) bool {
	f, flags := softfloat.Single, &h.Flags
	switch op := in.Op; op {
	case FMVXW:
		h.X[in.Rd] = word(uint32(h.F[in.Rs1&31])) // whatever the box
		return true
	case FMVWX:
		h.F[in.Rd&31] = boxed | uint64(uint32(h.X[in.Rs1]))
		return true
	case FCVTSW, FCVTSWU, FCVTSL, FCVTSLU:
		if rm <= 4 {
			h.F[in.Rd&31] = boxed | h.fromInt(f, h.X[in.Rs1], op-FCVTSW, rm)
		}
		return rm <= 4
	}
	a, b := h.single(in.Rs1), h.single(in.Rs2)
	switch op := in.Op; op {
	case FSGNJS, FSGNJNS, FSGNJXS:
		h.F[in.Rd&31] = boxed | sign(op-FSGNJS, a, b, 1<<31)
		return true
	case FMINS:
		h.F[in.Rd&31] = boxed | f.Min(a, b, flags)
		return true
	case FMAXS:
		h.F[in.Rd&31] = boxed | f.Max(a, b, flags)
		return true
	case FEQS:
		h.X[in.Rd] = b2u(f.Equal(a, b, flags))
		return true
	case FLTS:
		h.X[in.Rd] = b2u(f.Less(a, b, flags))
		return true
	case FLES:
		h.X[in.Rd] = b2u(f.LessOrEqual(a, b, flags))
		return true
	case FCLASSS:
		h.X[in.Rd] = f.Classify(a)
		return true
	}
	if rm > 4 {
		return false
	}
	switch op := in.Op; op {
	case FCVTWS, FCVTWUS, FCVTLS, FCVTLUS:
		h.X[in.Rd] = h.toInt(f, a, op-FCVTWS, rm)
	default:
		h.F[in.Rd&31] = boxed | h.arithmeticSingle(in, a, b, rm)
	}
	return true
}

// arithmeticSingle computes an operation whose result is a single.
func (h *Hart) arithmeticSingle(in *Instruction, a, b uint64, rm softfloat.Rounding) uint64 {
	f, flags := softfloat.Single, &h.Flags
	if h.plain(in) && in.Op >= FADDS && in.Op <= FDIVS {
		x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		r := [4]func(x, y float32) float32{add32, sub32, mul32, div32}[in.Op-FADDS](x, y)
		if normalSingle(r) {
			return uint64(math.Float32bits(r))
		}
	}
	switch in.Op {
	case FADDS:
		return f.Add(a, b, rm, flags)
	case FSUBS:
		return f.Sub(a, b, rm, flags)
	case FMULS:
		return f.Mul(a, b, rm, flags)
	case FDIVS:
		return f.Div(a, b, rm, flags)
	case FSQRTS:
		return f.Sqrt(a, rm, flags)
	}
	c := h.single(in.Rs3)
	const negative = 1 << 31
	if in.Op == FNMSUBS || in.Op == FNMADDS {
		a ^= negative
	}
	if in.Op == FMSUBS || in.Op == FNMADDS {
		c ^= negative
	}
	return f.FMA(a, b, c, rm, flags)
}

func add32(x, y float32) float32 { return x + y }
func sub32(x, y float32) float32 { return x - y }
func mul32(x, y float32) float32 { return x * y }
func div32(x, y float32) float32 { return x / y }
