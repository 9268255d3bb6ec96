package command

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestIsFresh: a program beside is used if it can be executed and, where builds do not say from which source they are, is not older.
func TestIsFresh(t *testing.T) {
	dir := t.TempDir()
	self, file := filepath.Join(dir, "tracerec"), filepath.Join(dir, "tracerec-test")
	for _, name := range []string{self, file} {
		require.NoError(t, os.WriteFile(name, nil, 0o700))
	}
	committed := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.modified", Value: "false"}}}
	changed := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.modified", Value: "true"}}}
	for _, of := range []*debug.BuildInfo{committed, changed, {}} {
		require.True(t, isFresh(file, self, of))
	}
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(file, old, old))
	require.True(t, isFresh(file, self, committed))
	require.False(t, isFresh(file, self, changed))
	require.False(t, isFresh(file, self, &debug.BuildInfo{}))
	require.NoError(t, os.Chmod(file, 0o600))
	require.False(t, isFresh(file, self, committed))
	require.False(t, isFresh(filepath.Join(dir, "missing"), self, committed))
}
