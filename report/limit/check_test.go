package limit_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/report/limit"
	"tracerec/report/query"
)

// sample is a report of 1000 ns on two goroutines, of which main/solve/lock waits 50 + wait ns on the second one.
func sample(t *testing.T, name string, wait int64) *limit.Report {
	t.Helper()
	lock := &cube.Metric{ID: 1, Name: "lock_competition", Title: "Lock competition", DType: "INT64", Unit: "ns"}
	time := &cube.Metric{ID: 0, Name: "time", DType: "INT64", Unit: "ns", Children: []*cube.Metric{lock}}
	visits := &cube.Metric{ID: 2, Name: "visits", DType: "INT64", Unit: "occ"}
	ratio := &cube.Metric{ID: 3, Name: "ratio", DType: "DOUBLE", Unit: "", Kind: cube.PostDerived, Expressions: []cube.Expression{
		{Element: "cubepl", Text: "metric::lock_competition() / metric::visits()"}}}
	bad := &cube.Metric{ID: 4, Name: "bad", DType: "DOUBLE", Unit: "", Kind: cube.PostDerived, Expressions: []cube.Expression{
		{Element: "cubepl", Text: "metric::nothing() +"}}}
	path := func(id int, region, file string, line int, children ...*cube.CallPath) *cube.CallPath {
		return &cube.CallPath{ID: id, Region: &cube.Region{ID: id, Name: region, Module: file, Begin: line}, Module: file, Line: line, Children: children}
	}
	inner := path(2, "lock", "/src/work.go", 21)
	solve := path(1, "solve", "/src/main.go", 12, inner)
	idle := path(4, "lock", "/src/main.go", 30)
	other := path(3, "a/b", "/src/main.go", 14, idle)
	main := path(0, "main", "/src/main.go", 5, solve, other)
	c := &cube.Cube{Metrics: []*cube.Metric{time, visits, ratio, bad}, Roots: []*cube.CallPath{main}}
	for _, p := range []*cube.CallPath{main, solve, inner, other, idle} {
		c.Regions = append(c.Regions, p.Region)
	}
	c.System = []*cube.SystemNode{{Name: "machine", Class: "machine", Groups: []*cube.LocationGroup{{Name: "p", Type: "process", Locations: []*cube.Location{
		{ID: 0, Name: "main"}, {ID: 1, Rank: 1, Name: "worker"}}}}}}
	require.NoError(t, c.Complete())
	set := func(m *cube.Metric, p *cube.CallPath, values ...int64) {
		row, err := cube.MakeRow("INT64", []cube.Value{cube.Int(values[0]), cube.Int(values[1])})
		require.NoError(t, err)
		require.NoError(t, m.Set(p, row))
	}
	set(time, main, 350, 390-wait)
	set(time, solve, 100, 0)
	set(time, inner, 0, 50+wait)
	set(lock, inner, 0, 50+wait)
	set(time, idle, 100, 10)
	set(lock, idle, 0, 10)
	set(visits, main, 1, 0)
	set(visits, inner, 0, 4)
	m, err := query.New(c)
	require.NoError(t, err)
	return &limit.Report{Name: name, Model: m}
}

// held checks one limit and tells whether it held.
func held(t *testing.T, r *limit.Report, text string, o limit.Options) limit.Verdict {
	t.Helper()
	l, err := limit.Parse(text)
	require.NoError(t, err)
	result, err := limit.Check(r, []limit.Limit{l}, o)
	require.NoError(t, err, text)
	require.Len(t, result.Verdicts, 1)
	require.Equal(t, result.Held(), result.Verdicts[0].Held)
	return result.Verdicts[0]
}

func TestFixed(t *testing.T) {
	r := sample(t, "r", 0)
	for text, want := range map[string]bool{
		"lock_competition=6%": true, "lock_competition=5.99%": false, // 60 of 1000
		"lock_competition=60ns": true, "lock_competition=59ns": false, "lock_competition=0.06us": true, "lock_competition=0": false, "time=1us": true, "time=0.000999ms": false,
		"lock_competition@solve=50ns": true, "lock_competition@solve=49ns": false, "lock_competition@main/solve=33.4%": true, "lock_competition@solve=33.3%": false, // 50 of 150
		"lock_competition@lock=60ns": true, "lock_competition@lock=59ns": false, "lock_competition@main=6%": true, "lock_competition@/main/solve/lock=1h": true,
		"lock_competition@**/l*k=59ns": false, `lock_competition@a\/b=10ns`: true, `lock_competition@a\/b=9ns`: false, "visits=5": true, "visits=0.004k": false,
		"lock_competition=6% of time": true, "visits@solve=4": true, "visits@solve=3": false, "ratio=12": true, "ratio=11.9": false, "ratio@solve=12.5": true,
	} {
		require.Equal(t, want, held(t, r, text, limit.Options{}).Held, text)
	}
	v := held(t, r, "lock_competition=5%", limit.Options{})
	require.Equal(t, []float64{60, 50, 1000}, []float64{v.Value, v.Max, v.Whole})
	require.Equal(t, "time", v.Of)
	require.Equal(t, &limit.Spot{Path: []string{"main", "solve", "lock"}, File: "/src/work.go", Line: 21, Location: "p, worker", Value: 50}, v.Worst)
}

// What is on the critical path counts once in the whole program; at call paths, and beside a baseline, it is what the cube has.
func TestOnCriticalPath(t *testing.T) {
	r := sample(t, "r", 0)
	require.True(t, held(t, r, "lock_competition=60ns", limit.Options{}).Held)
	r.OnPath = map[string]int64{"lock_competition": 40, "late_sender_on_critical_path": 30}
	v := held(t, r, "lock_competition=39ns", limit.Options{})
	require.Equal(t, 40.0, v.Value)
	require.Equal(t, "/src/work.go", v.Worst.File)
	v = held(t, r, "lock_competition=4% of time", limit.Options{})
	require.True(t, v.Held)
	require.Equal(t, []float64{40, 1000}, []float64{v.Value, v.Whole})
	require.False(t, held(t, r, "lock_competition@solve=49ns", limit.Options{}).Held)
	v = held(t, r, "late_sender_on_critical_path=29ns", limit.Options{}) // of metrics below it only, so the cube has none
	require.False(t, v.Held)
	require.Nil(t, v.Worst)
	require.True(t, held(t, r, "lock_competition=+0", limit.Options{Baseline: sample(t, "base", 0), Tolerance: -1}).Held)
}

func TestBaseline(t *testing.T) {
	base, same, worse := sample(t, "base", 0), sample(t, "same", 0), sample(t, "worse", 30)
	with := limit.Options{Baseline: base, Tolerance: -1}
	require.True(t, held(t, same, "lock_competition=+0", with).Held)
	require.False(t, held(t, worse, "lock_competition=+49%", with).Held)
	require.True(t, held(t, worse, "lock_competition=+50%", with).Held)
	require.False(t, held(t, worse, "lock_competition=+29ns", with).Held)
	require.True(t, held(t, worse, `lock_competition@a\/b=+0%`, with).Held)
	v := held(t, worse, "lock_competition", limit.Options{Baseline: base, Tolerance: 10})
	require.Equal(t, []float64{90, 66, 60, 6}, []float64{v.Value, v.Max, v.Baseline, v.Noise})
	require.Equal(t, 30.0, v.Worst.Growth)
	require.True(t, held(t, base, "lock_competition", limit.Options{Baseline: worse, Tolerance: 0}).Held)
}

// Three runs of 60, 62 and 64 ns have a standard deviation of 2; another one is within 4.303·2·√(1/3+1) = 9.94 of their mean.
func TestNoise(t *testing.T) {
	var runs []algebra.Input
	for _, wait := range []int64{0, 2, 4} {
		r := sample(t, "run", wait)
		runs = append(runs, algebra.Input{Name: r.Name, Cube: r.Model.Cube})
	}
	mean, err := algebra.Mean(runs...)
	require.NoError(t, err)
	m, err := query.New(mean.Cube)
	require.NoError(t, err)
	o := limit.Options{Baseline: &limit.Report{Name: "mean", Model: m, Spread: algebra.SpreadOf(mean.Cube)}, Tolerance: -1}
	for wait, want := range map[int64]bool{0: true, 11: true, 12: false} {
		for _, place := range []string{"", "@solve"} {
			v := held(t, sample(t, "new", wait), "lock_competition"+place, o)
			require.Equal(t, want, v.Held, "%d%s", wait, place)
			require.InDelta(t, 9.94, v.Noise, 0.01)
		}
		require.True(t, held(t, sample(t, "new", wait), "lock_competition", limit.Options{Baseline: o.Baseline, Tolerance: 20}).Held)
	}
	require.Equal(t, 62.0, held(t, o.Baseline, "lock_competition=1us", o).Value)
}

func TestCannotBeEvaluated(t *testing.T) {
	r := sample(t, "r", 0)
	base := limit.Options{Baseline: r, Tolerance: -1}
	for text, what := range map[string]string{
		"lock=5%":                      `r has no metric "lock", but lock_competition`,
		"visit=5":                      `r has no metric "visit", but visits`,
		"vistis=5":                     `r has no metric "vistis", but visits`,
		"tyme=5":                       `r has no metric "tyme", but time`,
		"lok_competition=5":            `r has no metric "lok_competition", but lock_competition`,
		"nonsense=5%":                  `r has no metric "nonsense"`,
		"lock_competition@nowhere=5%":  "no call path of that name",
		"lock_competition@/solve/lock": "no call path of that name",
		"time=5%":                      "the root of its tree",
		"visits=5% of time":            "one is no share of the other",
		"visits=5ms":                   "not a time",
		"time=5":                       "write ns, us, ms, s, min or h",
		"bad=5":                        "cannot be evaluated",
		"ratio@lock=5":                 "cannot be added",
		"time":                         "give --tolerance, or the mean of several runs",
	} {
		l, err := limit.Parse(text)
		require.NoError(t, err)
		_, err = limit.Check(r, []limit.Limit{l}, base)
		require.ErrorContains(t, err, what, text)
		require.NotContains(t, err.Error(), "\n")
	}
	l, err := limit.Parse("time=+5%")
	require.NoError(t, err)
	_, err = limit.Check(r, []limit.Limit{l}, limit.Options{Tolerance: -1})
	require.ErrorContains(t, err, "no baseline")
}

func results(t *testing.T) *limit.Result {
	r := sample(t, "worse", 30)
	var list []limit.Limit
	for _, text := range []string{"lock_competition=5%", "lock_competition@solve", "visits=10", "time=1us"} {
		l, err := limit.Parse(text)
		require.NoError(t, err)
		list = append(list, l)
	}
	result, err := limit.Check(r, list, limit.Options{Baseline: sample(t, "base", 0), Tolerance: 20})
	require.NoError(t, err)
	require.False(t, result.Held())
	return result
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, limit.Text(&b, results(t)))
	require.Equal(t, `exceeded  lock_competition: 90 ns, 9.0 % of time (1.00 µs); at most 5 %
          80 ns in main ▸ solve ▸ lock, work.go:21, most on p, worker
exceeded  lock_competition in solve: 80 ns; at most 60 ns, the baseline's 50 ns and 10 ns of tolerance
          30 ns more in main ▸ solve ▸ lock, work.go:21, most on p, worker
held      visits: 5; at most 10
held      time: 1.00 µs; at most 1.00 µs
2 of 4 limits exceeded
`, b.String())
}

// A value that is above its limit never looks like it.
func TestTextOfNarrowExcess(t *testing.T) {
	for _, c := range []struct {
		verdict limit.Verdict
		want    string
	}{
		{limit.Verdict{Unit: "ns", Value: 482_000_100, Max: 482e6}, "time: 482,000,100 ns; at most 482,000,000 ns\n"},
		{limit.Verdict{Unit: "ns", Value: 482e6, Max: 482e6, Held: true}, "time: 482 ms; at most 482 ms\n"},
		{limit.Verdict{Unit: "share of branches", Value: 0.500001, Max: 0.5}, "time: 50.0001 %; at most 50 %\n"},
	} {
		l, err := limit.Parse("time=1")
		require.NoError(t, err)
		c.verdict.Limit = l
		var b bytes.Buffer
		require.NoError(t, limit.Text(&b, &limit.Result{Verdicts: []limit.Verdict{c.verdict}}))
		require.Contains(t, b.String(), c.want)
	}
	l, err := limit.Parse("time=10%")
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, limit.Text(&b, &limit.Result{Verdicts: []limit.Verdict{{Limit: l, Unit: "ns", Value: 100_400, Max: 100_000, Whole: 1e6, Of: "life"}}}))
	require.Contains(t, b.String(), "time: 100,400 ns, 10.04 % of life (1.00 ms); at most 10 %\n")
}

// One limit is spoken of as one.
func TestTextOfOneLimit(t *testing.T) {
	for most, want := range map[string]string{"10": "the limit holds\n", "1": "the limit is exceeded\n"} {
		l, err := limit.Parse("visits=" + most)
		require.NoError(t, err)
		result, err := limit.Check(sample(t, "worse", 30), []limit.Limit{l}, limit.Options{Tolerance: 20})
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, limit.Text(&b, result))
		require.True(t, strings.HasSuffix(b.String(), "\n"+want), b.String())
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, limit.JSON(&b, results(t)))
	require.JSONEq(t, `{"report":"worse","baseline":"base","held":false,"limits":[
		{"limit":"lock_competition=5%","metric":"lock_competition","unit":"ns","held":false,"value":90,"max":50,"of":"time","whole":1000,
			"dearest":{"path":["main","solve","lock"],"file":"/src/work.go","line":21,"location":"p, worker","value":80}},
		{"limit":"lock_competition@solve","metric":"lock_competition","place":"solve","unit":"ns","held":false,"value":80,"max":60,"baseline":50,"noise":10,
			"dearest":{"path":["main","solve","lock"],"file":"/src/work.go","line":21,"location":"p, worker","value":80,"growth":30}},
		{"limit":"visits=10","metric":"visits","unit":"occ","held":true,"value":5,"max":10,
			"dearest":{"path":["main","solve","lock"],"file":"/src/work.go","line":21,"location":"p, worker","value":4}},
		{"limit":"time=1us","metric":"time","unit":"ns","held":true,"value":1000,"max":1000,
			"dearest":{"path":["main"],"file":"/src/main.go","line":5,"location":"p, worker","value":710}}]}`, b.String())
	require.True(t, json.Valid(b.Bytes()))
}

// Nothing in a name ends an annotation or begins one.
func TestGitHub(t *testing.T) {
	r := results(t)
	v := &r.Verdicts[0]
	v.Worst.File, v.Worst.Path = "/src/a,b:50%\n.go", []string{"x\n::error::y", "100%"}
	r.Verdicts[2].Limit.Metric = "vis\n::stop-commands::z"
	var b bytes.Buffer
	require.NoError(t, limit.GitHub(&b, r, func(file string) string { return strings.TrimPrefix(file, "/src/") }))
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	require.Equal(t, []string{
		"::error file=a%2Cb%3A50%25%0A.go,line=21,title=lock_competition exceeds its limit::lock_competition: 90 ns, 9.0 %25 of time (1.00 µs); at most 5 %25%0A80 ns in x ::error::y ▸ 100%25, a,b:50%25 .go:21, most on p, worker",
		"::error file=work.go,line=21,title=lock_competition exceeds its limit::lock_competition in solve: 80 ns; at most 60 ns, the baseline's 50 ns and 10 ns of tolerance%0A30 ns more in main ▸ solve ▸ lock, work.go:21, most on p, worker",
		"held      vis ::stop-commands::z: 5; at most 10",
		"held      time: 1.00 µs; at most 1.00 µs",
	}, lines)
}
