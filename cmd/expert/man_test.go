package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/manpage"
)

var update = flag.Bool("update", false, "write the manual pages instead of comparing with them")

// The manual pages are what the commands say of themselves, and there are no others.
func TestManualIsCurrent(t *testing.T) {
	const dir = "../../docs/man"
	pages := manpage.All(newRoot())
	old, err := filepath.Glob(filepath.Join(dir, "expert*.1"))
	require.NoError(t, err)
	if *update {
		for _, file := range old {
			require.NoError(t, os.Remove(file))
		}
		for name, page := range pages {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(page), 0o644))
		}
		return
	}
	for _, file := range old {
		require.Contains(t, pages, filepath.Base(file), "the command is gone; run make generate")
	}
	for name, page := range pages {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err, "run make generate")
		require.Equal(t, page, string(got), "run make generate")
	}
}
