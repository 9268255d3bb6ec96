package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A program that waits for ever hangs, and so does one that computes for ever; one that ends does not.
func TestHangs(t *testing.T) {
	output := filepath.Join(t.TempDir(), "output")
	e, err := watch(t.Context(), limits{quiet: time.Hour, computing: time.Hour}, "/", output, []string{"sh", "-c", "pwd; echo no >&2; exit 3"})
	require.NoError(t, err)
	require.Equal(t, 3, e.status)
	require.Empty(t, e.hung)
	for name, want := range map[string]string{output: "/\n", output + errorsOf: "no\n"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}

	e, err = watch(t.Context(), limits{quiet: 100 * time.Millisecond, computing: time.Hour}, "/", output, []string{"sleep", "10000"})
	require.NoError(t, err)
	require.Contains(t, e.hung, "computed nothing")

	e, err = watch(t.Context(), limits{quiet: time.Hour, computing: 100 * time.Millisecond}, "/", output, []string{"sh", "-c", "while :; do :; done"})
	require.NoError(t, err)
	require.Contains(t, e.hung, "not ended")
}

// What is set is set for the program, not for tracerec, and the same number gives the same settings.
func TestSettings(t *testing.T) {
	in := randomSetting(rand.New(rand.NewPCG(1, 2)))
	require.Equal(t, in, randomSetting(rand.New(rand.NewPCG(1, 2))))
	require.Equal(t, []string{"GOMAXPROCS=3", "GOGC=off", "GODEBUG=gccheckmark=1"}, setting{procs: 3, gogc: "off", checkmark: true}.environment())

	s := &session{context: t.Context(), dir: t.TempDir(), limits: limits{quiet: time.Hour, computing: time.Hour}}
	s.tracerec = "echo"
	program := filepath.Join(s.dir, "program")
	e, err := s.run("/", []string{"A=B"}, append(s.recorder(program), "-flag")...)
	require.NoError(t, err)
	text, err := os.ReadFile(e.output)
	require.NoError(t, err)
	require.Equal(t, "-q -o "+s.archive()+" env A=B "+program+" -flag\n", string(text))
	require.Equal(t, 1, s.runs)
}

func TestDifferences(t *testing.T) {
	require.Equal(t, []string{"a", "c", "d"}, differences(map[string]string{"a": "pass", "b": "pass", "c": "skip"}, map[string]string{"a": "fail", "b": "pass", "d": "pass"}))
	require.Empty(t, differences(map[string]string{"a": "pass"}, map[string]string{"a": "pass"}))
}
