package sync_test

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/recorder"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestCoroutines: who pulls values from a coroutine waits for it, and it for him. Only one of them runs at a time, and the critical path goes there.
func TestCoroutines(t *testing.T) {
	a := record(t, "coroutines")
	require.Empty(t, a.Check())
	names, creators := map[string]int{}, map[string]string{}
	defs := a.Definitions()
	at := make([]string, len(defs.Locations))
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e.Kind {
		case wire.Begin:
			at[l] = defs.Regions[e.ID].Name
			names[at[l]]++
			require.NotEqual(t, trace.NoLocation, e.Other(), at[l])
			if at[e.Other()] == "" {
				at[e.Other()] = "main"
			}
			creators[at[l]] = at[e.Other()]
		}
	}
	for name, by := range map[string]string{"main.twice": "main", "main.slow": "main.twice", "main.send": "main.slow", "main.count": "main", "main.fails.func2": "main", "main.exits.func1.1": "main.exits.func1"} {
		require.Equal(t, by, creators[name], "%v", creators)
	}
	require.Equal(t, 3, names["main.count"])

	x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	statesAddUp(t, x)
	sum := func(name string, locations ...string) (sum int64) {
		for _, c := range x.Cells(x.MetricIndex(name)) {
			for _, l := range locations {
				if x.Locations[c.Location].Name == l {
					sum += c.Value
				}
			}
		}
		return sum
	}
	turns := []string{"main", "main.twice", "main.slow"}
	require.LessOrEqual(t, sum(metric.Execution, turns...)+sum(metric.Sleep, turns...), x.Header.Wall)
	require.Zero(t, sum(metric.UnrecordedWait, turns...))
	require.Zero(t, sum(metric.ExternalWait, turns...))
	require.GreaterOrEqual(t, sum(metric.CriticalPath, "main.slow"), int64(30e6), "all wait while it sleeps first")
}

// TestCoroutinesWithoutStates: all turns are matched, as the times of all events are in order, also where that is noticed by nothing else.
func TestCoroutinesWithoutStates(t *testing.T) {
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet, o.NoStates = true, true
	status, err := recorder.Run(o, []string{program(t, "coroutines")})
	require.NoError(t, err)
	require.Zero(t, status)
	a, err := trace.Open(o.Dir)
	require.NoError(t, err)
	defer a.Close()
	x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	require.NotContains(t, strings.Join(x.Warnings, "\n"), "contradicts")
}
