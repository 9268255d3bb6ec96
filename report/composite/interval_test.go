package composite_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric/spec"
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

// In 300 random experiments whose counts are known, every metric and ratio that is computed of them lies in its interval for the whole
// program.
func TestTruthIsWithinBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ratios, metrics, uncertain := 0, 0, 0
	for range 300 {
		var counters []counter
		truth := [2]map[string]float64{{}, {}}
		for _, name := range []string{"a", "b", "c"} {
			x := counter{name, [2]int64{r.Int64N(1000), r.Int64N(1000)}, [2]int64{max(0, r.Int64N(800)-300), max(0, r.Int64N(800)-300)}}
			for l := range truth {
				truth[l][name] = float64(x.certain[l] + r.Int64N(x.doubtful[l]+1))
			}
			counters = append(counters, x)
		}
		d, err := composite.Derive(experiment{visits: 1, counters: counters}.build(t), parse(t, differences))
		require.NoError(t, err)
		m, err := query.New(d.Cube)
		require.NoError(t, err)
		for _, line := range strings.Split(strings.TrimSpace(differences), "\n") {
			head, text, _ := strings.Cut(line, " = ")
			kind, name := strings.Fields(head)[0], strings.Fields(head)[1]
			if kind == "compose" {
				text = "a - b + c + b"
			}
			e, err := spec.ParseExpr(text)
			require.NoError(t, err)
			q := m.Metric(name)
			require.NotNil(t, q, name)
			check := func(in []spec.Interval, values []cube.Value, at func(name string) float64) {
				v, ok := e.Value(1, func(name string) (float64, bool) { return at(name), true })
				low, high := values[0].Float64(), values[0].Float64()
				if in != nil {
					low, high = in[0].Low, in[0].High
					uncertain++
				}
				if low != low { // no number: there is no value
					return
				}
				require.True(t, ok, line)
				require.LessOrEqual(t, low, v+1e-9, line)
				require.GreaterOrEqual(t, high, v-1e-9, line)
				if kind == "ratio" {
					ratios++
				} else {
					metrics++
				}
			}
			ask := func(w query.What) ([]cube.Value, error) {
				v, err := m.Total(w)
				return []cube.Value{v}, err
			}
			in, err := m.Bounds(query.What{Metric: q}, ask)
			require.NoError(t, err)
			values, err := ask(query.What{Metric: q})
			require.NoError(t, err)
			check(in, values, func(name string) float64 { return truth[0][name] + truth[1][name] })
		}
	}
	t.Logf("%d metrics and %d ratios held the truth; %d had bounds", metrics, ratios, uncertain)
	require.Greater(t, ratios, 200)
	require.Equal(t, 5*300, metrics)
}

// What tables print of a counter, and of a difference of two, that are certain, partly so, not at all, and absent.
func TestViewsOfUncertainty(t *testing.T) {
	for _, c := range []struct {
		state              string
		certain, uncertain [2]int64
		text, csv, json    string
	}{
		{"certain", [2]int64{30, 10}, [2]int64{}, "40 960", "40,40,40,960,960,960", `"values":{"DIFF":960,"a":40}`},
		{"partly", [2]int64{30, 10}, [2]int64{5, 0}, "40–45 955–960", "40,40,45,960,955,960", `"values":{"DIFF":960,"a":40}`},
		{"not", [2]int64{}, [2]int64{5, 2}, "≤7 993–1000", ",0,7,1000,993,1000", `"values":{"DIFF":1000,"a":null}`},
		{"zero", [2]int64{}, [2]int64{}, "0 1000", "0,0,0,1000,1000,1000", `"values":{"DIFF":1000,"a":0}`},
	} {
		d, err := composite.Derive(experiment{visits: 1, counters: []counter{{"a", c.certain, c.uncertain}, {"b", [2]int64{600, 400}, [2]int64{}}}}.build(t),
			parse(t, "compute DIFF = b - a\ncompute LACKING = b - gone"))
		require.NoError(t, err)
		m, err := query.New(d.Cube)
		require.NoError(t, err)
		require.Nil(t, m.Metric("LACKING"), "absent")
		write := func(x *table.Table, f table.Format) string {
			var b bytes.Buffer
			require.NoError(t, x.Write(&b, f))
			return strings.ReplaceAll(b.String(), ",000", "000")
		}
		list := []*query.Metric{m.Metric("a"), m.Metric("DIFF")}
		stat, err := table.Stat(m, table.StatOptions{Metrics: list})
		require.NoError(t, err)
		require.Contains(t, strings.Join(strings.Fields(write(stat, table.Text)), " "), c.text+" (whole program)", c.state)
		require.Contains(t, write(stat, table.CSV), ","+c.csv+"\n", c.state)
		require.Contains(t, strings.ReplaceAll(write(stat, table.JSON), " ", ""), c.json, c.state)
		tree := table.CallTree(m, table.TreeOptions{Metric: m.Metric("a")})
		first, _, _ := strings.Cut(c.text, " ")
		if c.state != "zero" {
			require.Contains(t, write(tree, table.Text), first, c.state)
		}
	}
}
