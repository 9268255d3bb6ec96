package algebra

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// others calls test with every report of other tools that can be read.
func others(t *testing.T, test func(t *testing.T, in Input)) {
	if testing.Short() {
		t.Skip("many reports, the same ways again and again")
	}
	read := 0
	for _, file := range testkit.Reports(t, "cube", "oracle") {
		c, err := cube.Open(file)
		if err != nil {
			continue
		}
		if len(c.Paths()) == 0 || len(c.Locations()) == 0 {
			c.Close()
			continue
		}
		read++
		name, err := filepath.Rel(filepath.Join(shared, ".."), file)
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			defer c.Close()
			test(t, Input{Name: name, Cube: c})
		})
	}
	require.Greater(t, read, 40)
}

// The mean and the union of a report with itself are the report, and its difference from them is nothing, in all that is shown. Where
// that is much, the union and the difference from itself are only compared, value by value.
func TestReportsOfOthersAreThemselves(t *testing.T) {
	others(t, func(t *testing.T, p Input) {
		mean, union := made(t, "mean")(Mean(p, p)), made(t, "union")(Merge(p, p))
		less, zero := made(t, "difference")(Diff(mean, p)), made(t, "difference")(Diff(p, p))
		x := shown(t, p) // once, as it keeps what was asked
		sameShown(t, x, mean)
		requireNothing(t, less)
		if len(p.Cube.Paths())*len(p.Cube.Locations()) < 2000 {
			sameShown(t, x, union)
			requireNothing(t, zero)
			return
		}
		for _, of := range [][2]Input{{mean, union}, {less, zero}} {
			c, err := Compare(of[0], of[1])
			require.NoError(t, err)
			require.True(t, c.Equal, "%q", c.Differences)
		}
	})
}

// sameShown requires that a report shows the same as x, except for metrics whose values cannot be added.
func sameShown(t *testing.T, x *query.Model, b Input) {
	t.Helper()
	y := shown(t, b)
	for _, m := range x.Metrics {
		if !m.Kind.Derived() && !m.DType.Numeric() {
			continue
		}
		n := y.Metric(m.Name)
		require.NotNil(t, n, m.Name)
		require.Equal(t, m.Err == nil, n.Err == nil, "%s: %v, %v", m.Name, m.Err, n.Err)
		if m.Err != nil {
			continue
		}
		for _, self := range []bool{false, true} {
			incl, excl, err := x.ByPath(query.What{Metric: m, Self: self}, nil)
			incl2, excl2, err2 := y.ByPath(query.What{Metric: n, Self: self}, nil)
			require.Equal(t, err == nil, err2 == nil, "%s: %v, %v", m.Name, err, err2)
			requireClose(t, m.Name, incl, incl2)
			requireClose(t, m.Name, excl, excl2)
			at, err := x.ByResource(query.What{Metric: m, Self: self}, nil, true)
			at2, err2 := y.ByResource(query.What{Metric: n, Self: self}, nil, true)
			require.Equal(t, err == nil, err2 == nil, "%s: %v, %v", m.Name, err, err2)
			requireClose(t, m.Name, at, at2)
		}
	}
}

func requireClose(t *testing.T, metric string, a, b []cube.Value) {
	t.Helper()
	require.Len(t, b, len(a), metric)
	most := 0.0
	for _, v := range a {
		if x := math.Abs(v.Float64()); x > most && !math.IsInf(x, 1) {
			most = x
		}
	}
	for i := range a {
		v, w := a[i].Float64(), b[i].Float64()
		if v != w && !(math.IsNaN(v) && math.IsNaN(w)) {
			require.InDelta(t, v, w, 1e-12*most, "%s at %d", metric, i)
		}
	}
}

// requireNothing requires that a difference shows zeros everywhere, and that nothing is said to have changed.
func requireNothing(t *testing.T, d Input) {
	t.Helper()
	m := shown(t, d)
	for _, q := range m.Metrics {
		if q.Err != nil {
			continue
		}
		incl, excl, err := m.ByPath(query.What{Metric: q}, nil)
		if err != nil {
			continue
		}
		at, err := m.ByResource(query.What{Metric: q}, nil, true)
		require.NoError(t, err, q.Name)
		for _, list := range [][]cube.Value{incl, excl, at} {
			requireClose(t, q.Name, make([]cube.Value, len(list)), list)
		}
	}
	x, err := ChangesOf(d.Cube)
	require.NoError(t, err)
	require.Empty(t, x.Gone)
	require.Empty(t, x.New)
	for _, list := range [][]Change{x.Totals, x.Calls, x.Others} {
		for _, c := range list {
			if !math.IsNaN(c.A) || !math.IsNaN(c.B) {
				require.InDelta(t, c.A, c.B, 1e-12*math.Max(math.Abs(c.A), math.Abs(c.B)), c.title)
			}
		}
	}
}
