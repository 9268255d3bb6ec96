package naive_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive"
	"tracerec/internal/naive/random"
	"tracerec/trace/tracetext"
)

// TestPartition checks on random traces what must hold for any analysis: the time metrics divide up the lives, no
// severity is negative, a critical part is no larger than the focus, and the critical path is as long as that.
func TestPartition(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(100) {
		text := random.Trace(seed)
		a, err := tracetext.Open("random", text)
		require.NoError(t, err, text)
		for _, p := range a.Check() {
			require.Contains(t, p.What, "the previous select ended without", text)
		}
		r, err := naive.Analyze(a)
		require.NoError(t, err)
		critical, time := int64(0), int64(0)
		for c, v := range r.Severity {
			require.Positive(t, v, "%v\n%s", c, text)
			seen[c.Metric]++
			if c.Metric == "critical_path" {
				critical += v
			}
			if slices.Contains(naive.TimeMetrics, c.Metric) {
				time += v
			}
		}
		require.Equal(t, r.Focus, critical, text)
		require.Equal(t, r.Time, time, text)
	}
	for _, m := range naive.TimeMetrics {
		require.Positive(t, seen[m], m)
	}
}
