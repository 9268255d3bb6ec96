//go:build linux

package count

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/cache"
)

// Columns of table 2 (Mindlin et al., "Obtaining Hardware Performance Metrics for the BlueGene/L Supercomputer").
const (
	colInstructions = iota
	colFXLoads
	colFPLoads
	colLoads
	colFXStores
	colFPStores
	colStores
	colFPOps // a fused multiply-add is one
	colFMAs
	printed // the columns of the paper

	colArithmetic = printed // FP ops where a fused multiply-add is two: the same however much is fused
	columns       = printed + 1
)

var columnNames = [columns]string{"instructions", "FX loads", "FP loads", "loads", "FX stores", "FP stores", "stores", "FP ops", "FMAs", "FP ops + FMAs"}

// counts2 is a row of table 2; -1 is an empty cell.
type counts2 [columns]int64

// nasKernel is a benchmark of table 2, in thousands.
type nasKernel struct {
	name           string
	power3, bglsim counts2
	quick          bool // so few instructions that it is simulated in every run of the tests
}

// nasTable is table 2 as it was printed, and the column that can be had from it.
var nasTable = withArithmetic([]nasKernel{
	{"BT", counts2{603174, -1, -1, 215921, -1, -1, 92015, 228617, 13671}, counts2{530599, 335, 157081, 157417, 9993, 80923, 90916, 210607, 11475}, false},
	{"CG", counts2{306865, -1, -1, 98616, -1, -1, 3970, 33762, 32663}, counts2{308099, 31607, 66920, 98528, 1207, 2730, 3937, 33755, 32662}, false},
	{"EP", counts2{5893189, -1, -1, 1248195, -1, -1, 363302, 2501740, 391379}, counts2{6267337, 403626, 743087, 1146714, 617816, 338413, 956230, 1431830, 350281}, false},
	{"FT", counts2{551146, -1, -1, 109204, -1, -1, 97260, 160806, 37226}, counts2{524995, 7585, 95145, 102730, 2917, 93361, 96278, 147363, 37225}, false},
	{"IS", counts2{8767, -1, -1, 2008, -1, -1, 1352, -1, -1}, counts2{8770, 2007, -1, 2007, 1351, -1, 1352, -1, -1}, true},
	{"LU", counts2{291671, -1, -1, 94758, -1, -1, 27351, 108157, 18560}, counts2{233270, 4432, 66677, 71109, 8860, 27798, 30659, 77100, 15470}, false},
	{"MG", counts2{20827, -1, -1, 5072, -1, -1, 2581, 5517, 367}, counts2{16956, 271, 3860, 4131, 1257, 1131, 2388, 3516, 367}, true},
	{"SP", counts2{276419, -1, -1, 88658, -1, -1, 28278, 78299, 13884}, counts2{263325, 726, 71592, 72318, 2274, 26893, 29168, 75812, 13884}, false},
})

func withArithmetic(table []nasKernel) []nasKernel {
	for i := range table {
		for _, c := range []*counts2{&table[i].power3, &table[i].bglsim} {
			if c[colArithmetic] = -1; c[colFPOps] >= 0 {
				c[colArithmetic] = c[colFPOps] + c[colFMAs]
			}
		}
	}
	return table
}

// row2 is what was counted, in columns.
func row2(v *Values) counts2 {
	fp := v[FPAdds] + v[FPMuls] + v[FPDivides] + v[FPRoots] + v[FMAs]
	var c counts2
	for i, n := range [columns]uint64{v[Instructions], v[FXLoads], v[FPLoads], v[FXLoads] + v[FPLoads], v[FXStores], v[FPStores], v[FXStores] + v[FPStores],
		fp, v[FMAs], fp + v[FMAs]} {
		c[i] = int64(n)
	}
	return c
}

// timedRegion runs a kernel of class S, which must verify, and returns what its timed region did.
func timedRegion(t testing.TB, pkg string, m *cache.Machine) (*Counters, *Values) {
	c, printed := simulate(t, build(t, pkg), m, "-class", "S")
	require.Contains(t, printed, "\nverified\n")
	var timed []Values
	for _, a := range c.Accounts() {
		if strings.HasPrefix(a.Start, "tracerec/examples/nas/nas.Timed.") && a.Domain == Goroutine {
			timed = append(timed, a.Values)
		}
	}
	require.Len(t, timed, 1, "timed regions")
	return c, &timed[0]
}

// countedRegion is what a timed region did, in columns.
func countedRegion(t testing.TB, pkg string) counts2 {
	_, v := timedRegion(t, pkg, nil)
	return row2(v)
}

// Table 2: the kernels verify inside, and the operations that the algorithm asks for are as many as it asks for.
func TestTable2(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	ours := map[string]counts2{"nothing": countedRegion(t, "./testdata/programs/timed")}
	for _, k := range nasTable {
		if k.quick || *all {
			before := userTime(t)
			ours[k.name] = countedRegion(t, "../../examples/nas/"+strings.ToLower(k.name))
			t.Logf("%s %d in %.1f s of processor time", k.name, ours[k.name], (userTime(t) - before).Seconds())
		}
	}
	exactly := analytic(t, ours)
	if *all {
		section(t, "table 2", table2(t, ours))
		section(t, "analytic", exactly)
		section(t, "inconsistent", inconsistent())
	}
}

// table2 is ours beside the paper's, and the reasons for differences.
func table2(t *testing.T, ours map[string]counts2) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Thousands, built by %s.\n\n| code | system |", runtime.Version())
	for _, n := range columnNames {
		fmt.Fprintf(&b, " %s |", n)
	}
	fmt.Fprintf(&b, "\n|---|---|%s\n", strings.Repeat("--:|", int(columns)))
	off := map[string]bool{}
	for _, k := range nasTable {
		mine := ours[k.name]
		printRow(&b, k.name, "Power3", k.power3, 1)
		printRow(&b, "", "BGLsim", k.bglsim, 1)
		printRow(&b, "", "ours", mine, 1000)
		fmt.Fprintf(&b, "| | difference |")
		for i, n := range mine {
			if k.bglsim[i] < 0 {
				fmt.Fprintf(&b, " |")
				continue
			}
			d := 100 * (float64(n)/1000/float64(k.bglsim[i]) - 1)
			fmt.Fprintf(&b, " %+.2f %% |", d)
			if math.Abs(d) > 1 {
				off[k.name+columnNames[i]] = true
			}
		}
		b.WriteString("\n")
	}
	b.WriteString("\n*Difference* is ours from BGLsim. Reasons for differences of more than 1 %:\n\n")
	for _, r := range nasReasons {
		fmt.Fprintf(&b, "* %s, %s: %s.\n", r.kernels, r.columns, r.text)
		for _, k := range strings.Split(r.kernels, ", ") {
			for _, c := range strings.Split(r.columns, ", ") {
				require.True(t, off[k+c], "%s, %s is not off: a reason too many", k, c)
			}
		}
	}
	for _, r := range nasReasons {
		for _, k := range strings.Split(r.kernels, ", ") {
			for _, c := range strings.Split(r.columns, ", ") {
				delete(off, k+c)
			}
		}
	}
	require.Empty(t, off, "cells that are more than 1 %% off, without a reason")
	return b.String()
}

func printRow(b *strings.Builder, code, system string, c counts2, unit int64) {
	fmt.Fprintf(b, "| %s | %s |", code, system)
	for _, n := range c {
		if n < 0 {
			b.WriteString(" |")
		} else {
			fmt.Fprintf(b, " %d |", rounded(n, unit))
		}
	}
	b.WriteString("\n")
}
