package composite_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/composite"
	"tracerec/report/cube"
	"tracerec/report/limit"
	"tracerec/report/query"
	"tracerec/report/table"
)

// doubtful is a report with counters of which a large part is a bound: that of refs is a tenth of what is certain, that of misses more.
func doubtful(t *testing.T, ratios string) *cube.Cube {
	t.Helper()
	c := experiment{visits: 1, counters: []counter{{"refs", [2]int64{100, 50}, [2]int64{15, 0}}, {"misses", [2]int64{10, 5}, [2]int64{400, 400}}}}.build(t)
	r, err := composite.Derive(c, parse(t, access+ratios))
	require.NoError(t, err)
	return r.Cube
}

// What a counter has, wherever it is asked for, is what is certain; bounds are apart.
func TestCertain(t *testing.T) {
	m, err := query.New(doubtful(t, ""))
	require.NoError(t, err)
	for name, want := range map[string]int64{"misses": 15, "misses_uncertain": 800, "refs": 150, "ACCESS": 150, "ACCESS_uncertain": 15} {
		w := query.What{Metric: m.Metric(name)}
		v, err := m.Total(w)
		require.NoError(t, err)
		require.EqualValues(t, want, v.Int64(), name)
		inclusive, _, err := m.ByPath(w, nil)
		require.NoError(t, err)
		require.EqualValues(t, want, inclusive[0].Int64(), name)
		on, err := m.ByResource(w, nil, true)
		require.NoError(t, err)
		require.EqualValues(t, want, on[0].Int64(), name)
		located, err := m.ByLocation(w, m.Cube.Paths()[1], false)
		require.NoError(t, err)
		sum := int64(0)
		for _, v := range located {
			sum += v.Int64()
		}
		require.Equal(t, want, sum, name)
	}
	stored, err := m.Cube.Metric("misses").Total()
	require.NoError(t, err)
	require.EqualValues(t, 815, stored.Int64(), "what other tools read includes what is below")

	s, err := table.Stat(m, table.StatOptions{Metrics: []*query.Metric{m.Metric("misses"), m.Metric("misses_uncertain")}})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, s.Write(&b, table.CSV))
	require.Contains(t, b.String(), "solve,,0,15,15,815,800\n")

	for text, held := range map[string]bool{"misses=815": true, "misses=14": false, "misses_uncertain=799": false} {
		l, err := limit.Parse(text)
		require.NoError(t, err)
		r, err := limit.Check(&limit.Report{Name: "r", Model: m}, []limit.Limit{l}, limit.Options{})
		require.NoError(t, err)
		require.Equal(t, held, r.Held(), text)
	}
	l, err := limit.Parse("misses=15")
	require.NoError(t, err)
	_, err = limit.Check(&limit.Report{Name: "r", Model: m}, []limit.Limit{l}, limit.Options{})
	require.ErrorContains(t, err, "misses is from 15 to 815, and at most 15: that cannot be told, as not all of it is certain")
}

// A ratio has no value where its denominator is not certainly large enough, however it is asked for; elsewhere it lies in an interval.
func TestDoubtfulRatio(t *testing.T) {
	c := doubtful(t, "ratio much [unit=x low=0 high=1 least=160] = misses / refs\nratio little [unit=x low=0 high=1 least=1] = misses / refs\nratio none [unit=x] = refs / HIT\n")
	m, err := query.New(c)
	require.NoError(t, err)
	v, err := m.Total(query.What{Metric: m.Metric("much")})
	require.NoError(t, err)
	require.True(t, math.IsNaN(v.Float64()), "refs are 150 to 165")
	v, err = m.Total(query.What{Metric: m.Metric("little")})
	require.NoError(t, err)
	require.InDelta(t, 15./150, v.Float64(), 1e-12)
	in, err := m.Bounds(query.What{Metric: m.Metric("little")}, func(w query.What) ([]cube.Value, error) {
		v, err := m.Total(w)
		return []cube.Value{v}, err
	})
	require.NoError(t, err)
	require.InDelta(t, 15./165, in[0].Low, 1e-12)
	require.InDelta(t, 815./150, in[0].High, 1e-12)
	v, err = m.Total(query.What{Metric: m.Metric("none")})
	require.NoError(t, err)
	require.True(t, math.IsNaN(v.Float64()), "HIT = refs − misses may be less than nothing")
	mean, err := algebra.Mean(inputs(c, c)...)
	require.NoError(t, err)
	x, err := algebra.Summarize(mean.Cube)
	require.NoError(t, err)
	for _, row := range x.Rows {
		if row.Metric != nil && row.Metric.Name == "much" {
			require.True(t, math.IsNaN(row.Mean))
		}
	}
}

// The mean of runs has fractions; an experiment of it has integers, whose sums are right all the same.
func TestSumFirstRoundLast(t *testing.T) {
	run := func(a, b int64) *cube.Cube {
		return experiment{visits: 1, counters: []counter{{"refs", [2]int64{a, b}, [2]int64{}}}}.build(t)
	}
	mean, err := algebra.Mean(inputs(run(1, 1), run(2, 2))...) // 1.5 on either location
	require.NoError(t, err)
	e, err := report.Read(mean.Cube)
	require.NoError(t, err)
	require.EqualValues(t, 3, e.Total(e.MetricIndex("refs")), "not 2 + 2")
}

// A bound in per cent of a ratio that is a share is one of the ratio itself; of what is not certain at all, nothing is known.
func TestLimits(t *testing.T) {
	c := experiment{visits: 1, counters: []counter{{"refs", [2]int64{100, 50}, [2]int64{}}, {"misses", [2]int64{10, 5}, [2]int64{}}, {"bound", [2]int64{}, [2]int64{9, 9}}}}.build(t)
	r, err := composite.Derive(c, parse(t, "compose A = refs + misses\nratio part [unit=\"share of refs\" low=0 high=1 least=1] = misses / refs\n"))
	require.NoError(t, err)
	m, err := query.New(r.Cube)
	require.NoError(t, err)
	check := func(text string) (*limit.Result, error) {
		l, err := limit.Parse(text)
		require.NoError(t, err)
		return limit.Check(&limit.Report{Name: "r", Model: m}, []limit.Limit{l}, limit.Options{})
	}
	for text, held := range map[string]bool{"part=11%": true, "part=9%": false, "part=0.09": false, "part=0.11": true} {
		x, err := check(text)
		require.NoError(t, err)
		require.Equal(t, held, x.Held(), text)
		var b bytes.Buffer
		require.NoError(t, limit.Text(&b, x))
		require.Contains(t, b.String(), "part: 10.0 %; at most "+map[bool]string{true: "11.0 %", false: "9.0 %"}[held])
	}
	x, err := check("bound=18")
	require.NoError(t, err)
	require.True(t, x.Held(), "it is 18 at most")
	var b bytes.Buffer
	require.NoError(t, limit.Text(&b, x))
	require.Contains(t, b.String(), "bound: nothing of it certain, from 0 to 18; at most 18")
	_, err = check("bound=17")
	require.ErrorContains(t, err, "that cannot be told")
}

// A limit that is relative to what is not certain, or of it, holds or is exceeded if it does so wherever the truth is; else it cannot be told.
func TestRelativeLimits(t *testing.T) {
	counted := func(n, certain, uncertain int64) *limit.Report {
		m, err := query.New(experiment{visits: 1, counters: []counter{{"n", [2]int64{n, 0}, [2]int64{}}, {"some", [2]int64{certain, 0}, [2]int64{uncertain, 0}}}}.build(t))
		require.NoError(t, err)
		return &limit.Report{Name: "r", Model: m}
	}
	const held, exceeded = "held", "exceeded"
	for _, c := range []struct {
		text               string
		new, base          *limit.Report
		want, most, within string
	}{
		{"some=13% of n", counted(150, 0, 18), nil, held, "13 %", "from 0 to 18"},
		{"some=11% of n", counted(150, 0, 18), nil, "some is from 0 to 18, and at most 16.5: that", "", ""},
		{"some=0% of n", counted(150, 0, 18), nil, "some is from 0 to 18, and at most 0: that", "", ""},
		{"some=10% of n", counted(150, 16, 2), nil, exceeded, "10 %", "from 16 to 18"},
		{"n=50% of some", counted(15, 0, 18), nil, exceeded, "50 %, from 0 to 9", "15"},
		{"n=90% of some", counted(15, 0, 18), nil, "n is 15, and at most from 0 to 16.2: that", "", ""},
		{"n=50% of some", counted(15, 30, 10), nil, held, "50 %, from 15 to 20", "15"},
		{"some=+0", counted(1, 10, 0), counted(1, 10, 5), held, "from 10 to 15", "10"},
		{"some=+10%", counted(1, 12, 0), counted(1, 10, 5), "some is 12, and at most from 11 to 16.5: that", "", ""},
		{"some=+10%", counted(1, 17, 0), counted(1, 10, 5), exceeded, "from 11 to 16.5", "17"},
		{"some=+10", counted(1, 0, 18), counted(1, 10, 5), held, "from 20 to 25", "from 0 to 18"},
		{"some=+5", counted(1, 0, 18), counted(1, 10, 5), "some is from 0 to 18, and at most from 15 to 20: that", "", ""},
		{"some", counted(1, 0, 18), counted(1, 10, 5), "some is from 0 to 18, and at most from 12 to 18: that", "", ""},
		{"some", counted(1, 12, 0), counted(1, 10, 5), held, "from 12 to 18", "12"},
		{"some=+10%", counted(1, 20, 3), counted(1, 0, 18), exceeded, "from 0 to 19.8", "from 20 to 23"},
		{"some=+10%", counted(1, 20, 3), counted(1, 20, 0), "some is from 20 to 23, and at most 22: that", "", ""},
	} {
		l, err := limit.Parse(c.text)
		require.NoError(t, err)
		x, err := limit.Check(c.new, []limit.Limit{l}, limit.Options{Baseline: c.base, Tolerance: 20})
		if c.want != held && c.want != exceeded {
			require.ErrorContains(t, err, c.want+" cannot be told, as not all of it is certain", c.text)
			continue
		}
		require.NoError(t, err, c.text)
		require.Equal(t, c.want == held, x.Held(), c.text)
		var b bytes.Buffer
		require.NoError(t, limit.Text(&b, x))
		require.Contains(t, b.String(), "at most "+c.most, c.text)
		require.Contains(t, b.String(), c.within, c.text)
		b.Reset()
		require.NoError(t, limit.JSON(&b, x))
		require.Equal(t, strings.Contains(c.most, "from"), strings.Contains(b.String(), `"max_at_most": `), b.String())
	}
}

// What is not certain of a counter is the same in a metric and in the whole that it is a part of.
func TestShareOfUncertainWhole(t *testing.T) {
	c := experiment{visits: 1, counters: []counter{{"part", [2]int64{10, 0}, [2]int64{5, 0}}, {"other", [2]int64{20, 0}, [2]int64{0, 6}}}}.build(t)
	r, err := composite.Derive(c, parse(t, "compose WHOLE = PART + other + lacking\nmeasure PART = part"))
	require.NoError(t, err)
	m, err := query.New(r.Cube)
	require.NoError(t, err)
	for text, held := range map[string]bool{"PART=43%": true, "PART=27%": false, "WHOLE=100% of WHOLE": true, "WHOLE=360% of part": true, "part=100% of PART": true} {
		l, err := limit.Parse(text)
		require.NoError(t, err)
		x, err := limit.Check(&limit.Report{Name: "r", Model: m}, []limit.Limit{l}, limit.Options{})
		require.NoError(t, err, text)
		require.Equal(t, held, x.Held(), "%s: from 10 of 36 to 15 of 35", text)
	}
	l, err := limit.Parse("PART=42%")
	require.NoError(t, err)
	_, err = limit.Check(&limit.Report{Name: "r", Model: m}, []limit.Limit{l}, limit.Options{})
	require.ErrorContains(t, err, "that cannot be told")
}

// Per cent of the whole program has no meaning for ratios, and a * in a name matches anything.
func TestPerCentAndPatterns(t *testing.T) {
	c := experiment{visits: 1, counters: []counter{{"mem:main.x/8:w", [2]int64{100, 50}, [2]int64{}}, {"misses", [2]int64{10, 5}, [2]int64{}}}}.build(t)
	r, err := composite.Derive(c, parse(t, "measure A = misses\nratio part [unit=\"share of x\" low=0 high=1 least=1] = misses / time\n"))
	require.NoError(t, err)
	m, err := query.New(r.Cube)
	require.NoError(t, err)
	list, err := table.Metrics(m, "mem*,part")
	require.NoError(t, err)
	require.Len(t, list, 3)
	s, err := table.Stat(m, table.StatOptions{Metrics: list, Percent: true})
	require.NoError(t, err)
	require.True(t, s.Columns[0].Share)
	require.False(t, s.Columns[2].Share)
}

// Ratios of runs are those of a report of one run: a quotient of sums, with what is certain.
func TestRatioOfRuns(t *testing.T) {
	one := experiment{visits: 1, counters: []counter{{"refs", [2]int64{100, 50}, [2]int64{7, 0}}, {"misses", [2]int64{10, 5}, [2]int64{1, 0}},
		{"near", [2]int64{6, 4}, [2]int64{}}, {"far", [2]int64{4, 1}, [2]int64{}}}, root: "other"}.build(t)
	r, err := composite.Derive(one, parse(t, access))
	require.NoError(t, err)
	m, err := query.New(r.Cube)
	require.NoError(t, err)
	want, err := m.Total(query.What{Metric: m.Metric("miss_rate")})
	require.NoError(t, err)
	require.InDelta(t, 10, want.Float64(), 1e-9)

	mean, err := algebra.Mean(inputs(r.Cube, r.Cube)...)
	require.NoError(t, err)
	x, err := algebra.Summarize(mean.Cube)
	require.NoError(t, err)
	seen := 0
	for _, row := range x.Rows {
		if row.Metric != nil && row.Metric.Name == "miss_rate" {
			seen++
			require.InDelta(t, 10, row.Mean, 1e-9)
		}
	}
	require.Equal(t, 1, seen)
	d, err := algebra.Diff(inputs(r.Cube, r.Cube)[0], inputs(r.Cube, r.Cube)[1])
	require.NoError(t, err)
	changes, err := algebra.ChangesOf(d.Cube)
	require.NoError(t, err)
	for _, c := range changes.Totals {
		if c.Metric != nil && strings.HasPrefix(c.Metric.Name, "miss_rate") {
			require.InDelta(t, 10, c.A, 1e-9)
		}
	}
}
