package composite_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/metric/spec"
	"tracerec/report/algebra"
	"tracerec/report/composite"
	"tracerec/report/cube"
	"tracerec/report/query"
	"tracerec/report/table"
)

const differences = `compute DIFF = b - a
compute DIFF2 = a - b
compose ALL = DIFF3 + b
compute DIFF3 = a - b + c
compute NONE = a - a + 2 * c - c - c
ratio RAT [unit=x least=1] = a / b
ratio SHARE [unit=x least=1] = a / (a + b)
`

// truths are random counts of the counters a, b and c in two goroutines, of which an experiment knows as much as it says.
type truths [2]map[string]float64

func randomTruths(t *testing.T, r *rand.Rand) (truths, *cube.Cube) {
	t.Helper()
	var counters []counter
	truth := truths{{}, {}}
	for _, name := range []string{"a", "b", "c"} {
		x := counter{name, [2]int64{r.Int64N(1000), r.Int64N(1000)}, [2]int64{max(0, r.Int64N(800)-300), max(0, r.Int64N(800)-300)}}
		for l := range truth {
			truth[l][name] = float64(x.certain[l] + r.Int64N(x.doubtful[l]+1))
		}
		counters = append(counters, x)
	}
	d, err := composite.Derive(experiment{visits: 1, counters: counters}.build(t), parse(t, differences))
	require.NoError(t, err)
	return truth, d.Cube
}

// value returns what is true of a metric of differences; ok is false if that is no number.
func (truth truths) value(t *testing.T, text string) (v float64, ok bool) {
	t.Helper()
	e, err := spec.ParseExpr(text)
	require.NoError(t, err)
	return e.Value(1, func(name string) (float64, bool) { return truth[0][name] + truth[1][name], true })
}

// lies requires that a metric of the whole program lies where its report says, and says whether there is a value, and whether it is certain.
func lies(t *testing.T, c *cube.Cube, name string, truth float64) (known, certain bool) {
	t.Helper()
	m, err := query.New(c)
	require.NoError(t, err)
	q := m.Metric(name)
	require.NotNil(t, q, name)
	ask := func(w query.What) ([]cube.Value, error) {
		v, err := m.Total(w)
		return []cube.Value{v}, err
	}
	values, err := ask(query.What{Metric: q})
	require.NoError(t, err)
	in, err := m.Bounds(query.What{Metric: q}, ask)
	require.NoError(t, err)
	of := spec.Point(values[0].Float64())
	if in != nil {
		of = in[0]
		require.False(t, values[0].Float64() < of.Low-1e-9 || values[0].Float64() > of.High+1e-9, name)
	}
	if of.Low != of.Low { // no number: there is no value
		return false, false
	}
	require.LessOrEqual(t, of.Low, truth+1e-9, name)
	require.GreaterOrEqual(t, of.High, truth-1e-9, name)
	return true, of.Certain()
}

// formulas of differences by their names.
func formulas() (all [][2]string) {
	for _, line := range strings.Split(strings.TrimSpace(differences), "\n") {
		head, text, _ := strings.Cut(line, " = ")
		name := strings.Fields(head)[1]
		if name == "ALL" {
			text = "a - b + c + b"
		}
		all = append(all, [2]string{name, text})
	}
	return all
}

// In 300 random experiments whose counts are known, every metric and ratio that is computed of them lies in its interval for the whole
// program. So do those of the difference of two, of a difference of differences, of a mean of two, and of a part.
func TestTruthIsWithinBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	known, certain := 0, 0
	made := func(r *algebra.Result, err error) algebra.Input {
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, r.Cube.Write(&b))
		c, err := cube.Read("made", bytes.NewReader(b.Bytes()), int64(b.Len()))
		require.NoError(t, err)
		return algebra.Input{Name: "made", Cube: c}
	}
	var last algebra.Input
	var change map[string]float64
	for n := range testkit.Cases(150) {
		before, a := randomTruths(t, r)
		after, b := randomTruths(t, r)
		in := [2]algebra.Input{{Name: "a", Cube: a}, {Name: "b", Cube: b}}
		d, mean := made(algebra.Diff(in[0], in[1])), made(algebra.Mean(in[0], in[1]))
		part := made(algebra.Cut(d, algebra.CutOptions{Prune: []string{"solve"}}))
		var twice algebra.Input
		if last.Cube != nil {
			twice = made(algebra.Diff(last, d))
		}
		changes := map[string]float64{}
		for _, f := range append(formulas(), [2]string{"a", "a"}, [2]string{"b", "b"}) {
			x, ok := before.value(t, f[1])
			y, also := after.value(t, f[1])
			is := func(c *cube.Cube, truth float64, ok bool) {
				if !ok {
					truth = math.NaN()
				}
				has, one := lies(t, c, f[0], truth)
				require.True(t, ok || !has, f)
				if has {
					known++
				}
				if one {
					certain++
				}
			}
			is(a, x, ok)
			is(d.Cube, y-x, ok && also)
			is(part.Cube, y-x, ok && also)
			if f[0] != "RAT" && f[0] != "SHARE" { // the ratio of the means is not the mean of the ratios
				is(mean.Cube, (x+y)/2, ok && also)
			}
			changes[f[0]] = y - x
			if n > 0 && ok && also && !math.IsNaN(change[f[0]]) {
				is(twice.Cube, y-x-change[f[0]], true)
			}
			if !ok || !also {
				changes[f[0]] = math.NaN()
			}
		}
		last, change = d, changes
	}
	t.Logf("%d values held the truth, %d of them certain", known, certain)
	require.Greater(t, known, testkit.Cases(5000))
	require.Greater(t, certain, testkit.Cases(100))
	require.Less(t, certain, known/2)
}

// What a difference says of a counter of which nothing was certain before, and most is after.
func TestDifferenceOfUncertainty(t *testing.T) {
	of := func(name string, certain, uncertain int64) algebra.Input {
		d, err := composite.Derive(experiment{visits: 1, counters: []counter{{"a", [2]int64{certain, 0}, [2]int64{uncertain, 0}}, {"b", [2]int64{100, 0}, [2]int64{}}}}.build(t),
			parse(t, "compute DIFF = b - a"))
		require.NoError(t, err)
		return algebra.Input{Name: name, Cube: d.Cube}
	}
	d, err := algebra.Diff(of("before", 0, 7), of("after", 40, 5))
	require.NoError(t, err)
	x, err := algebra.ChangesOf(d.Cube)
	require.NoError(t, err)
	var text, json, stat bytes.Buffer
	require.NoError(t, x.Text(&text, algebra.TextOptions{Top: 5}))
	words := strings.Join(strings.Fields(text.String()), " ")
	require.Contains(t, words, "? ≤7 ≥40 a, most in main/solve, between +33 and +45")
	require.Contains(t, words, "? ≥93 ≥55 DIFF, most in main/solve, between −45 and −33")
	require.NoError(t, x.JSON(&json, algebra.TextOptions{Top: 5}))
	words = strings.Join(strings.Fields(json.String()), "")
	require.Contains(t, words, `"metric":"a","unit":"events","a":null,"b":40,"delta":null,"noise":null,"beyond_noise":null,`+
		`"a_at_least":0,"a_at_most":7,"b_at_least":40,"b_at_most":45,"delta_at_least":33,"delta_at_most":45}`)
	m, err := query.New(d.Cube)
	require.NoError(t, err)
	table, err := table.Stat(m, table.StatOptions{Metrics: []*query.Metric{m.Metric("a"), m.Metric("DIFF")}})
	require.NoError(t, err)
	require.NoError(t, table.Write(&stat, "text"))
	require.Contains(t, strings.Join(strings.Fields(stat.String()), " "), "33–45 −45 to −33 (whole program)")
}
