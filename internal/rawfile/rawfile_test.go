//go:build linux

package rawfile

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

func TestRead(t *testing.T) {
	for _, size := range []int{0, 1, 4095, 4096, 4097, 100_000} {
		path := filepath.Join(t.TempDir(), "file")
		content := bytes.Repeat([]byte{'x'}, size)
		require.NoError(t, os.WriteFile(path, content, 0o600))
		got, err := Read(path)
		require.NoError(t, err)
		require.Equal(t, content, got)
	}
	_, err := Read("/nonexistent")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = Read(t.TempDir())
	require.ErrorContains(t, err, "is a directory")
}

// Short files take no more memory than they hold, and their names: new pages of memory are most of what a short recording costs.
func TestShortFilesTakeLittle(t *testing.T) {
	if testkit.Race {
		t.Skip("with the race detector, what is on the stack otherwise is not")
	}
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("short"), 0o600))
	const reads = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range reads {
		_, err := Read(path)
		require.NoError(t, err)
	}
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(reads*1024))
}
