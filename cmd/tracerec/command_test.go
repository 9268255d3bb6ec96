package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"tracerec/autoinst/given"
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

// TestBenchmarkTimes: who records benchmarks learns what their times are good for, unless he wants to hear nothing.
func TestBenchmarkTimes(t *testing.T) {
	said := func(quiet bool, list ...given.Recorded) bool {
		var text strings.Builder
		cmd := &cobra.Command{}
		cmd.SetErr(&text)
		require.NoError(t, (&own{dir: t.TempDir(), quiet: quiet}).tell(cmd, nil, list))
		return strings.Contains(text.String(), "tracerec: times per operation of benchmarks include what recording costs: ")
	}
	tests, benchmark := given.Recorded{Package: "a"}, given.Recorded{Package: "a", Benchmark: "BenchmarkX"}
	require.False(t, said(false, tests))
	require.True(t, said(false, tests, benchmark))
	require.False(t, said(true, benchmark))
}
