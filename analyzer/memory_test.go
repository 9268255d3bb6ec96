package analyzer_test

import (
	"bytes"
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
	"tracerec/internal/tracetest"
	"tracerec/patterns"
	"tracerec/trace"
)

// shapeArchive returns an archive of a shape of program.
func shapeArchive(t *testing.T, name string, events int) *trace.Archive {
	for _, s := range tracetest.Shapes {
		if s.Name == name {
			var buf bytes.Buffer
			w, err := trace.NewWriter(&buf, trace.Options{})
			require.NoError(t, err)
			require.NoError(t, s.Write(w, events, 1))
			require.NoError(t, w.Close())
			a, err := trace.OpenReader("shape", bytes.NewReader(buf.Bytes()), int64(buf.Len()))
			require.NoError(t, err)
			return a
		}
	}
	t.Fatal(name)
	return nil
}

// A limit changes nothing in the result, whatever costs most, and leaves nothing behind.
func TestLimitedResults(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, s := range tracetest.Shapes {
		a := shapeArchive(t, s.Name, 60_000)
		o := analyzer.Options{Patterns: patterns.All(), Workers: 1, Locations: 1 << 20}
		free, err := analyzer.Analyze(a, o)
		require.NoError(t, err)
		o.Workers, o.Memory = 2, 1
		limited, err := analyzer.Analyze(a, o)
		require.NoError(t, err)
		require.Equal(t, result(a, free), result(a, limited), s.Name)
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

// What is resident never is more than the limit. An analysis of these archives takes several times as much where there is none.
func TestMemoryLimit(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("takes seconds, and memory as it is in the product")
	}
	sizes := map[string]int{"locks": 4_000_000, "pingpong": 12_000_000, "fanin": 2_900_000}
	shape := os.Getenv("ANALYZER_CHILD")
	if shape == "" {
		for shape := range sizes {
			cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryLimit$", "-test.count=1")
			cmd.Env = append(os.Environ(), "ANALYZER_CHILD="+shape)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s: %s", shape, out)
		}
		return
	}
	const limit = 128 << 20
	debug.SetGCPercent(25)
	a := shapeArchive(t, shape, sizes[shape])
	_, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: 2, Memory: limit})
	require.NoError(t, err)
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kb int64
	_, err = fmt.Sscan(rest, &kb)
	require.NoError(t, err)
	require.Less(t, kb<<10, int64(limit))
}

// Without a place for the temporary file there is no result, but one line.
func TestNoTemporaryFile(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory of the heap only")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	_, err := analyzer.Analyze(shapeArchive(t, "lock", 1000), analyzer.Options{Patterns: patterns.All(), Memory: 1})
	require.ErrorContains(t, err, "no temporary file")
	require.NotContains(t, err.Error(), "\n")
}
