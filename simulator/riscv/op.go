// Package riscv executes RV64GC user-mode instructions: I, M, A, F, D, C, Zicsr, Zifencei, Zba, Zbb and Zbs, as the
// unprivileged specification (version 20240411) defines them.
package riscv

//go:generate go run tracerec/internal/riscvloop

// Op is what an instruction does. Compressed instructions are those that they stand for.
type Op uint8

// The operations.
const (
	Illegal Op = iota
	LUI        // also AUIPC: the immediate is the result
	JAL
	JALR
	BEQ
	BNE
	BLT
	BGE
	BLTU
	BGEU
	LB
	LH
	LW
	LD
	LBU
	LHU
	LWU
	SB
	SH
	SW
	SD
	ADDI
	SLTI
	SLTIU
	XORI
	ORI
	ANDI
	SLLI
	SRLI
	SRAI
	ADD
	SUB
	SLL
	SLT
	SLTU
	XOR
	SRL
	SRA
	OR
	AND
	ADDIW
	SLLIW
	SRLIW
	SRAIW
	ADDW
	SUBW
	SLLW
	SRLW
	SRAW
	FENCE
	FENCEI
	ECALL
	EBREAK

	CSRRW
	CSRRS
	CSRRC
	CSRRWI
	CSRRSI
	CSRRCI

	MUL
	MULH
	MULHSU
	MULHU
	DIV
	DIVU
	REM
	REMU
	MULW
	DIVW
	DIVUW
	REMW
	REMUW

	LRW
	SCW
	AMOSWAPW
	AMOADDW
	AMOXORW
	AMOANDW
	AMOORW
	AMOMINW
	AMOMAXW
	AMOMINUW
	AMOMAXUW
	LRD
	SCD
	AMOSWAPD
	AMOADDD
	AMOXORD
	AMOANDD
	AMOORD
	AMOMIND
	AMOMAXD
	AMOMINUD
	AMOMAXUD

	FLW
	FSW
	FMADDS
	FMSUBS
	FNMSUBS
	FNMADDS
	FADDS
	FSUBS
	FMULS
	FDIVS
	FSQRTS
	FSGNJS
	FSGNJNS
	FSGNJXS
	FMINS
	FMAXS
	FCVTWS
	FCVTWUS
	FCVTLS
	FCVTLUS
	FMVXW
	FEQS
	FLTS
	FLES
	FCLASSS
	FCVTSW
	FCVTSWU
	FCVTSL
	FCVTSLU
	FMVWX

	FLD
	FSD
	FMADDD
	FMSUBD
	FNMSUBD
	FNMADDD
	FADDD
	FSUBD
	FMULD
	FDIVD
	FSQRTD
	FSGNJD
	FSGNJND
	FSGNJXD
	FMIND
	FMAXD
	FCVTSD
	FCVTDS
	FEQD
	FLTD
	FLED
	FCLASSD
	FCVTWD
	FCVTWUD
	FCVTLD
	FCVTLUD
	FMVXD
	FCVTDW
	FCVTDWU
	FCVTDL
	FCVTDLU
	FMVDX

	ADDUW
	SH1ADD
	SH1ADDUW
	SH2ADD
	SH2ADDUW
	SH3ADD
	SH3ADDUW
	SLLIUW

	ANDN
	ORN
	XNOR
	CLZ
	CLZW
	CTZ
	CTZW
	CPOP
	CPOPW
	MAX
	MAXU
	MIN
	MINU
	SEXTB
	SEXTH
	ZEXTH
	ROL
	ROLW
	ROR
	RORI
	RORIW
	RORW
	ORCB
	REV8

	BCLR
	BCLRI
	BEXT
	BEXTI
	BINV
	BINVI
	BSET
	BSETI

	ops // number of operations

	// In blocks only:
	through = ops     // behind the last instruction of a block that does not go elsewhere
	pause   = ops + 1 // where the limit is reached
)

var names = [ops]string{
	"illegal", "lui", "jal", "jalr", "beq", "bne", "blt", "bge", "bltu", "bgeu",
	"lb", "lh", "lw", "ld", "lbu", "lhu", "lwu", "sb", "sh", "sw", "sd",
	"addi", "slti", "sltiu", "xori", "ori", "andi", "slli", "srli", "srai",
	"add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and",
	"addiw", "slliw", "srliw", "sraiw", "addw", "subw", "sllw", "srlw", "sraw",
	"fence", "fence.i", "ecall", "ebreak",
	"csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci",
	"mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu", "mulw", "divw", "divuw", "remw", "remuw",
	"lr.w", "sc.w", "amoswap.w", "amoadd.w", "amoxor.w", "amoand.w", "amoor.w", "amomin.w", "amomax.w", "amominu.w", "amomaxu.w",
	"lr.d", "sc.d", "amoswap.d", "amoadd.d", "amoxor.d", "amoand.d", "amoor.d", "amomin.d", "amomax.d", "amominu.d", "amomaxu.d",
	"flw", "fsw", "fmadd.s", "fmsub.s", "fnmsub.s", "fnmadd.s", "fadd.s", "fsub.s", "fmul.s", "fdiv.s", "fsqrt.s",
	"fsgnj.s", "fsgnjn.s", "fsgnjx.s", "fmin.s", "fmax.s", "fcvt.w.s", "fcvt.wu.s", "fcvt.l.s", "fcvt.lu.s", "fmv.x.w",
	"feq.s", "flt.s", "fle.s", "fclass.s", "fcvt.s.w", "fcvt.s.wu", "fcvt.s.l", "fcvt.s.lu", "fmv.w.x",
	"fld", "fsd", "fmadd.d", "fmsub.d", "fnmsub.d", "fnmadd.d", "fadd.d", "fsub.d", "fmul.d", "fdiv.d", "fsqrt.d",
	"fsgnj.d", "fsgnjn.d", "fsgnjx.d", "fmin.d", "fmax.d", "fcvt.s.d", "fcvt.d.s",
	"feq.d", "flt.d", "fle.d", "fclass.d", "fcvt.w.d", "fcvt.wu.d", "fcvt.l.d", "fcvt.lu.d", "fmv.x.d",
	"fcvt.d.w", "fcvt.d.wu", "fcvt.d.l", "fcvt.d.lu", "fmv.d.x",
	"add.uw", "sh1add", "sh1add.uw", "sh2add", "sh2add.uw", "sh3add", "sh3add.uw", "slli.uw",
	"andn", "orn", "xnor", "clz", "clzw", "ctz", "ctzw", "cpop", "cpopw", "max", "maxu", "min", "minu",
	"sext.b", "sext.h", "zext.h", "rol", "rolw", "ror", "rori", "roriw", "rorw", "orc.b", "rev8",
	"bclr", "bclri", "bext", "bexti", "binv", "binvi", "bset", "bseti",
}

func (o Op) String() string { return names[o] }

// ends tells whether an operation ends a block of instructions: what comes next is not the instruction behind it, or must
// be looked at anew.
func (o Op) ends() bool {
	return o == Illegal || o >= JAL && o <= BGEU || o >= FENCEI && o <= EBREAK
}

// atomic tells whether it is an operation of the extension A.
func (o Op) atomic() bool { return o >= LRW && o <= AMOMAXUD }

// Instruction is a decoded instruction.
type Instruction struct {
	Imm int64
	Op  Op
	// Registers. Rd of an instruction whose integer result goes to x0 is sink.
	Rd, Rs1, Rs2 uint8
	Rs3          uint8 // third operand of fused multiply-adds
	Rm           uint8 // rounding mode
	Size         uint8 // bytes: 2 or 4
	At           uint8 // index in its block
}

// sink is a register beyond those of the machine, for results that nobody gets.
const sink = 32
