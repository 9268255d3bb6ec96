//go:build linux

package riscv

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/softfloat"
)

func d(f float64) uint64 { return math.Float64bits(f) }
func s(f float32) uint64 { return boxed | uint64(math.Float32bits(f)) }

// Rounding modes by their names in assembly language, and flags by the manual's.
const (
	rne, rtz, rdn, rup, rmm = 0, 1, 2, 3, 4

	nx = softfloat.Inexact
	uf = softfloat.Underflow
	of = softfloat.Overflow
	dz = softfloat.DivByZero
	nv = softfloat.Invalid
)

const (
	nanD, nanS       = uint64(0x7ff8000000000000), uint64(boxed | 0x7fc00000)
	signalD, signalS = uint64(0x7ff0000000000001), uint64(boxed | 0x7f800001)
	ulpS             = 1.0 / (1 << 23)
	ulpD             = 1.0 / (1 << 52)
)

var (
	inf    = math.Inf(1)
	infS   = float32(inf)
	zeroM  = math.Copysign(0, -1)
	zeroMS = float32(zeroM)
)

// floats are results and flags of operations on f6 (x6 for those that take integers), f7 and f28.
var floats = []struct {
	op      Op
	a, b, c uint64
	rm      uint32
	want    uint64
	flags   softfloat.Flags
}{
	{FADDS, s(1), s(2), 0, rne, s(3), 0}, {FADDS, s(1), 2, 0, rne, nanS, 0}, // not boxed: a quiet NaN
	{FADDS, s(1), s(ulpS / 2), 0, rne, s(1), nx}, {FADDS, s(1), s(ulpS / 2), 0, rmm, s(1 + ulpS), nx},
	{FADDS, s(1), s(ulpS / 2), 0, rup, s(1 + ulpS), nx}, {FADDS, s(1), s(ulpS / 2), 0, rdn, s(1), nx}, {FADDS, s(1), s(ulpS / 2), 0, rtz, s(1), nx},
	{FADDS, s(-1), s(-ulpS / 2), 0, rdn, s(-1 - ulpS), nx}, {FADDS, s(-1), s(-ulpS / 2), 0, rup, s(-1), nx},
	{FADDS, s(infS), s(-infS), 0, rne, nanS, nv}, {FADDS, signalS, s(1), 0, rne, nanS, nv},
	{FSUBS, s(1), s(1), 0, rne, s(0), 0}, {FSUBS, s(1), s(1), 0, rdn, s(zeroMS), 0},
	{FMULS, s(math.MaxFloat32), s(2), 0, rne, s(infS), of | nx}, {FMULS, s(math.MaxFloat32), s(2), 0, rtz, s(math.MaxFloat32), of | nx},
	{FMULS, s(math.SmallestNonzeroFloat32), s(0.5), 0, rne, s(0), uf | nx}, {FMULS, s(math.SmallestNonzeroFloat32), s(0.5), 0, rup, s(math.SmallestNonzeroFloat32), uf | nx},
	{FMULS, s(0), s(infS), 0, rne, nanS, nv},
	{FDIVS, s(1), s(0), 0, rne, s(infS), dz}, {FDIVS, s(0), s(0), 0, rne, nanS, nv}, {FDIVS, s(1), s(3), 0, rne, boxed | 0x3eaaaaab, nx}, {FDIVS, s(1), s(3), 0, rtz, boxed | 0x3eaaaaaa, nx},
	{FSQRTS, s(4), 0, 0, rne, s(2), 0}, {FSQRTS, s(-1), 0, 0, rne, nanS, nv}, {FSQRTS, s(zeroMS), 0, 0, rne, s(zeroMS), 0}, {FSQRTS, s(2), 0, 0, rne, boxed | 0x3fb504f3, nx},
	{FMADDS, s(2), s(3), s(1), rne, s(7), 0}, {FMSUBS, s(2), s(3), s(1), rne, s(5), 0}, {FNMSUBS, s(2), s(3), s(1), rne, s(-5), 0}, {FNMADDS, s(2), s(3), s(1), rne, s(-7), 0},
	{FMADDS, s(1 + ulpS), s(1 + ulpS), s(-1 - 2*ulpS), rne, s(ulpS * ulpS), 0}, // rounded once
	{FMADDS, s(infS), s(0), nanS, rne, nanS, nv}, {FMADDS, s(2), s(3), 1, rne, nanS, 0},
	{FSGNJS, s(1), s(-2), 0, 0, s(-1), 0}, {FSGNJNS, s(1), s(-2), 0, 0, s(1), 0}, {FSGNJXS, s(-1), s(-2), 0, 0, s(1), 0}, {FSGNJS, 1, s(-2), 0, 0, boxed | 0xffc00000, 0}, {FSGNJS, signalS, s(-1), 0, 0, signalS | 1<<31, 0},
	{FMINS, s(0), s(zeroMS), 0, 0, s(zeroMS), 0}, {FMINS, nanS, s(1), 0, 0, s(1), 0}, {FMINS, signalS, s(1), 0, 0, s(1), nv}, {FMINS, nanS | 5, nanS, 0, 0, nanS, 0},
	{FMAXS, s(zeroMS), s(0), 0, 0, s(0), 0}, {FMAXS, s(1), nanS, 0, 0, s(1), 0}, {FMAXS, s(1), 7, 0, 0, s(1), 0},
	{FCVTWS, s(2.5), 0, 0, rne, 2, nx}, {FCVTWS, s(2.5), 0, 0, rmm, 3, nx}, {FCVTWS, s(-1.5), 0, 0, rdn, ones - 1, nx}, {FCVTWS, s(-1.5), 0, 0, rtz, ones, nx}, {FCVTWS, s(1.25), 0, 0, rup, 2, nx},
	{FCVTWS, nanS, 0, 0, rne, 0x7fffffff, nv}, {FCVTWS, s(-infS), 0, 0, rne, minW, nv}, {FCVTWS, s(3e9), 0, 0, rne, 0x7fffffff, nv},
	{FCVTWUS, s(-1), 0, 0, rne, 0, nv}, {FCVTWUS, s(-0.25), 0, 0, rne, 0, nx}, {FCVTWUS, s(3e9), 0, 0, rne, 0xffffffffb2d05e00, 0}, {FCVTWUS, nanS, 0, 0, rne, ones, nv},
	{FCVTLS, s(-3e9), 0, 0, rne, ones - 3e9 + 1, 0}, {FCVTLS, s(1e19), 0, 0, rne, ones >> 1, nv}, {FCVTLUS, s(1 << 63), 0, 0, rne, least, 0}, {FCVTLUS, s(-infS), 0, 0, rne, 0, nv},
	{FMVXW, 0x1234567880000000, 0, 0, 0, minW, 0}, {FMVWX, 0x12345678c0000000, 0, 0, 0, boxed | 0xc0000000, 0},
	{FEQS, nanS, nanS, 0, 0, 0, 0}, {FEQS, signalS, s(1), 0, 0, 0, nv}, {FEQS, s(0), s(zeroMS), 0, 0, 1, 0}, {FLTS, nanS, s(1), 0, 0, 0, nv}, {FLTS, s(-1), s(1), 0, 0, 1, 0}, {FLES, s(1), s(1), 0, 0, 1, 0}, {FLES, s(1), 1, 0, 0, 0, nv},
	{FCLASSS, s(-infS), 0, 0, 0, 1 << 0, 0}, {FCLASSS, s(-1), 0, 0, 0, 1 << 1, 0}, {FCLASSS, boxed | 0x80000001, 0, 0, 0, 1 << 2, 0}, {FCLASSS, s(zeroMS), 0, 0, 0, 1 << 3, 0}, {FCLASSS, s(0), 0, 0, 0, 1 << 4, 0},
	{FCLASSS, boxed | 1, 0, 0, 0, 1 << 5, 0}, {FCLASSS, s(1), 0, 0, 0, 1 << 6, 0}, {FCLASSS, s(infS), 0, 0, 0, 1 << 7, 0}, {FCLASSS, signalS, 0, 0, 0, 1 << 8, 0}, {FCLASSS, nanS, 0, 0, 0, 1 << 9, 0}, {FCLASSS, d(1), 0, 0, 0, 1 << 9, 0},
	{FCVTSW, ones, 0, 0, rne, s(-1), 0}, {FCVTSW, 0x7fffffff, 0, 0, rtz, boxed | 0x4effffff, nx}, {FCVTSWU, ones, 0, 0, rne, s(1 << 32), nx}, {FCVTSL, least, 0, 0, rne, s(-(1 << 63)), 0}, {FCVTSLU, ones, 0, 0, rup, s(1 << 64), nx},

	{FADDD, d(1), d(ulpD / 2), 0, rne, d(1), nx}, {FADDD, d(1), d(ulpD / 2), 0, rmm, d(1 + ulpD), nx}, {FADDD, d(1), d(ulpD / 2), 0, rup, d(1 + ulpD), nx}, {FADDD, d(1), d(2), 0, rdn, d(3), 0},
	{FSUBD, d(1), d(1), 0, rdn, d(zeroM), 0}, {FSUBD, d(inf), d(inf), 0, rne, nanD, nv}, {FMULD, d(3), d(-5), 0, rne, d(-15), 0}, {FMULD, d(math.MaxFloat64), d(-2), 0, rup, d(-math.MaxFloat64), of | nx},
	{FDIVD, d(-1), d(0), 0, rne, d(-inf), dz}, {FDIVD, d(1), d(3), 0, rup, 0x3fd5555555555556, nx}, {FDIVD, d(1), d(3), 0, rne, 0x3fd5555555555555, nx},
	{FSQRTD, d(2), 0, 0, rne, d(math.Sqrt2), nx}, {FSQRTD, d(2), 0, 0, rtz, d(math.Sqrt2) - 1, nx}, {FSQRTD, d(-1), 0, 0, rne, nanD, nv},
	{FMADDD, d(2), d(3), d(1), rne, d(7), 0}, {FMSUBD, d(2), d(3), d(1), rne, d(5), 0}, {FNMSUBD, d(2), d(3), d(1), rne, d(-5), 0}, {FNMADDD, d(2), d(3), d(1), rne, d(-7), 0}, {FMADDD, d(1 + ulpD), d(1 - ulpD), d(-1), rne, d(-ulpD * ulpD), 0},
	{FSGNJD, d(1), d(-2), 0, 0, d(-1), 0}, {FSGNJND, d(1), d(-2), 0, 0, d(1), 0}, {FSGNJXD, d(-1), d(-2), 0, 0, d(1), 0},
	{FMIND, d(0), d(zeroM), 0, 0, d(zeroM), 0}, {FMIND, signalD, nanD, 0, 0, nanD, nv}, {FMAXD, d(1), nanD, 0, 0, d(1), 0},
	{FCVTSD, d(1 + ulpS/2), 0, 0, rne, s(1), nx}, {FCVTSD, d(1e300), 0, 0, rne, s(infS), of | nx}, {FCVTSD, d(1e-300), 0, 0, rup, s(math.SmallestNonzeroFloat32), uf | nx}, {FCVTDS, s(1.5), 0, 0, rne, d(1.5), 0}, {FCVTDS, signalS, 0, 0, rne, nanD, nv}, {FCVTDS, 1, 0, 0, rne, nanD, 0},
	{FEQD, d(1), d(1), 0, 0, 1, 0}, {FEQD, signalD, d(1), 0, 0, 0, nv}, {FLTD, d(1), nanD, 0, 0, 0, nv}, {FLTD, d(-inf), d(1), 0, 0, 1, 0}, {FLED, d(zeroM), d(0), 0, 0, 1, 0},
	{FCLASSD, d(-inf), 0, 0, 0, 1 << 0, 0}, {FCLASSD, 1, 0, 0, 0, 1 << 5, 0}, {FCLASSD, signalD, 0, 0, 0, 1 << 8, 0}, {FCLASSD, nanD, 0, 0, 0, 1 << 9, 0},
	{FCVTWD, d(-2147483648.5), 0, 0, rtz, minW, nx}, {FCVTWD, d(2147483648), 0, 0, rne, 0x7fffffff, nv}, {FCVTWUD, d(4294967295), 0, 0, rne, ones, 0}, {FCVTLD, d(0.5), 0, 0, rup, 1, nx}, {FCVTLD, d(9.3e18), 0, 0, rne, ones >> 1, nv}, {FCVTLUD, d(1.8e19), 0, 0, rne, 18e18, 0}, {FCVTLUD, nanD, 0, 0, rne, ones, nv},
	{FMVXD, nanD | 1, 0, 0, 0, nanD | 1, 0}, {FMVDX, signalD, 0, 0, 0, signalD, 0},
	{FCVTDW, minW, 0, 0, rne, d(-2147483648), 0}, {FCVTDWU, ones, 0, 0, rne, d(4294967295), 0}, {FCVTDL, 1<<53 + 1, 0, 0, rne, d(1 << 53), nx}, {FCVTDL, 1<<53 + 1, 0, 0, rup, d(1<<53 + 2), nx}, {FCVTDLU, ones, 0, 0, rtz, d(18446744073709549568), nx},
}

func TestFloats(t *testing.T) {
	for _, c := range floats {
		w := encoding(t, c.op)
		if c.op >= FMADDS && c.op <= FNMADDS || c.op >= FMADDD && c.op <= FNMADDD {
			w = w&^(31<<27) | 28<<27
		}
		in := Decode(w, 0)
		rounds := in.Rm != 0 || Decode(w|7<<12, 0).Op == c.op && Decode(w|5<<12, 0).Op == Illegal
		// The mode in the instruction, and the same in fcsr; with flags that were set before, and without: the result does not
		// depend on these.
		for way := range 4 {
			h := machine(t, w, 0x73)
			if rounds {
				mode := c.rm
				h.Rounding = softfloat.Rounding((c.rm + 1) % 5)
				if way&1 != 0 {
					mode, h.Rounding = dynamic, softfloat.Rounding(c.rm)
				}
				h = machineLike(t, h, w&^(7<<12)|mode<<12)
			}
			if way&2 != 0 {
				h.Flags = nx
			}
			before := h.Flags
			h.F[6], h.F[7], h.F[28], h.X[6] = c.a, c.b, c.c, c.a
			require.Equal(t, Stop{Why: Syscall}, h.Run(10), "%s", c.op)
			got := h.X[5]
			if c.op.toFloat() {
				got = h.F[5]
			}
			require.Equal(t, c.want, got, "%s %#x, %#x, %#x, mode %d: got %#x, want %#x", c.op, c.a, c.b, c.c, c.rm, got, c.want)
			require.Equal(t, c.flags|before, h.Flags, "%s %#x, %#x, %#x, mode %d: flags", c.op, c.a, c.b, c.c, c.rm)
		}
	}
}

// machineLike returns another machine with a first word and the same rounding mode.
func machineLike(t *testing.T, h *Hart, word uint32) *Hart {
	n := machine(t, word, 0x73)
	n.Rounding = h.Rounding
	return n
}

// Control and status registers are parts of each other, and give what they had before.
func TestCSRs(t *testing.T) {
	for _, c := range []struct {
		name        string
		f3, csr     uint32
		source      uint32 // register number or immediate
		x6          uint64
		frm, flags  int
		old         uint64
		frmNow, now int
	}{
		{"csrrw fcsr", 1, csrFCSR, 6, 0xffff, 2, 3, 0x43, 7, 31},
		{"csrrw fflags", 1, csrFFlags, 6, 0xff, 2, 3, 3, 2, 31},
		{"csrrw frm", 1, csrFRM, 6, 0x1c, 2, 3, 2, 4, 3},
		{"csrrs fcsr", 2, csrFCSR, 6, 0x24, 2, 3, 0x43, 3, 7},
		{"csrrs of x0 reads", 2, csrFCSR, 0, 0, 2, 3, 0x43, 2, 3},
		{"csrrc fcsr", 3, csrFCSR, 6, 0x42, 2, 3, 0x43, 0, 1},
		{"csrrwi frm", 5, csrFRM, 1, 0, 2, 3, 2, 1, 3},
		{"csrrsi fflags", 6, csrFFlags, 16, 0, 2, 3, 3, 2, 19},
		{"csrrci fflags", 7, csrFFlags, 2, 0, 2, 3, 3, 2, 1},
		{"instret", 2, csrInstret, 0, 0, 2, 3, 1, 2, 3}, // after the instruction before it
		{"cycle", 2, csrCycle, 0, 0, 2, 3, 1, 2, 3},
		{"time", 2, csrTime, 0, 0, 2, 3, 1, 2, 3},
	} {
		h := machine(t, 0x13, encI(0x73, c.f3, 5, c.source, int(c.csr)), 0x73)
		h.X[6], h.Rounding, h.Flags = c.x6, softfloat.Rounding(c.frm), softfloat.Flags(c.flags)
		require.Equal(t, Stop{Why: Syscall}, h.Run(10), c.name)
		require.Equal(t, c.old, h.X[5], c.name)
		require.EqualValues(t, c.frmNow, h.Rounding, c.name)
		require.EqualValues(t, c.now, h.Flags, c.name)
	}
	h := machine(t, encI(0x73, 1, 5, 6, csrInstret)) // counters cannot be written
	require.Equal(t, Stop{IllegalInstruction, codePage}, h.Run(10))
	h = machine(t, encI(0x73, 2, 5, 0, 0xc03), encI(0x73, 2, 6, 0, 0xc04))
	h.CSR = func(n int) (uint64, bool) { return 4711, n == 0xc03 }
	require.Equal(t, Stop{IllegalInstruction, codePage + 4}, h.Run(10))
	require.EqualValues(t, 4711, h.X[5])
}
