package algebra

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// shown makes a model of a report as it wants to be shown.
func shown(t *testing.T, in Input) *query.Model {
	t.Helper()
	m, problems, err := query.Display(in.Cube)
	require.NoError(t, err)
	require.Empty(t, problems)
	return m
}

// What is shown of a difference is the difference of what is shown, also of metrics that are computed, and be it by a formula that
// is not linear, in all call paths.
func TestDifferencesOfDerivedMetrics(t *testing.T) {
	a, b := stored(t, "../oracle/npb-btmzS_4x2/scout.cubex"), stored(t, "../oracle/npb-spmzS_4x2/scout.cubex")
	d := made(t, "d")(Diff(a, b))
	x, y, z := shown(t, a), shown(t, b), shown(t, d)
	derived := 0
	for _, m := range z.Metrics {
		p, q := x.Metric(m.Name), y.Metric(m.Name)
		require.NotNil(t, p, m.Name)
		require.NoError(t, m.Err, m.Name)
		v, err := x.Total(query.What{Metric: p})
		require.NoError(t, err, m.Name)
		w, err := y.Total(query.What{Metric: q})
		require.NoError(t, err, m.Name)
		got, err := z.Total(query.What{Metric: m})
		require.NoError(t, err, m.Name)
		require.InDelta(t, w.Float64()-v.Float64(), got.Float64(), 1e-9*(1+v.Float64()), m.Name)
		if m.Kind.Derived() {
			derived++
		}
	}
	require.Greater(t, derived, 75)
	require.Contains(t, z.Metric("critical_path_imbalance").Expressions[0].Text, " - ", "the greater of two values is not linear")

	changes, err := ChangesOf(d.Cube)
	require.NoError(t, err)
	require.Empty(t, changes.Unknown)
	require.Len(t, changes.Totals, len(z.Metrics))
	for _, c := range changes.Totals {
		v, err := x.Total(query.What{Metric: x.Metric(c.Metric.Name)})
		require.NoError(t, err)
		w, err := y.Total(query.What{Metric: y.Metric(c.Metric.Name)})
		require.NoError(t, err)
		require.InDelta(t, v.Float64(), c.A, 1e-9*(1+c.A), c.Metric.Name)
		require.InDelta(t, w.Float64(), c.B, 1e-9*(1+c.B), c.Metric.Name)
	}

	spread, err := sidesOf(d.Cube)
	require.NoError(t, err)
	_, _, err = spread.bands("critical_path_imbalance", false, nil, true)
	require.ErrorContains(t, err, "computed for each location")
	for _, name := range []string{"comp", "mpi_point2point", "time"} {
		incl, excl, err := z.ByPath(query.What{Metric: z.Metric(name)}, nil)
		require.NoError(t, err)
		for i, p := range z.Cube.Paths() {
			for inclusive, v := range map[bool]float64{true: incl[i].Float64(), false: excl[i].Float64()} {
				s, r, err := spread.bands(name, false, p, inclusive)
				require.NoError(t, err)
				require.InDelta(t, v, r.Mean-s.Mean, 1e-9, "%s at %s", name, pathName(p))
			}
		}
	}
}

func TestMeansOfDerivedMetrics(t *testing.T) {
	a := stored(t, "../oracle/npb-btmzS_4x2/scout.cubex")
	mean := made(t, "mean")(Mean(Input{Name: "1", Cube: a.Cube}, Input{Name: "2", Cube: a.Cube}))
	x, y := shown(t, a), shown(t, mean)
	require.Equal(t, len(x.Metrics), len(y.Metrics))
	for i, m := range x.Metrics {
		require.Equal(t, m.Name, y.Metrics[i].Name)
		incl, excl, err := x.ByPath(query.What{Metric: m}, nil)
		require.NoError(t, err, m.Name)
		incl2, excl2, err := y.ByPath(query.What{Metric: y.Metrics[i]}, nil)
		require.NoError(t, err, m.Name)
		for k := range incl {
			require.InDelta(t, incl[k].Float64(), incl2[k].Float64(), 1e-12*(1+incl[k].Float64()), "%s at %d", m.Name, k)
			require.InDelta(t, excl[k].Float64(), excl2[k].Float64(), 1e-12*(1+incl[k].Float64()), "%s at %d", m.Name, k)
		}
	}
	s := SpreadOf(y.Cube)
	require.NotNil(t, s)
	band, ok := s.At(y.Metric("mpi_point2point").Metric, nil, true)
	require.True(t, ok, "metrics of the hierarchy in which the report is shown have a spread too")
	require.Equal(t, 2, band.N)
	require.Zero(t, band.Noise)
	total, err := x.Total(query.What{Metric: x.Metric("mpi_point2point")})
	require.NoError(t, err)
	require.InDelta(t, total.Float64(), band.Mean, 1e-12)
}

// Where a side has no least or greatest value, another tool may have the largest number that there is: it is nothing.
func TestDifferencesOfExtremesThatAreNotThere(t *testing.T) {
	of := func(name string, least, most float64) Input {
		b := build(t).path("main/solve")
		b.metric("least").DType, b.metric("most").DType = "MINDOUBLE", "MAXDOUBLE"
		in := b.done(name, nil)
		for metric, v := range map[string]float64{"least": least, "most": most} {
			r, err := cube.MakeRow(in.Cube.Metric(metric).DType, []cube.Value{cube.Float(v)})
			require.NoError(t, err)
			require.NoError(t, in.Cube.Metric(metric).Set(in.Cube.Paths()[1], r))
		}
		return in
	}
	there, none, nothing := of("there", 3, 5), of("none", math.MaxFloat64, -math.MaxFloat64), of("nothing", 0, 0)
	for _, c := range []struct {
		a, b        Input
		least, most float64
	}{{none, there, 3, 5}, {there, none, -3, -5}, {nothing, there, 3, 5}, {there, nothing, -3, -5}, {of("other", 2, 9), there, 1, -4}, {none, none, 0, 0}} {
		m := shown(t, made(t, "d")(Diff(c.a, c.b)))
		for metric, want := range map[string]float64{"least": c.least, "most": c.most} {
			_, exclusive, err := m.ByPath(query.What{Metric: m.Metric(metric)}, nil)
			require.NoError(t, err)
			require.Equal(t, want, exclusive[1].Float64(), "%s: %s − %s", metric, c.b.Name, c.a.Name)
		}
	}
}
