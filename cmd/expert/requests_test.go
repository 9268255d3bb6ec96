package main

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRequests: names of fields are a contract with scripts; lists are never null.
func TestRequests(t *testing.T) {
	dir := archive(t, "location main\n  0 enter order @a.go:3(runtime/trace.NewTask)\n  500 sleep @a.go:5(main.work)\n  2000 leave\n  2000 exit\n  4000 end\n")
	status, out, stderr := expert("requests", dir, "--format", "json")
	require.Equal(t, 0, status, stderr)
	var got struct {
		Requests []map[string]any
		Findings []any
		Warnings []any
	}
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.NotNil(t, got.Findings)
	require.NotNil(t, got.Warnings)
	require.Len(t, got.Requests, 2)
	require.Equal(t, "(all)", got.Requests[0]["name"])
	order := got.Requests[1]
	for name, want := range map[string]any{"name": "order", "kind": "task", "count": 1.0, "cut": 0.0, "unnamed": 0.0, "rate": 250000.0, "p50_ns": 2000.0, "p95_ns": 2000.0, "p99_ns": 2000.0, "max_ns": 2000.0} {
		require.Equal(t, want, order[name], name)
	}
	sleep := map[string]any{"metric": "sleep", "callpath": []any{"order", "main.work", "sleep"}, "file": "a.go", "line": 5.0, "own": 2.0, "mean_ns": 1500.0}
	require.Equal(t, sleep, order["parts"].([]any)[0])
	sleep["excess_ns"] = 0.0
	require.Contains(t, order["slow"], sleep)
	status, out, stderr = expert("requests", dir)
	require.Equal(t, 0, status, stderr)
	require.Contains(t, out, "sleeping in … ▸ main.work ▸ sleep (a.go:5)")

	oneLine(t, []string{"requests", filepath.Join(dir, "..", "none")}, "none")
	saved := filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr = expert("analyze", dir, "-o", saved)
	require.Equal(t, 0, status, stderr)
	status, kept, stderr := expert("requests", saved)
	require.Equal(t, 0, status, stderr)
	require.Equal(t, out, kept)
	status, out, stderr = expert("analyze", saved, "--format", "json")
	require.Equal(t, 0, status, stderr)
	got.Requests = nil
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, "order", got.Requests[1]["name"])
	mean := filepath.Join(t.TempDir(), "mean.cubex")
	status, _, stderr = expert("mean", saved, saved, "-o", mean)
	require.Equal(t, 0, status, stderr)
	oneLine(t, []string{"requests", mean}, "no requests are known")
}
