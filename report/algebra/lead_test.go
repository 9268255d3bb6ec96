package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// That the run takes as long as before, as far as anybody can tell, and that something in it changed is no contradiction.
func TestLeadOfChangesWithinTheRun(t *testing.T) {
	lock := Change{Metric: &query.Metric{Metric: &cube.Metric{Name: "lock_competition", Unit: "ns"}}, title: "Lock competition", Noise: 10,
		Path: &cube.CallPath{Region: &cube.Region{Name: "lock"}}, A: 500, B: 100}
	x := &Changes{A: "a", B: "b", WallA: []float64{900, 1100, 1000}, WallB: []float64{1050, 1010, 1200}, Calls: []Change{lock}}
	lead := x.Lead()
	require.Len(t, lead, 2)
	require.Regexp(t, "^No difference in run time that is more than noise: b takes ", lead[0])
	require.Regexp(t, "^Within the run, the largest change that is more than noise: −400 ns, Lock competition in lock", lead[1])
	x.WallB = []float64{100, 101, 102}
	lead = x.Lead()
	require.Regexp(t, "^b is 9.9. times as fast as a: ", lead[0])
	require.Regexp(t, "^The largest change that is more than noise: −400 ns, ", lead[1])
}
