package riscv

// dynamic in the rm field means the rounding mode of fcsr.
const dynamic = 7

func (in *Instruction) floatMemory(w uint32) {
	store := w&0x7f == 0x27
	switch f3(w) {
	case 2:
		in.Op = FLW
	case 3:
		in.Op = FLD
	default:
		return
	}
	if in.Imm = immI(w); store {
		in.Imm = immS(w)
		in.Op += FSW - FLW
	}
}

func (in *Instruction) fused(w uint32) {
	var base Op
	switch w >> 25 & 3 {
	case 0:
		base = FMADDS
	case 1:
		base = FMADDD
	default:
		return
	}
	if in.rounds(w) {
		in.Op, in.Rs3 = base+Op(w>>2&3), uint8(w>>27)
	}
}

// rounds takes the rounding mode and tells whether it is one.
func (in *Instruction) rounds(w uint32) bool {
	in.Rm = uint8(f3(w))
	return in.Rm <= 4 || in.Rm == dynamic
}

// float decodes OP-FP: the low two bits of funct7 are the format, the others the operation.
func (in *Instruction) float(w uint32) {
	double := w>>25&3 == 1
	if w>>25&3 > 1 {
		return
	}
	either := func(s, d Op) Op {
		if double {
			return d
		}
		return s
	}
	pick := func(s, d Op, n uint32) { // one of n operations that follow each other, by rs2
		if uint32(in.Rs2) < n && in.rounds(w) {
			in.Op = either(s, d) + Op(in.Rs2)
		}
	}
	switch top := w >> 27; top {
	case 0, 1, 2, 3:
		if in.rounds(w) {
			in.Op = either(FADDS, FADDD) + Op(top)
		}
	case 0x0b:
		if in.Rs2 == 0 && in.rounds(w) {
			in.Op = either(FSQRTS, FSQRTD)
		}
	case 0x04:
		if f3(w) < 3 {
			in.Op = either(FSGNJS, FSGNJD) + Op(f3(w))
		}
	case 0x05:
		if f3(w) < 2 {
			in.Op = either(FMINS, FMIND) + Op(f3(w))
		}
	case 0x08:
		if double == (in.Rs2 == 0) && in.Rs2 < 2 && in.rounds(w) { // the format that is converted is in rs2
			in.Op = either(FCVTSD, FCVTDS)
		}
	case 0x14:
		if f3(w) < 3 {
			in.Op = [3]Op{either(FLES, FLED), either(FLTS, FLTD), either(FEQS, FEQD)}[f3(w)]
		}
	case 0x18:
		pick(FCVTWS, FCVTWD, 4)
	case 0x1a:
		pick(FCVTSW, FCVTDW, 4)
	case 0x1c:
		if in.Rs2 == 0 && f3(w) < 2 {
			in.Op = [2]Op{either(FMVXW, FMVXD), either(FCLASSS, FCLASSD)}[f3(w)]
		}
	case 0x1e:
		if in.Rs2 == 0 && f3(w) == 0 {
			in.Op = either(FMVWX, FMVDX)
		}
	}
}
