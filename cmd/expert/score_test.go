package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer/score"
)

// In scoreTrace recording takes 50 of 100 ns of main.short, and of main.main next to nothing.
const scoreTrace = `
process main pid 1 cost 25000
location main
  0 enter main.main @main.go:1(main.main)
  100 enter main.short @main.go:9(main.short)
  200 exit
  100000 exit
`

func TestScore(t *testing.T) {
	dir := archive(t, scoreTrace)
	filter := filepath.Join(t.TempDir(), "filter")
	status, out, stderr := expert("score", dir, "-o", filter)
	require.Equal(t, 0, status, stderr)
	require.Regexp(t, `(?m)^\+ .* main\.short$`, out)
	text, err := os.ReadFile(filter)
	require.NoError(t, err)
	require.Equal(t, "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE MANGLED main.short\nSCOREP_REGION_NAMES_END\n", string(text))

	for limit, marked := range map[string]bool{"49%": true, "49": true, "51%": false} {
		status, out, stderr = expert("score", dir, "--limit", limit, "--format", "json")
		require.Equal(t, 0, status, stderr)
		var s score.Score
		require.NoError(t, json.Unmarshal([]byte(out), &s))
		require.Equal(t, "main.short", s.Regions[1].Name)
		require.Equal(t, marked, s.Regions[1].Filtered, limit)
	}
}

func TestScoreUsage(t *testing.T) {
	dir := archive(t, scoreTrace)
	for _, limit := range []string{"5%x", "-5%", "101", ""} {
		oneLine(t, []string{"score", dir, "--limit", limit}, "not a number of per cent")
	}
	oneLine(t, []string{"score", filepath.Join(dir, "..", "none")}, "there is no such file or directory")
	saved := filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr := expert("analyze", dir, "-o", saved)
	require.Equal(t, 0, status, stderr)
	other := filepath.Join(t.TempDir(), "app.trace")
	require.NoError(t, os.WriteFile(other, []byte("go 1.26 trace\x00\x00\x00"), 0o644))
	exported := filepath.Join(t.TempDir(), "traces.otf2")
	status, _, stderr = expert("export", dir, "--to", "otf2", "-o", exported)
	require.Equal(t, 0, status, stderr)
	for _, input := range []string{saved, other, exported, filepath.Dir(exported)} {
		oneLine(t, []string{"score", input}, input+": only a trace directory of tracerec says what recording it cost")
	}
}
