package analyzer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive"
	"tracerec/internal/naive/scenario"
	"tracerec/trace/tracetext"
)

// TestScenarios compares the analysis with severities computed by hand.
func TestScenarios(t *testing.T) {
	all, err := scenario.Load("../testdata/traces")
	require.NoError(t, err)
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			a, err := tracetext.Open(s.Name, s.Trace)
			require.NoError(t, err)
			require.Empty(t, s.Check(result(a, analyze(t, a, 2))))
		})
	}
}

// TestScenariosComplete demands for every metric a scenario in which it occurs, and one that looks similar
// and in which it does not.
func TestScenariosComplete(t *testing.T) {
	all, err := scenario.Load("../testdata/traces")
	require.NoError(t, err)
	found, negative := map[string]bool{}, map[string]bool{}
	for _, s := range all {
		total := false
		for _, l := range s.Expect {
			found[l.Metric] = true
			total = total || l.Metric == "time" && l.Path == "*"
		}
		require.True(t, total, "%s does not say the time in all", s.Name)
		if name, ok := strings.CutSuffix(s.Name, "_negative"); ok {
			negative[name] = true
			for _, l := range s.Expect {
				found := l.Metric == name && l.Value > 0 && slices.Contains(naive.TimeMetrics, name) && name != "cond_wait"
				require.False(t, found, "%s finds %s", s.Name, name)
			}
		}
	}
	for _, m := range []string{
		"visits", "messages", "acquisitions", "overload", "underload", "critical_path", "critical_path_imbalance",
		"never_ended", "polling", "failed_tries", "warning", "cycles", "cycles_uncertain", "critical late_sender", "critical join_wait",
	} {
		require.True(t, found[m], m)
	}
	for _, name := range []string{"polling", "critical_path", "critical_path_imbalance", "imbalance", "never_ended", "nil_channel", "counters"} {
		require.True(t, negative[name], name)
	}
	for _, m := range naive.TimeMetrics {
		require.True(t, found[m], m)
		if m != "execution" && m != "communication" && m != "synchronization" {
			require.True(t, negative[m], m)
		}
	}
}
