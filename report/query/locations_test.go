package query

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/cubetest"
	"tracerec/report/cube"
)

// Values by location are those of the locations among the parts of the system.
func TestByLocation(t *testing.T) {
	for _, fill := range []float64{0, 0.1, 1} {
		c := cubetest.Synthetic(4, 12, 30, fill)
		m, err := New(c)
		require.NoError(t, err)
		for _, q := range m.Metrics {
			for _, p := range c.Paths() {
				for kind := range 4 {
					w, inclusive := What{Metric: q, Self: kind&1 != 0}, kind&2 != 0
					want, err := m.ByResource(w, p, inclusive)
					require.NoError(t, err)
					values, err := m.ByLocation(w, p, inclusive)
					require.NoError(t, err)
					got, last := make([]cube.Value, len(m.leaves)), -1
					for column, v := range values {
						require.Greater(t, column, last)
						got[column], last = v, column
					}
					for column, leaf := range m.leaves {
						require.Equal(t, want[leaf.Index].Float64(), got[column].Float64())
					}
					for range values {
						break // it can be left
					}
				}
			}
		}
	}
}

// What it takes to go over the values of a call path grows with how many there are, and not with how many locations there could be, also where a metric is shown without its parts.
func TestByLocationOfFew(t *testing.T) {
	const locations = 10_000
	c := cubetest.Synthetic(2, 20, locations, 0.001)
	m, err := New(c)
	require.NoError(t, err)
	values := 0
	all := func() {
		for _, q := range m.Metrics {
			for _, p := range c.Paths() {
				of, err := m.ByLocation(What{Metric: q, Self: true}, p, false)
				require.NoError(t, err)
				for range of {
					values++
				}
			}
		}
	}
	all()
	require.Greater(t, values, 100)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all()
	runtime.ReadMemStats(&after)
	require.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(len(m.Metrics)*len(c.Paths())), uint64(locations))
}

// What a metric of integers has beside its children are integers, also where some of them have no values.
func TestIntegersStayIntegers(t *testing.T) {
	child := &cube.Metric{ID: 1, Name: "child", DType: "INT64"}
	parent := &cube.Metric{ID: 0, Name: "parent", DType: "INT64", Children: []*cube.Metric{child}}
	location := &cube.Location{Name: "only"}
	root := &cube.CallPath{Region: &cube.Region{Name: "main"}}
	c := &cube.Cube{Metrics: []*cube.Metric{parent}, Regions: []*cube.Region{root.Region}, Roots: []*cube.CallPath{root},
		System: []*cube.SystemNode{{Groups: []*cube.LocationGroup{{Locations: []*cube.Location{location}}}}}}
	require.NoError(t, c.Complete())
	row, err := cube.MakeRow("INT64", []cube.Value{cube.Int(356546826)})
	require.NoError(t, err)
	require.NoError(t, parent.Set(root, row))
	m, err := New(c)
	require.NoError(t, err)
	values, err := m.ByLocation(What{Metric: m.Metrics[0], Self: true}, root, false)
	require.NoError(t, err)
	for _, v := range values {
		require.Equal(t, cube.Int(356546826), v)
	}
}
