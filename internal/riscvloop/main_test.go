package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUpToDate(t *testing.T) {
	source, err := os.ReadFile("../../simulator/riscv/exec.go")
	require.NoError(t, err)
	run, table, err := unobserved(source)
	require.NoError(t, err)
	for name, want := range map[string][]byte{"run.go": run, "sequences.go": table} {
		got, err := os.ReadFile("../../simulator/riscv/" + name)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), "run go generate ./simulator/riscv")
	}
}
