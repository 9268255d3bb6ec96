package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/sample"
)

func TestCountersHere(t *testing.T) {
	r := inside("counters")
	require.Zero(t, r.status)
	require.Empty(t, r.stderr)
	require.Contains(t, r.stdout, "tracerec -c EVENT,… ./app")
	require.Contains(t, r.stdout, "rusage:utime *")
	require.NotContains(t, r.stdout, "task-clock *")
	for want, args := range map[string][]string{
		"counters": {}, "presets": {"--presets", "PAPI_L1_?CM"}, "events": {"--native", "miss"}, "costs": {"--cost"}, "cpu": {"--hardware"}, "fits": {"--with", "go:alloc-bytes"},
	} {
		r := inside(append([]string{"counters", "--format", "json"}, args...)...)
		require.Zero(t, r.status, r.stderr)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &got))
		require.Contains(t, got, want)
		if len(args) == 0 {
			require.EqualValues(t, sample.MaxEvents, got["together"])
		}
	}
	t.Setenv("TRACEREC_EVENTS", "/nonexistent")
	require.Contains(t, inside("counters").stderr, "TRACEREC_EVENTS is ignored: open /nonexistent")
}

func TestCountersRefused(t *testing.T) {
	for want, args := range map[string][]string{
		"neither text nor json": {"--format", "xml"}, "nosuchthing": {"--presets", "nosuchthing"}, "--native": {"x"}, `"nosuch"`: {"--with", "go:alloc-bytes,nosuch"},
		"give any address instead, such as mem:0x1000/8:w": {"--with", "mem:main.x/8:w"}, "--with: no events named": {"--with", ""},
		"--all and --cost: use only one of them": {"--all", "--cost"},
	} {
		r := inside(append([]string{"counters"}, args...)...)
		require.Equal(t, 2, r.status, args)
		require.Contains(t, r.stderr, want)
	}
}
