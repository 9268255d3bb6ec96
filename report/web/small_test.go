package web

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// small is a report of two metrics, three call paths and three locations.
func small(t testing.TB) *Report {
	t.Helper()
	wait := &cube.Metric{ID: 1, Name: "wait", Title: "Waiting", DType: "INT64", Unit: "ns", Kind: cube.Exclusive, Doc: "what <b>waiting</b> is"}
	time := &cube.Metric{ID: 0, Name: "time", Title: "Time", DType: "INT64", Unit: "ns", Kind: cube.Exclusive, Children: []*cube.Metric{wait}}
	rate := &cube.Metric{ID: 2, Name: "odd", Title: "Odd", DType: "DOUBLE", Unit: "", Kind: cube.PostDerived,
		Expressions: []cube.Expression{{Element: "cubepl", Text: "nonsense("}}}
	run := &cube.Region{ID: 0, Name: "run", Module: "main.go", Begin: 3, End: 9}
	recv := &cube.Region{ID: 1, Name: "recv", Module: "main.go", Begin: 5, End: 5}
	root := &cube.CallPath{ID: 0, Region: run, Line: -1, Children: []*cube.CallPath{
		{ID: 1, Region: recv, Module: "main.go", Line: 5}, {ID: 2, Region: run, Module: "missing.go", Line: 2}}}
	machine := &cube.SystemNode{Name: "machine", Class: "machine", Groups: []*cube.LocationGroup{{Name: "p", Type: "process", Locations: []*cube.Location{
		{ID: 0, Name: "a", Type: "thread"}, {ID: 1, Name: "b", Rank: 1, Type: "thread"}, {ID: 2, Name: "c", Rank: 2, Type: "thread"}}}}}
	c := &cube.Cube{Metrics: []*cube.Metric{time, rate}, Regions: []*cube.Region{run, recv}, Roots: []*cube.CallPath{root}, System: []*cube.SystemNode{machine}}
	require.NoError(t, c.Complete())
	set := func(m *cube.Metric, path int, values ...int64) {
		list := make([]cube.Value, len(values))
		for i, v := range values {
			list[i] = cube.Int(v)
		}
		row, err := cube.MakeRow("INT64", list)
		require.NoError(t, err)
		require.NoError(t, m.Set(c.Paths()[path], row))
	}
	set(time, 0, 10, 20, 30)
	set(time, 1, 1, 2, 3)
	set(time, 2, 100, 0, 1<<60)
	set(wait, 1, 1, 1, 0)
	m, err := query.New(c)
	require.NoError(t, err)
	return &Report{Title: "small", File: "small.cubex", Model: m}
}
