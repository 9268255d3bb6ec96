package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// Every report there is is explained, in text and JSON.
func TestAnalyzeAllReports(t *testing.T) {
	files := testkit.Reports(t, "cube", "oracle")
	for _, file := range files {
		status, text, stderr := expert("analyze", file)
		require.Zero(t, status, "%s: %s", file, stderr)
		require.Empty(t, stderr, file)
		lines := strings.Split(text, "\n")
		require.Empty(t, lines[1], file)
		require.NotEmpty(t, lines[2], "%s: no verdict", file)
		status, text, stderr = expert("analyze", file, "--format", "json")
		require.Zero(t, status, "%s: %s", file, stderr)
		require.True(t, json.Valid([]byte(text)), file)
	}
	require.Greater(t, len(files), 10)
}
