package riscv

// Fields of instructions of 32 bits.
func rd(w uint32) uint8  { return uint8(w >> 7 & 31) }
func rs1(w uint32) uint8 { return uint8(w >> 15 & 31) }
func rs2(w uint32) uint8 { return uint8(w >> 20 & 31) }
func f3(w uint32) uint32 { return w >> 12 & 7 }
func f7(w uint32) uint32 { return w >> 25 }
func immI(w uint32) int64 {
	return int64(int32(w) >> 20)
}
func immS(w uint32) int64 {
	return int64(int32(w)>>25<<5) | int64(w>>7&31)
}
func immB(w uint32) int64 {
	return int64(int32(w)>>31)<<12 | int64(w>>7&1)<<11 | int64(w>>25&0x3f)<<5 | int64(w>>8&15)<<1
}
func immJ(w uint32) int64 {
	return int64(int32(w)>>31)<<20 | int64(w>>12&0xff)<<12 | int64(w>>20&1)<<11 | int64(w>>21&0x3ff)<<1
}

// Decode decodes the instruction at pc, of which word holds at least as many bytes as it has. Immediates of LUI, AUIPC,
// jumps and branches are made absolute.
func Decode(word uint32, pc uint64) Instruction {
	if word&3 != 3 {
		in := compressed(uint16(word), pc)
		in.Size = 2
		return in.drain()
	}
	in := decode32(word, pc)
	in.Size = 4
	return in.drain()
}

// drain sends results for x0 to the sink.
func (in Instruction) drain() Instruction {
	if in.Rd == 0 && !in.Op.toFloat() {
		in.Rd = sink
	}
	return in
}

// toFloat tells whether Rd is a floating-point register.
func (o Op) toFloat() bool {
	switch {
	case o >= FCVTWS && o <= FCLASSS, o >= FEQD && o <= FMVXD, o == FSW, o == FSD:
		return false
	}
	return o >= FLW && o <= FMVDX
}

var (
	branches   = [8]Op{BEQ, BNE, 0, 0, BLT, BGE, BLTU, BGEU}
	loads      = [8]Op{LB, LH, LW, LD, LBU, LHU, LWU, 0}
	stores     = [8]Op{SB, SH, SW, SD}
	immediates = [8]Op{ADDI, 0, SLTI, SLTIU, XORI, 0, ORI, ANDI}
	csrs       = [8]Op{0, CSRRW, CSRRS, CSRRC, 0, CSRRWI, CSRRSI, CSRRCI}
)

func decode32(w uint32, pc uint64) Instruction {
	in := Instruction{Rd: rd(w), Rs1: rs1(w), Rs2: rs2(w)}
	switch w & 0x7f {
	case 0x37:
		in.Op, in.Imm = LUI, int64(int32(w&^0xfff))
	case 0x17:
		in.Op, in.Imm = LUI, int64(pc)+int64(int32(w&^0xfff))
	case 0x6f:
		in.Op, in.Imm = JAL, int64(pc)+immJ(w)
	case 0x67:
		if in.Imm = immI(w); f3(w) == 0 {
			in.Op = JALR
		}
	case 0x63:
		in.Op, in.Imm = branches[f3(w)], int64(pc)+immB(w)
	case 0x03:
		in.Op, in.Imm = loads[f3(w)], immI(w)
	case 0x23:
		in.Op, in.Imm = stores[f3(w)], immS(w)
	case 0x13:
		in.immediate(w)
	case 0x1b:
		in.immediateW(w)
	case 0x33:
		in.Op = registers[w>>25<<3|f3(w)]
	case 0x3b:
		in.Op = registersW[w>>25<<3|f3(w)]
		if in.Op == ZEXTH && in.Rs2 != 0 {
			in.Op = Illegal
		}
	case 0x0f:
		switch f3(w) {
		case 0:
			in.Op = FENCE
		case 1:
			in.Op = FENCEI
		}
	case 0x73:
		in.system(w)
	case 0x2f:
		in.atomic(w)
	case 0x07, 0x27:
		in.floatMemory(w)
	case 0x43, 0x47, 0x4b, 0x4f:
		in.fused(w)
	case 0x53:
		in.float(w)
	}
	return in
}

func (in *Instruction) immediate(w uint32) {
	in.Imm = immI(w)
	in.Op = immediates[f3(w)]
	shift := int64(w >> 20 & 63)
	switch top := w >> 26; f3(w) {
	case 1:
		in.Imm = shift
		switch top {
		case 0x00:
			in.Op = SLLI
		case 0x0a:
			in.Op = BSETI
		case 0x12:
			in.Op = BCLRI
		case 0x1a:
			in.Op = BINVI
		case 0x18:
			if w>>20 >= 0x600 && w>>20 <= 0x605 {
				in.Op = [6]Op{CLZ, CTZ, CPOP, 0, SEXTB, SEXTH}[w>>20-0x600]
			}
		}
	case 5:
		in.Imm = shift
		switch top {
		case 0x00:
			in.Op = SRLI
		case 0x10:
			in.Op = SRAI
		case 0x12:
			in.Op = BEXTI
		case 0x18:
			in.Op = RORI
		}
		switch w >> 20 {
		case 0x287:
			in.Op = ORCB
		case 0x6b8:
			in.Op = REV8
		}
	}
}

func (in *Instruction) immediateW(w uint32) {
	in.Imm = immI(w)
	switch f3(w) {
	case 0:
		in.Op = ADDIW
		return
	case 1:
		switch {
		case f7(w) == 0:
			in.Op = SLLIW
		case w>>26 == 2:
			in.Op = SLLIUW
		case w>>20 >= 0x600 && w>>20 <= 0x602:
			in.Op = [3]Op{CLZW, CTZW, CPOPW}[w>>20-0x600]
		}
	case 5:
		switch f7(w) {
		case 0:
			in.Op = SRLIW
		case 0x20:
			in.Op = SRAIW
		case 0x30:
			in.Op = RORIW
		}
	}
	in.Imm = int64(w >> 20 & 63)
}

// registers and registersW are the operations of two registers, by funct7 and funct3.
var registers, registersW = func() (r, w [1024]Op) {
	set := func(t *[1024]Op, f7 int, ops ...Op) { copy(t[f7<<3:], ops) }
	set(&r, 0x00, ADD, SLL, SLT, SLTU, XOR, SRL, OR, AND)
	set(&r, 0x20, SUB, 0, 0, 0, XNOR, SRA, ORN, ANDN)
	set(&r, 0x01, MUL, MULH, MULHSU, MULHU, DIV, DIVU, REM, REMU)
	set(&r, 0x10, 0, 0, SH1ADD, 0, SH2ADD, 0, SH3ADD)
	set(&r, 0x05, 0, 0, 0, 0, MIN, MINU, MAX, MAXU)
	set(&r, 0x30, 0, ROL, 0, 0, 0, ROR)
	set(&r, 0x24, 0, BCLR, 0, 0, 0, BEXT)
	set(&r, 0x34, 0, BINV)
	set(&r, 0x14, 0, BSET)
	set(&w, 0x00, ADDW, SLLW, 0, 0, 0, SRLW)
	set(&w, 0x20, SUBW, 0, 0, 0, 0, SRAW)
	set(&w, 0x01, MULW, 0, 0, 0, DIVW, DIVUW, REMW, REMUW)
	set(&w, 0x04, ADDUW, 0, 0, 0, ZEXTH)
	set(&w, 0x10, 0, 0, SH1ADDUW, 0, SH2ADDUW, 0, SH3ADDUW)
	set(&w, 0x30, 0, ROLW, 0, 0, 0, RORW)
	return
}()

func (in *Instruction) system(w uint32) {
	switch {
	case w == 0x73:
		in.Op = ECALL
	case w == 0x100073:
		in.Op = EBREAK
	case f3(w) != 0:
		in.Op, in.Imm = csrs[f3(w)], int64(w>>20)
	}
}

func (in *Instruction) atomic(w uint32) {
	var base Op
	switch f3(w) {
	case 2:
		base = LRW
	case 3:
		base = LRD
	default:
		return
	}
	switch w >> 27 {
	case 0x02:
		if in.Rs2 == 0 {
			in.Op = base
		}
	case 0x03:
		in.Op = base + (SCW - LRW)
	case 0x01:
		in.Op = base + (AMOSWAPW - LRW)
	case 0x00:
		in.Op = base + (AMOADDW - LRW)
	case 0x04:
		in.Op = base + (AMOXORW - LRW)
	case 0x0c:
		in.Op = base + (AMOANDW - LRW)
	case 0x08:
		in.Op = base + (AMOORW - LRW)
	case 0x10:
		in.Op = base + (AMOMINW - LRW)
	case 0x14:
		in.Op = base + (AMOMAXW - LRW)
	case 0x18:
		in.Op = base + (AMOMINUW - LRW)
	case 0x1c:
		in.Op = base + (AMOMAXUW - LRW)
	}
}
