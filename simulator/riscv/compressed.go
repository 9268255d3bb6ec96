package riscv

// Fields of instructions of 16 bits.
func bit(w uint16, from, to uint) int64 { return int64(w>>from&1) << to }
func field(w uint16, from, n, to uint) int64 {
	return int64(w>>from&(1<<n-1)) << to
}
func short(w uint16, at uint) uint8 { return 8 + uint8(w>>at&7) }

// signed extends the sign of a number of n bits.
func signed(v int64, n uint) int64 { return v << (64 - n) >> (64 - n) }

// compressed returns the instruction that a compressed one stands for.
func compressed(w uint16, pc uint64) Instruction {
	full := uint8(w >> 7 & 31)
	second := uint8(w >> 2 & 31)
	imm6 := signed(bit(w, 12, 5)|field(w, 2, 5, 0), 6)
	switch w&3<<3 | w>>13 {
	case 0<<3 | 0: // c.addi4spn
		imm := field(w, 11, 2, 4) | field(w, 7, 4, 6) | bit(w, 6, 2) | bit(w, 5, 3)
		if imm == 0 {
			return Instruction{}
		}
		return Instruction{Op: ADDI, Rd: short(w, 2), Rs1: 2, Imm: imm}
	case 0<<3 | 1:
		return access(FLD, w, 8)
	case 0<<3 | 2:
		return access(LW, w, 4)
	case 0<<3 | 3:
		return access(LD, w, 8)
	case 0<<3 | 5:
		return access(FSD, w, 8)
	case 0<<3 | 6:
		return access(SW, w, 4)
	case 0<<3 | 7:
		return access(SD, w, 8)
	case 1<<3 | 0: // c.addi, c.nop
		return Instruction{Op: ADDI, Rd: full, Rs1: full, Imm: imm6}
	case 1<<3 | 1: // c.addiw
		if full == 0 {
			return Instruction{}
		}
		return Instruction{Op: ADDIW, Rd: full, Rs1: full, Imm: imm6}
	case 1<<3 | 2: // c.li
		return Instruction{Op: ADDI, Rd: full, Imm: imm6}
	case 1<<3 | 3:
		return compressedUpper(w, full, imm6)
	case 1<<3 | 4:
		return compressedArithmetic(w)
	case 1<<3 | 5: // c.j
		imm := bit(w, 12, 11) | bit(w, 11, 4) | field(w, 9, 2, 8) | bit(w, 8, 10) | bit(w, 7, 6) | bit(w, 6, 7) | field(w, 3, 3, 1) | bit(w, 2, 5)
		return Instruction{Op: JAL, Imm: int64(pc) + signed(imm, 12)}
	case 1<<3 | 6, 1<<3 | 7: // c.beqz, c.bnez
		imm := bit(w, 12, 8) | field(w, 10, 2, 3) | field(w, 5, 2, 6) | field(w, 3, 2, 1) | bit(w, 2, 5)
		return Instruction{Op: BEQ + Op(w>>13&1), Rs1: short(w, 7), Imm: int64(pc) + signed(imm, 9)}
	case 2<<3 | 0: // c.slli
		return Instruction{Op: SLLI, Rd: full, Rs1: full, Imm: imm6 & 63}
	case 2<<3 | 1: // c.fldsp
		return Instruction{Op: FLD, Rd: full, Rs1: 2, Imm: bit(w, 12, 5) | field(w, 5, 2, 3) | field(w, 2, 3, 6)}
	case 2<<3 | 2: // c.lwsp
		if full == 0 {
			return Instruction{}
		}
		return Instruction{Op: LW, Rd: full, Rs1: 2, Imm: bit(w, 12, 5) | field(w, 4, 3, 2) | field(w, 2, 2, 6)}
	case 2<<3 | 3: // c.ldsp
		if full == 0 {
			return Instruction{}
		}
		return Instruction{Op: LD, Rd: full, Rs1: 2, Imm: bit(w, 12, 5) | field(w, 5, 2, 3) | field(w, 2, 3, 6)}
	case 2<<3 | 4:
		return compressedJump(w, full, second)
	case 2<<3 | 5: // c.fsdsp
		return Instruction{Op: FSD, Rs1: 2, Rs2: second, Imm: field(w, 10, 3, 3) | field(w, 7, 3, 6)}
	case 2<<3 | 6: // c.swsp
		return Instruction{Op: SW, Rs1: 2, Rs2: second, Imm: field(w, 9, 4, 2) | field(w, 7, 2, 6)}
	case 2<<3 | 7: // c.sdsp
		return Instruction{Op: SD, Rs1: 2, Rs2: second, Imm: field(w, 10, 3, 3) | field(w, 7, 3, 6)}
	}
	return Instruction{}
}

// access returns a load or store of short registers, of 4 or 8 bytes.
func access(op Op, w uint16, size int) Instruction {
	imm := field(w, 10, 3, 3)
	if size == 4 {
		imm |= bit(w, 6, 2) | bit(w, 5, 6)
	} else {
		imm |= field(w, 5, 2, 6)
	}
	in := Instruction{Op: op, Rs1: short(w, 7), Imm: imm}
	if op == SW || op == SD || op == FSD {
		in.Rs2 = short(w, 2)
	} else {
		in.Rd = short(w, 2)
	}
	return in
}

// compressedUpper returns c.lui or c.addi16sp.
func compressedUpper(w uint16, rd uint8, imm6 int64) Instruction {
	if rd == 2 {
		imm := signed(bit(w, 12, 9)|bit(w, 6, 4)|bit(w, 5, 6)|field(w, 3, 2, 7)|bit(w, 2, 5), 10)
		if imm == 0 {
			return Instruction{}
		}
		return Instruction{Op: ADDI, Rd: 2, Rs1: 2, Imm: imm}
	}
	if imm6 == 0 {
		return Instruction{}
	}
	return Instruction{Op: LUI, Rd: rd, Imm: imm6 << 12}
}

func compressedArithmetic(w uint16) Instruction {
	rd := short(w, 7)
	imm6 := signed(bit(w, 12, 5)|field(w, 2, 5, 0), 6)
	switch w >> 10 & 3 {
	case 0:
		return Instruction{Op: SRLI, Rd: rd, Rs1: rd, Imm: imm6 & 63}
	case 1:
		return Instruction{Op: SRAI, Rd: rd, Rs1: rd, Imm: imm6 & 63}
	case 2:
		return Instruction{Op: ANDI, Rd: rd, Rs1: rd, Imm: imm6}
	}
	op := [8]Op{SUB, XOR, OR, AND, SUBW, ADDW}[w>>12&1<<2|w>>5&3]
	return Instruction{Op: op, Rd: rd, Rs1: rd, Rs2: short(w, 2)}
}

// compressedJump returns c.jr, c.mv, c.ebreak, c.jalr or c.add.
func compressedJump(w uint16, rd, rs2 uint8) Instruction {
	link := w>>12&1 != 0
	switch {
	case rs2 != 0 && link:
		return Instruction{Op: ADD, Rd: rd, Rs1: rd, Rs2: rs2}
	case rs2 != 0:
		return Instruction{Op: ADD, Rd: rd, Rs2: rs2}
	case rd != 0 && link:
		return Instruction{Op: JALR, Rd: 1, Rs1: rd}
	case rd != 0:
		return Instruction{Op: JALR, Rs1: rd}
	case link:
		return Instruction{Op: EBREAK}
	}
	return Instruction{}
}
