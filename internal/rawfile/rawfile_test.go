//go:build linux

package rawfile

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
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

func TestAppender(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	a, err := Create(path)
	require.NoError(t, err)
	_, err = Create(path)
	require.ErrorIs(t, err, os.ErrExist)
	for _, text := range []string{"one, ", "two"} {
		n, err := a.Write([]byte(text))
		require.NoError(t, err)
		require.Equal(t, len(text), n)
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "one, two", string(content))

	require.NoError(t, os.Rename(path, path+"2"))
	require.NoError(t, os.WriteFile(path, []byte("another's"), 0o600))
	for range 2 {
		_, err = a.Write([]byte("three"))
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "another's", string(content))
}
