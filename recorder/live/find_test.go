//go:build linux

package live

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/sessionfile"
)

// TestFind: a recording is found by its trace directory, wherever its buffers are, and what is none is told.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	_, err := Find(filepath.Join(dir, "none"))
	require.ErrorContains(t, err, "no such recording")
	_, err = Find(dir)
	require.ErrorContains(t, err, "the recording has ended")
	require.NoError(t, sessionfile.Write(dir, "buffers"))
	found, err := Find(dir)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "buffers"), found)
	dir = t.TempDir()
	require.NoError(t, sessionfile.Write(dir, "/elsewhere"))
	found, err = Find(dir)
	require.NoError(t, err)
	require.Equal(t, "/elsewhere", found)
	_, err = Find(fmt.Sprint(os.Getpid()))
	require.ErrorContains(t, err, "tracerec does not record process")
}

func TestWatchRefuses(t *testing.T) {
	err := Watch(t.TempDir(), Options{Format: "xml", Interval: Shortest}, io.Discard)
	require.ErrorContains(t, err, "unknown format \"xml\"")
}
