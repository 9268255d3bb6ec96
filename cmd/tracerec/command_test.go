package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMistypedCommand(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", dir)
	const missing = ": executable file not found in $PATH"
	for _, c := range []struct {
		args    []string
		message string
	}{
		{[]string{"campain", "x"}, "campain" + missing + "; did you mean tracerec campaign?"},
		{[]string{"-q", "inf", "trace.dir"}, "inf" + missing + "; did you mean tracerec info?"},
		{[]string{"server"}, "server" + missing},
		{[]string{"--", "inf"}, "inf" + missing},
		{[]string{"record", "inf"}, "inf" + missing},
		{[]string{"./inf"}, "./inf: no such file or directory"},
	} {
		require.Equal(t, result{127, "", "tracerec: " + c.message + "\n"}, inside(c.args...), c.args)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "inf"), nil, 0o755)) // is there, and no program
	r := inside("inf")
	require.NotContains(t, r.stderr, "did you mean")
	require.NotZero(t, r.status)
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		r := inside("completion", shell)
		require.Zero(t, r.status, r.stderr)
		require.Contains(t, r.stdout, "__complete")
		require.Contains(t, r.stdout, "tracerec")
	}
	r := inside("__complete", "camp")
	require.Zero(t, r.status, r.stderr)
	require.Contains(t, r.stdout, "campaign\tRecord a program once for each event set")
	t.Chdir(t.TempDir())
	require.Contains(t, inside("./completion").stderr, "./completion: no such file")
	t.Setenv("PATH", "")
	require.Contains(t, inside("--", "completion").stderr, "completion: executable file not found")
}
