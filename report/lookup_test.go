package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/metric/spec"
	"tracerec/report/cube"
)

// A name is that of a hierarchy, else of a counter, also of one that counts in user mode; the first of several. What only counts for the
// process is shared, and makes all operands of a ratio so.
func TestLookup(t *testing.T) {
	l := NewLookup([]metric.Metric{
		{Name: "cycles", Title: "cycles", Kind: metric.Counter}, {Name: "instr:u", Title: "instr:u", Kind: metric.Counter}, {Name: "go:x", Title: "go:x", Kind: metric.Counter},
		{Name: "cycles@a", Title: "cycles", Hierarchy: "a", Formula: "2×cycles − go:x"}, {Name: "cycles@b", Title: "cycles", Hierarchy: "b", Formula: "cycles"},
		{Name: "SUM_uncertain", Title: "SUM", Hierarchy: "a", Kind: metric.More}, {Name: "SUM", Title: "SUM", Hierarchy: "a", Formula: "go:x + 3×go:x; not measured: far"},
		{Name: "NONE", Title: "NONE", Hierarchy: "a"}, {Name: "time", Title: "time"},
	})
	for name, want := range map[string]int{"cycles": 3, "instr": 1, "instr:u": 1, "go:x": 2, "SUM": 6, "NONE": 7} {
		got, found := l.Find(name)
		require.True(t, found, name)
		require.Equal(t, want, got, name)
	}
	_, found := l.Find("time")
	require.False(t, found, "no counter")
	for i, shared := range []bool{false, false, true, false, false, false, true, false} {
		require.Equal(t, shared, l.Shared(i), i)
	}
	operands := func(text string) ([]Operand, bool) {
		x, err := spec.ParseExpr(text)
		require.NoError(t, err)
		return l.Operands(x)
	}
	list, ok := operands("instr / cycles")
	require.True(t, ok)
	require.Equal(t, []Operand{{Name: "instr", Metric: 1}, {Name: "cycles", Metric: 3}}, list)
	list, ok = operands("SUM / cycles")
	require.True(t, ok)
	require.Equal(t, []Operand{{Name: "SUM", Metric: 6, All: true}, {Name: "cycles", Metric: 3, All: true}}, list)
	_, ok = operands("far / cycles")
	require.False(t, ok)
	_, ok = operands("1 / time")
	require.False(t, ok, "a ratio of nothing that was counted")
}

// What is made of counters stands before them and behind all else, and has the numbers behind what was measured.
func TestOrder(t *testing.T) {
	e := hydro()
	counter := CubeMetric(&metric.Metric{Name: "cycles", Title: "cycles", Kind: metric.Counter})
	hidden := &cube.Metric{Name: "sums", DType: "INT64", Ghost: true}
	top := CubeMetric(&metric.Metric{Name: "TOP", Title: "TOP", Hierarchy: "test"})
	ordinary := append(Ordinary(e.Cube), counter, top)
	roots := BeforeCounters(append(e.Cube.Metrics[:len(e.Cube.Metrics):len(e.Cube.Metrics)], counter, hidden), []*cube.Metric{top})
	var names []string
	for _, m := range roots {
		names = append(names, m.Name)
	}
	require.Equal(t, []string{"critical_path_imbalance", "TOP", metric.OnPath, "page-faults", "cycles", "sums"}, names[len(names)-6:])
	Number(roots, ordinary)
	c, err := e.Cube.WithMetrics(roots)
	require.NoError(t, err)
	n := len(e.Metrics) + 2
	require.Equal(t, ordinary, Ordinary(c))
	require.Equal(t, []int{n - 2, n - 1, n, 2*n + 1}, []int{counter.ID, top.ID, c.Metric(metric.OnPath).ID, hidden.ID})
	late := c.Metric("late_sender")
	require.Equal(t, n+1+late.ID, c.Metric(late.Name+metric.OnPathSuffix).ID)
}
