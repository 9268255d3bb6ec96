package patterns_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/metric/spec"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/report/composite"
	"tracerec/trace/tracetext"
)

// counted analyzes a program that is in solve for so many ns, in which the counters count so much, and then as long in other without
// counting anything.
func counted(t *testing.T, counters string, ns int64, counts ...int64) *report.Experiment {
	t.Helper()
	numbers := func(values []int64) (s string) {
		for _, v := range values {
			s += fmt.Sprintf(" %d", v)
		}
		return s
	}
	text := fmt.Sprintf("counterset %s\nlocation main\n 0 enter main\n 0 counters 1%s\n 0 enter solve @solve.go:10\n %d counters 1%s\n %d exit\n"+
		" %d enter other\n %d counters 1%s\n %d exit\n %d exit\n", counters, numbers(make([]int64, len(counts))), ns, numbers(counts), ns,
		ns, 2*ns, numbers(counts), 2*ns, 2*ns)
	a, err := tracetext.Open("test", text)
	require.NoError(t, err)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	require.NoError(t, analyzer.FindProperties(e, patterns.Properties()))
	return e
}

const second = 1_000_000_000

// TestProperties has for each measure of importance counts with which a property is found, by hand, and similar ones, beside the
// threshold or too few, with which it is not.
func TestProperties(t *testing.T) {
	cases := []struct {
		property, counters string
		ns                 int64
		found              []int64
		part               int64
		words              string
		not                [][]int64
	}{
		{"poor_cache_utilisation", "PAPI_L1_DCM PAPI_L1_DCA", second, []int64{868_000, 3_100_000}, 868_000, "28.0 % of 3.10 M accesses miss the data cache",
			[][]int64{{310_000, 3_100_000}, {9_999, 20_000}, {868_000, 0}}}, // 10 % is not above 10 %
		{"poor_cache_utilisation", "L1-dcache-load-misses L1-dcache-loads", second, []int64{11_000, 100_000}, 11_000, "11.0 % of 100 k loads miss",
			[][]int64{{10_000, 100_000}}},
		{"poor_cache_utilisation", "DC_rd_miss DC_wr_miss DC_rd DC_wr", second, []int64{6_000, 6_000, 50_000, 50_000}, 12_000, "12.0 % of 100 k accesses",
			[][]int64{{5_000, 4_999, 10_000, 10_000}}},
		{"poor_cache_utilisation", "cache-misses cache-references", second, []int64{40_000, 100_000}, 40_000, "40.0 % of 100 k accesses that reach the last-level",
			[][]int64{{30_000, 100_000}}},
		{"memory_bound", "PAPI_MEM_SCY PAPI_TOT_CYC", second, []int64{400_000, 1_000_000}, 400_000, "40.0 % of 1.00 M cycles are stalled on memory",
			[][]int64{{300_000, 1_000_000}, {99_999, 100_000}}},
		{"memory_bound", "LLC-load-misses instructions", second, []int64{20_000, 1_000_000}, 20_000, "20.0 k accesses miss the last-level cache, 20.0 in 1,000 instructions",
			[][]int64{{10_000, 1_000_000}}},
		{"memory_bound", "TOPDOWN.MEMORY_BOUND_SLOTS TOPDOWN.SLOTS", second, []int64{500_000, 1_000_000}, 500_000, "50.0 % of 1.00 M pipeline slots",
			[][]int64{{290_000, 1_000_000}}},
		{"tlb_thrashing", "dTLB-load-misses dTLB-loads", second, []int64{20_000, 1_000_000}, 20_000, "2.0 % of 1.00 M accesses miss the TLB",
			[][]int64{{10_000, 1_000_000}, {9_999, 10_000}}},
		{"tlb_thrashing", "PAPI_TLB_DM PAPI_LST_INS", second, []int64{12_000, 1_000_000}, 12_000, "1.2 % of 1.00 M", [][]int64{{10_000, 1_000_001}}},
		{"cache_line_contention", "MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD MEM_INST_RETIRED.ALL_LOADS", second, []int64{10_000, 1_000_000}, 10_000,
			"1.0 % of 1.00 M loads come from a line that another core had modified", [][]int64{{5_000, 1_000_000}, {999, 10_000}}},
		{"cache_line_contention", "PAPI_CA_INV PAPI_TOT_INS", second, []int64{3_000, 1_000_000}, 3_000, "3000 cache lines were invalidated by others, 3.00 in 1,000",
			[][]int64{{2_000, 1_000_000}}},
		{"branch_bound", "PAPI_BR_MSP PAPI_BR_CN", second, []int64{100_000, 1_000_000}, 100_000, "10.0 % of 1.00 M branches are mispredicted",
			[][]int64{{50_000, 1_000_000}, {9_999, 20_000}}},
		{"branch_bound", "branch-misses branches", second, []int64{60_000, 1_000_000}, 60_000, "6.0 % of", [][]int64{{40_000, 1_000_000}}},
		{"failed_store_conditionals", "PAPI_CSR_FAL PAPI_CSR_TOT", second, []int64{2_000, 10_000}, 2_000, "20.0 % of 10.0 k store-conditionals fail",
			[][]int64{{1_000, 10_000}, {999, 1_000}}},
		{"failed_store_conditionals", "PAPI_CSR_FAL PAPI_CSR_SUC", second, []int64{2_000, 8_000}, 2_000, "20.0 % of 10.0 k", [][]int64{{1_000, 9_000}}},
		{"instruction_reissue", "PAPI_TOT_IIS PAPI_TOT_INS", second, []int64{1_000_000, 700_000}, 300_000, "30.0 % of 1.00 M issued instructions do not complete",
			[][]int64{{1_000_000, 800_000}, {400_000, 300_001}, {700_000, 1_000_000}}},
		{"page_fault_bound", "page-faults", second / 10, []int64{5_000}, 5_000, "5000 page faults, 50.0 k in a second", [][]int64{{2_000}, {999}}},
		{"page_fault_bound", "rusage:minflt", second / 100, []int64{1_000}, 1_000, "1000 page faults, 100 k in a second", [][]int64{{200}}},
		{"heavy_allocation", "go:alloc-objects", second / 10, []int64{200_000}, 200_000, "200 k objects were allocated, 2.00 M in a second; the whole process is counted",
			[][]int64{{100_000}, {99_999}}},
		{"heavy_allocation", "go:alloc-objects go:alloc-bytes", second / 10, []int64{10, 128 << 20}, 128 << 20, "128 MiB were allocated, 1.25 GiB in a second",
			[][]int64{{10, 25 << 20}}},
		{"context_switch_storm", "context-switches", second / 10, []int64{2_000}, 2_000, "threads were switched 2000 times, 20.0 k times in a second",
			[][]int64{{1_000}, {999}}},
	}
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.property+"/"+c.counters, func(t *testing.T) {
			seen[c.property] = true
			e := counted(t, c.counters, c.ns, c.found...)
			require.Len(t, e.Properties, 1)
			f := e.Properties[0]
			require.Equal(t, c.property, f.Property)
			require.Equal(t, c.part, f.Part)
			require.Equal(t, "solve", e.Regions[e.Paths[f.Path].Region].Name)
			require.Contains(t, plain(e.Sentences().Property(&f)), c.words)
			require.NotEmpty(t, f.Advice)
			require.Empty(t, e.Findings, "events are no time")
			for _, counts := range c.not {
				require.Empty(t, counted(t, c.counters, c.ns, counts...).Properties, counts)
			}
		})
	}
	for _, p := range patterns.Properties() {
		require.True(t, seen[p.Name], "no case for %s", p.Name)
	}
}

// plain replaces no-break spaces.
func plain(s string) string { return strings.ReplaceAll(s, "\u00a0", " ") }

// TestKindsOfMisses: of 868,000 misses most are of one kind, whose advice is given; none has the majority; a kind was not measured.
func TestKindsOfMisses(t *testing.T) {
	const names = "PAPI_L1_DCM PAPI_L1_DCA SIM_L1D_COLD SIM_L1D_CAPACITY SIM_L1D_CONFLICT"
	e := counted(t, names, second, 868_000, 3_100_000, 40_000, 800_000, 28_000)
	require.Equal(t, []report.Kind{{Words: "for want of capacity", Part: 800_000}, {Words: "at the first touch of a line", Part: 40_000},
		{Words: "by conflicts in a set", Part: 28_000}}, e.Properties[0].Kinds)
	require.Contains(t, plain(e.Sentences().Property(&e.Properties[0])), "28.0 % of 3.10 M accesses miss the data cache, 92.2 % of them for want of "+
		"capacity, 4.6 % at the first touch of a line, 3.2 % by conflicts in a set (PAPI_L1_DCM / PAPI_L1_DCA).")
	require.Contains(t, e.Properties[0].Advice, "tiling")
	conflicts := counted(t, names, second, 868_000, 3_100_000, 0, 1_000, 867_000).Properties[0]
	require.Len(t, conflicts.Kinds, 2)
	require.Contains(t, conflicts.Advice, "padding")

	mixed := counted(t, names, second, 868_000, 3_100_000, 434_000, 434_000, 0).Properties[0]
	require.Len(t, mixed.Kinds, 2)
	require.Equal(t, patterns.PoorCacheUtilisation.Advice, mixed.Advice)
	unknown := counted(t, "PAPI_L1_DCM PAPI_L1_DCA SIM_L1D_COLD SIM_L1D_CAPACITY", second, 868_000, 3_100_000, 40_000, 800_000).Properties[0]
	require.Empty(t, unknown.Kinds)
	require.Equal(t, patterns.PoorCacheUtilisation.Advice, unknown.Advice)
}

// TestPropertiesOfNoCounters: nothing is said where only one side was measured, and thresholds are for call paths, not for the whole.
func TestPropertiesOfNoCounters(t *testing.T) {
	require.Empty(t, counted(t, "PAPI_L1_DCM", second, 1_000_000).Properties)
	require.Empty(t, counted(t, "instructions cycles", second, 1_000_000, 2_000_000).Properties)
}

// TestPropertiesOnHierarchies: measures may name metrics of a specification, and are ranked by events whatever they are.
func TestPropertiesOnHierarchies(t *testing.T) {
	a, err := tracetext.Open("test", `
counterset l1 dca branches misses
location main
  0 enter main
  0 counters 1 0 0 0 0
  0 enter solve
  1000 counters 1 50000 100000 200000 20000
  1000 exit
  1000 enter sweep
  2000 counters 1 130000 200000 1200000 220000
  2000 exit
  3000 exit
`)
	require.NoError(t, err)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	s, err := spec.Parse("test", []byte("compute PAPI_L1_DCM = l1\nmeasure PAPI_L1_DCA = dca\nmeasure PAPI_BR_MSP = misses\nmeasure PAPI_BR_CN = branches\n"+
		"compose TOP = PAPI_L1_DCM + PAPI_L1_DCA\ncompose BR = PAPI_BR_MSP + PAPI_BR_CN"))
	require.NoError(t, err)
	require.NoError(t, composite.DeriveExperiment(e, s))
	require.NoError(t, analyzer.FindProperties(e, patterns.Properties()))
	var got []string
	for _, f := range e.Properties {
		got = append(got, fmt.Sprintf("%s %s %d/%d", f.Property, e.Regions[e.Paths[f.Path].Region].Name, f.Part, f.Of))
	}
	require.Equal(t, []string{"branch_bound sweep 200000/1000000", "poor_cache_utilisation sweep 80000/100000",
		"poor_cache_utilisation solve 50000/100000", "branch_bound solve 20000/200000"}, got)
}

// TestPropertiesAreValid holds the list against the rules, and the rules against bad lists.
func TestPropertiesAreValid(t *testing.T) {
	require.NoError(t, analyzer.ValidateProperties(patterns.Properties()))
	bad := *patterns.BranchBound
	bad.Advice, bad.Measures = "", []analyzer.Measure{{Part: "a +", Of: "b", Words: "none"}}
	err := analyzer.ValidateProperties([]*analyzer.Property{patterns.BranchBound, &bad})
	for _, want := range []string{"the name is taken", "a text is missing", "a +", "no threshold", "words without a number"} {
		require.ErrorContains(t, err, want)
	}
	metrics := map[string]bool{}
	for _, p := range patterns.All() {
		metrics[p.Name] = true
	}
	for _, p := range patterns.Properties() {
		require.False(t, metrics[p.Name], p.Name)
	}
}
