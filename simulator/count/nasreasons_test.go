//go:build linux

package count

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nasReasons are for cells of table 2 that are more than one in a hundred off BGLsim's: kernels, columns, and why.
var nasReasons = []struct{ kernels, columns, text string }{
	{"BT, CG, EP, FT, IS, LU, MG, SP", "instructions", "instruction set and compiler differ. Go's code compares every index with the length of its slice, and computes addresses " +
		"by shift and addition. PowerPC has loads and stores that advance their address, and branches that count. The inner loop of CG has 19 instructions; " +
		"BGLsim's count is 10.1 per nonzero. EP has fewer instructions, see below"},
	{"MG", "FX loads, FP loads, loads, FX stores, FP stores, FP ops, FMAs, FP ops + FMAs",
		"the paper's code does less work. It has 51 % (BGLsim) and 77 % (Power3) of the operations that NAS counts for four iterations, see below; for the other kernels, " +
			"BGLsim has 90 to 104 %. Two V-cycles and one norm, instead of four and two, would fit: their sums of products are 366 652 multiply-adds, and their FP ops 3596 K if v - A u is not fused"},
	{"MG", "stores", "the same, although BGLsim has six times as many FX stores. If these store zeros, as in CG, there are two for each zero"},
	{"BT, LU, SP", "FP ops, FMAs", "Go fuses each product with the addition that follows, and also fuses differences c - ab, which g77 does not (see CG below). These are most operations of a solver. Compare the last column " +
		"instead, where a multiply-add is two operations"},
	{"BT, LU, SP", "FP ops + FMAs", "our code computes common terms of the formulas once, where they can be seen; NAS's own count, below, is higher than both"},
	{"BT, LU, SP", "FX loads, FX stores", "Go's compiler keeps addresses, lengths and indices on the stack, and stores zeros in blocks of matrices from the fixed-point register x0. " +
		"(BGLsim's FX stores of LU are a misprint, see below)"},
	{"BT, LU, SP", "FP loads, FP stores, loads", "our code loads what a loop needs of a point once, and keeps it in one of 32 registers; it reloads blocks of BT for each row. LU adds fluxes directly where they belong, " +
		"and has no array of them. Zeros are FX stores"},
	{"LU, SP", "stores", "the sum of FX stores and FP stores, see above"},
	{"CG", "FX stores, FP stores, stores", "zeros. g77 stores 0.0 as two fixed-point words. q, z and w get 15·28·1400 = 588 000 zeros; with two words each, these are 1 176 000 of BGLsim's 1 207 204 FX stores. " +
		"Our code has one FP store for each"},
	{"FT", "FX loads, loads, FX stores, FP stores, stores", "the timed region generates 524 288 random numbers. PowerPC converts between fixed and floating point through memory; RISC-V has instructions for this, which " +
		"saves 2.8 FX loads, 4.3 FX stores and 2.0 FP stores per number"},
	{"FT", "FP ops, FMAs, FP ops + FMAs", "the same random numbers. The differences are 12.0 operations and 3.00 multiply-adds per number. PowerPC's conversions need subtractions, which explain a part; the rest is a different way to compute the numbers. " +
		"The transforms have 7·18·2^17·2 = 33 030 144 multiply-adds; what remains is 8.0 per random number in the paper, and 5.0 here"},
	{"EP", "FX loads, FP loads, loads, FX stores, FP stores, stores, FP ops, FMAs, FP ops + FMAs", "EP consists of 2^25 random numbers, with the conversions above, and of 13 176 389 logarithms and square roots. Here, the " +
		"root is an instruction, and the logarithm is Go's own. The paper's two systems, which use the same compiler, differ by 163 % in stores and by 43 % in FP ops"},
}

// quantity is a count that the specification's loops give by themselves.
type quantity struct {
	kernel     string
	column     int
	formula    string
	value      int64
	paper      string // what it printed
	iterations int64  // of the kernel
	each       int64  // what the rest of an iteration may add to it at most
	besides    string // what that is
}

const nonzeros = 78148 // of CG's matrix

// quantities are those of IS, CG, MG and FT. In CG's an iteration has 26 products of the matrix and 25 steps. MG computes residuals at
// 9·32^3 + 4(16^3 + 8^3 + 4^3) points, and smooths at 4(32^3 + … + 2^3); it restricts to 4(16^3 + … + 2^3), and interpolates in 4(17^3 +
// 9^3 + 5^3 + 3^3) cells of eight. FT does 7 transforms, of 18·2^17 butterflies each, that go along three axes through scratch memory.
var quantities = []quantity{
	{"IS", colLoads, "10(3·2^16 + 2·2^11)", 10 * (3<<16 + 2<<11), "2007 K", 10, 140, "two keys changed, five tested"},
	{"IS", colStores, "10(2·2^16 + 2·2^11)", 10 * (2<<16 + 2<<11), "1352 K", 10, 70, "the same"},
	{"CG", colFMAs, "15(26·78148 + 25·4·1400 + 4·1400)", 15 * (26*nonzeros + 25*4*1400 + 4*1400), "32 662 140", 15, 0, ""},
	{"CG", colFPOps, "FMAs + 15(25·2·1400 + 2·1400 + 52 + 2 + 1)", 15*(26*nonzeros+25*4*1400+4*1400) + 15*(25*2*1400+2*1400+55), "33 755 085", 15, 0, ""},
	{"CG", colFPLoads, "15(26·2·78148 + 25·10·1400 + 8·1400)", 15 * (26*2*nonzeros + 25*10*1400 + 8*1400), "66 920 747", 15, 30, "sums kept on the stack across calls"},
	{"CG", colFXLoads, "15·26(78148 + 2·1400)", 15 * 26 * (nonzeros + 2*1400), "31 607 898", 15, 1000, "lengths and pointers of slices, and what is kept across calls, in 26 products and 25 steps"},
	{"CG", colFPStores, "15(25·6·1400 + 8·1400)", 15 * (25*6*1400 + 8*1400), "2 730 585", 15, 30, "sums kept on the stack across calls"},
	{"MG", colFMAs, "3(313600 + 149792 + 18720) + 7·23176 + 2·2^15", 3*(313600+149792+18720) + 7*23176 + 2<<15, "367 K", 4, 0, ""},
	{"FT", colFMAs, "7·18·2^17·2 + 2^19·5", 7*18<<18 + 5<<19, "37 225 K", 6, 15, "multipliers of the random numbers, sums to be divided"},
	{"FT", colFPStores, "7(18·2^17·4 + 3·2^18·4) + 2^18(6·2 + 4)", 7*(18<<19+3<<20) + 16<<18, "93 361 K", 6, 3300, "powers of the decay, and sums"},
}

// analytic checks the quantities and returns them as a table. What a timed region of nothing adds is taken off.
func analytic(t *testing.T, ours map[string]counts2) string {
	var b strings.Builder
	b.WriteString("| kernel | count | by the specification | = | paper | ours | excess per iteration | from |\n|---|---|---|--:|--:|--:|--:|---|\n")
	for _, q := range quantities {
		if _, simulated := ours[q.kernel]; !simulated {
			continue
		}
		got := ours[q.kernel][q.column] - ours["nothing"][q.column]
		more := got - q.value
		require.True(t, more >= 0 || -more <= 2*q.iterations, "%s, %s: %d, which is %d less than %s", q.kernel, columnNames[q.column], got, -more, q.formula)
		require.LessOrEqual(t, more, q.each*q.iterations, "%s, %s: %d more than %s", q.kernel, columnNames[q.column], more, q.formula)
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %d | %.1f | %s |\n", q.kernel, columnNames[q.column], q.formula, q.value, q.paper, got,
			float64(more)/float64(q.iterations), q.besides)
	}
	b.WriteString("\nEach NAS benchmark has a formula for the number of its operations. In thousands, with a multiply-add as two operations:\n\n" +
		"| kernel | NAS | Power3 | BGLsim | ours |\n|---|--:|--:|--:|--:|\n")
	for _, k := range nasTable {
		n, ok := operations[k.name]
		mine, simulated := ours[k.name]
		if !ok || !simulated {
			continue
		}
		require.InEpsilon(t, n, mine[colArithmetic], 0.2, k.name)
		fmt.Fprintf(&b, "| %s | %.0f | %d (%.0f %%) | %d (%.0f %%) | %d (%.0f %%) |\n", k.name, n/1000, k.power3[colArithmetic], 100_000*float64(k.power3[colArithmetic])/n,
			k.bglsim[colArithmetic], 100_000*float64(k.bglsim[colArithmetic])/n, rounded(mine[colArithmetic], 1000), 100*float64(mine[colArithmetic])/n)
	}
	return b.String()
}

// operations are NAS's counts of floating-point operations of class S, by which it computes rates.
var operations = map[string]float64{
	"BT": 60 * cubic(3478.8, -17655.7, 28023.7, 0),
	"CG": 2 * 15 * 1400 * (3 + 7*8 + 25*(5+7*8) + 3),
	"FT": 262144 * (14.8157 + 7.19641*math.Log(262144) + (5.23518+7.21113*math.Log(262144))*6),
	"LU": 50 * cubic(1984.77, -10923.3, 27770.9, -144010),
	"MG": 4 * 58 * 32768,
	"SP": 100 * cubic(881.174, -4683.91, 11484.5, -19272.4),
}

// cubic is a polynomial of the 12 points along an axis.
func cubic(a, b, c, d float64) float64 { return ((a*12+b)*12+c)*12 + d }

// differences are those between the systems that table 2 prints, in percent: instructions, loads, stores, FP ops, FMAs.
var differences = map[string][5]float64{
	"BT": {12.03, 27.10, 1.19, 7.88, 16.06},
	"CG": {0.4, 0.09, 0.83, 0.02, 0},
	"EP": {6.35, 8.13, 50.28, 42.77, 10.50},
	"FT": {4.74, 5.93, 1.01, 8.36, 0},
	"IS": {0.03, 0.01, 0, -1, -1},
	"LU": {20.02, 24.96, 12.09, 28.79, 16.65},
	"MG": {18.59, 18.54, 7.47, 36.27, 0},
	"SP": {4.74, 18.43, 3.15, 3.18, 0},
}

// inconsistent lists which cells of table 2 contradict each other: sums that are not the sums of their parts, and differences between
// the systems that are not those of the cells. Cells are in thousands: what rounding explains is not listed.
func inconsistent() string {
	var b strings.Builder
	for _, k := range nasTable {
		for _, sum := range [][3]int{{colFXLoads, colFPLoads, colLoads}, {colFXStores, colFPStores, colStores}} {
			x, y, z := max(0, k.bglsim[sum[0]]), max(0, k.bglsim[sum[1]]), k.bglsim[sum[2]]
			if d := x + y - z; d > 1 || d < -1 {
				fmt.Fprintf(&b, "* %s, BGLsim: %d FX %s and %d FP %s add up to %d, not to %d.\n", k.name, x, columnNames[sum[2]], y, columnNames[sum[2]], x+y, z)
			}
		}
		for i, printed := range differences[k.name] {
			c := [5]int{colInstructions, colLoads, colStores, colFPOps, colFMAs}[i]
			if printed < 0 {
				continue
			}
			real, ours := float64(k.power3[c]), float64(k.bglsim[c])
			d := 100 * math.Abs(ours-real) / real
			if math.Abs(d-printed) > 0.011+100/real {
				fmt.Fprintf(&b, "* %s, %s: %d and %d differ by %.2f %%, not by %.2f %%.\n", k.name, columnNames[c], k.power3[c], k.bglsim[c], d, printed)
			}
		}
	}
	return b.String()
}
