package analyzer_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOddMetrics: metrics of one name in two units are kept apart; samples without a name, and sums that no integer holds, are told.
func TestOddMetrics(t *testing.T) {
	e := analyzeText(t, `metric depth unit items
metric huge unit items
metric "" unit items
metric low unit items
location main
 0 enter run
 1 sample depth 3
 2 sample "" 1
 3 sample "" 1
 4 sample huge 4611686018427387904
 5 sample huge 4611686018427387904
 6 sample huge 4611686018427387904
 7 sample low -9223372036854775808
 8 sample low -1
 9 exit
process p2 parent main pid 7 start 0
metric depth unit bytes
location other
 0 enter run
 2 sample depth 5
 9 exit
`)
	depth, second := e.MetricIndex("depth"), e.MetricIndex("depth_2")
	require.Equal(t, []int64{3, 5}, []int64{e.Total(depth), e.Total(second)})
	require.Equal(t, []string{"items", "bytes"}, []string{e.Metrics[depth].UnitName, e.Metrics[second].UnitName})
	require.Contains(t, e.Warnings, `the program made the metric "depth" in 2 units, "items" and "bytes": they are kept apart`)
	require.Contains(t, e.Warnings, "samples of metrics without a name, which are not shown: 2")
	for name, sum := range map[string]int64{"huge": math.MaxInt64, "low": math.MinInt64} {
		i := e.MetricIndex(name)
		require.Empty(t, e.Cells(i), name)
		require.Equal(t, sum, e.Stats[i].Sum)
		require.Contains(t, e.Warnings, `the samples of "`+name+`" add up to more than 64 bits hold: it has no values by call path, and its sum and mean are limited`)
	}
	require.EqualValues(t, 1<<62, e.Stats[e.MetricIndex("huge")].Median)
}
