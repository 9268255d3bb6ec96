package otf2_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/exchange/otf2"
	"tracerec/internal/otf2test"
	"tracerec/patterns"
)

var (
	size = flag.Int("events", 1_000_000, "events of the archive that is analyzed")
	keep = flag.String("keep", "", "directory in which that archive stays")
)

// newHybrid writes an archive of a program of MPI and OpenMP.
func newHybrid(t testing.TB, name string, processes, threads, events int) *otf2.Archive {
	require.NoError(t, otf2test.Hybrid{Processes: processes, Threads: threads, Events: events, Seed: 1}.Write(name))
	a, err := otf2.Open(name)
	require.NoError(t, err)
	return a
}

// BenchmarkAnalyze analyzes an archive of 8 processes of 4 threads, with all that causes waits.
func BenchmarkAnalyze(b *testing.B) {
	dir := *keep
	if dir == "" {
		dir = b.TempDir()
	}
	a := newHybrid(b, filepath.Join(dir, "traces.otf2"), 8, 4, *size)
	n := 0
	for _, l := range a.Locations {
		chunks, _ := a.Chunks(l)
		for _, c := range chunks {
			n += int(c.Events)
		}
	}
	for b.Loop() {
		e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All()})
		require.NoError(b, err)
		require.Empty(b, e.Warnings)
		require.NotEmpty(b, e.Cells(e.MetricIndex("delay_latesender_longterm")))
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// TestMemoryLimit: what is resident never is more than the limit, although all messages are operations on one object, of which each process has its own part.
func TestMemoryLimit(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("takes seconds, and memory as it is in the product")
	}
	name := os.Getenv("OTF2_ARCHIVE")
	if name == "" { // making the archive takes memory as well
		name = filepath.Join(t.TempDir(), "traces.otf2")
		newHybrid(t, name, 8, 1, 8_000_000)
		cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryLimit$", "-test.count=1")
		cmd.Env = append(os.Environ(), "OTF2_ARCHIVE="+name)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	const limit = 128 << 20
	debug.SetGCPercent(25)
	a, err := otf2.Open(name)
	require.NoError(t, err)
	_, err = analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2, Memory: limit})
	require.NoError(t, err)
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kb int64
	_, err = fmt.Sscan(rest, &kb)
	require.NoError(t, err)
	require.Less(t, kb<<10, int64(limit))
}
