package sessionfile

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/readable"
)

func TestUnfinished(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, Unfinished(dir))
	require.NoError(t, Write(dir, "/dev/shm/x"))
	named, pid, err := Read(dir)
	require.NoError(t, err)
	require.Equal(t, "/dev/shm/x", named)
	require.Equal(t, os.Getpid(), pid)
	require.ErrorContains(t, Unfinished(dir), "tracerec recover "+readable.Argument(dir))
	if runtime.GOOS == "linux" {
		f, err := Lock(dir)
		require.NoError(t, err)
		defer f.Close()
		require.ErrorIs(t, Unfinished(dir), ErrBusy)
		require.ErrorContains(t, Unfinished(dir), fmt.Sprintf("is being recorded by process %d", os.Getpid()))
	}
}
