package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// run is a report of one run, in which one call takes some ns.
func run(t *testing.T, ns int64) algebra.Input {
	c := small(t).Model.Cube
	row, err := cube.MakeRow("INT64", []cube.Value{cube.Int(ns), cube.Int(2), cube.Int(3)})
	require.NoError(t, err)
	require.NoError(t, c.Metrics[0].Set(c.Paths()[1], row))
	return algebra.Input{Name: "run", Cube: c}
}

func shown(t *testing.T, r *algebra.Result, err error) *Server {
	require.NoError(t, err)
	m, problems, err := query.Display(r.Cube)
	require.NoError(t, err)
	require.Empty(t, problems)
	return start(t, &Report{Model: m})
}

func TestDifference(t *testing.T) {
	r, err := algebra.Diff(run(t, 5000), run(t, 1000))
	s := shown(t, r, err)
	meta := answerOf(t, s, "meta")
	require.Equal(t, true, meta["difference"])
	require.Equal(t, "-4000", told(t, meta["totals"].(map[string]any)["incl"].([]any)[0]))
	f := answerOf(t, s, "findings")
	require.NotEmpty(t, f["lead"])
	require.Empty(t, f["findings"])
	first := f["differences"].([]any)[0].(map[string]any)
	require.Equal(t, `{"a":5003,"b":1003,"beyond":false,"delta":-4000,"metric":"time","noise":null,"path":1}`, told(t, first))
}

func TestNoise(t *testing.T) {
	mean := func(ns ...int64) algebra.Input {
		var runs []algebra.Input
		for _, x := range ns {
			runs = append(runs, run(t, x))
		}
		r, err := algebra.Mean(runs...)
		require.NoError(t, err)
		return algebra.Input{Name: "mean", Cube: r.Cube}
	}
	m := mean(1000, 1010, 1020)
	s := shown(t, &algebra.Result{Cube: m.Cube}, nil)
	require.Equal(t, true, answerOf(t, s, "meta")["features"].(map[string]any)["noise"])
	calls := answerOf(t, s, "calls?metric=0&self=0")
	// Student's quantile for 2 degrees of freedom, times the standard deviation, by the root of the number of runs.
	require.Regexp(t, `^\[0,24\.84\d*,0\]$`, told(t, calls["noise"].(map[string]any)["excl"]))
	require.NotContains(t, answerOf(t, s, "calls?metric=0&self=0&at=1"), "noise")

	r, err := algebra.Diff(m, mean(5000, 5010, 5020))
	s = shown(t, r, err)
	first := answerOf(t, s, "findings")["differences"].([]any)[0].(map[string]any)
	require.Equal(t, true, first["beyond"])
	require.Equal(t, "4000", told(t, first["delta"]))
	r, err = algebra.Diff(m, mean(1000, 1011, 1019))
	s = shown(t, r, err)
	for _, d := range answerOf(t, s, "findings")["differences"].([]any) {
		require.Equal(t, false, d.(map[string]any)["beyond"])
	}
}

func TestMeanOfGoPrograms(t *testing.T) {
	var runs []algebra.Input
	for _, ns := range []int64{1000, 1010, 1020} {
		in := run(t, ns)
		in.Cube.Attrs = append(in.Cube.Attrs, cube.Attr{Key: "Creator", Value: "expert 1"})
		in.Cube.Metrics[0].Children[0].Name = "lock_competition"
		in.Cube.Metrics[0].Children[0].Attrs = []cube.Attr{{Key: "wait", Value: "true"}, {Key: "advice", Value: "Hold the lock for less time."}}
		runs = append(runs, in)
	}
	r, err := algebra.Mean(runs...)
	s := shown(t, r, err)
	require.Equal(t, "expert", answerOf(t, s, "meta")["kind"])
	f := answerOf(t, s, "findings")
	lead := told(t, f["lead"])
	require.Contains(t, lead, "3 goroutines together spent")
	require.Contains(t, lead, "mean of 3 runs: ±")
	first := f["findings"].([]any)[0].(map[string]any)
	require.Equal(t, "Hold the lock for less time.", first["advice"])
	require.Equal(t, "0", told(t, first["noise"])) // waits were the same in all runs
}
