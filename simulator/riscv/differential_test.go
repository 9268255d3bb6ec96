//go:build linux

package riscv

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/memory"
)

var programs = flag.Int("programs", 3000, "random programs to compare with qemu-riscv64")

// The random programs: each loads all registers, executes instructions, and stores registers, flags and scratch memory to
// its place in the output.
const (
	textAt    = 0x10000
	dataAt    = 0x4000000 // registers to load, of every program
	scratchAt = 0x8000000
	outAt     = 0xc000000
	scratch   = 8192
	record    = 32*8 + 32*8 + 8 + 512 // registers, flags, the middle of the scratch memory
	length    = 24                    // instructions of a program
)

// Registers with a purpose: x31 is where output goes, x30 the middle of scratch memory; x29, x2 and x9 point into it.
var purpose = map[uint8]bool{31: true, 30: true, 29: true, 2: true, 9: true}

// catalog lists words by operation, with registers yet to be drawn.
type catalog struct {
	ops   []Op
	words [ops][]uint32
	short []uint16
}

var instructions = sync.OnceValue(newCatalog)

func newCatalog() *catalog {
	c := &catalog{}
	for opcode := uint32(3); opcode < 128; opcode += 4 {
		for rest := range uint32(1 << 15) { // funct3, rs2, funct7
			w := opcode | rest&7<<12 | rest>>3<<20 | 5<<7 | 6<<15
			in := Decode(w, 0)
			switch op := in.Op; {
			case op == Illegal || op == ECALL || op == EBREAK || op == FENCEI || op == FENCE && w>>20 != 0x0ff:
			case op >= CSRRW && op <= CSRRCI && in.Imm != csrFFlags:
			case op == JAL || op == JALR || op >= BEQ && op <= BGEU: // targets are drawn later
				if len(c.words[op]) == 0 {
					c.words[op] = append(c.words[op], w&^0xfe000f80)
				}
			default:
				c.words[op] = append(c.words[op], w)
			}
		}
	}
	for op := Op(1); op < ops; op++ {
		if len(c.words[op]) > 0 {
			c.ops = append(c.ops, op)
		}
	}
	for w := range uint32(1 << 16) {
		in := Decode(w, 0)
		if w&3 == 3 || in.Op == Illegal || in.Op.ends() || purpose[in.Rd] && !in.Op.toFloat() {
			continue
		}
		if in.Op.Access().Size > 0 && in.Rs1 != 2 && in.Rs1 < 9 {
			continue // x8 is never pointed anywhere
		}
		c.short = append(c.short, uint16(w))
	}
	return c
}

// draw appends a random instruction, or a few that belong together.
func (c *catalog) draw(code []byte, r *rand.Rand, counts *[ops]int) []byte {
	if r.IntN(8) == 0 {
		w := c.short[r.IntN(len(c.short))]
		in := Decode(uint32(w), 0)
		counts[in.Op]++
		if in.Op.Access().Size > 0 && in.Rs1 > 9 { // from any address in scratch memory, aligned or not
			code = binary.LittleEndian.AppendUint32(code, encI(0x13, 0, uint32(in.Rs1), 30, -256+r.IntN(256)))
		}
		return binary.LittleEndian.AppendUint16(code, w)
	}
	op := c.ops[r.IntN(len(c.ops))]
	counts[op]++
	w := c.words[op][r.IntN(len(c.words[op]))]
	rd := uint32(r.IntN(32))
	for !op.toFloat() && purpose[uint8(rd)] {
		rd = uint32(r.IntN(32))
	}
	rs1 := uint32(r.IntN(32))
	switch {
	case op == BNE && r.IntN(4) == 0: // a loop: li x5, n; addi x6, x6, m; addi x5, x5, -1; bne x5, x0, .-8
		code = binary.LittleEndian.AppendUint32(code, encI(0x13, 0, 5, 0, 1+r.IntN(9)))
		code = binary.LittleEndian.AppendUint32(code, encI(0x13, 0, 6, 6, r.IntN(4096)-2048))
		return binary.LittleEndian.AppendUint64(code, 0xfe029ce3<<32|0xfff28293)
	case op >= BEQ && op <= BGEU: // over the next instruction, or not
		w = w&^0xfff00f80 | 8<<7 | uint32(r.IntN(32))<<20
		code = binary.LittleEndian.AppendUint32(code, w&^(31<<15)|rs1<<15)
		return binary.LittleEndian.AppendUint32(code, 0x00128293) // addi x5, x5, 1
	case op == JAL:
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(code, 8<<20|0x6f|rd<<7), 0x00128293)
	case op == JALR: // auipc x5, 0; jalr rd, 12(x5), or 13: the lowest bit does not count
		code = binary.LittleEndian.AppendUint32(code, 0x17|5<<7)
		code = binary.LittleEndian.AppendUint32(code, encI(0x67, 0, rd, 5, 12+r.IntN(2)))
		return binary.LittleEndian.AppendUint32(code, 0x00128293)
	case op >= CSRRW && op <= CSRRCI && r.IntN(2) == 0:
		return c.rounding(code, r, op, rd)
	case op == LUI:
		return binary.LittleEndian.AppendUint32(code, w&0x7f|rd<<7|r.Uint32()<<12)
	case op >= LB && op <= LWU || op == FLW || op == FLD:
		rs1 = 30
	case op >= SB && op <= SD || op == FSW || op == FSD: // rd is part of the immediate
		rs1, rd = 30, uint32(r.IntN(32))
	case op == CTZW: // of a word that is not 0: for that, qemu 7.2 counts the upper half as well
		code = binary.LittleEndian.AppendUint32(code, encI(0x13, 6, 5, 5, 1<<r.IntN(11)))
		rs1 = 5
	case op == SCW || op == SCD: // after a load of the same size: what mixed sizes do is not specified
		code = binary.LittleEndian.AppendUint32(code, 0x1000002f|29<<15|w&0x7000|5<<7)
		rs1 = 29
	case op >= LRW && op <= AMOMAXUD:
		rs1 = 29
	}
	w = w&^(31<<7|31<<15) | rd<<7 | rs1<<15
	if op == FENCE {
		w = 0x0ff0000f
	}
	return binary.LittleEndian.AppendUint32(code, w)
}

// rounding appends a change of frm or fcsr that leaves a rounding mode there is: another one is written, or bits are cleared.
func (c *catalog) rounding(code []byte, r *rand.Rand, op Op, rd uint32) []byte {
	mode, flags := r.IntN(5), r.IntN(32)
	f3 := uint32(op-CSRRW)%3 + 1 + uint32(op-CSRRW)/3*4
	word := func(w uint32) { code = binary.LittleEndian.AppendUint32(code, w) }
	switch op {
	case CSRRWI:
		word(encI(0x73, f3, rd, uint32(mode), csrFRM))
	case CSRRSI:
		word(encI(0x73, f3, rd, uint32(flags), csrFCSR))
	case CSRRCI:
		word(encI(0x73, f3, rd, uint32(flags), []int{csrFRM, csrFCSR}[r.IntN(2)]))
	case CSRRW:
		word(encI(0x13, 0, 5, 0, mode<<5|flags))
		word(encI(0x73, f3, rd, 5, csrFCSR))
	case CSRRS: // reads
		word(encI(0x73, f3, rd, 0, []int{csrFRM, csrFCSR}[r.IntN(2)]))
	default:
		word(encI(0x73, f3, rd, uint32(r.IntN(32)), csrFCSR))
	}
	return code
}

// Encodings that the frame of a program needs.
func encI(opcode, f3, rd, rs1 uint32, imm int) uint32 {
	return opcode | rd<<7 | f3<<12 | rs1<<15 | uint32(imm)<<20
}
func encS(opcode, f3, rs1, rs2 uint32, imm int) uint32 {
	return opcode | uint32(imm&31)<<7 | f3<<12 | rs1<<15 | rs2<<20 | uint32(imm>>5)<<25
}

// image returns the text of n programs and their data.
func image(n int, r *rand.Rand, counts *[ops]int) (text, data []byte) {
	c := instructions()
	words := func(w ...uint32) {
		for _, x := range w {
			text = binary.LittleEndian.AppendUint32(text, x)
		}
	}
	words(0x37|31<<7|outAt, 0x37|28<<7|dataAt) // lui x31, lui x28
	for range n {
		data = append(data, registers64(r)...)
		// Rounding mode, no flags, no reservation; floating-point registers, then integer ones, x28 last.
		words(encI(0x73, 5, 0, uint32(r.IntN(5)), csrFRM), encI(0x73, 5, 0, 0, csrFFlags))
		words(0x37 | 30<<7 | (scratchAt + 4096)) // lui x30
		for f := range uint32(32) {
			words(encI(0x07, 3, f, 28, int(f)*8))
		}
		words(encI(0x13, 0, 29, 30, 64), encI(0x13, 0, 2, 30, 0), encI(0x13, 0, 9, 30, -128))
		words(0x1000302f|29<<15|5<<7, 0x1800302f|29<<15|5<<7) // lr.d, sc.d: no reservation is left
		for x := range uint32(28) {
			if x != 0 && !purpose[uint8(x)] {
				words(encI(0x03, 3, x, 28, 256+int(x)*8))
			}
		}
		words(encI(0x13, 0, 27, 28, 512)) // x27 keeps where the next data is
		words(encS(0x23, 3, 31, 27, 27*8))
		words(encI(0x03, 3, 28, 28, 256+28*8))
		for range length {
			text = c.draw(text, r, counts)
		}
		if len(text)%4 != 0 {
			text = binary.LittleEndian.AppendUint16(text, 1) // c.nop
		}
		// The place of x27 holds the next data: x27 itself goes behind the registers.
		words(encS(0x23, 3, 31, 27, 512))
		words(encI(0x03, 3, 27, 31, 27*8), encS(0x23, 3, 31, 28, 28*8), encI(0x13, 0, 28, 27, 0))
		for x := range uint32(32) {
			if x != 27 && x != 28 {
				words(encS(0x23, 3, 31, x, int(x)*8))
			}
		}
		for f := range uint32(32) {
			words(encS(0x27, 3, 31, f, 256+int(f)*8))
		}
		words(encI(0x73, 2, 5, 0, csrFCSR), encI(0x13, 0, 31, 31, 512), encI(0x03, 3, 6, 31, 0))
		words(encS(0x23, 3, 31, 6, -512+27*8), encS(0x23, 3, 31, 5, 0), encI(0x13, 0, 31, 31, 8))
		for k := 0; k < 512; k += 8 {
			words(encI(0x03, 3, 5, 30, k-256), encS(0x23, 3, 31, 5, k))
		}
		words(encI(0x13, 0, 31, 31, 512))
	}
	// write(1, out, all), exit(0)
	words(encI(0x13, 0, 17, 0, 64), encI(0x13, 0, 10, 0, 1), 0x37|11<<7|outAt)
	words(0x40b00633|31<<15|0, 0x73) // sub a2, x31, a1
	words(encI(0x13, 0, 17, 0, 93), encI(0x13, 0, 10, 0, 0), 0x73)
	return text, data
}

// registers64 returns values for 32 floating-point and 32 integer registers.
func registers64(r *rand.Rand) (b []byte) {
	special := []uint64{0, 1, 2, math.MaxUint64, 1 << 63, 1<<63 - 1, 1 << 31, 1<<31 - 1, 1 << 32, 0xff, 0x80, 0xffffffff80000000}
	for range 32 {
		v := r.Uint64()
		switch r.IntN(6) {
		case 0:
			v = boxed | v>>32
		case 1:
			v = boxed | uint64(math.Float32bits(float32(r.NormFloat64())))
		case 2:
			v = math.Float64bits(r.NormFloat64() * 1000)
		case 3:
			v = boxed | []uint64{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 1, 0x7f7fffff, 0x00800000}[r.IntN(9)]
		case 4:
			v = []uint64{0, 1 << 63, 0x7ff << 52, 0xfff << 52, 0x7ff8 << 48, 0x7ff0000000000001, 1, 0x7fefffffffffffff, 1 << 52}[r.IntN(9)]
		}
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for range 32 {
		v := r.Uint64()
		switch r.IntN(3) {
		case 0:
			v = special[r.IntN(len(special))]
		case 1:
			v >>= r.IntN(64)
		}
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// elf64 returns a static program of segments at addresses.
func elf64(entry uint64, segments map[uint64][]byte, zeros map[uint64]uint64) []byte {
	type phdr struct {
		Type, Flags                                    uint32
		Offset, VAddr, PAddr, FileSize, MemSize, Align uint64
	}
	var b bytes.Buffer
	b.Write([]byte{0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	n := len(segments) + len(zeros)
	for _, v := range []any{uint16(2), uint16(243), uint32(1), entry, uint64(64), uint64(0), uint32(5), uint16(64), uint16(56), uint16(n), uint16(0), uint16(0), uint16(0)} {
		binary.Write(&b, binary.LittleEndian, v)
	}
	offset := uint64(4096)
	var body []byte
	for _, at := range []uint64{textAt, dataAt} {
		s := segments[at]
		binary.Write(&b, binary.LittleEndian, phdr{1, 7, offset + uint64(len(body)), at, at, uint64(len(s)), uint64(len(s)), 4096})
		body = append(body, s...)
		body = append(body, make([]byte, -len(body)&4095)...)
	}
	for _, at := range []uint64{scratchAt, outAt} {
		binary.Write(&b, binary.LittleEndian, phdr{1, 6, offset, at, at, 0, zeros[at], 4096})
	}
	b.Write(make([]byte, int(offset)-b.Len()))
	b.Write(body)
	return b.Bytes()
}

// listener is an observer that counts.
type listener struct{ announced, undone, accesses, left uint64 }

func (l *listener) Block(_ *Hart, _ *Block, n int)         { l.announced += uint64(n) }
func (l *listener) Memory(*Hart, *Instruction, uint64)     { l.accesses++ }
func (l *listener) Left(*Hart, *Block, uint64)             { l.left++ }
func (l *listener) Undone(_ *Hart, _ *Block, first, n int) { l.undone += uint64(n - first) }

// simulate runs the text and returns what it writes: in one go, a few instructions at a time, or observed.
func simulate(t *testing.T, text, data []byte, out uint64, way uint64) []byte {
	space, err := memory.New(1 << 30)
	require.NoError(t, err)
	defer space.Close()
	load := func(at uint64, content []byte, size uint64, p memory.Prot) {
		size = (size + 4095) &^ 4095
		require.NoError(t, space.Map(at, size, memory.Read|memory.Write|p, ""))
		b, _ := space.Bytes(at, size, 0)
		copy(b, content)
	}
	load(textAt, text, uint64(len(text)), memory.Exec)
	load(dataAt, data, uint64(len(data)), 0)
	load(scratchAt, nil, scratch, 0)
	load(outAt, nil, out, 0)
	h := NewHart(NewCode(space))
	h.PC = textAt
	var written []byte
	l := &listener{}
	if way%4 == 3 {
		h.Observe(l)
		defer func() { require.Equal(t, h.Retired, l.announced-l.undone) }()
	}
	for i := uint64(0); ; i++ {
		budget := uint64(1 << 40)
		if way%4 >= 2 {
			budget = 1 + i*(way+13)%61
		}
		before := h.Retired
		stop := h.Run(budget)
		if stop.Why == Budget {
			require.Equal(t, before+budget, h.Retired)
			continue
		}
		require.Equal(t, Syscall, stop.Why, "%+v at %#x", stop, h.PC)
		if h.X[17] == 93 {
			return written
		}
		b, ok := space.Bytes(h.X[11], h.X[12], memory.Read)
		require.True(t, ok)
		written = append(written, b...)
	}
}

// Random programs leave the same registers, flags and memory as under qemu-riscv64.
func TestAgainstQEMU(t *testing.T) {
	qemu, err := exec.LookPath("qemu-riscv64")
	if err != nil {
		t.Skip("qemu-riscv64 is not here")
	}
	var counts [ops]int
	const batch = 2000
	for seed := uint64(0); seed < uint64((*programs+batch-1)/batch); seed++ {
		n := min(batch, *programs-int(seed)*batch)
		text, data := image(n, rand.New(rand.NewPCG(seed, 11)), &counts)
		out := uint64(n * record)
		file := filepath.Join(t.TempDir(), "program")
		require.NoError(t, os.WriteFile(file, elf64(textAt, map[uint64][]byte{textAt: text, dataAt: data}, map[uint64]uint64{scratchAt: scratch, outAt: out}), 0o755))
		var complaint bytes.Buffer
		cmd := exec.Command(qemu, file)
		cmd.Stderr = &complaint
		want, err := cmd.Output()
		require.NoError(t, err, complaint.String())
		require.NoError(t, os.Remove(file))
		got := simulate(t, text, data, out, seed)
		require.Len(t, got, len(want))
		for i := 0; i+8 <= len(want); i += 8 {
			if !bytes.Equal(got[i:i+8], want[i:i+8]) {
				t.Fatalf("seed %d, program %d, %s: got %x, want %x", seed, i/record, place(i%record), got[i:i+8], want[i:i+8])
			}
		}
	}
	least := math.MaxInt
	for _, op := range instructions().ops {
		least = min(least, counts[op])
	}
	t.Logf("%d programs of %d instructions; every operation at least %d times", *programs, length, least)
	require.Positive(t, least)
}

func place(i int) string {
	switch {
	case i < 256:
		return fmt.Sprintf("x%d", i/8)
	case i < 512:
		return fmt.Sprintf("f%d", (i-256)/8)
	case i == 512:
		return "fcsr"
	}
	return fmt.Sprintf("memory %+d", i-520-256)
}
