package riscv

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Compressed instructions stand for the ones that the manual says, with the extremes of their immediates.
func TestCompressed(t *testing.T) {
	const pc = 0x10000
	for _, c := range []struct {
		name string
		word uint16
		want Instruction
	}{
		{"c.addi4spn x8, sp, 4", 0x0040, Instruction{Op: ADDI, Rd: 8, Rs1: 2, Imm: 4}},
		{"c.addi4spn x15, sp, 1020", 0x1ffc, Instruction{Op: ADDI, Rd: 15, Rs1: 2, Imm: 1020}},
		{"c.fld f8, 248(x9)", 0x3ce0, Instruction{Op: FLD, Rd: 8, Rs1: 9, Imm: 248}},
		{"c.lw x8, 124(x9)", 0x5ce0, Instruction{Op: LW, Rd: 8, Rs1: 9, Imm: 124}},
		{"c.lw x8, 4(x9)", 0x40c0, Instruction{Op: LW, Rd: 8, Rs1: 9, Imm: 4}},
		{"c.ld x15, 64(x8)", 0x603c, Instruction{Op: LD, Rd: 15, Rs1: 8, Imm: 64}},
		{"c.fsd f8, 0(x9)", 0xa080, Instruction{Op: FSD, Rs1: 9, Rs2: 8}},
		{"c.sw x8, 64(x9)", 0xc0a0, Instruction{Op: SW, Rs1: 9, Rs2: 8, Imm: 64}},
		{"c.sd x8, 248(x9)", 0xfce0, Instruction{Op: SD, Rs1: 9, Rs2: 8, Imm: 248}},
		{"c.nop", 0x0001, Instruction{Op: ADDI, Rd: sink}},
		{"c.addi x1, -1", 0x10fd, Instruction{Op: ADDI, Rd: 1, Rs1: 1, Imm: -1}},
		{"c.addiw x1, -32", 0x3081, Instruction{Op: ADDIW, Rd: 1, Rs1: 1, Imm: -32}},
		{"c.li x1, 31", 0x40fd, Instruction{Op: ADDI, Rd: 1, Imm: 31}},
		{"c.addi16sp sp, -512", 0x7101, Instruction{Op: ADDI, Rd: 2, Rs1: 2, Imm: -512}},
		{"c.addi16sp sp, 496", 0x617d, Instruction{Op: ADDI, Rd: 2, Rs1: 2, Imm: 496}},
		{"c.lui x1, 1", 0x6085, Instruction{Op: LUI, Rd: 1, Imm: 0x1000}},
		{"c.lui x1, -1", 0x70fd, Instruction{Op: LUI, Rd: 1, Imm: -0x1000}},
		{"c.srli x8, 63", 0x907d, Instruction{Op: SRLI, Rd: 8, Rs1: 8, Imm: 63}},
		{"c.srai x9, 1", 0x8485, Instruction{Op: SRAI, Rd: 9, Rs1: 9, Imm: 1}},
		{"c.andi x8, -1", 0x987d, Instruction{Op: ANDI, Rd: 8, Rs1: 8, Imm: -1}},
		{"c.sub x8, x9", 0x8c05, Instruction{Op: SUB, Rd: 8, Rs1: 8, Rs2: 9}},
		{"c.xor x8, x9", 0x8c25, Instruction{Op: XOR, Rd: 8, Rs1: 8, Rs2: 9}},
		{"c.or x8, x9", 0x8c45, Instruction{Op: OR, Rd: 8, Rs1: 8, Rs2: 9}},
		{"c.and x8, x9", 0x8c65, Instruction{Op: AND, Rd: 8, Rs1: 8, Rs2: 9}},
		{"c.subw x8, x9", 0x9c05, Instruction{Op: SUBW, Rd: 8, Rs1: 8, Rs2: 9}},
		{"c.addw x8, x9", 0x9c25, Instruction{Op: ADDW, Rd: 8, Rs1: 8, Rs2: 9}},
		{"c.j .-2048", 0xb001, Instruction{Op: JAL, Rd: sink, Imm: pc - 2048}},
		{"c.j .+2046", 0xaffd, Instruction{Op: JAL, Rd: sink, Imm: pc + 2046}},
		{"c.beqz x8, .-256", 0xd001, Instruction{Op: BEQ, Rd: sink, Rs1: 8, Imm: pc - 256}},
		{"c.bnez x15, .+254", 0xeffd, Instruction{Op: BNE, Rd: sink, Rs1: 15, Imm: pc + 254}},
		{"c.slli x1, 63", 0x10fe, Instruction{Op: SLLI, Rd: 1, Rs1: 1, Imm: 63}},
		{"c.fldsp f1, 504(sp)", 0x30fe, Instruction{Op: FLD, Rd: 1, Rs1: 2, Imm: 504}},
		{"c.lwsp x1, 252(sp)", 0x50fe, Instruction{Op: LW, Rd: 1, Rs1: 2, Imm: 252}},
		{"c.ldsp x1, 504(sp)", 0x70fe, Instruction{Op: LD, Rd: 1, Rs1: 2, Imm: 504}},
		{"c.jr x1", 0x8082, Instruction{Op: JALR, Rd: sink, Rs1: 1}},
		{"c.mv x1, x2", 0x808a, Instruction{Op: ADD, Rd: 1, Rs2: 2}},
		{"c.ebreak", 0x9002, Instruction{Op: EBREAK, Rd: sink}},
		{"c.jalr x5", 0x9282, Instruction{Op: JALR, Rd: 1, Rs1: 5}},
		{"c.add x1, x2", 0x908a, Instruction{Op: ADD, Rd: 1, Rs1: 1, Rs2: 2}},
		{"c.fsdsp f1, 504(sp)", 0xbf86, Instruction{Op: FSD, Rs1: 2, Rs2: 1, Imm: 504}},
		{"c.swsp x1, 252(sp)", 0xdf86, Instruction{Op: SW, Rs1: 2, Rs2: 1, Imm: 252}},
		{"c.sdsp x1, 504(sp)", 0xff86, Instruction{Op: SD, Rs1: 2, Rs2: 1, Imm: 504}},
	} {
		c.want.Size = 2
		got := Decode(uint32(c.word)|0xabcd0000, pc)       // what is behind it does not matter
		if got.Op >= SB && got.Op <= SD || got.Op == FSD { // no result
			c.want.Rd = sink
		}
		require.Equal(t, c.want, got, c.name)
	}
}

// What the extensions do not define is illegal.
func TestIllegal(t *testing.T) {
	for name, w := range map[string]uint32{
		"all zeros": 0, "all ones": 0xffffffff,
		"c.addi4spn of 0": 0x0000, "c.addiw x0": 0x2005, "c.lui of 0": 0x6081, "c.addi16sp of 0": 0x6101, "c.lwsp x0": 0x4002, "c.ldsp x0": 0x6002,
		"c.jr x0": 0x8002, "reserved, quadrant 0": 0x8000, "c.subw's reserved row 2": 0x9c41, "c.subw's reserved row 3": 0x9c61,
		"jalr, funct3 1": 0x00001067, "branch, funct3 2": 0x00002063, "branch, funct3 3": 0x00003063, "load, funct3 7": 0x00007003, "store, funct3 4": 0x00004023,
		"slli with a high bit": 0x80001013, "slliw by 32": 0x0200101b, "srliw by 32": 0x0200501b, "sraiw by 32": 0x4200501b, "roriw by 32": 0x6200501b, "addiw's funct3 2": 0x0000201b,
		"funct7 2": 0x04000033, "sub's row, sll": 0x40001033, "mulw's row, mulh": 0x0200103b, "zext.h with rs2": 0x0810403b, "clmul": 0x0a001033, "sh1add's row, funct3 1": 0x20001033,
		"clz's row beyond": 0x60601013, "clzw's row beyond": 0x6030101b,
		"fence, funct3 2": 0x0000200f, "system, funct3 4": 0x00004073, "uret": 0x00200073, "sret": 0x10200073, "mret": 0x30200073, "wfi": 0x10500073, "sfence.vma": 0x12000073,
		"amo of bytes": 0x0000002f, "amo of 128 bits": 0x0000402f, "lr with rs2": 0x1010202f, "amo of an unknown kind": 0x2800202f,
		"flh": 0x00001007, "flq": 0x00004007, "vector load": 0x00000007, "fadd.h": 0x04000053, "fadd.q": 0x06000053, "fmadd.h": 0x04000043,
		"fadd.s, mode 5": 0x00005053, "fadd.s, mode 6": 0x00006053, "fmadd.d, mode 5": 0x02005043, "fsqrt.s with rs2": 0x58100053, "fsgnj.s, funct3 3": 0x20003053,
		"fmin.s, funct3 2": 0x28002053, "feq.s, funct3 3": 0xa0003053, "fcvt.s.s": 0x40000053, "fcvt.d.d": 0x42100053, "fcvt.s.h": 0x40200053, "fcvt.w.s, rs2 4": 0xc0400053,
		"fcvt.s.w, rs2 4": 0xd0400053, "fmv.x.w with rs2": 0xe0100053, "fmv.x.w, funct3 2": 0xe0002053, "fmv.w.x, funct3 1": 0xf0001053, "fli": 0xf0100053,
		"custom-0": 0x0000000b, "48 bits": 0x0000001f, "op-v": 0x00000057,
	} {
		require.Equal(t, Illegal, Decode(w, 0).Op, "%s: %s", name, Decode(w, 0).Op)
	}
}

// Every word decodes to something that can be executed: known operations, registers of the machine, a size.
func FuzzDecode(f *testing.F) {
	for _, w := range []uint32{0, 0x13, 0x73, 0x8082, 0xffffffff, 0x02007043} {
		f.Add(w, uint64(0x10000))
	}
	f.Fuzz(func(t *testing.T, w uint32, pc uint64) {
		in := Decode(w, pc)
		require.Less(t, in.Op, ops)
		require.NotEmpty(t, in.Op.String())
		require.LessOrEqual(t, in.Rd, uint8(sink))
		require.Less(t, max(in.Rs1, in.Rs2, in.Rs3), uint8(32))
		require.Equal(t, w&3 == 3, in.Size == 4)
		if in.Rd == 0 {
			require.True(t, in.Op.toFloat(), "x0 is written by %s", in.Op)
		}
	})
}
