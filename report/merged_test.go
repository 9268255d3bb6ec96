package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/report/cube"
)

// TestReadMerged: a report made of several has the means as its severities, own ones, and ratios by their formulas.
//
//	         run    run/solve (2 locations)
//	cycles   100    40.5 60         mean, so a fraction
//	 part      –    10.25 20
func TestReadMerged(t *testing.T) {
	attrs := func(list ...string) (a []cube.Attr) {
		for i := 0; i < len(list); i += 2 {
			a = append(a, cube.Attr{Key: list[i], Value: list[i+1]})
		}
		return a
	}
	run, solve := &cube.Region{ID: 0, Name: "run", Role: "function", Module: "a.go", Begin: 5}, &cube.Region{ID: 1, Name: "recv", Role: "operation"}
	part := &cube.Metric{ID: 1, Name: "PART", Title: "~PART", DType: "DOUBLE", Unit: "cycles", Attrs: attrs("hierarchy", "test")}
	cycles := &cube.Metric{ID: 0, Name: "CYCLES", Title: "CYCLES", DType: "DOUBLE", Unit: "cycles", Attrs: attrs("hierarchy", "test", "formula", "cycles"), Children: []*cube.Metric{part}}
	ratio := &cube.Metric{ID: 2, Name: "R", Title: "R", DType: "DOUBLE", Kind: cube.PostDerived, Unit: "share",
		Attrs:       attrs("ratio", "true", "hierarchy", "test", "formula", "PART / CYCLES", "low", "0", "high", "1", "least", "5"),
		Expressions: []cube.Expression{{Element: "cubepl", Text: "metric::PART() / metric::CYCLES()"}}}
	counter := &cube.Metric{ID: 3, Name: "faults", Title: "faults", DType: "INT64", Unit: "events", Attrs: attrs("counter", "true")}
	c := &cube.Cube{Metrics: []*cube.Metric{cycles, ratio, counter}, Regions: []*cube.Region{run, solve},
		Attrs: attrs("Creator", "expert test", "program", "/bin/x", "args", "-n 3")}
	c.Roots = []*cube.CallPath{{ID: 0, Region: run, Line: -1, Children: []*cube.CallPath{{ID: 1, Region: solve, Line: -1}}}}
	c.System = []*cube.SystemNode{{Name: "machine", Class: "machine", Groups: []*cube.LocationGroup{{Name: "worker", Locations: []*cube.Location{
		{ID: 0, Name: "worker[0]"}, {ID: 1, Name: "worker[1]"}}}}}}
	require.NoError(t, c.Complete())
	put := func(m *cube.Metric, path int, values ...cube.Value) {
		r, err := cube.MakeRow(m.DType, values)
		require.NoError(t, err)
		require.NoError(t, m.Set(c.Paths()[path], r))
	}
	put(cycles, 0, cube.Float(100), cube.Float(0))
	put(cycles, 1, cube.Float(40.5), cube.Float(60))
	put(part, 1, cube.Float(10.25), cube.Float(20))
	put(counter, 1, cube.Int(7), cube.Int(0))

	e, err := Read(c)
	require.NoError(t, err)
	require.True(t, e.Merged)
	require.Equal(t, "/bin/x", e.Header.Program)
	require.Equal(t, []string{"-n", "3"}, e.Header.Args)
	require.Equal(t, []string{"faults"}, e.Unlisted)
	require.Len(t, e.Metrics, 3)
	require.Equal(t, metric.Incomplete, e.Metrics[1].Kind)
	require.Equal(t, "PART", e.Metrics[1].Title)
	require.Equal(t, "CYCLES", e.Metrics[1].Parent)
	require.Equal(t, metric.Counter, e.Metrics[2].Kind)
	require.EqualValues(t, 201, e.Total(0), "200.5")
	require.EqualValues(t, []Cell{{0, 0, 100}, {1, 0, 41}, {1, 1, 60}}, e.inclusive(0, false))
	require.EqualValues(t, 30, e.Total(1), "30.25")
	require.EqualValues(t, []Cell{{1, 0, 10}, {1, 1, 20}}, e.Cells(1))
	require.EqualValues(t, 7, e.At(2, 1, 0))
	require.True(t, e.Regions[1].Operation)
	require.Len(t, e.Ratios, 1)
	r := e.Ratios[0]
	require.Equal(t, []any{"R", "share", "PART / CYCLES", 0., 1., 5.}, []any{r.Name, r.Unit, r.Formula, r.Low, r.High, r.Least})
}
