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
	case op == SLLIUW, op == RORI, op == RORIW, op == BCLRI, op == BEXTI, op == BINVI, op == BSETI:
		h.X[in.Rd] = bitwise(op, h.X[in.Rs1], uint64(in.Imm))
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
	case MULH:
		return mulhsu(a, b) - uint64(int64(b)>>63)&a
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
	return bitwise(op, a, b)
}

// bitwise returns the result of an operation of the extensions for bits and addresses, or of a rare one on words; b is the immediate of those
// that have one.
func bitwise(op Op, a, b uint64) uint64 {
	switch op {
	case ADDUW:
		return uint64(uint32(a)) + b
	case SH1ADD:
		return a<<1 + b
	case SH2ADD:
		return a<<2 + b
	case SH3ADD:
		return a<<3 + b
	case SH1ADDUW:
		return uint64(uint32(a))<<1 + b
	case SH2ADDUW:
		return uint64(uint32(a))<<2 + b
	case SH3ADDUW:
		return uint64(uint32(a))<<3 + b
	case SLLIUW:
		return uint64(uint32(a)) << (b & 63)
	case ANDN:
		return a &^ b
	case ORN:
		return a | ^b
	case XNOR:
		return ^(a ^ b)
	case CLZ:
		return uint64(bits.LeadingZeros64(a))
	case CLZW:
		return uint64(bits.LeadingZeros32(uint32(a)))
	case CTZ:
		return uint64(bits.TrailingZeros64(a))
	case CTZW:
		return uint64(bits.TrailingZeros32(uint32(a)))
	case MAX:
		return uint64(max(int64(a), int64(b)))
	case MAXU:
		return max(a, b)
	case MIN:
		return uint64(min(int64(a), int64(b)))
	case MINU:
		return min(a, b)
	case SEXTB:
		return uint64(int64(int8(a)))
	case SEXTH:
		return uint64(int64(int16(a)))
	case ZEXTH:
		return uint64(uint16(a))
	case ROL:
		return bits.RotateLeft64(a, int(b&63))
	case ROLW:
		return word(bits.RotateLeft32(uint32(a), int(b&31)))
	case ROR:
		return bits.RotateLeft64(a, -int(b&63))
	case RORI:
		return bits.RotateLeft64(a, -int(b&63))
	case RORW:
		return word(bits.RotateLeft32(uint32(a), -int(b&31)))
	case RORIW:
		return word(bits.RotateLeft32(uint32(a), -int(b&31)))
	case REV8:
		return bits.ReverseBytes64(a)
	case BCLR:
		return a &^ (1 << (b & 63))
	case BCLRI:
		return a &^ (1 << (b & 63))
	case BEXT:
		return a >> (b & 63) & 1
	case BEXTI:
		return a >> (b & 63) & 1
	case BINV:
		return a ^ 1<<(b&63)
	case BINVI:
		return a ^ 1<<(b&63)
	case BSET:
		return a | 1<<(b&63)
	case BSETI:
		return a | 1<<(b&63)
	case SLLW:
		return word(uint32(a) << (b & 31))
	case SRLW:
		return word(uint32(a) >> (b & 31))
	case SRAW:
		return uint64(int64(int32(a) >> (b & 31)))
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
