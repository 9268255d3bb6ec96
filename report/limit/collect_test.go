package limit_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/limit"
)

func TestInRepository(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GITHUB_WORKSPACE", dir)
	require.Equal(t, "a/b.go", limit.InRepository(filepath.Join(dir, "a", "b.go")))
	require.Equal(t, "/elsewhere/b.go", limit.InRepository("/elsewhere/b.go"))
	require.Equal(t, "example.com/m/b.go", limit.InRepository("example.com/m/b.go"))
}

func TestCollect(t *testing.T) {
	file := filepath.Join(t.TempDir(), "limits")
	require.NoError(t, os.WriteFile(file, []byte("time=1s # at most\n"), 0o644))
	list, err := limit.Collect([]string{"late_sender=5%"}, file)
	require.NoError(t, err)
	require.Len(t, list, 2)
	_, err = limit.Collect(nil, "")
	require.ErrorContains(t, err, "no limits")
	_, err = limit.Collect(nil, file+"2")
	require.ErrorIs(t, err, os.ErrNotExist)
}
