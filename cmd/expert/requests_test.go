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
	require.Contains(t, out, "sleeping in order ▸ main.work (a.go:5)")

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

// TestRequestsLimited: check and diff know latencies of requests, also of reports; who mistypes a name is told which there are.
func TestRequestsLimited(t *testing.T) {
	served := func(ns string) string {
		saved := filepath.Join(t.TempDir(), "report.cubex")
		status, _, stderr := expert("analyze", archive(t, "location main\n  0 enter GET_/search @a.go:3(runtime/trace.NewTask)\n  "+ns+" exit\n  9000 end\n"), "-o", saved)
		require.Equal(t, 0, status, stderr)
		return saved
	}
	before, after := served("2000"), served("3000")
	status, out, stderr := expert("check", before, "--max", "p99(GET_/search)=2us", "--max", "max(*)=3us", "--max", "count(*)=1")
	require.Equal(t, 0, status, stderr+out)
	status, out, _ = expert("check", after, "--max", "p99(GET_/search)=2us", "--max", "mean(*)=+10us", "--baseline", before)
	require.Equal(t, 1, status)
	require.Contains(t, out, "exceeded  p99(GET_/search): 3.00 µs; at most 2.00 µs\n")
	require.Contains(t, out, "held      mean(*): 3.00 µs; at most 12.0 µs, the baseline's 2.00 µs and 10.0 µs more\n")
	oneLine(t, []string{"check", before, "--max", "p99(GET_/serch)=2us"}, `no requests "GET_/serch", but "GET_/search", *`)
	oneLine(t, []string{"check", before, "--max", "p99(*)", "--baseline", after}, "too few requests")
	oneLine(t, []string{"check", before, "--max", "p99(*)=2"}, "is a time")
	oneLine(t, []string{"check", archive(t, "location main\n  0 enter a\n  50 exit\n"), "--max", "p99(*)=2us"}, "has no requests")
	status, out, stderr = expert("diff", before, after)
	require.Equal(t, 0, status, stderr)
	require.Contains(t, out, "p99 of GET_/search: too few requests to say more\n")
	status, out, stderr = expert("diff", before, after, "--format", "json")
	require.Equal(t, 0, status, stderr)
	var got struct{ Requests []map[string]any }
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Len(t, got.Requests, 6)
	require.Equal(t, map[string]any{"name": "GET_/search", "quantity": "p99", "a_ns": 2000.0, "b_ns": 3000.0, "noise_ns": nil, "beyond_noise": nil}, got.Requests[5])
}

// TestRequestsSelected: by time, goroutine, and one alone, whose steps are told in order.
func TestRequestsSelected(t *testing.T) {
	task := func(begin, end string) string {
		return "  " + begin + " enter a @a.go:3(runtime/trace.NewTask)\n  " + end + " exit\n"
	}
	dir := archive(t, "location main\n  0 begin main\n"+task("100", "200")+task("1000", "1500")+"  9000 end\nlocation other\n  0 begin other\n"+task("300", "700")+"  9000 end\n")
	count := func(flags ...string) float64 {
		status, out, stderr := expert(append([]string{"requests", dir, "--format", "json"}, flags...)...)
		require.Equal(t, 0, status, stderr)
		var got struct{ Requests []map[string]any }
		require.NoError(t, json.Unmarshal([]byte(out), &got))
		return got.Requests[0]["count"].(float64)
	}
	require.Equal(t, 3.0, count())
	require.Equal(t, 1.0, count("--window", "300ns:1us"))
	require.Equal(t, 2.0, count("--window", "0s:1us"))
	require.Equal(t, 2.0, count("--goroutine", "1"))
	for request, latency := range map[string]float64{"slowest": 500, "1": 100, "a:2": 400, "a": 500, "a:slowest": 500, "3": 500} {
		status, out, stderr := expert("requests", dir, "--format", "json", "--request", request)
		require.Equal(t, 0, status, stderr)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(out), &got))
		require.Equal(t, latency, got["latency_ns"], request)
		require.Len(t, got["steps"], 1)
	}
	status, out, stderr := expert("requests", dir, "--request", "slowest")
	require.Equal(t, 0, status, stderr)
	require.Equal(t, "a on goroutine 1, 1.00 µs after the start, took 500 ns:\n  at     for\n0 ns  500 ns  running in a (a.go:3)\n", out)
	for _, wrong := range [][]string{{"--window", "2s"}, {"--window", "2s:1s"}, {"--window", "1s:2s"}, {"--goroutine", "77"}, {"--request", "b"}, {"--request", "4"}, {"--request", "0"}, {"--request", ":"}} {
		oneLine(t, append([]string{"requests", dir}, wrong...), "")
	}
}

// A part is of a trace: a report is told so, in the words of analyze. Who names no request is told how to.
func TestRequestsOfWhat(t *testing.T) {
	dir, file := archive(t, lockTrace), filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr := expert("analyze", dir, "-o", file)
	require.Zero(t, status, stderr)
	for _, part := range [][]string{{"--request", "slowest"}, {"--window", "0s:1s"}, {"--goroutine", "1"}, {"--rounds"}} {
		oneLine(t, append([]string{"requests", file}, part...), "report.cubex: a report is of the whole run: a part is chosen when the trace is analyzed")
	}
	oneLine(t, []string{"requests", dir, "--request", "fastest"}, `no request "fastest": give slowest, a number, NAME or NAME:slowest`)
	oneLine(t, []string{"requests", filepath.Join(dir, "none"), "--rounds"}, "no such file")
}
