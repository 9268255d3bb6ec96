package composite_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric/spec"
	"tracerec/report/algebra"
	"tracerec/report/composite"
	"tracerec/report/cube"
)

// platform makes a report with counters, and derives it with a shipped specification.
func platform(t *testing.T, name, specification string, counts map[string]int64) algebra.Input {
	t.Helper()
	s, err := spec.Open(specification)
	require.NoError(t, err)
	e := experiment{visits: 1}
	for _, event := range s.Events() {
		if n, ok := counts[event]; ok {
			e.counters = append(e.counters, counter{event, [2]int64{n / 3, n - n/3}, [2]int64{}})
			delete(counts, event)
		}
	}
	require.Empty(t, counts, "the specification knows these events")
	r, err := composite.Derive(e.build(t), s)
	require.NoError(t, err)
	return algebra.Input{Name: name, Cube: r.Cube}
}

// The counters of table 1 of the paper (10⁹; here 10⁶ of them, so that fractions stay). Its metrics are made of counters as the
// specifications say; where the table has only the sum of several counters, one of them has all of it.
func table1(t *testing.T) []algebra.Input {
	return []algebra.Input{
		platform(t, "p690+", "power4", map[string]int64{"PM_CYC": 25911e3, "PM_INST_CMPL": 15377e3, "PM_FPU_ALL": 7208e3,
			"PM_BR_ISSUED": 1287e3, "PM_BR_MPRED_CR": 90e3, "PM_BR_MPRED_TA": 0, "PM_INST_FROM_PREF": 0, "PM_INST_FROM_L1": 4201e3, "PM_INST_FROM_L2": 1e3,
			"PM_ITLB_MISS": 8, "PM_DTLB_MISS": 5014,
			"PM_LD_REF_L1": 5092e3, "PM_LD_MISS_L1": 0, "PM_ST_REF_L1": 0, "PM_ST_MISS_L1": 0, "PM_DATA_FROM_L2": 129e3, "PM_DATA_FROM_L3": 7e3, "PM_DATA_FROM_MEM": 7e3}),
		platform(t, "XD1", "opteron", map[string]int64{"CPU_CLK_UNHALTED": 22090e3, "FR_DISPATCH_STALLS_SER": 15499e3, "FR_X86_INS": 17678e3, "FP_ADD_PIPE": 11704e3,
			"FR_BR": 967e3, "FR_BR_MIS": 14e3, "FR_BR_TAKEN": 0, "FR_BR_TAKEN_MIS": 0, "IC_FETCH": 6575e3, "IC_L2_REFILL": 0, "IC_SYS_REFILL": 0,
			"IC_L1ITLB_MISS_AND_L2ITLB_MISS": 2, "DC_L1_DTLB_MISS_AND_L2_DTLB_MISS": 5753,
			"DC_ACCESS": 7456e3, "DC_MISS": 226e3, "DC_L2_REFILL_M": 194e3, "DC_SYS_REFILL_M": 12e3, "DC_SYS_REFILL_O": 20e3}),
		platform(t, "SF25k", "ultrasparc3", map[string]int64{"Cycle_cnt": 38789e3, "Rstall_storeQ": 24581e3, "Instr_cnt": 21197e3, "FA_pipe_completion": 8649e3,
			"IU_Stat_Br_count_taken": 894e3, "IU_Stat_Br_miss_taken": 0, "IU_Stat_Br_count_untaken": 29e3, "IU_Stat_Br_miss_untaken": 29e3,
			"IC_ref": 8793e3, "IC_miss": 4e3, "EC_ic_miss": 0, "ITLB_miss": 4, "DTLB_miss": 2991,
			"DC_rd": 5594e3 + 11e3, "DC_rd_miss": 11e3, "DC_wr": 1255e3, "DC_wr_miss": 1255e3, "EC_rd_miss": 11e3, "EC_misses": 37e3}),
	}
}

func TestTable1(t *testing.T) {
	c, err := composite.Compare(false, table1(t)...)
	require.NoError(t, err)
	nan := math.NaN()
	for _, want := range []struct {
		label  string
		counts [3]float64 // as printed, 10⁹
		shares [3]float64 // as printed, %
	}{
		{"CYCLES", [3]float64{25911, 22090, 38789}, [3]float64{nan, nan, nan}},
		{"INSTRUCTION", [3]float64{15377, 17678, 21197}, [3]float64{nan, nan, nan}},
		{"FLOATING_POINT", [3]float64{7208, 11704, 8649}, [3]float64{46.9, 66.2, 40.8}},
		{"BRANCH", [3]float64{1287, 967, 923}, [3]float64{8.4, 5.5, 4.3}},
		{"BRANCH_MISP", [3]float64{90, 14, 29}, [3]float64{0.6, 0.1, 0.1}},
		{"INST_ACCESS", [3]float64{4202, 6575, 8793}, [3]float64{nan, nan, nan}},
		{"INST_HIT_L1$", [3]float64{4201, 6575, 8789}, [3]float64{100, 100, 100}},
		{"INST_TLB_MISS", [3]float64{0.008, 0.002, 0.004}, [3]float64{nan, nan, nan}},
		{"DATA_TLB_MISS", [3]float64{5.014, 5.753, 2.991}, [3]float64{nan, nan, nan}},
		{"DATA_HIT_L1$", [3]float64{5092, 7230, 5594}, [3]float64{97.3, 97.0, 81.2}},
		{"DATA_HIT_L2$", [3]float64{129, 194, 1255}, [3]float64{2.5, 2.6, 18.2}},
		{"DATA_HIT_L3$", [3]float64{7, nan, nan}, [3]float64{0.1, nan, nan}},
		{"DATA_HIT_MEM", [3]float64{7, 32, 37}, [3]float64{0.1, 0.4, 0.5}},
	} {
		var row *composite.Row
		for i := range c.Rows {
			if c.Rows[i].Label == want.label {
				row = &c.Rows[i]
			}
		}
		require.NotNil(t, row, want.label)
		for i, x := range row.Cells {
			if math.IsNaN(want.counts[i]) {
				require.False(t, x.Value != nil && *x.Value != 0, "%s on %s", want.label, c.Platforms[i].Name)
				continue
			}
			require.True(t, x.Has, "%s on %s", want.label, c.Platforms[i].Name)
			require.InDelta(t, want.counts[i], *x.Value/1e3, 1e-9, "%s on %s", want.label, c.Platforms[i].Name)
			if !math.IsNaN(want.shares[i]) {
				require.InDelta(t, want.shares[i], *x.OfRoot, 0.1, "%s on %s", want.label, c.Platforms[i].Name)
			}
		}
	}
	// The table's DATA_ACCESS of UltraSPARC-IV is 6887, and the parts it lists are 6886.
	require.Greater(t, c.Hidden, 0)
	var text, again bytes.Buffer
	require.NoError(t, c.Text(&text, false))
	require.NoError(t, c.Text(&again, false))
	require.Equal(t, text.String(), again.String())
	lines := strings.Split(text.String(), "\n")
	require.Regexp(t, `^ +p690\+ +XD1 +SF25k$`, lines[0])
	require.Regexp(t, `(?m)^  FLOATING_POINT +~7,208,000 \( 46\.9 %\) +~11,704,000 \( 66\.2 %\) +~?8,649,000 \( 40\.8 %\)$`, text.String())
	require.NotContains(t, text.String(), "PM_DATA_FROM_L2", "of one platform only")
	require.Contains(t, text.String(), fmt.Sprintf("left out: %d metrics", c.Hidden))

	var out bytes.Buffer
	require.NoError(t, c.JSON(&out))
	require.Regexp(t, `"incomplete": ?true`, out.String())
	var back composite.Comparison
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	require.Equal(t, *c, back)
}

// One report is shown whole; shares can be of the parent.
func TestCompareOne(t *testing.T) {
	in := platform(t, "XD1", "opteron", map[string]int64{"FR_X86_INS": 1000, "FR_BR": 500, "FR_BR_MIS": 50, "FR_BR_TAKEN": 250, "FR_BR_TAKEN_MIS": 40})
	c, err := composite.Compare(false, in)
	require.NoError(t, err)
	require.Zero(t, c.Hidden)
	var text bytes.Buffer
	require.NoError(t, c.Text(&text, true))
	require.Regexp(t, `(?m)^    BRANCH_MISP +50 \( 10\.0 %\)$`, text.String())
	require.Regexp(t, `(?m)^      BRANCH_MISP_TAKEN +40 \( 80\.0 %\)$`, text.String())
	text.Reset()
	require.NoError(t, c.Text(&text, false))
	require.Regexp(t, `(?m)^      BRANCH_MISP_TAKEN +40 \(  4\.0 %\)$`, text.String())
}

// Of repeated runs, it is told how they vary: the mean of 900, 909 and 900 has a noise of 4.303·5.196/√3.
func TestCompareNoise(t *testing.T) {
	run := func(refs, misses int64) *cube.Cube {
		return experiment{visits: 1, counters: []counter{{"refs", [2]int64{refs, 0}, [2]int64{}}, {"misses", [2]int64{misses, 0}, [2]int64{}}}}.build(t)
	}
	r, err := composite.Merge([]*spec.Spec{parse(t, access)}, inputs(run(1000, 100), run(1010, 101), run(1000, 100))...)
	require.NoError(t, err)
	c, err := composite.Compare(false, algebra.Input{Name: "runs", Cube: r.Cube})
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, c.Text(&text, false))
	require.Regexp(t, `(?m)^  HIT +903 ± 12\.9 \( 90\.0 %\)$`, text.String())
}
