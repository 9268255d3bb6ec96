//go:build linux

package recorder

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/sessionfile"
	"tracerec/internal/shm"
)

func TestStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	for range 2 { // the second moves the first aside
		instrument.Region("before").End()
		r, err := Start(dir)
		require.NoError(t, err)
		require.True(t, instrument.Enabled())
		_, err = Start(dir + "2")
		require.ErrorContains(t, err, "already")
		require.NoDirExists(t, dir+"2")
		_, err = Start(dir)
		require.ErrorIs(t, err, sessionfile.ErrBusy)

		for range 1000 {
			instrument.Region("solve").End()
		}
		open := instrument.Region("open")
		require.NoError(t, r.Stop())
		require.NoError(t, r.Stop())
		open.End()
		instrument.Region("after").End()
		require.False(t, instrument.Enabled())
		require.GreaterOrEqual(t, recorded(t, dir), 2001)
		require.NoError(t, Unfinished(dir))
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

func TestStartUnderTracerec(t *testing.T) {
	t.Setenv(shm.Environment, "dir=/nowhere")
	dir := filepath.Join(t.TempDir(), "a")
	r, err := Start(dir)
	require.NoError(t, err)
	require.NoError(t, r.Stop())
	require.NoDirExists(t, dir)
	require.False(t, instrument.Enabled())
}
