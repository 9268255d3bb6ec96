//go:build linux

package riscv

import (
	"math"
	"math/bits"
	"unsafe"
)

// The guest's memory. Accesses that are not aligned are the host's business; those beyond the space find its guard pages,
// or, further out, are moved there.
func (h *Hart) address(a uint64) unsafe.Pointer {
	return unsafe.Add(h.mem, min(a, h.size))
}

// run executes blocks until something stops it. Instructions are counted when their block is left.

func (h *Hart) run(budget uint64) Stop {
	x := &h.X
	for {
		b := h.code.find(h.PC)
		if b == nil {
			var at uint64
			if b, at = h.code.decode(h.PC); b == nil {
				return Stop{MemoryFault, at}
			}
		}
		code := b.code
		if uint64(len(code)) > budget {
			code = code[:budget]
			if len(code) == 0 {
				return Stop{Why: Budget}
			}
		}
		h.announced = len(code)
		next := b.end
		for i := range code {
			in := &code[i]
			switch in.Op {
			case LUI:
				x[in.Rd&63] = uint64(in.Imm)
			case JAL:
				x[in.Rd&63] = b.end
				next = uint64(in.Imm)
			case JALR:
				target := (x[in.Rs1&63] + uint64(in.Imm)) &^ 1
				x[in.Rd&63] = b.end
				next = target
			case BEQ:
				if x[in.Rs1&63] == x[in.Rs2&63] {
					next = uint64(in.Imm)
				}
			case BNE:
				if x[in.Rs1&63] != x[in.Rs2&63] {
					next = uint64(in.Imm)
				}
			case BLT:
				if int64(x[in.Rs1&63]) < int64(x[in.Rs2&63]) {
					next = uint64(in.Imm)
				}
			case BGE:
				if int64(x[in.Rs1&63]) >= int64(x[in.Rs2&63]) {
					next = uint64(in.Imm)
				}
			case BLTU:
				if x[in.Rs1&63] < x[in.Rs2&63] {
					next = uint64(in.Imm)
				}
			case BGEU:
				if x[in.Rs1&63] >= x[in.Rs2&63] {
					next = uint64(in.Imm)
				}

			case LB:
				h.at = i
				x[in.Rd&63] = uint64(int64(*(*int8)(h.address(x[in.Rs1&63] + uint64(in.Imm)))))
			case LH:
				h.at = i
				x[in.Rd&63] = uint64(int64(*(*int16)(h.address(x[in.Rs1&63] + uint64(in.Imm)))))
			case LW:
				h.at = i
				x[in.Rd&63] = uint64(int64(*(*int32)(h.address(x[in.Rs1&63] + uint64(in.Imm)))))
			case LD:
				h.at = i
				x[in.Rd&63] = *(*uint64)(h.address(x[in.Rs1&63] + uint64(in.Imm)))
			case LBU:
				h.at = i
				x[in.Rd&63] = uint64(*(*uint8)(h.address(x[in.Rs1&63] + uint64(in.Imm))))
			case LHU:
				h.at = i
				x[in.Rd&63] = uint64(*(*uint16)(h.address(x[in.Rs1&63] + uint64(in.Imm))))
			case LWU:
				h.at = i
				x[in.Rd&63] = uint64(*(*uint32)(h.address(x[in.Rs1&63] + uint64(in.Imm))))
			case SB:
				h.at = i
				*(*uint8)(h.address(x[in.Rs1&63] + uint64(in.Imm))) = uint8(x[in.Rs2&63])
			case SH:
				h.at = i
				*(*uint16)(h.address(x[in.Rs1&63] + uint64(in.Imm))) = uint16(x[in.Rs2&63])
			case SW:
				h.at = i
				*(*uint32)(h.address(x[in.Rs1&63] + uint64(in.Imm))) = uint32(x[in.Rs2&63])
			case SD:
				h.at = i
				*(*uint64)(h.address(x[in.Rs1&63] + uint64(in.Imm))) = x[in.Rs2&63]
			case FLW:
				h.at = i
				h.F[in.Rd&31] = boxed | uint64(*(*uint32)(h.address(x[in.Rs1&63] + uint64(in.Imm))))
			case FLD:
				h.at = i
				h.F[in.Rd&31] = *(*uint64)(h.address(x[in.Rs1&63] + uint64(in.Imm)))
			case FSW:
				h.at = i
				*(*uint32)(h.address(x[in.Rs1&63] + uint64(in.Imm))) = uint32(h.F[in.Rs2&31])
			case FSD:
				h.at = i
				*(*uint64)(h.address(x[in.Rs1&63] + uint64(in.Imm))) = h.F[in.Rs2&31]

			case ADDI:
				x[in.Rd&63] = x[in.Rs1&63] + uint64(in.Imm)
			case SLTI:
				x[in.Rd&63] = b2u(int64(x[in.Rs1&63]) < in.Imm)
			case SLTIU:
				x[in.Rd&63] = b2u(x[in.Rs1&63] < uint64(in.Imm))
			case XORI:
				x[in.Rd&63] = x[in.Rs1&63] ^ uint64(in.Imm)
			case ORI:
				x[in.Rd&63] = x[in.Rs1&63] | uint64(in.Imm)
			case ANDI:
				x[in.Rd&63] = x[in.Rs1&63] & uint64(in.Imm)
			case SLLI:
				x[in.Rd&63] = x[in.Rs1&63] << (in.Imm & 63)
			case SRLI:
				x[in.Rd&63] = x[in.Rs1&63] >> (in.Imm & 63)
			case SRAI:
				x[in.Rd&63] = uint64(int64(x[in.Rs1&63]) >> (in.Imm & 63))
			case ADD:
				x[in.Rd&63] = x[in.Rs1&63] + x[in.Rs2&63]
			case SUB:
				x[in.Rd&63] = x[in.Rs1&63] - x[in.Rs2&63]
			case SLL:
				x[in.Rd&63] = x[in.Rs1&63] << (x[in.Rs2&63] & 63)
			case SLT:
				x[in.Rd&63] = b2u(int64(x[in.Rs1&63]) < int64(x[in.Rs2&63]))
			case SLTU:
				x[in.Rd&63] = b2u(x[in.Rs1&63] < x[in.Rs2&63])
			case XOR:
				x[in.Rd&63] = x[in.Rs1&63] ^ x[in.Rs2&63]
			case SRL:
				x[in.Rd&63] = x[in.Rs1&63] >> (x[in.Rs2&63] & 63)
			case SRA:
				x[in.Rd&63] = uint64(int64(x[in.Rs1&63]) >> (x[in.Rs2&63] & 63))
			case OR:
				x[in.Rd&63] = x[in.Rs1&63] | x[in.Rs2&63]
			case AND:
				x[in.Rd&63] = x[in.Rs1&63] & x[in.Rs2&63]
			case ADDIW:
				x[in.Rd&63] = word(uint32(x[in.Rs1&63]) + uint32(in.Imm))
			case SLLIW:
				x[in.Rd&63] = word(uint32(x[in.Rs1&63]) << (in.Imm & 31))
			case SRLIW:
				x[in.Rd&63] = word(uint32(x[in.Rs1&63]) >> (in.Imm & 31))
			case SRAIW:
				x[in.Rd&63] = uint64(int64(int32(x[in.Rs1&63]) >> (in.Imm & 31)))
			case ADDW:
				x[in.Rd&63] = word(uint32(x[in.Rs1&63]) + uint32(x[in.Rs2&63]))
			case SUBW:
				x[in.Rd&63] = word(uint32(x[in.Rs1&63]) - uint32(x[in.Rs2&63]))
			case SLLW:
				x[in.Rd&63] = word(uint32(x[in.Rs1&63]) << (x[in.Rs2&63] & 31))
			case SRLW:
				x[in.Rd&63] = word(uint32(x[in.Rs1&63]) >> (x[in.Rs2&63] & 31))
			case SRAW:
				x[in.Rd&63] = uint64(int64(int32(x[in.Rs1&63]) >> (x[in.Rs2&63] & 31)))
			case FENCE:

			case MUL:
				x[in.Rd&63] = x[in.Rs1&63] * x[in.Rs2&63]
			case MULH:
				x[in.Rd&63] = mulh(x[in.Rs1&63], x[in.Rs2&63])
			case MULHSU:
				x[in.Rd&63] = mulhsu(x[in.Rs1&63], x[in.Rs2&63])
			case MULHU:
				x[in.Rd&63], _ = bits.Mul64(x[in.Rs1&63], x[in.Rs2&63])
			case DIV:
				x[in.Rd&63] = div(x[in.Rs1&63], x[in.Rs2&63])
			case DIVU:
				x[in.Rd&63] = divu(x[in.Rs1&63], x[in.Rs2&63])
			case REM:
				x[in.Rd&63] = rem(x[in.Rs1&63], x[in.Rs2&63])
			case REMU:
				x[in.Rd&63] = remu(x[in.Rs1&63], x[in.Rs2&63])
			case MULW:
				x[in.Rd&63] = word(uint32(x[in.Rs1&63]) * uint32(x[in.Rs2&63]))
			case DIVW:
				x[in.Rd&63] = divw(uint32(x[in.Rs1&63]), uint32(x[in.Rs2&63]))
			case DIVUW:
				x[in.Rd&63] = divuw(uint32(x[in.Rs1&63]), uint32(x[in.Rs2&63]))
			case REMW:
				x[in.Rd&63] = remw(uint32(x[in.Rs1&63]), uint32(x[in.Rs2&63]))
			case REMUW:
				x[in.Rd&63] = remuw(uint32(x[in.Rs1&63]), uint32(x[in.Rs2&63]))

			case FADDD, FSUBD, FMULD:
				if !h.fastDouble(in) && !h.float(in) {
					return h.stopAt(b, i, IllegalInstruction)
				}

			case ADDUW:
				x[in.Rd&63] = uint64(uint32(x[in.Rs1&63])) + x[in.Rs2&63]
			case SH1ADD:
				x[in.Rd&63] = x[in.Rs1&63]<<1 + x[in.Rs2&63]
			case SH2ADD:
				x[in.Rd&63] = x[in.Rs1&63]<<2 + x[in.Rs2&63]
			case SH3ADD:
				x[in.Rd&63] = x[in.Rs1&63]<<3 + x[in.Rs2&63]
			case SH1ADDUW:
				x[in.Rd&63] = uint64(uint32(x[in.Rs1&63]))<<1 + x[in.Rs2&63]
			case SH2ADDUW:
				x[in.Rd&63] = uint64(uint32(x[in.Rs1&63]))<<2 + x[in.Rs2&63]
			case SH3ADDUW:
				x[in.Rd&63] = uint64(uint32(x[in.Rs1&63]))<<3 + x[in.Rs2&63]
			case SLLIUW:
				x[in.Rd&63] = uint64(uint32(x[in.Rs1&63])) << (in.Imm & 63)
			case ANDN:
				x[in.Rd&63] = x[in.Rs1&63] &^ x[in.Rs2&63]
			case ORN:
				x[in.Rd&63] = x[in.Rs1&63] | ^x[in.Rs2&63]
			case XNOR:
				x[in.Rd&63] = ^(x[in.Rs1&63] ^ x[in.Rs2&63])
			case CLZ:
				x[in.Rd&63] = uint64(bits.LeadingZeros64(x[in.Rs1&63]))
			case CLZW:
				x[in.Rd&63] = uint64(bits.LeadingZeros32(uint32(x[in.Rs1&63])))
			case CTZ:
				x[in.Rd&63] = uint64(bits.TrailingZeros64(x[in.Rs1&63]))
			case CTZW:
				x[in.Rd&63] = uint64(bits.TrailingZeros32(uint32(x[in.Rs1&63])))
			case CPOP:
				x[in.Rd&63] = uint64(bits.OnesCount64(x[in.Rs1&63]))
			case CPOPW:
				x[in.Rd&63] = uint64(bits.OnesCount32(uint32(x[in.Rs1&63])))
			case MAX:
				x[in.Rd&63] = uint64(max(int64(x[in.Rs1&63]), int64(x[in.Rs2&63])))
			case MAXU:
				x[in.Rd&63] = max(x[in.Rs1&63], x[in.Rs2&63])
			case MIN:
				x[in.Rd&63] = uint64(min(int64(x[in.Rs1&63]), int64(x[in.Rs2&63])))
			case MINU:
				x[in.Rd&63] = min(x[in.Rs1&63], x[in.Rs2&63])
			case SEXTB:
				x[in.Rd&63] = uint64(int64(int8(x[in.Rs1&63])))
			case SEXTH:
				x[in.Rd&63] = uint64(int64(int16(x[in.Rs1&63])))
			case ZEXTH:
				x[in.Rd&63] = uint64(uint16(x[in.Rs1&63]))
			case ROL:
				x[in.Rd&63] = bits.RotateLeft64(x[in.Rs1&63], int(x[in.Rs2&63]&63))
			case ROLW:
				x[in.Rd&63] = word(bits.RotateLeft32(uint32(x[in.Rs1&63]), int(x[in.Rs2&63]&31)))
			case ROR:
				x[in.Rd&63] = bits.RotateLeft64(x[in.Rs1&63], -int(x[in.Rs2&63]&63))
			case RORI:
				x[in.Rd&63] = bits.RotateLeft64(x[in.Rs1&63], -int(in.Imm&63))
			case RORW:
				x[in.Rd&63] = word(bits.RotateLeft32(uint32(x[in.Rs1&63]), -int(x[in.Rs2&63]&31)))
			case RORIW:
				x[in.Rd&63] = word(bits.RotateLeft32(uint32(x[in.Rs1&63]), -int(in.Imm&31)))
			case ORCB:
				x[in.Rd&63] = orcb(x[in.Rs1&63])
			case REV8:
				x[in.Rd&63] = bits.ReverseBytes64(x[in.Rs1&63])
			case BCLR:
				x[in.Rd&63] = x[in.Rs1&63] &^ (1 << (x[in.Rs2&63] & 63))
			case BCLRI:
				x[in.Rd&63] = x[in.Rs1&63] &^ (1 << (in.Imm & 63))
			case BEXT:
				x[in.Rd&63] = x[in.Rs1&63] >> (x[in.Rs2&63] & 63) & 1
			case BEXTI:
				x[in.Rd&63] = x[in.Rs1&63] >> (in.Imm & 63) & 1
			case BINV:
				x[in.Rd&63] = x[in.Rs1&63] ^ 1<<(x[in.Rs2&63]&63)
			case BINVI:
				x[in.Rd&63] = x[in.Rs1&63] ^ 1<<(in.Imm&63)
			case BSET:
				x[in.Rd&63] = x[in.Rs1&63] | 1<<(x[in.Rs2&63]&63)
			case BSETI:
				x[in.Rd&63] = x[in.Rs1&63] | 1<<(in.Imm&63)

			case ECALL:
				h.Retired += uint64(i + 1)
				h.PC = b.end
				return Stop{Why: Syscall}
			case EBREAK:
				return h.stopAt(b, i, Breakpoint)
			case FENCEI:
				h.Retired += uint64(i + 1)
				h.PC = b.end
				h.code.Flush()
				return Stop{Why: again}
			case CSRRW, CSRRS, CSRRC, CSRRWI, CSRRSI, CSRRCI:
				if !h.csr(in, uint64(i)) {
					return h.stopAt(b, i, IllegalInstruction)
				}
			case Illegal:
				return h.stopAt(b, i, IllegalInstruction)
			default:
				if in.Op >= LRW && in.Op <= AMOMAXUD {
					h.at = i // one
					if address := x[in.Rs1&63]; !h.atomic(in, address) {
						stop := h.stopAt(b, i, Misaligned)
						stop.Address = address
						return stop
					}
				} else if !h.float(in) {
					return h.stopAt(b, i, IllegalInstruction)
				}
			}
		}
		budget -= uint64(len(code))
		h.Retired += uint64(len(code))
		if len(code) < len(b.code) {
			h.PC = b.pc
			for _, in := range code {
				h.PC += uint64(in.Size)
			}
			return Stop{Why: Budget}
		}
		h.PC = next
	}
}

// stopAt stops before the i-th instruction of a block.
func (h *Hart) stopAt(b *Block, i int, why Reason) Stop {
	if h.observer != nil {
		h.observer.Undone(h, b, i, h.announced)
	}
	h.Retired += uint64(i)
	h.PC = b.pc
	for _, in := range b.code[:i] {
		h.PC += uint64(in.Size)
	}
	return Stop{Why: why, Address: h.PC}
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// word extends the sign of 32 bits.
func word(v uint32) uint64 { return uint64(int64(int32(v))) }

func mulh(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
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
