package tests

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tests that could not be run have not passed.
func TestNotRun(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for says, args := range map[string][]string{
		"only the go command uses this": {none},
		none:                            {none, "x.test"},
	} {
		var said strings.Builder
		require.Equal(t, 2, Main(args, &said), says)
		require.Contains(t, said.String(), says)
		require.True(t, strings.HasPrefix(said.String(), "tracerec: "), said.String())
		require.Equal(t, 1, strings.Count(said.String(), "\n"))
	}
}
