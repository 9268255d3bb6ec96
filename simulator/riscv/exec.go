//go:build linux

package riscv

import (
	"math/bits"
	"unsafe"
)

// at returns where the guest's memory at an address is. Accesses that are not aligned are the host's business; those beyond
// the space find its guard pages, or, further out, are moved there.
func at(mem unsafe.Pointer, size, address uint64) unsafe.Pointer {
	return unsafe.Add(mem, min(address, size))
}

// behind returns the next instruction of a block. The last one is never asked for it.
func behind(in *Instruction) *Instruction {
	return (*Instruction)(unsafe.Add(unsafe.Pointer(in), unsafe.Sizeof(*in)))
}

// runObserved executes blocks until something stops it, and tells the observer. Instructions are counted when their block is
// left. What the loop keeps in registers must not be needed behind a call, or every instruction pays for saving it: so
// slow returns the instruction that it is given. The loop for runs that nobody observes, run, is generated from this one.
func (h *Hart) runObserved() Stop {
	x, mem := &h.X, h.mem
	b := h.code.block(h.PC)
	for b != nil {
		in := &b.plain[0]
		h.PC = b.pc
		if h.Retired+b.count > h.limit {
			if h.Retired == h.limit {
				return Stop{Why: Budget}
			}
			in = h.part(b)
		}
		h.observer.Block(h, b, h.announced(b))
		for {
			switch in.Op {
			case LUI:
				x[in.Rd] = uint64(in.Imm)
			case JAL:
				x[in.Rd] = b.end
				goto taken
			case JALR:
				target := (x[in.Rs1] + uint64(in.Imm)) &^ 1
				x[in.Rd] = b.end
				h.PC = target
				h.Retired += b.count
				h.observer.Left(h, b, target)
				if b = h.code.recent[target>>1%recent]; b == nil || b.pc != target {
					b = h.code.block(target)
				}
				goto start
			case BEQ:
				if x[in.Rs1] == x[in.Rs2] {
					goto taken
				}
				goto next
			case BNE:
				if x[in.Rs1] != x[in.Rs2] {
					goto taken
				}
				goto next
			case BLT:
				if int64(x[in.Rs1]) < int64(x[in.Rs2]) {
					goto taken
				}
				goto next
			case BGE:
				if int64(x[in.Rs1]) >= int64(x[in.Rs2]) {
					goto taken
				}
				goto next
			case BLTU:
				if x[in.Rs1] < x[in.Rs2] {
					goto taken
				}
				goto next
			case BGEU:
				if x[in.Rs1] >= x[in.Rs2] {
					goto taken
				}
				goto next

			case LB:
				h.at = int(in.At)
				if !h.quick.Load(x[in.Rs1]+uint64(in.Imm), 0) {
					in = h.observed(in)
				}
				x[in.Rd] = uint64(int64(*(*int8)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm)))))
			case LH:
				h.at = int(in.At)
				if !h.quick.Load(x[in.Rs1]+uint64(in.Imm), 1) {
					in = h.observed(in)
				}
				x[in.Rd] = uint64(int64(*(*int16)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm)))))
			case LW:
				h.at = int(in.At)
				if !h.quick.Load(x[in.Rs1]+uint64(in.Imm), 3) {
					in = h.observed(in)
				}
				x[in.Rd] = uint64(int64(*(*int32)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm)))))
			case LD:
				h.at = int(in.At)
				if !h.quick.Load(x[in.Rs1]+uint64(in.Imm), 7) {
					in = h.observed(in)
				}
				x[in.Rd] = *(*uint64)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm)))
			case LBU:
				h.at = int(in.At)
				if !h.quick.Load(x[in.Rs1]+uint64(in.Imm), 0) {
					in = h.observed(in)
				}
				x[in.Rd] = uint64(*(*uint8)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))))
			case LHU:
				h.at = int(in.At)
				if !h.quick.Load(x[in.Rs1]+uint64(in.Imm), 1) {
					in = h.observed(in)
				}
				x[in.Rd] = uint64(*(*uint16)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))))
			case LWU:
				h.at = int(in.At)
				if !h.quick.Load(x[in.Rs1]+uint64(in.Imm), 3) {
					in = h.observed(in)
				}
				x[in.Rd] = uint64(*(*uint32)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))))
			case SB:
				h.at = int(in.At)
				if !h.quick.Store(x[in.Rs1]+uint64(in.Imm), 0) {
					in = h.observed(in)
				}
				*(*uint8)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))) = uint8(x[in.Rs2])
			case SH:
				h.at = int(in.At)
				if !h.quick.Store(x[in.Rs1]+uint64(in.Imm), 1) {
					in = h.observed(in)
				}
				*(*uint16)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))) = uint16(x[in.Rs2])
			case SW:
				h.at = int(in.At)
				if !h.quick.Store(x[in.Rs1]+uint64(in.Imm), 3) {
					in = h.observed(in)
				}
				*(*uint32)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))) = uint32(x[in.Rs2])
			case SD:
				h.at = int(in.At)
				if !h.quick.Store(x[in.Rs1]+uint64(in.Imm), 7) {
					in = h.observed(in)
				}
				*(*uint64)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))) = x[in.Rs2]
			case FLW:
				h.at = int(in.At)
				if !h.quick.Load(x[in.Rs1]+uint64(in.Imm), 3) {
					in = h.observed(in)
				}
				h.F[in.Rd&31] = boxed | uint64(*(*uint32)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))))
			case FLD:
				h.at = int(in.At)
				if !h.quick.Load(x[in.Rs1]+uint64(in.Imm), 7) {
					in = h.observed(in)
				}
				h.F[in.Rd&31] = *(*uint64)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm)))
			case FSW:
				h.at = int(in.At)
				if !h.quick.Store(x[in.Rs1]+uint64(in.Imm), 3) {
					in = h.observed(in)
				}
				*(*uint32)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))) = uint32(h.F[in.Rs2&31])
			case FSD:
				h.at = int(in.At)
				if !h.quick.Store(x[in.Rs1]+uint64(in.Imm), 7) {
					in = h.observed(in)
				}
				*(*uint64)(at(mem, h.size, x[in.Rs1]+uint64(in.Imm))) = h.F[in.Rs2&31]

			case ADDI:
				x[in.Rd] = x[in.Rs1] + uint64(in.Imm)
			case SLTI:
				x[in.Rd] = b2u(int64(x[in.Rs1]) < in.Imm)
			case SLTIU:
				x[in.Rd] = b2u(x[in.Rs1] < uint64(in.Imm))
			case XORI:
				x[in.Rd] = x[in.Rs1] ^ uint64(in.Imm)
			case ORI:
				x[in.Rd] = x[in.Rs1] | uint64(in.Imm)
			case ANDI:
				x[in.Rd] = x[in.Rs1] & uint64(in.Imm)
			case SLLI:
				x[in.Rd] = x[in.Rs1] << (in.Imm & 63)
			case SRLI:
				x[in.Rd] = x[in.Rs1] >> (in.Imm & 63)
			case SRAI:
				x[in.Rd] = uint64(int64(x[in.Rs1]) >> (in.Imm & 63))
			case ADD:
				x[in.Rd] = x[in.Rs1] + x[in.Rs2]
			case SUB:
				x[in.Rd] = x[in.Rs1] - x[in.Rs2]
			case SLL:
				x[in.Rd] = x[in.Rs1] << (x[in.Rs2] & 63)
			case SLT:
				x[in.Rd] = b2u(int64(x[in.Rs1]) < int64(x[in.Rs2]))
			case SLTU:
				x[in.Rd] = b2u(x[in.Rs1] < x[in.Rs2])
			case XOR:
				x[in.Rd] = x[in.Rs1] ^ x[in.Rs2]
			case SRL:
				x[in.Rd] = x[in.Rs1] >> (x[in.Rs2] & 63)
			case SRA:
				x[in.Rd] = uint64(int64(x[in.Rs1]) >> (x[in.Rs2] & 63))
			case OR:
				x[in.Rd] = x[in.Rs1] | x[in.Rs2]
			case AND:
				x[in.Rd] = x[in.Rs1] & x[in.Rs2]
			case ADDIW:
				x[in.Rd] = word(uint32(x[in.Rs1]) + uint32(in.Imm))
			case SLLIW:
				x[in.Rd] = word(uint32(x[in.Rs1]) << (in.Imm & 31))
			case SRLIW:
				x[in.Rd] = word(uint32(x[in.Rs1]) >> (in.Imm & 31))
			case SRAIW:
				x[in.Rd] = uint64(int64(int32(x[in.Rs1]) >> (in.Imm & 31)))
			case ADDW:
				x[in.Rd] = word(uint32(x[in.Rs1]) + uint32(x[in.Rs2]))
			case SUBW:
				x[in.Rd] = word(uint32(x[in.Rs1]) - uint32(x[in.Rs2]))
			case FENCE: // harts take turns
			case MUL:
				x[in.Rd] = x[in.Rs1] * x[in.Rs2]
			case MULHU:
				x[in.Rd], _ = bits.Mul64(x[in.Rs1], x[in.Rs2])
			case MULW:
				x[in.Rd] = word(uint32(x[in.Rs1]) * uint32(x[in.Rs2]))
			case FADDD, FSUBD, FMULD, FDIVD, FMADDD, FMSUBD, FNMSUBD, FNMADDD:
				if in = h.fastDouble(in); in == nil {
					return h.refused(b)
				}
			case FEQD:
				if p, q := double(h.F[in.Rs1&31]), double(h.F[in.Rs2&31]); p == p && q == q {
					x[in.Rd] = b2u(p == q)
				} else {
					in = h.slow(in)
				}
			case FLTD:
				if p, q := double(h.F[in.Rs1&31]), double(h.F[in.Rs2&31]); p == p && q == q {
					x[in.Rd] = b2u(p < q)
				} else {
					in = h.slow(in)
				}
			case FLED:
				if p, q := double(h.F[in.Rs1&31]), double(h.F[in.Rs2&31]); p == p && q == q {
					x[in.Rd] = b2u(p <= q)
				} else {
					in = h.slow(in)
				}
			case FSGNJD:
				h.F[in.Rd&31] = h.F[in.Rs1&31]&^(1<<63) | h.F[in.Rs2&31]&(1<<63)
			case FMVXD:
				x[in.Rd] = h.F[in.Rs1&31]
			case FMVDX:
				h.F[in.Rd&31] = x[in.Rs1]
			case ECALL:
				h.Retired += uint64(in.At) + 1
				h.PC = b.end
				return Stop{Why: Syscall}
			case EBREAK:
				return h.stopAt(b, int(in.At), Breakpoint)
			case FENCEI:
				h.Retired += uint64(in.At) + 1
				h.PC = b.end
				h.code.Flush()
				return Stop{Why: again}
			case Illegal:
				return h.stopAt(b, int(in.At), IllegalInstruction)
			case through:
				goto next
			case pause:
				return h.paused(b, int(in.At))
			default:
				h.observeAtomic(in)
				if in = h.slow(in); in == nil {
					return h.refused(b)
				}
			}
			in = behind(in)
		}
	taken:
		h.PC = b.target
		h.Retired += b.count
		h.observer.Left(h, b, b.target)
		if b.taken == nil {
			b.taken = h.code.block(b.target)
		}
		b = b.taken
		continue
	next:
		h.PC = b.end
		h.Retired += b.count
		h.observer.Left(h, b, b.end)
		if b.next == nil {
			b.next = h.code.block(b.end)
		}
		b = b.next
	start:
	}
	return h.unfetched()
}

// observed tells the observer of an access to memory, and returns the instruction.
func (h *Hart) observed(in *Instruction) *Instruction {
	h.observer.Memory(h, in, h.X[in.Rs1]+uint64(in.Imm))
	return in
}

// observeAtomic tells the observer of an atomic operation.
func (h *Hart) observeAtomic(in *Instruction) {
	if in.Op.atomic() {
		h.observer.Memory(h, in, h.X[in.Rs1])
	}
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// word extends the sign of 32 bits.
func word(v uint32) uint64 { return uint64(int64(int32(v))) }
