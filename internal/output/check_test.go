package output

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCheck: what is read is not written over.
func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("trace.dir", 0o755))
	part := filepath.Join("trace.dir", "events.trc")
	for _, name := range []string{"in", "other", part, filepath.Join("trace.dir", "report")} {
		require.NoError(t, os.WriteFile(name, nil, 0o644))
	}
	require.NoError(t, Check("none", "in"))
	require.NoError(t, Check("other", "in", "-", "none"))
	require.NoError(t, Check(filepath.Join("trace.dir", "report"), "trace.dir"))
	require.EqualError(t, Check("trace.dir", "in"), "-o trace.dir: is a directory")
	require.EqualError(t, Check("./in", "other", "in"), "-o ./in: it is the input in, which would be lost")
	require.ErrorContains(t, Check(part, "trace.dir"), "it is a part of the input trace.dir")
}
