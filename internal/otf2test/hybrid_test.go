package otf2test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/exchange/otf2"
	"tracerec/patterns"
)

// TestHybrid: all of the archive is understood, and it has waits of all that the program does.
func TestHybrid(t *testing.T) {
	name := filepath.Join(t.TempDir(), "traces.otf2")
	require.NoError(t, Hybrid{Processes: 5, Threads: 2, Events: 10_000, Seed: 1}.Write(name))
	a, err := otf2.Open(name)
	require.NoError(t, err)
	e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	require.Empty(t, e.Warnings)
	for _, metric := range []string{"mpi_latesender", "mpi_wait_nxn", "mpi_init_exit", "omp_ibarrier_wait", "omp_idle_threads", "delay_latesender_longterm", "delay_ompbarrier"} {
		i := e.MetricIndex(metric)
		require.GreaterOrEqual(t, i, 0, metric)
		require.NotEmpty(t, e.Cells(i), metric)
	}
}
