package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPageIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../docs/patterns.md")
	require.NoError(t, err)
	require.Equal(t, string(page()), string(got), "run go generate ./cmd/expert")
}
