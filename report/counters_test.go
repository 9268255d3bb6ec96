package report

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// counted is an experiment with a hierarchy of counters:
//
//	            solve   sweep   uncertain (sweep)
//	cycles      8000 M  2000 M  1000 M
//	  stalls    5000 M  1500 M
//	instr       6000 M  3000 M   500 M
//	L1-misses       28      –       –
//
// CYCLES is made of cycles, STALL of stalls, INSTR of instr.
func counted(t testing.TB) *Experiment {
	b := newBuilder()
	b.Header = Header{Program: "counted", Wall: 100 * ms, Focus: 100 * ms, Time: 100 * ms, Processes: 1, Goroutines: 1, Events: 20, Frequency: 2_500_000_000,
		CPU: Processor{Arch: "amd64", Vendor: "GenuineIntel", Family: 6, Model: 106, Name: "a processor"}}
	b.Groups = []Group{{Name: "main", Creator: -1, Count: 1}}
	b.Locations = []Location{{0, 0, "main", 1, 1, 0, false}}
	for _, m := range []metric.Metric{
		{Name: "cycles", Kind: metric.Counter}, {Name: "cycles_uncertain", Parent: "cycles", Kind: metric.More},
		{Name: "stalls", Kind: metric.Counter}, {Name: "instr", Kind: metric.Counter}, {Name: "instr_uncertain", Parent: "instr", Kind: metric.More},
		{Name: "L1-misses", Kind: metric.Counter},
		{Name: "CYCLES", Hierarchy: "test", UnitName: "cycles", Kind: metric.Incomplete, Formula: "cycles; not measured: idle"},
		{Name: "STALL", Parent: "CYCLES", Hierarchy: "test", UnitName: "cycles"},
		{Name: "CYCLES_uncertain", Parent: "CYCLES", Hierarchy: "test", Kind: metric.More, UnitName: "cycles"},
		{Name: "INSTR", Hierarchy: "test"}, {Name: "INSTR_uncertain", Parent: "INSTR", Hierarchy: "test", Kind: metric.More},
	} {
		m.Title, m.Unit = m.Name, metric.Events
		b.Metrics = append(b.Metrics, m)
	}
	b.Severity, b.Critical, b.Stats = make([][]Cell, len(b.Metrics)), make([][]Cell, len(b.Metrics)), make([]Stats, len(b.Metrics))
	solve, sweep := b.path("run/solve@/src/a.go:10"), b.path("run/sweep@/src/a.go:40")
	const million = 1_000_000
	for _, c := range []struct {
		metric       string
		solve, sweep int64
	}{
		{"execution", 60 * ms, 40 * ms}, {"cycles", 8000 * million, 2000 * million}, {"cycles_uncertain", 0, 1000 * million}, {"stalls", 5000 * million, 1500 * million},
		{"instr", 6000 * million, 3000 * million}, {"instr_uncertain", 0, 500 * million}, {"L1-misses", 28, 0},
		{"CYCLES", 3000 * million, 500 * million}, {"STALL", 5000 * million, 1500 * million}, {"CYCLES_uncertain", 0, 1000 * million},
		{"INSTR", 6000 * million, 3000 * million}, {"INSTR_uncertain", 0, 500 * million},
	} {
		b.add(c.metric, solve, 0, c.solve)
		b.add(c.metric, sweep, 0, c.sweep)
	}
	at := b.MetricIndex
	b.Ratios = []Ratio{
		{Name: "IPC", Unit: "instructions per cycle", Hierarchy: "test", Formula: "instr / CYCLES", High: 4, Least: 1000,
			Operands: []Operand{{Name: "instr", Metric: at("instr")}, {Name: "CYCLES", Metric: at("CYCLES")}}},
		{Name: "MISS_RATE", Unit: "share of misses", Hierarchy: "test", Formula: "L1-misses / instr", High: 1, Least: 5_000_000_000,
			Operands: []Operand{{Name: "L1-misses", Metric: at("L1-misses")}, {Name: "instr", Metric: at("instr")}}},
		{Name: "CLOCK", Unit: "GHz", Hierarchy: "test", Formula: "CYCLES / time", Operands: []Operand{{Name: "CYCLES", Metric: at("CYCLES"), All: true}}},
	}
	for i := range b.Ratios {
		if b.Ratios[i].Formula == "CYCLES / time" {
			b.Ratios[i].Operands = append(b.Ratios[i].Operands, Operand{Name: "time", Metric: at("time")})
		}
	}
	b.Properties = []PropertyFinding{
		{"poor_cache_utilisation", "Poor cache utilisation", solve, 868_020, 3_100_000, "misses", "accesses", "{share} of {of} accesses miss", false, "Do less.",
			[]Kind{{"for want of capacity", 600_000}, {"by conflicts", 268_000}}},
		{"heavy_allocation", "Heavy allocation", sweep, 500_000, 80_000_000, "go:alloc-objects", "time", "{part} objects, {rate} in a second", true, "Reuse.", nil},
		{"poor_cache_utilisation", "Poor cache utilisation", sweep, 12_000, 100_000, "misses", "accesses", "{share} of {of} accesses miss", false, "Do less.", nil},
	}
	b.Unlisted, b.Notes = []string{"L1-misses"}, []string{"BUSY: idle was not measured"}
	e := fill(&b.Experiment, b.Severity, b.Critical)
	addRatios(t, e)
	return e
}

// addRatios gives the cube of an experiment its ratios.
func addRatios(t testing.TB, e *Experiment) {
	c, _, err := WithRatios(e.Cube, e.Ratios)
	require.NoError(t, err)
	properties := e.Properties
	require.NoError(t, e.Derived(c, e.Ratios, e.Unlisted, e.Notes))
	e.Properties = properties
}

// TestCounterText compares the text with one that was looked at, its numbers with those by hand.
func TestCounterText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Text(&out, counted(t), TextOptions{}))
	text := out.String()
	if *update {
		require.NoError(t, os.WriteFile("testdata/counters.txt", out.Bytes(), 0o644))
	}
	want, err := os.ReadFile("testdata/counters.txt")
	require.NoError(t, err)
	require.Equal(t, string(want), text)
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, width(strings.TrimSuffix(line, "\n")), pageWidth, line)
	}
	row := func(name string) []string {
		for line := range strings.Lines(text) {
			if f := strings.Fields(line); len(f) > 0 && f[0] == name {
				return f
			}
		}
		return nil
	}
	// 10,000 M certain and 1000 M uncertain of 2.5 GHz; 6500 of 10000; 3500 M are nobody's.
	require.Equal(t, "~CYCLES 10,000,000,000 4.00 s", strings.Join(row("~CYCLES"), " "))
	require.Equal(t, "STALL 6,500,000,000 65.0 % 2.60 s", strings.Join(row("STALL"), " "))
	require.Equal(t, "unaccounted 3,500,000,000 35.0 % 1.40 s", strings.Join(row("unaccounted"), " "))
	require.Contains(t, text, "    and at most, attribution uncertain           1,000,000,000            400 ms\n")
	require.Contains(t, text, "28.0 % of 3.10 M accesses miss")
	require.Contains(t, text, "500 k objects, 6.25 M in a second; the\n    whole process is counted")
	require.Contains(t, text, "same as for 1")
	require.Contains(t, text, "BUSY: idle was not measured")
	require.NotContains(t, text, "instr:", "what a hierarchy shows is not shown again")
	require.Contains(t, text, "L1-misses: 28")
}

// TestRatioValues evaluates ratios by hand: 6000/8000 and 3000/2000 instructions per cycle, certain ones only.
func TestRatioValues(t *testing.T) {
	e := counted(t)
	sums := e.Sums()
	want := func(ratio, path int, value float64) {
		t.Helper()
		v, ok := sums.Ratio(&e.Ratios[ratio], path)
		require.True(t, ok)
		require.InDelta(t, value, v.Value, 1e-12)
		require.True(t, v.Low <= v.Value && v.Value <= v.High)
	}
	none := func(ratio, path int) {
		t.Helper()
		_, ok := sums.Ratio(&e.Ratios[ratio], path)
		require.False(t, ok, "absent, not 0")
	}
	run, solve, sweep := 0, 1, 2
	want(0, -1, 9000./10000)
	want(0, solve, 6000./8000)
	want(0, sweep, 3000./2000)
	v, _ := sums.Ratio(&e.Ratios[0], sweep) // 500 M instructions and 1000 M cycles more may be its own
	require.Equal(t, spec.Interval{Low: 1, High: 1.75}, v.Interval)
	require.Equal(t, "1.00–1.75", EstimateText(v, ""))
	for want, in := range map[string]spec.Interval{"−1.50 to 2.00": {Low: -1.5, High: 2}, "−2.00 to −1.50": {Low: -2, High: -1.5}, "0.00–1.50": {High: 1.5}} {
		require.Equal(t, want, EstimateText(Estimate{Interval: in}, ""))
	}
	require.Equal(t, "−5.0 to −1.0 %", EstimateText(Estimate{Interval: spec.Interval{Low: -0.05, High: -0.01}}, "share of loads"))
	none(0, run) // no cycles
	want(1, -1, 28/9e9)
	want(1, solve, 28/6e9)
	none(1, sweep) // 3000 M instructions are less than 5000 M
	want(2, -1, 11e9/100e6)
	want(2, sweep, 3000e6/40e6)
	require.Equal(t, "12.4 %", RatioText(12.44, "%"))
	require.Equal(t, "12.4 %", RatioText(0.1244, "share of loads"))
	require.Equal(t, "<0.1 %", RatioText(1e-9, "share of loads"))
	require.Equal(t, "1.83", RatioText(1.834, "instructions per cycle"))
	require.Equal(t, "−1.50", RatioText(-1.5, ""))
	require.Equal(t, "0.0012", RatioText(0.0012, ""))
}

// TestMostlyUncertain: the report says how to count exactly, and nothing is mostly nowhere.
func TestMostlyUncertain(t *testing.T) {
	text := func(e *Experiment) string {
		var b bytes.Buffer
		require.NoError(t, Text(&b, e, TextOptions{Top: 5}))
		return b.String()
	}
	e := counted(t)
	require.NotContains(t, text(e), "--exact-counters")
	put := func(name string, value int64) {
		refill(e, func(severity [][]Cell) { severity[e.MetricIndex(name)] = []Cell{{Path: 1, Location: 0, Value: value}} })
		addRatios(t, e)
	}
	put("cycles_uncertain", 1<<40)
	require.Contains(t, strings.Join(strings.Fields(text(e)), " "), "Most of cycles is not certain")
	put("INSTR", -5)
	instr := text(e)
	require.NotContains(t, instr[strings.Index(instr, "  INSTR"):strings.Index(instr, "Ratios\n")], "mostly in")
}

// TestCountersInCube: the experiment comes back from a file as it was, and other tools find plain metrics.
func TestCountersInCube(t *testing.T) {
	e := counted(t)
	c := rewritten(t, e, "")
	again, err := Read(c)
	require.NoError(t, err)
	requireSame(t, e, again)

	cycles := c.Metric("CYCLES")
	require.Equal(t, "~CYCLES", cycles.Title)
	require.Equal(t, "cycles", cycles.Unit)
	require.Len(t, cycles.Children, 2)
	ipc := c.Metric("IPC")
	require.Equal(t, cube.PostDerived, ipc.Kind)
	text := ipc.Expressions[0].Text
	require.Contains(t, text, "operand_CYCLES", "without what is uncertain")
	m, err := query.New(c)
	require.NoError(t, err)
	_, exclusive, err := m.ByPath(query.What{Metric: m.Metric("IPC")}, nil)
	require.NoError(t, err)
	require.InDelta(t, 6000./8000, exclusive[1].Float64(), 1e-12)
	require.InDelta(t, 3000./2000, exclusive[2].Float64(), 1e-12)
	require.JSONEq(t, `{"instr": ["operand_instr", "instr_uncertain", ""], "CYCLES": ["operand_CYCLES", "CYCLES_uncertain", ""]}`, attrs(ipc.Attrs)[query.OperandsAttr])
	require.True(t, c.Metric("operand_CYCLES").Ghost)
	require.Equal(t, "110", attrs(c.Metric("MISS_RATE").Attrs)[query.HighAttr]+"10")
	require.Contains(t, c.Metric("MISS_RATE").Expressions[0].Text, "operand_L1_misses", "CubePL cannot say L1-misses")
	require.Contains(t, c.Metric("CLOCK").Expressions[0].Text, "(metric::CYCLES() / metric::time())")
	r, err := c.Metric("operand_CYCLES").Row(c.Paths()[2])
	require.NoError(t, err)
	require.EqualValues(t, 2_000_000_000, r.Value(0).Int64())
	// Counters are behind what was made of them.
	var roots []string
	for _, m := range c.Metrics {
		roots = append(roots, m.Name)
	}
	require.Equal(t, "CYCLES INSTR operand_instr operand_CYCLES operand_L1_misses IPC MISS_RATE CLOCK page-faults cycles stalls instr L1-misses",
		strings.Join(roots[len(roots)-13:], " "))
}

// TestCounterJSON reads what scripts read.
func TestCounterJSON(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, JSON(&out, counted(t)))
	var got struct {
		Metrics []struct {
			Name, Hierarchy     string
			Total               int64
			AtLeast             int64 `json:"at_least"`
			AtMost              int64 `json:"at_most"`
			Incomplete, Counter bool
		}
		Ratios []struct {
			Name      string
			Value     *float64
			Callpaths []struct {
				Callpath []string
				Value    float64
			}
		}
		Properties []struct {
			Property, Text, Advice string
			Part, Of               int64
		}
		Unlisted []string `json:"unlisted_counters"`
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	for _, m := range got.Metrics {
		if m.Name == "CYCLES" {
			require.EqualValues(t, 11_000_000_000, m.Total)
			require.EqualValues(t, []int64{10_000_000_000, 11_000_000_000}, []int64{m.AtLeast, m.AtMost})
			require.True(t, m.Incomplete && m.Hierarchy == "test" && !m.Counter)
		}
	}
	require.InDelta(t, 0.9, *got.Ratios[0].Value, 1e-12)
	require.Len(t, got.Ratios[1].Callpaths, 1)
	require.Equal(t, []string{"run", "solve"}, got.Ratios[1].Callpaths[0].Callpath)
	require.Equal(t, "Poor cache utilisation in solve at a.go:10: 28.0 % of 3.10 M accesses miss, 69.1 % of them for want of capacity, 30.9 % by conflicts (misses / accesses).", got.Properties[0].Text)
	require.Equal(t, []string{"L1-misses"}, got.Unlisted)

	out.Reset()
	require.NoError(t, JSON(&out, hydro()))
	require.Equal(t, 1, strings.Count(out.String(), `"counter"`), "page-faults")
	for _, word := range []string{"ratios", "properties", "hierarchy"} {
		require.NotContains(t, out.String(), word, "without hierarchies nothing is said of them")
	}
}

// TestCollapseCounters: hierarchies and ratios stay as they are when goroutines are added up.
func TestCollapseCounters(t *testing.T) {
	e := counted(t)
	e.Locations = append(e.Locations, Location{0, 0, "main[1]", 2, 1, 1, false})
	refill(e, func(severity [][]Cell) {
		for i := range severity {
			for _, c := range severity[i] {
				severity[i] = append(severity[i], Cell{c.Path, 1, c.Value})
			}
		}
	})
	addRatios(t, e)
	f, err := e.Collapse(1)
	require.NoError(t, err)
	require.Len(t, f.Locations, 1)
	for path := -1; path < len(e.Paths); path++ {
		for i := range e.Ratios {
			a, known := e.Sums().Ratio(&e.Ratios[i], path)
			b, also := f.Sums().Ratio(&f.Ratios[i], path)
			require.Equal(t, known, also)
			require.Equal(t, a, b)
		}
	}
}
