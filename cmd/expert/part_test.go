package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	exectrace "runtime/trace"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// part is what the JSON of analyze tells of a part of a trace.
type part struct {
	Experiment struct {
		Focus int64  `json:"focus_ns"`
		Of    string `json:"focus_of"`
		Wall  int64  `json:"wall_ns"`
	}
	Findings []struct {
		Metric   string
		Critical int64 `json:"critical_ns"`
	}
	Verdict  struct{ Text string }
	Requests []struct{ Count, Cut int }
	Warnings []string
}

func analyzedPart(t *testing.T, args ...string) (p part) {
	status, out, stderr := expert(append([]string{"analyze", "--format", "json"}, args...)...)
	require.Zero(t, status, stderr)
	require.NoError(t, json.Unmarshal([]byte(out), &p))
	return p
}

// TestGoroutine: the critical path of a goroutine goes from its end, over those that it waited for, to its begin.
func TestGoroutine(t *testing.T) {
	dir := archive(t, lockTrace)
	p := analyzedPart(t, dir, "--goroutine", "2")
	require.Equal(t, int64(99000), p.Experiment.Focus)
	require.Equal(t, int64(100000), p.Experiment.Wall)
	require.Equal(t, "lock_competition", p.Findings[0].Metric)
	require.Equal(t, int64(80000), p.Findings[0].Critical)
	require.Contains(t, p.Warnings, "the critical path is that of goroutine 2, not of the run")
	require.Contains(t, p.Verdict.Text, "goroutine 2")
	require.Equal(t, int64(100000), analyzedPart(t, dir).Experiment.Focus)

	oneLine(t, []string{"analyze", dir, "--goroutine", "7"}, "no goroutine 7")
	oneLine(t, []string{"analyze", dir, "--window", "1s:2s"}, "only of a Go execution trace")
	oneLine(t, []string{"analyze", dir, "--request", "slowest"}, "only of a Go execution trace")
	saved := filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr := expert("analyze", dir, "-o", saved)
	require.Zero(t, status, stderr)
	oneLine(t, []string{"analyze", saved, "--goroutine", "2"}, "a report is of the whole run")
}

// TestWindow: only what was in a time, or in the time of a request, is analyzed of an execution trace.
func TestWindow(t *testing.T) {
	var text bytes.Buffer
	if err := exectrace.Start(&text); err != nil {
		t.Skip("the tests are traced themselves: ", err)
	}
	for _, d := range []time.Duration{1, 30, 2} {
		_, task := exectrace.NewTask(context.Background(), "order")
		time.Sleep(d * time.Millisecond)
		task.End()
	}
	exectrace.Stop()
	file := filepath.Join(t.TempDir(), "app.trace")
	require.NoError(t, os.WriteFile(file, text.Bytes(), 0o644))

	all := analyzedPart(t, file)
	require.Equal(t, 3, all.Requests[0].Count)
	end := time.Duration(all.Experiment.Wall).Truncate(time.Millisecond) // by which something had been done for 33 ms, whenever it began
	p := analyzedPart(t, file, "--window", fmt.Sprint(end-10*time.Millisecond, ":", end))
	require.Equal(t, int64(10_000_000), p.Experiment.Wall)
	require.Equal(t, []string{fmt.Sprintf("only what was between %v and %v after the start of the trace is analyzed", end-10*time.Millisecond, end)}, p.Warnings[:1])

	p = analyzedPart(t, file, "--request", "order:slowest")
	require.GreaterOrEqual(t, p.Experiment.Focus, int64(30_000_000))
	require.Less(t, p.Experiment.Wall, all.Experiment.Wall)
	require.Equal(t, p.Experiment.Wall, p.Experiment.Focus, "all that time it was there")
	require.Len(t, p.Warnings, 2)
	require.Equal(t, "the request", p.Experiment.Of)
	oneLine(t, []string{"analyze", file, "--window", "1h:2h"}, "app.trace", "ends before")
	oneLine(t, []string{"analyze", file, "--request", "none:1"}, "no request")
}
