package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestHelpFitsATerminal(t *testing.T) {
	for _, command := range []string{"run", "sim", "count", "campaign", "counters", "live"} {
		r := inside(command, "--help")
		require.Zero(t, r.status)
		for line := range strings.Lines(r.stdout) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 81, line)
		}
	}
}
