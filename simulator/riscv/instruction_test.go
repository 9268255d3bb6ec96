//go:build linux

package riscv

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/memory"
)

// Where the machine of a test has its memory. Beyond each of these pages nothing is mapped.
const (
	codePage     = 0x10000
	dataPage     = 0x20000
	readOnlyPage = 0x30000
	page         = memory.PageSize
)

// machine returns a hart at the beginning of a text of instructions. Its memory is at dataPage.
func machine(t testing.TB, words ...uint32) *Hart {
	space, err := memory.New(1 << 20)
	require.NoError(t, err)
	t.Cleanup(func() { space.Close() })
	require.NoError(t, space.Map(codePage, page, memory.Read|memory.Write|memory.Exec, ""))
	require.NoError(t, space.Map(dataPage, page, memory.Read|memory.Write, ""))
	require.NoError(t, space.Map(readOnlyPage, page, memory.Read, ""))
	text, ok := space.Bytes(codePage, page, 0)
	require.True(t, ok)
	for i, w := range words {
		binary.LittleEndian.PutUint32(text[4*i:], w)
	}
	h := NewHart(NewCode(space))
	h.PC = codePage
	return h
}

// bytesAt returns memory of the machine.
func bytesAt(t testing.TB, h *Hart, at, n uint64) []byte {
	b, ok := h.code.space.Bytes(at, n, 0)
	require.True(t, ok)
	return b
}

// encoding returns a word of the operation with rd 5, rs1 6 and rs2 7, where it has those.
func encoding(t testing.TB, op Op) uint32 {
	words := instructions().words[op]
	require.NotEmpty(t, words, "%s", op)
	for _, w := range words {
		if w>>20&31 == 7 {
			return w
		}
	}
	return words[0]
}

// withI returns the word with another immediate of 12 bits, or of 6 where that is a shift's.
func withI(w uint32, op Op, imm int) uint32 {
	switch op {
	case SLLI, SRLI, SRAI, SLLIW, SRLIW, SRAIW, SLLIUW, RORI, RORIW, BCLRI, BEXTI, BINVI, BSETI:
		return w&^(63<<20) | uint32(imm)<<20
	}
	return w&0xfffff | uint32(imm)<<20
}

const (
	ones  = math.MaxUint64
	least = uint64(1) << 63
	low31 = uint64(1) << 31
	minW  = uint64(0xffffffff80000000)
)

// integers are results of operations on registers and immediates.
var integers = []struct {
	op   Op
	a, b uint64 // b is the immediate of an operation that has one
	want uint64
}{
	{ADDI, 5, 0xfff, 4}, {ADDI, ones, 1, 0}, {ADDI, 0, 0x800, ones - 2047},
	{SLTI, 5, 6, 1}, {SLTI, 5, 0xfff, 0}, {SLTI, least, 0, 1},
	{SLTIU, 5, 0xfff, 1}, {SLTIU, ones, 0xfff, 0}, {SLTIU, 0, 1, 1},
	{XORI, 0xff, 0xfff, ^uint64(0xff)}, {ORI, 0xf0, 0x80f, 0xfffffffffffff8ff}, {ANDI, 0x1234, 0xff0, 0x1230},
	{SLLI, 1, 63, least}, {SLLI, 3, 0, 3}, {SRLI, least, 63, 1}, {SRAI, least, 63, ones}, {SRAI, least >> 1, 62, 1},
	{ADDIW, 0x7fffffff, 1, minW}, {ADDIW, 0x1ffffffff, 1, 0}, {ADDIW, low31, 0, minW},
	{SLLIW, 1, 31, minW}, {SLLIW, ones, 4, 0xfffffffffffffff0}, {SRLIW, minW, 31, 1}, {SRLIW, minW, 0, minW}, {SRAIW, low31, 31, ones},
	{ADD, ones, 2, 1}, {SUB, 0, 1, ones}, {SLL, 1, 64 + 3, 8}, {SRL, least, 127, 1}, {SRA, least, 63, ones},
	{SLT, ones, 0, 1}, {SLT, 0, ones, 0}, {SLTU, ones, 0, 0}, {SLTU, 0, ones, 1},
	{XOR, 0b1100, 0b1010, 0b0110}, {OR, 0b1100, 0b1010, 0b1110}, {AND, 0b1100, 0b1010, 0b1000},
	{ADDW, 0x7fffffff, 1, minW}, {SUBW, 0, 1, ones}, {SUBW, minW, 1, 0x7fffffff},
	{SLLW, 1, 32 + 31, minW}, {SRLW, ones, 32 + 4, 0xfffffff}, {SRAW, low31, 31, ones},

	{MUL, ones, ones, 1}, {MUL, 1 << 32, 1 << 32, 0}, {MULH, ones, ones, 0}, {MULH, least, least, 1 << 62}, {MULH, least, 1, ones},
	{MULHU, ones, ones, ones - 1}, {MULHSU, ones, ones, ones}, {MULHSU, least, 2, ones}, {MULHSU, 2, least, 1},
	{MULW, 0x10000, 0x8000, minW}, {MULW, 0xffffffff, 0xffffffff, 1},
	{DIV, 7, ones - 1, ones - 2}, {DIV, 7, 0, ones}, {DIV, least, ones, least}, {DIVU, ones, 2, ones >> 1}, {DIVU, 7, 0, ones},
	{REM, ones - 6, 2, ones}, {REM, 7, 0, 7}, {REM, least, ones, 0}, {REMU, ones, 16, 15}, {REMU, 7, 0, 7},
	{DIVW, 7, ones - 1, ones - 2}, {DIVW, 7, 1 << 32, ones}, {DIVW, low31, ones, minW}, {DIVUW, 0xfffffffe, 1, ones - 1}, {DIVUW, 1, 0, ones},
	{REMW, 7, 1 << 32, 7}, {REMW, minW, ones, 0}, {REMW, low31, 0, minW}, {REMUW, 0xffffffff, 0, ones}, {REMUW, 0xffffffff, 16, 15},

	{ADDUW, ones, 1, 1 << 32}, {SH1ADD, least, 3, 3}, {SH2ADD, 5, 1, 21}, {SH3ADD, 5, 1, 41},
	{SH1ADDUW, ones, 0, 0x1fffffffe}, {SH2ADDUW, ones, 0, 0x3fffffffc}, {SH3ADDUW, ones, 1, 0x7fffffff9},
	{SLLIUW, ones, 32, 0xffffffff00000000}, {SLLIUW, 1 << 32, 5, 0},
	{ANDN, 0b1100, 0b1010, 0b0100}, {ORN, 0, 1, ones - 1}, {XNOR, 5, 5, ones},
	{CLZ, 0, 0, 64}, {CLZ, 1, 0, 63}, {CLZW, 0, 0, 32}, {CLZW, 1<<40 | 1, 0, 31},
	{CTZ, 0, 0, 64}, {CTZ, least, 0, 63}, {CTZW, 0, 0, 32}, {CTZW, 1 << 32, 0, 32}, {CTZW, low31, 0, 31},
	{CPOP, ones, 0, 64}, {CPOPW, ones, 0, 32}, {CPOPW, 1<<32 | 3, 0, 2},
	{MAX, ones, 1, 1}, {MAXU, ones, 1, ones}, {MIN, ones, 1, ones}, {MINU, ones, 1, 1},
	{SEXTB, 0x180, 0, ones - 127}, {SEXTB, 0x17f, 0, 0x7f}, {SEXTH, 0x18000, 0, ones - 32767}, {ZEXTH, ones, 0, 0xffff},
	{ROL, least, 1, 1}, {ROL, 1, 64, 1}, {ROR, 1, 1, least}, {RORI, 1, 63, 2}, {ROLW, low31, 33, 1}, {RORW, 1, 1, minW}, {RORIW, 3, 1, minW + 1},
	{ORCB, 0x0100_8000_0001_0000, 0, 0xff00_ff00_00ff_0000}, {REV8, 0x0102030405060708, 0, 0x0807060504030201},
	{BCLR, ones, 64 + 1, ones - 2}, {BCLRI, ones, 63, ones >> 1}, {BEXT, least, 63, 1}, {BEXT, least, 62, 0}, {BEXTI, 4, 2, 1},
	{BINV, 1, 0, 0}, {BINVI, 0, 63, least}, {BSET, 0, 64 + 5, 32}, {BSETI, 0, 63, least},
}

func TestIntegers(t *testing.T) {
	for _, c := range integers {
		w := encoding(t, c.op)
		switch Decode(w, 0).Op {
		case ADDI, SLTI, SLTIU, XORI, ORI, ANDI, ADDIW, SLLI, SRLI, SRAI, SLLIW, SRLIW, SRAIW, SLLIUW, RORI, RORIW, BCLRI, BEXTI, BINVI, BSETI:
			w = withI(w, c.op, int(c.b))
		}
		require.Equal(t, c.op, Decode(w, 0).Op)
		for _, to := range []uint32{5, 6, 7, 0} { // also over an operand, and to x0
			h := machine(t, w&^(31<<7)|to<<7, 0x73)
			h.X[6], h.X[7] = c.a, c.b
			require.Equal(t, Stop{Why: Syscall}, h.Run(10))
			if to == 0 {
				require.Zero(t, h.X[0], "%s", c.op)
				continue
			}
			require.Equal(t, c.want, h.X[to], "%s %#x, %#x: got %#x", c.op, c.a, c.b, h.X[to])
		}
	}
}

// Branches go where they should, backward as well, and count as one instruction.
func TestBranches(t *testing.T) {
	for _, c := range []struct {
		op    Op
		a, b  uint64
		taken bool
	}{
		{BEQ, 1, 1, true}, {BEQ, 1, 2, false}, {BNE, 1, 1, false}, {BNE, 1, 2, true},
		{BLT, ones, 0, true}, {BLT, 0, 0, false}, {BLT, 0, ones, false}, {BGE, ones, 0, false}, {BGE, 0, 0, true}, {BGE, 0, ones, true},
		{BLTU, ones, 0, false}, {BLTU, 0, 0, false}, {BLTU, 0, ones, true}, {BGEU, ones, 0, true}, {BGEU, 0, 0, true}, {BGEU, 0, ones, false},
	} {
		w := instructions().words[c.op][0]&^(31<<20) | 7<<20
		h := machine(t, w|8<<7, 0x73, 0x73) // beq x6, x7, .+8
		h.X[6], h.X[7] = c.a, c.b
		require.Equal(t, Stop{Why: Syscall}, h.Run(10))
		want := uint64(codePage + 8)
		if c.taken {
			want += 4
		}
		require.Equal(t, want, h.PC, "%s %#x, %#x", c.op, c.a, c.b)
		require.EqualValues(t, 2, h.Retired)
	}
	h := machine(t, 0x13, 0x13, 0xfe000ce3, 0x13) // beq x0, x0, .-8, for ever
	require.Equal(t, Stop{Why: Budget}, h.Run(3001))
	require.EqualValues(t, codePage+4, h.PC)
	require.EqualValues(t, 3001, h.Retired)
}

// Jumps leave the address behind them, and the lowest bit of a computed target does not count.
func TestJumps(t *testing.T) {
	h := machine(t, 0x008002ef, 0x13, 0x00400337, 0x73) // jal x5, .+8; …; lui x6, 0x400
	require.Equal(t, Syscall, h.Run(10).Why)
	require.EqualValues(t, codePage+4, h.X[5])
	require.EqualValues(t, 0x400000, h.X[6])
	require.EqualValues(t, 3, h.Retired)
	h = machine(t, encI(0x67, 0, 6, 6, 9), 0x13, 0x73) // jalr x6, 9(x6): the target is computed first
	h.X[6] = codePage
	require.Equal(t, Syscall, h.Run(10).Why)
	require.EqualValues(t, codePage+4, h.X[6])
	require.EqualValues(t, 2, h.Retired)
	h = machine(t, 0x17|5<<7|0xfffff<<12, 0x73) // auipc x5, -1
	require.Equal(t, Syscall, h.Run(10).Why)
	require.EqualValues(t, codePage-4096, h.X[5])
	h = machine(t, 0x0ff0000f, 0x73) // fence
	require.Equal(t, Syscall, h.Run(10).Why)
	require.EqualValues(t, 2, h.Retired)
}

// Loads extend, stores cut, aligned or not.
func TestMemory(t *testing.T) {
	for _, offset := range []int{0, 1, 3, 5, -7} {
		for _, c := range []struct {
			op   Op
			want uint64
		}{
			{LB, ones - 0x7f}, {LBU, 0x80}, {LH, 0xffffffffffff9180}, {LHU, 0x9180}, {LW, 0xffffffffb3a29180}, {LWU, 0xb3a29180}, {LD, 0xf7e6d5c4b3a29180},
		} {
			h := machine(t, withI(encoding(t, c.op), c.op, offset), 0x73)
			h.X[6] = dataPage + 64
			binary.LittleEndian.PutUint64(bytesAt(t, h, uint64(dataPage+64+offset), 8), 0xf7e6d5c4b3a29180)
			require.Equal(t, Syscall, h.Run(10).Why)
			require.Equal(t, c.want, h.X[5], "%s", c.op)
		}
		for op, n := range map[Op]int{SB: 1, SH: 2, SW: 4, SD: 8} {
			h := machine(t, encS(0x23, uint32(op-SB), 6, 7, offset), 0x73)
			h.X[6], h.X[7] = dataPage+64, 0x8877665544332211
			require.Equal(t, Syscall, h.Run(10).Why)
			want := make([]byte, 24)
			for i := range n {
				want[8+i] = byte(0x11 * (i + 1))
			}
			require.Equal(t, want, bytesAt(t, h, uint64(dataPage+64+offset-8), 24), "%s", op)
		}
	}
	h := machine(t, encI(0x07, 2, 5, 6, 0), encI(0x07, 3, 4, 6, 0), encS(0x27, 2, 6, 4, 8), encS(0x27, 3, 6, 5, 16), 0x73)
	h.X[6] = dataPage
	binary.LittleEndian.PutUint64(bytesAt(t, h, dataPage, 8), 0x1122334455667788)
	require.Equal(t, Syscall, h.Run(10).Why)
	require.EqualValues(t, uint64(boxed|0x55667788), h.F[5], "a single is boxed")
	require.EqualValues(t, 0x1122334455667788, h.F[4])
	require.EqualValues(t, 0x55667788, binary.LittleEndian.Uint64(bytesAt(t, h, dataPage+8, 8)), "half of it is stored")
	require.EqualValues(t, uint64(boxed|0x55667788), binary.LittleEndian.Uint64(bytesAt(t, h, dataPage+16, 8)))
}

// Read-modify-writes return the old value, words extended by their sign.
func TestAtomics(t *testing.T) {
	for _, c := range []struct {
		op               Op // of words; that of doublewords does the same
		old, source, now uint64
	}{
		{AMOSWAPW, minW, 7, 7}, {AMOADDW, ones, 2, 1}, {AMOXORW, 0b1100, 0b1010, 0b0110}, {AMOANDW, 0b1100, 0b1010, 0b1000}, {AMOORW, 0b1100, 0b1010, 0b1110},
		{AMOMINW, ones, 1, ones}, {AMOMINW, 1, ones, ones}, {AMOMAXW, ones, 1, 1}, {AMOMAXW, 1, ones, 1},
		{AMOMINUW, ones, 1, 1}, {AMOMINUW, 1, ones, 1}, {AMOMAXUW, ones, 1, ones}, {AMOMAXUW, 1, ones, ones},
	} {
		for _, double := range []Op{0, LRD - LRW} {
			h := machine(t, encoding(t, c.op+double), 0x73)
			h.X[6], h.X[7] = dataPage+8, c.source
			at := bytesAt(t, h, dataPage, 24)
			binary.LittleEndian.PutUint64(at[8:], c.old)
			require.Equal(t, Syscall, h.Run(10).Why)
			require.Equal(t, c.old, h.X[5], "%s", c.op+double)
			want := c.now
			if double == 0 {
				want = c.old&^math.MaxUint32 | c.now&math.MaxUint32
			}
			require.Equal(t, want, binary.LittleEndian.Uint64(at[8:]), "%s", c.op+double)
			require.Zero(t, binary.LittleEndian.Uint64(at)|binary.LittleEndian.Uint64(at[16:]))
		}
	}
}

// A store-conditional succeeds once after a load-reserved of the same place, if nothing was stored there.
func TestReservations(t *testing.T) {
	lr := func(f3, rd uint32) uint32 { return 0x1000002f | f3<<12 | rd<<7 | 6<<15 }
	sc := func(f3, rd uint32) uint32 { return 0x1800002f | f3<<12 | rd<<7 | 6<<15 | 7<<20 }
	for _, c := range []struct {
		name  string
		words []uint32
		want  []uint64 // x8, x9
	}{
		{"pair", []uint32{lr(3, 5), sc(3, 8), sc(3, 9)}, []uint64{0, 1}},
		{"words", []uint32{lr(2, 5), sc(2, 8), sc(2, 9)}, []uint64{0, 1}},
		{"without", []uint32{sc(3, 8), sc(2, 9)}, []uint64{1, 1}},
		{"another place", []uint32{lr(3, 5), encI(0x13, 0, 6, 6, 8), sc(3, 8), sc(3, 9)}, []uint64{1, 1}},
		{"stored meanwhile", []uint32{lr(3, 5), encS(0x23, 0, 6, 7, 0), sc(3, 8), sc(3, 9)}, []uint64{1, 1}},
		{"stored beside", []uint32{lr(3, 5), encS(0x23, 0, 6, 7, 8), sc(3, 8), sc(3, 9)}, []uint64{0, 1}},
	} {
		h := machine(t, append(c.words, 0x73)...)
		h.X[6], h.X[7] = dataPage, 77
		require.Equal(t, Syscall, h.Run(10).Why, c.name)
		require.Equal(t, c.want, h.X[8:10:10], c.name)
	}
	h := machine(t, lr(3, 5), sc(3, 8), 0x73)
	h.X[6] = dataPage
	require.Equal(t, Stop{Why: Budget}, h.Run(1))
	h.Unreserve()
	require.Equal(t, Syscall, h.Run(10).Why)
	require.EqualValues(t, 1, h.X[8], "another thread was there in between")
}

// What accesses no memory of its own, or in a way that is not permitted, stops before it, with those before it counted.
func TestFaults(t *testing.T) {
	lw, sw := encoding(t, LW)&0xfffff, encS(0x23, 2, 6, 7, 0)
	for _, c := range []struct {
		name    string
		at      uint64
		word    uint32
		stop    Stop
		imm     uint64
		touched bool // the observer is told
	}{
		{"load from nowhere", 0x50000, lw, Stop{MemoryFault, 0x50000}, 0, true},
		{"load beyond all", 1 << 60, lw, Stop{MemoryFault, 1 << 60}, 0, true},
		{"load below 0", 0, withI(lw, LW, -4), Stop{MemoryFault, ones - 3}, 0, true},
		{"load across the end", dataPage + page - 2, lw, Stop{MemoryFault, dataPage + page}, 0, true},
		{"store across the end", dataPage + page - 1, sw, Stop{MemoryFault, dataPage + page}, 0, true},
		{"store to what is read", readOnlyPage, sw, Stop{MemoryFault, readOnlyPage}, 0, true},
		{"float", 0x50000, encI(0x07, 3, 5, 6, 8), Stop{MemoryFault, 0x50008}, 0, true},
		{"atomic", readOnlyPage, encoding(t, AMOADDD), Stop{MemoryFault, readOnlyPage}, 0, true},
		{"atomic nowhere", 0x50000, encoding(t, LRW), Stop{MemoryFault, 0x50000}, 0, true},
		{"misaligned word", dataPage + 2, encoding(t, AMOADDW), Stop{Misaligned, dataPage + 2}, 0, true},
		{"misaligned double", dataPage + 4, encoding(t, LRD), Stop{Misaligned, dataPage + 4}, 0, true},
		{"misaligned conditional", dataPage + 1, encoding(t, SCW), Stop{Misaligned, dataPage + 1}, 0, true},
		{"break", 0, 0x00100073, Stop{Breakpoint, codePage + 8}, 0, false},
		{"illegal", 0, 0xffffffff, Stop{IllegalInstruction, codePage + 8}, 0, false},
		{"no such csr", 0, 0x123022f3, Stop{IllegalInstruction, codePage + 8}, 0, false},
		{"rounding mode", 0, 0x0273f2d3, Stop{IllegalInstruction, codePage + 8}, 0, false}, // fadd.d dynamic, with frm 7
	} {
		for _, observed := range []bool{false, true} {
			h := machine(t, 0x00108093, 0x00108093, c.word, 0x00108093, 0x73)
			h.X[6], h.X[7], h.X[5], h.Rounding = c.at, 1, 99, 7
			l := &listener{}
			if observed {
				h.Observe(l)
			}
			require.Equal(t, c.stop, h.Run(100), c.name)
			require.EqualValues(t, codePage+8, h.PC, c.name)
			require.EqualValues(t, 2, h.Retired, c.name)
			require.EqualValues(t, 2, h.X[1], c.name)
			require.EqualValues(t, 99, h.X[5], c.name)
			if observed {
				require.EqualValues(t, 2, l.announced-l.undone, c.name)
				require.Equal(t, c.touched, l.accesses == 1, c.name)
			}
			require.Equal(t, c.stop, h.Run(100), "%s: the same again", c.name)
			require.EqualValues(t, 2, h.Retired, c.name)
		}
	}
}

// Code that cannot be executed stops before it; a misaligned or half mapped instruction as well.
func TestFetchFaults(t *testing.T) {
	for target, want := range map[uint64]uint64{0: 0, dataPage: dataPage, 1 << 40: 1 << 40, codePage + page: codePage + page} {
		h := machine(t, encI(0x67, 0, 0, 6, 0))
		h.X[6] = target
		require.Equal(t, Stop{MemoryFault, want}, h.Run(10))
		require.Equal(t, want, h.PC)
		require.EqualValues(t, 1, h.Retired)
		h.PC = codePage
		require.Equal(t, Stop{Why: Budget}, h.Run(1), "the jump itself is done")
	}
	h := machine(t)
	h.PC = codePage + page - 6
	copy(bytesAt(t, h, codePage+page-6, 6), []byte{0x93, 0x80, 0x10, 0, 0x93, 0x80}) // addi x1, x1, 1 and half of one
	require.Equal(t, Stop{MemoryFault, codePage + page}, h.Run(10), "the half that is not there")
	require.EqualValues(t, 1, h.X[1])
	require.EqualValues(t, 1, h.Retired)
}

// A run of any number of instructions, in any pieces, is the same run.
func TestBudgets(t *testing.T) {
	words := []uint32{
		0x00108093, 0x00108093, encI(0x03, 3, 5, 6, 0), 0x005080b3, encS(0x23, 3, 6, 1, 0), // addi, addi, ld, add, sd
		encI(0x13, 1, 8, 1, 3), 0x001402b3, encI(0x13, 0, 2, 2, 1), encI(0x13, 0, 3, 3, 2), 0xfc114ee3, 0x73, // slli, add, addi, addi, blt x2, x1, .-36
	}
	whole := machine(t, words...)
	whole.X[6] = dataPage
	require.Equal(t, Stop{Why: Budget}, whole.Run(100))
	for piece := uint64(1); piece <= 12; piece++ {
		for _, observed := range []bool{false, true} {
			h := machine(t, words...)
			h.X[6] = dataPage
			l := &listener{}
			if observed {
				h.Observe(l)
			}
			for h.Retired < 100 {
				before := h.Retired
				n := min(piece, 100-before)
				require.Equal(t, Stop{Why: Budget}, h.Run(n))
				require.Equal(t, before+n, h.Retired)
			}
			require.Equal(t, whole.X, h.X)
			require.Equal(t, whole.PC, h.PC)
			require.Equal(t, bytesAt(t, whole, dataPage, 8), bytesAt(t, h, dataPage, 8))
			if observed {
				require.EqualValues(t, 100, l.announced-l.undone)
			}
		}
	}
	h := machine(t, words...)
	require.Equal(t, Stop{Why: Budget}, h.Run(0))
	require.Zero(t, h.Retired)
}

// Code that changes itself is decoded anew after fence.i; so is what was linked to it.
func TestSelfModifying(t *testing.T) {
	for _, observed := range []bool{false, true} {
		h := machine(t,
			encI(0x13, 0, 1, 1, 1),                         // loop: addi x1, x1, 1, to become addi x1, x1, 16
			0x00c0006f,                                     // j .+12
			encS(0x23, 2, 6, 7, 0), encI(0x0f, 1, 0, 0, 0), // store the other one; fence.i
			encI(0x13, 0, 2, 2, 1), // addi x2, x2, 1
			encI(0x13, 0, 3, 0, 3), // li x3, 3
			0xfe3108e3,             // beq x2, x3, .-16: to the store
			0x00d00193,             // li x3, 13
			0xfe3140e3,             // blt x2, x3, .-32: to the loop
			0x73)
		if observed {
			h.Observe(&listener{})
		}
		h.X[6], h.X[7] = codePage, uint64(encI(0x13, 0, 1, 1, 16))
		require.Equal(t, Stop{Why: Syscall}, h.Run(1000))
		require.EqualValues(t, 3+9*16, h.X[1])
	}
	h := machine(t, encI(0x13, 0, 1, 1, 1), 0xffdff06f) // addi; j .-4
	require.Equal(t, Budget, h.Run(10).Why)
	binary.LittleEndian.PutUint32(bytesAt(t, h, codePage, 4), encI(0x13, 0, 1, 1, 16))
	h.code.Flush()
	require.Equal(t, Budget, h.Run(10).Why)
	require.EqualValues(t, 5+5*16, h.X[1])
}

// Every operation that can be encoded is executed by the tests of this package's tables.
func TestEveryOperation(t *testing.T) {
	covered := map[Op]bool{}
	for _, c := range integers {
		covered[c.op] = true
	}
	for _, c := range floats {
		covered[c.op] = true
	}
	other := [][2]Op{{LUI, SD}, {FENCE, CSRRCI}, {LRW, AMOMAXUD}, {FLW, FSW}, {FLD, FSD}}
	for op := LUI; op < ops; op++ {
		for _, r := range other {
			covered[op] = covered[op] || op >= r[0] && op <= r[1]
		}
		require.True(t, covered[op], fmt.Sprint(op))
	}
}
