package main

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tracerec/counters/sample"
)

func TestCountersTable(t *testing.T) {
	var out strings.Builder
	require.NoError(t, writeCounters(&out, []counterRow{
		{Name: "task-clock", Scope: "thread", Unit: "ns", Description: "time on a processor", Available: true, Regions: true, Cost: 1234},
		{Name: "rusage:utime", Scope: "thread", Unit: "ns", Description: "time in user mode", Available: true, Cost: 500},
		{Name: "cpu-migrations", Scope: "thread", Unit: "events", Reason: "the kernel refuses it (perf_event_paranoid or seccomp): permission denied"},
	}, 8))
	require.Regexp(t, `(?m)^task-clock +thread +ns +1\.23µs  time on a processor$`, out.String())
	require.Regexp(t, `(?m)^rusage:utime \* +thread +ns +500ns  time in user mode$`, out.String())
	require.Regexp(t, `(?m)^cpu-migrations +thread +events +-  not here: the kernel refuses$`, out.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 80, line)
	}
}

func TestCountersHere(t *testing.T) {
	r := inside("counters", "--format", "json")
	require.Zero(t, r.status, r.stderr)
	var got struct {
		Counters []counterRow
		Together int
	}
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &got))
	require.Equal(t, sample.MaxEvents, got.Together)
	found := map[string]counterRow{}
	for _, c := range got.Counters {
		found[c.Name] = c
		require.Equal(t, c.Available, c.Reason == "", c.Name)
		require.Equal(t, c.Available, c.Cost > 0, c.Name)
		require.NotEmpty(t, c.Source)
	}
	require.Equal(t, "ns", found["task-clock"].Unit)
	require.Equal(t, "thread", found["task-clock"].Scope)
	require.Equal(t, "bytes", found["go:alloc-bytes"].Unit)
	require.Equal(t, "process", found["go:gc-cycles"].Scope)
	require.True(t, found["go:gc-cycles"].Available)

	r = inside("counters")
	require.Zero(t, r.status)
	require.Contains(t, r.stdout, "tracerec -c EVENT,… ./app")
	r = inside("counters", "--format", "xml")
	require.Equal(t, 2, r.status)
	require.Contains(t, r.stderr, "unknown format")
}
