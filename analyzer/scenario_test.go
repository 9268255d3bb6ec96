package analyzer_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/exchange/otf2"
	"tracerec/internal/naive"
	"tracerec/internal/naive/scenario"
	"tracerec/internal/otf2test"
	"tracerec/metric"
	"tracerec/patterns"
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
		"delay_go", "delay_go_longterm", "go_direct", "go_indirect", "go_propagating", "go_terminal", "never_ended", "polling", "failed_tries", "warning", "cycles", "cycles_uncertain", "critical late_sender", "critical join_wait",
	} {
		require.True(t, found[m], m)
	}
	for _, name := range []string{"polling", "critical_path", "critical_path_imbalance", "imbalance", "never_ended", "nil_channel", "counters", "root_causes", "root_causes_lock"} {
		require.True(t, negative[name], name)
	}
	for _, m := range naive.TimeMetrics {
		require.True(t, found[m], m)
		if m != "execution" && m != "communication" && m != "synchronization" {
			require.True(t, negative[m], m)
		}
	}
}

// paradigms are the metrics of programs of MPI, OpenMP, POSIX threads and GPUs.
var paradigms = slices.DeleteFunc(slices.Concat(patterns.MPI, patterns.Threads, patterns.Devices, patterns.Delays, patterns.Impact), func(p *analyzer.Pattern) bool {
	return p.Paradigm == analyzer.Goroutines
})

// onlySums have no values but those of the metrics below them.
var onlySums = strings.Fields(`mpi_management mpi_synchronization mpi_communication mpi_latesender_wo mpi_io syncs syncs_p2p syncs_rma comms comms_p2p comms_coll comms_rma mpi_file_ops bytes bytes_p2p
	bytes_coll bytes_rma omp_time omp_synchronization omp_barrier pthread_synchronization gpu_executions delay delay_mpi delay_p2p delay_latesender_aggregate delay_latereceiver_aggregate delay_collective
	delay_barrier_aggregate delay_n21_aggregate delay_12n_aggregate delay_n2n_aggregate delay_omp delay_ompbarrier_aggregate delay_ompidle_aggregate waitstates_propagating_vs_terminal mpi_wait_propagating
	mpi_wait_terminal waitstates_direct_vs_indirect mpi_wait_direct mpi_wait_indirect performance_impact performance_impact_criticalpath critical_imbalance_impact
	meetings_propagating_vs_terminal meetings_propagating meetings_terminal meetings_direct_vs_indirect meetings_direct meetings_indirect`)

// TestParallelScenarios compares the analysis of programs of MPI, OpenMP, threads and GPUs with severities computed by hand, in whatever chunks their events are.
func TestParallelScenarios(t *testing.T) {
	all, err := scenario.Load("../testdata/otf2")
	require.NoError(t, err)
	var waits []string
	for _, p := range paradigms {
		if p.Kind == metric.WaitState {
			waits = append(waits, p.Name)
		}
	}
	for _, s := range all {
		t.Run(s.Name, func(t *testing.T) {
			s.Waits = slices.Concat(s.Waits, waits)
			for chunk, workers := range map[uint64]int{0: 1, 96: 3} {
				name := filepath.Join(t.TempDir(), "traces.otf2")
				require.NoError(t, otf2test.WriteText(name, s.Trace, chunk))
				o, err := otf2.Open(name)
				require.NoError(t, err)
				a := o.Trace()
				x := analyze(t, a, workers)
				require.Empty(t, x.Warnings)
				require.Empty(t, a.Header().Notes, "clocks are right, and all is understood")
				require.Empty(t, s.Check(result(a, x)))
			}
			for _, l := range s.Expect {
				name := strings.TrimPrefix(l.Metric, "critical ")
				require.True(t, slices.ContainsFunc(patterns.All(), func(p *analyzer.Pattern) bool { return p.Name == name }), name)
			}
		})
	}
}

// TestParallelScenariosComplete demands for every metric of these programs a scenario in which it occurs, and one that looks similar, as it has something else of the same parent, and in which it does not.
func TestParallelScenariosComplete(t *testing.T) {
	all, err := scenario.Load("../testdata/otf2")
	require.NoError(t, err)
	parents, found, negative := map[string]string{}, map[string]bool{}, map[string]bool{}
	var missing []string
	for _, p := range paradigms {
		parents[p.Name] = p.Parent
	}
	for _, s := range all {
		has := map[string]bool{} // metrics, and those above them
		for _, l := range s.Expect {
			found[l.Metric] = found[l.Metric] || l.Value > 0
			for m := l.Metric; l.Value > 0 && m != ""; m = parents[m] {
				has[m] = true
			}
		}
		for _, l := range s.Expect {
			if l.None && similar(l.Metric, parents, has) {
				negative[l.Metric] = true
			}
		}
	}
	for _, p := range paradigms {
		sum := slices.Contains(onlySums, p.Name)
		if sum == found[p.Name] {
			missing = append(missing, p.Name)
		}
		if !sum && !negative[p.Name] && p.Name != metric.CriticalActivities { // something is on the critical path always
			missing = append(missing, "no "+p.Name)
		}
	}
	require.Empty(t, missing)
}

// similar says whether a program that has some metrics is similar to one that has another one: something else has the same ancestor, if that is not all time or all there is.
func similar(to string, parents map[string]string, has map[string]bool) bool {
	above := parents[to]
	if above == "" || above == "time" {
		return true
	}
	for above != "" && !has[above] {
		above = parents[above]
	}
	return above != "" && above != "time"
}
