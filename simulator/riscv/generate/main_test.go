package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUpToDate(t *testing.T) {
	source, err := os.ReadFile("../exec.go")
	require.NoError(t, err)
	want, err := Unobserved(source)
	require.NoError(t, err)
	got, err := os.ReadFile("../run.go")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./simulator/riscv")
}
