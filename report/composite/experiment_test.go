package composite_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/report/composite"
	"tracerec/report/cube"
	"tracerec/report/query"
	"tracerec/trace/tracetext"
)

// countedTrace has certain differences in solve and sweep, and uncertain ones in sweep, of goroutine main:
//
//	       solve  sweep  uncertain
//	all      100     40         30
//	a         60     50         10
//	b         30      –          5
//	other      7      –          –
const countedTrace = `
counterset all a b other go:x
location main
  0 enter run
  10 counters 1 0 0 0 0 0
  10 enter solve
  50 counters 1 100 60 30 7 1
  50 exit
  50 enter sweep
  60 counters 1 140 110 30 7 1
  70 counters 2 170 120 35 7 6 30 10 5 0 0
  70 exit
  100 exit
`

const countedSpec = `
compose ALL = A + B + REST
measure ALL = all
compute A = a - b
measure B = b
compose PART = A2 + LACKING
measure A2 = other
measure LACKING = lacking
compose a = B2
measure B2 = b
compute GONE = a - lacking
compose TOP = GONE + lacking2
root ALL PART a
describe ALL "Everything."
unit ALL = cycles
ratio SHARE [unit="share of all" low=0 high=1 least=50] = b / ALL
ratio OBJECTS [unit="x per event" least=1] = 2 * go:x / (go:x + go:x)
ratio CROSS [unit="x" least=1] = go:x / all
`

func analyzeText(t *testing.T, text string) *report.Experiment {
	t.Helper()
	a, err := tracetext.Open("test", text)
	require.NoError(t, err)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	return e
}

// file is all that an experiment says, to compare.
func file(t *testing.T, e *report.Experiment) string {
	t.Helper()
	c, err := e.Report("")
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, c.Write(&out))
	return out.String()
}

// derived analyzes a trace and applies specifications to its counters.
func derived(t *testing.T, text string, specs ...string) *report.Experiment {
	t.Helper()
	e := analyzeText(t, text)
	require.NoError(t, composite.DeriveExperiment(e, parseAll(t, specs...)...))
	return e
}

func parseAll(t *testing.T, specs ...string) (list []*spec.Spec) {
	t.Helper()
	for i, text := range specs {
		s, err := spec.Parse(fmt.Sprintf("test%d", i), []byte(text))
		require.NoError(t, err)
		list = append(list, s)
	}
	return list
}

// hierarchies writes the hierarchies with the values of a call path, own ones: "ALL 1, A 2".
func hierarchies(e *report.Experiment, path string) string {
	var out []string
	for i, m := range e.Metrics {
		if m.Hierarchy != "" && m.Of == "" && m.Kind != metric.Less {
			sum := int64(0)
			for _, c := range e.Cells(i) {
				if e.Regions[e.Paths[c.Path].Region].Name == path {
					sum += c.Value
				}
			}
			out = append(out, fmt.Sprintf("%s<%s %d", m.Name, m.Parent, sum))
		}
	}
	return strings.Join(out, ", ")
}

// TestDeriveExperiment compares with values by hand. Own values are what the parts leave: in sweep A = 50 − 0 of 40 in all leaves −10, which is
// a contradiction, and shown as such.
func TestDeriveExperiment(t *testing.T) {
	e := derived(t, countedTrace, countedSpec)
	// REST is nowhere measured and the only one lacking: the remainder.
	require.Equal(t, "ALL< 0, A<ALL 30, B<ALL 30, REST<ALL 40, ALL_uncertain<ALL 0, "+
		"a@a< 30, B2<a@a 30, a@a_uncertain<a@a 0, PART< 0, A2<PART 7, PART_uncertain<PART 0", hierarchies(e, "solve"))
	require.Equal(t, "ALL< 0, A<ALL 50, B<ALL 0, REST<ALL -10, ALL_uncertain<ALL -15, "+ // 30 without those of A, B and REST
		"a@a< 50, B2<a@a 0, a@a_uncertain<a@a 5, PART< 0, A2<PART 0, PART_uncertain<PART 0", hierarchies(e, "sweep"))
	// The counters are as they were, and so is everything else.
	plain := analyzeText(t, countedTrace)
	require.Equal(t, plain.Metrics, e.Metrics[:len(plain.Metrics)])
	for i := range plain.Metrics {
		require.Equal(t, plain.Cells(i), e.Cells(i))
	}
	require.Equal(t, []string{"go:x"}, e.Unlisted)
	require.Equal(t, []string{"TOP: lacking and lacking2 were not measured", "ALL: REST was not measured", "GONE: lacking was not measured"}, e.Notes)

	all, part := e.Metrics[e.MetricIndex("ALL")], e.Metrics[e.MetricIndex("PART")]
	require.Equal(t, metric.Metric{Name: "ALL", Title: "ALL", Unit: metric.Events, UnitName: "cycles", Description: "Everything.", Formula: "all", Hierarchy: "test0"}, all)
	require.Equal(t, metric.Incomplete, part.Kind)
	require.Equal(t, "~PART", part.Label())
	require.Equal(t, "other; not measured: lacking", part.Formula)
	require.Equal(t, "a − b", e.Metrics[e.MetricIndex("A")].Formula)
	require.Equal(t, "a", e.Metrics[e.MetricIndex("a@a")].Title)
	require.True(t, e.Metrics[e.MetricIndex("ALL_uncertain")].Margin())
}

// TestDeriveRatios: certain values only, unless some can never be certain.
func TestDeriveRatios(t *testing.T) {
	e := derived(t, countedTrace, countedSpec)
	require.Len(t, e.Ratios, 3)
	sums := e.Sums()
	at := func(ratio int, region string) (report.Estimate, bool) {
		for i, p := range e.Paths {
			if e.Regions[p.Region].Name == region {
				return sums.Ratio(&e.Ratios[ratio], i)
			}
		}
		return sums.Ratio(&e.Ratios[ratio], -1)
	}
	v, ok := at(0, "solve")
	require.True(t, ok)
	require.InDelta(t, 30./100, v.Value, 1e-12)
	require.True(t, v.Certain())
	_, ok = at(0, "sweep") // 40 is less than 50
	require.False(t, ok)
	v, ok = at(0, "") // of 140, 30 more are not certain
	require.True(t, ok)
	require.InDelta(t, 30./140, v.Value, 1e-12)
	require.InDelta(t, 30./170, v.Low, 1e-12)
	v, ok = at(1, "sweep") // all counters are of the whole process
	require.True(t, ok)
	require.InDelta(t, 1, v.Value, 1e-12)
	v, ok = at(2, "sweep") // one of them is: 5 of 40 + 30
	require.True(t, ok)
	require.InDelta(t, 5./70, v.Value, 1e-12)
}

// TestDeriveAgain: the same again gives the same, and nothing gives what was there before.
func TestDeriveAgain(t *testing.T) {
	e := derived(t, countedTrace, countedSpec)
	again := derived(t, countedTrace, "compose SUM = a + b", countedSpec)
	require.NotEqual(t, e.Metrics, again.Metrics)
	require.NoError(t, composite.DeriveExperiment(again, parseAll(t, countedSpec)...))
	require.Equal(t, file(t, e), file(t, again))

	require.NoError(t, composite.DeriveExperiment(again))
	require.Equal(t, []string{"all", "a", "b", "other", "go:x"}, again.Unlisted)
	again.Unlisted = nil
	require.Equal(t, file(t, analyzeText(t, countedTrace)), file(t, again))

	// Without counters nothing is done.
	const waits = "location main\n 0 enter run\n 10 exit\n"
	require.Equal(t, file(t, analyzeText(t, waits)), file(t, derived(t, waits, countedSpec)))
}

// TestDeriveSeveral: hierarchies of several specifications stand beside each other, with names of their own.
func TestDeriveSeveral(t *testing.T) {
	e := derived(t, countedTrace, "compose SUM = b + other\nratio R = b / SUM", "compose SUM = a + other\nratio R = a / SUM")
	require.Equal(t, "SUM< 0, b@SUM<SUM 30, other@SUM<SUM 7, SUM_uncertain<SUM 0, "+
		"SUM@SUM< 0, a@SUM<SUM@SUM 60, other@SUM_2<SUM@SUM 7, SUM@SUM_uncertain<SUM@SUM 0", hierarchies(e, "solve"))
	require.Equal(t, []string{"R", "R@test1"}, []string{e.Ratios[0].Name, e.Ratios[1].Name})
	require.Equal(t, []string{"all", "go:x"}, e.Unlisted)
}

// TestDeriveAddsUp: on random specifications and counts, what a metric has with all below it is its form on what is certain, at every
// call path and location, and the parts of a tree with what is uncertain add up to the root's form on everything.
func TestDeriveAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		events := []string{"e0", "e1", "e2", "e3", "e4"}[:2+rng.IntN(4)]
		var text strings.Builder
		fmt.Fprintf(&text, "counterset %s\nlocation main\n 0 enter run\n", strings.Join(events, " "))
		count := make([]int64, len(events))
		mark, time := 1, 1
		sample := func() {
			moved := rng.IntN(3) == 0 // to another thread: what was counted may be somebody else's
			if moved {
				mark++
			}
			line, bounds := "", ""
			for k := range count {
				d := rng.Int64N(1000)
				count[k] += d
				line += fmt.Sprintf(" %d", count[k])
				bounds += fmt.Sprintf(" %d", d)
			}
			if !moved {
				bounds = ""
			}
			fmt.Fprintf(&text, " %d counters %d%s%s\n", time, mark, line, bounds)
			time++
		}
		for range 12 {
			sample()
			fmt.Fprintf(&text, " %d enter r%d\n", time, rng.IntN(3))
			sample()
			fmt.Fprintf(&text, " %d exit\n", time)
		}
		fmt.Fprintf(&text, " 200 exit\n")
		s := parse(t, randomSpec(rng, events))
		e := analyzeText(t, text.String())
		require.NoError(t, composite.DeriveExperiment(e, s))
		checkForms(t, e, s.Resolve(events))
	}
}

// randomSpec makes a specification of one or two levels.
func randomSpec(rng *rand.Rand, events []string) string {
	var b strings.Builder
	pick := func() string { return events[rng.IntN(len(events))] }
	var parts []string
	for i := range 1 + rng.IntN(4) {
		name := fmt.Sprintf("P%d", i)
		parts = append(parts, name)
		switch rng.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "measure %s = %s\n", name, pick())
		case 1:
			fmt.Fprintf(&b, "compute %s = %s - %d * %s\n", name, pick(), rng.IntN(3)+1, pick())
		case 2:
			fmt.Fprintf(&b, "measure %s = nothing%d\n", name, i)
		case 3:
			fmt.Fprintf(&b, "compose %s = Q%d + S%d\nmeasure Q%d = %s\n", name, i, i, i, pick())
		}
	}
	fmt.Fprintf(&b, "compose TOP = %s\n", strings.Join(parts, " + "))
	if rng.IntN(2) == 0 {
		fmt.Fprintf(&b, "measure TOP = %s\n", pick())
	}
	return b.String()
}

// checkForms compares every cell with the linear form, by adding up the tree in the plainest way.
func checkForms(t *testing.T, e *report.Experiment, r *spec.Resolved) {
	t.Helper()
	var inclusive func(name string, path, loc uint32, certain bool) int64
	inclusive = func(name string, path, loc uint32, certain bool) int64 {
		sum := int64(0)
		for i, m := range e.Metrics {
			if m.Name == name {
				sum += e.At(i, path, loc)
			}
			if m.Parent == name && !(certain && m.Margin()) {
				sum += inclusive(m.Name, path, loc, certain)
			}
		}
		return sum
	}
	m, err := query.New(e.Cube)
	require.NoError(t, err)
	for i := range r.Nodes {
		n := &r.Nodes[i]
		name := n.Name
		if slices.Contains(r.Events, name) {
			name += "@TOP"
		}
		for path := range uint32(len(e.Paths)) {
			certain, all := make([]int64, len(r.Events)), make([]int64, len(r.Events))
			for k, event := range r.Events {
				certain[k] = e.At(e.MetricIndex(event), path, 0)
				all[k] = certain[k] + e.At(e.MetricIndex(event+"_uncertain"), path, 0)
			}
			require.Equal(t, n.Value(certain), inclusive(name, path, 0, true), "%s at %d", name, path)
			least, most := n.Value(certain), n.Value(certain)
			for mask := range 1 << len(all) { // every event is between certain and all
				truth := slices.Clone(certain)
				for k := range truth {
					truth[k] += int64(mask>>k&1) * (all[k] - certain[k])
				}
				least, most = min(least, n.Value(truth)), max(most, n.Value(truth))
			}
			values, in, err := m.Within(query.What{Metric: m.Metric(name)}, func(w query.What) ([]cube.Value, error) {
				_, values, err := m.ByPath(w, nil)
				return values, err
			})
			require.NoError(t, err)
			at := slices.IndexFunc(e.Cube.Paths(), func(p *cube.CallPath) bool { return p.ID == int(path) })
			require.Equal(t, n.Value(certain), values[at].Int64(), name)
			if least == most {
				require.Nil(t, in[at])
			} else {
				require.Equal(t, &spec.Interval{Low: float64(least), High: float64(most)}, in[at], name)
			}
			if n.Parent < 0 {
				require.Equal(t, n.Value(all), inclusive(name, path, 0, false), "%s at %d, all", name, path)
			}
		}
	}
}

// TestReadBack: what was derived and then only read back, without findings and operands, gives the same ratios and properties.
func TestReadBack(t *testing.T) {
	e := analyzeText(t, countedTrace)
	properties := []*analyzer.Property{{Metric: metric.Metric{Name: "many_x", Title: "Many", Description: "d", Formula: "f", Advice: "a", Unit: metric.Events},
		Measures: []analyzer.Measure{{Part: "X", Of: "a + b", Above: 0.05, Least: 1, Words: "{part}"}}}}
	text := countedSpec + "compose X = Y\nmeasure Y = go:x\nroot X\nratio XS [unit=\"x\" least=1] = X / ALL\n"
	require.NoError(t, composite.DeriveExperiment(e, parseAll(t, text)...))
	require.NoError(t, analyzer.FindProperties(e, properties))
	require.Len(t, e.Properties, 1)
	require.True(t, e.Properties[0].Shared)
	require.True(t, e.Ratios[3].Operands[0].All, "X is of the whole process only")
	c, err := e.Report("")
	require.NoError(t, err)
	c.Members = nil
	again, err := report.Read(c)
	require.NoError(t, err)
	require.True(t, again.Merged)
	require.NoError(t, analyzer.FindProperties(again, properties))
	require.Equal(t, e.Properties, again.Properties)
	require.Len(t, again.Ratios, len(e.Ratios))
	for i := range e.Ratios {
		for path := -1; path < len(e.Paths); path++ {
			want, known := e.Sums().Ratio(&e.Ratios[i], path)
			got, also := again.Sums().Ratio(&again.Ratios[i], path)
			require.Equal(t, known, also)
			require.Equal(t, want, got)
		}
	}

	// A ratio that lacks an operand, or cannot be read, is left out.
	for _, formula := range []string{"nothing / ALL", "a /"} {
		for _, m := range c.AllMetrics() {
			if m.Name == "XS" {
				i := slices.IndexFunc(m.Attrs, func(a cube.Attr) bool { return a.Key == query.FormulaAttr })
				m.Attrs[i].Value = formula
			}
		}
		again, err := report.Read(c)
		require.NoError(t, err)
		require.Len(t, again.Ratios, 3)
	}
}

// TestDeriveMixedUnits says which composition adds times and events; a computation may, with its weights.
func TestDeriveMixedUnits(t *testing.T) {
	trace := strings.Replace(countedTrace, "all a b other", "task-clock page-faults go:alloc-bytes other", 1)
	e := derived(t, trace, "compose TOP = A + other\ncompose A = page-faults + task-clock + go:alloc-bytes\ncompute COST = task-clock - 100 * page-faults\ncompose SAME = other + page-faults")
	require.Equal(t, []string{"A adds different units: task-clock (ns) and page-faults (events) and go:alloc-bytes (bytes)"}, e.Notes)
}
