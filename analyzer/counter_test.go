package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace/tracetext"
)

// values returns the severities of a metric by the name of the call path's last region.
func values(x *report.Experiment, name string) map[string]int64 {
	v := map[string]int64{}
	for i, m := range x.Metrics {
		if m.Name == name {
			for _, c := range x.Severity[i] {
				v[x.Regions[x.Paths[c.Path].Region].Name] += c.Value
			}
		}
	}
	return v
}

func analyzeText(t *testing.T, text string) *report.Experiment {
	t.Helper()
	a, err := tracetext.Open("test", text)
	require.NoError(t, err)
	x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	invariants(t, x)
	return x
}

// TestBeginBehindCounters: with counters a goroutine's first event is a sample, and Begin still names it.
func TestBeginBehindCounters(t *testing.T) {
	x := analyzeText(t, `
counterset task-clock
location main
  0 enter main
  0 create w @a.go:1
  100 exit
location w
  10 counters 257 5
  10 begin worker by main
  20 counters 257 12
  20 enter solve
  50 counters 257 40
  50 exit
  60 end
`)
	require.Equal(t, map[string]int64{"worker": 7, "solve": 28}, values(x, "task-clock"))
	require.Equal(t, "worker", x.Groups[1].Name)
	require.EqualValues(t, 10, values(x, "start_latency")["worker"])
}
