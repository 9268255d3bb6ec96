//go:build linux

package riscv

import (
	"math"
	"math/bits"
)

// slow executes what needs more than a few lines, and returns the instruction; nil if it is refused. See refused.
func (h *Hart) slow(in *Instruction) *Instruction {
	h.at = int(in.At)
	ok := true
	switch op := in.Op; {
	case op.atomic():
		ok = h.atomic(in, h.X[in.Rs1])
	case op >= CSRRW && op <= CSRRCI:
		ok = h.csr(in, uint64(in.At))
	case op >= FLW && op <= FMVDX:
		ok = h.float(in)
	default:
		h.X[in.Rd] = arithmetic(op, h.X[in.Rs1], h.X[in.Rs2])
	}
	if !ok {
		return nil
	}
	return in
}

// arithmetic returns the result of an operation on integers that the loop leaves to slow.
func arithmetic(op Op, a, b uint64) uint64 {
	switch op {
	case MULHSU:
		return mulhsu(a, b)
	case DIV:
		return div(a, b)
	case DIVU:
		return divu(a, b)
	case REM:
		return rem(a, b)
	case REMU:
		return remu(a, b)
	case DIVW:
		return divw(uint32(a), uint32(b))
	case DIVUW:
		return divuw(uint32(a), uint32(b))
	case REMW:
		return remw(uint32(a), uint32(b))
	case REMUW:
		return remuw(uint32(a), uint32(b))
	case CPOP:
		return uint64(bits.OnesCount64(a))
	case CPOPW:
		return uint64(bits.OnesCount32(uint32(a)))
	}
	return orcb(a)
}

func mulhsu(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi - uint64(int64(a)>>63)&b
}

// Divisions do not trap: by zero gives all ones and the dividend, an overflow the dividend and zero.

func div(a, b uint64) uint64 {
	switch {
	case b == 0:
		return math.MaxUint64
	case int64(a) == math.MinInt64 && int64(b) == -1:
		return a
	}
	return uint64(int64(a) / int64(b))
}

func divu(a, b uint64) uint64 {
	if b == 0 {
		return math.MaxUint64
	}
	return a / b
}

func rem(a, b uint64) uint64 {
	switch {
	case b == 0:
		return a
	case int64(a) == math.MinInt64 && int64(b) == -1:
		return 0
	}
	return uint64(int64(a) % int64(b))
}

func remu(a, b uint64) uint64 {
	if b == 0 {
		return a
	}
	return a % b
}

func divw(a, b uint32) uint64 {
	switch {
	case b == 0:
		return math.MaxUint64
	case int32(a) == math.MinInt32 && int32(b) == -1:
		return word(a)
	}
	return word(uint32(int32(a) / int32(b)))
}

func divuw(a, b uint32) uint64 {
	if b == 0 {
		return math.MaxUint64
	}
	return word(a / b)
}

func remw(a, b uint32) uint64 {
	switch {
	case b == 0:
		return word(a)
	case int32(a) == math.MinInt32 && int32(b) == -1:
		return 0
	}
	return word(uint32(int32(a) % int32(b)))
}

func remuw(a, b uint32) uint64 {
	if b == 0 {
		return word(a)
	}
	return word(a % b)
}

// orcb sets all bits of every byte that has one set.
func orcb(v uint64) uint64 {
	var r uint64
	for i := 0; i < 64; i += 8 {
		if v>>i&0xff != 0 {
			r |= 0xff << i
		}
	}
	return r
}
