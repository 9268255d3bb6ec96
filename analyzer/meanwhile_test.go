package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive/random"
	"tracerec/report"
	"tracerec/trace/tracetext"
)

// While the receiver waits from 10 to 70, the sender prepares until 40, packs until 65 and is in no region for the rest.
func TestMeanwhile(t *testing.T) {
	a, err := tracetext.Open("trace", `
channel ch
location main
  0 enter main
  0 create w
  10 recv ch @a.go:1
  12 blocked
  72 leave
  100 exit
  100 end
location w
  0 begin w by main
  5 enter prepare
  40 exit
  40 enter pack
  65 exit
  70 send ch @b.go:1
  73 leave
  80 end
`)
	require.NoError(t, err)
	e := analyze(t, a, 2)
	f := e.Findings[0]
	require.Equal(t, "late_sender", e.Metrics[f.Metric].Name)
	require.Equal(t, int64(60), f.Critical)
	got := map[string]int64{}
	for _, m := range f.Meanwhile {
		p := e.CallPath(m.Path)
		got[p[len(p)-1]] = m.Time
	}
	require.Equal(t, map[string]int64{"prepare": 30, "pack": 25, "w": 5}, got)
}

// What the causers did divides the critical time of a finding without rest.
func TestMeanwhileIsThePartOfTheFinding(t *testing.T) {
	told := 0
	for seed := range seeds(300) {
		a, err := tracetext.Open("random", random.Trace(seed))
		require.NoError(t, err)
		e := analyze(t, a, 2)
		for i, f := range e.Findings[:min(5, len(e.Findings))] {
			require.Equal(t, f.Critical, sum(f.Meanwhile), "seed %d, finding %d", seed, i)
			told += len(f.Meanwhile)
		}
	}
	require.Greater(t, told, int(seeds(300)/3))
}

func sum(v []report.PathTime) (total int64) {
	for _, x := range v {
		total += x.Time
	}
	return total
}
