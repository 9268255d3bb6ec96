package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRun: clients get answers, both ways.
func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run([]string{"-http", "127.0.0.1:0", "-for", (100 * time.Millisecond).String(), "-fixed"}, &out))
	require.Regexp(t, `^[1-9][0-9]* answers\n$`, out.String())
}
