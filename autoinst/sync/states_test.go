package sync_test

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// Where descriptors of goroutines are not known there are no states, and the archive says so.
func TestNoDescriptors(t *testing.T) {
	a := recordCommand(t, "sh", "-c", `TRACEREC="$TRACEREC,portable" exec "$0"`, program(t, "states"))
	require.Empty(t, a.Check())
	warnings := map[string]uint64{}
	for _, p := range a.Definitions().Processes {
		maps.Copy(warnings, p.Warnings)
		require.False(t, p.States)
	}
	require.Equal(t, map[string]uint64{"states of goroutines are not recorded (descriptors of goroutines are not known here)": 1}, warnings)
}

// TestProcessors: how many goroutines can run at once is what the program sets itself.
func TestProcessors(t *testing.T) {
	a := recordCommand(t, "env", "GOMAXPROCS=2", program(t, "processors"))
	require.Empty(t, a.Check())
	require.Equal(t, 1, a.Definitions().Processes[0].Processors)
}

// TestStates records a program whose goroutines are in all states.
func TestStates(t *testing.T) {
	a := record(t, "states")
	require.Empty(t, a.Check())
	type told struct {
		kind wire.Kind
		id   uint32
	}
	defs := a.Definitions()
	events := map[string][]told{} // by function
	wakers := map[string]bool{}   // of main
	last := map[string]int64{}
	names := make([]string, len(defs.Locations))
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e.Kind == wire.Begin {
			names[l] = defs.Regions[e.ID].Name
		} else if defs.Locations[l].GoID == 1 {
			names[l] = "main"
		}
		if e.Kind == wire.Ready && names[l] == "main" && e.Other() != trace.NoLocation {
			wakers[names[e.Other()]] = true
		}
		events[names[l]] = append(events[names[l]], told{e.Kind, e.ID})
		last[names[l]] = e.Time
	}
	kinds := func(name string) (list []wire.Kind) {
		for _, e := range events[name] {
			list = append(list, e.kind)
		}
		return list
	}
	require.True(t, defs.Processes[0].States)
	require.Subset(t, kinds("main"), []wire.Kind{wire.Running, wire.Ready, wire.NetworkBegin, wire.Syscall, wire.Stopped})
	require.Contains(t, events["main"], told{wire.Ready, uint32(wire.Preempted)})
	require.Contains(t, events["main"], told{wire.Ready, uint32(wire.Woken)})
	require.True(t, wakers["main.send"], wakers)
	require.Equal(t, []told{{wire.Running, 1}, {wire.Ready, uint32(wire.Preempted)}, {wire.Running, 1}}, events["main.spin"][1:4])
	require.Equal(t, []wire.Kind{wire.Begin, wire.Running}, kinds("main.send")[:2])

	// Stopped at the exit, where it has recorded nothing of itself for long.
	working := kinds("main.forever")
	require.Contains(t, []wire.Kind{wire.Running, wire.Ready}, working[len(working)-1], working)
	require.Greater(t, last["main.forever"], last["main"])

	x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	statesAddUp(t, x)
	inMain := func(name string) (sum int64) {
		for _, c := range x.Cells(x.MetricIndex(name)) {
			if x.Locations[c.Location].GoID == 1 {
				sum += c.Value
			}
		}
		return sum
	}
	require.GreaterOrEqual(t, inMain(metric.SystemCall), int64(1e6))
	require.Positive(t, inMain(metric.Network))
	require.Positive(t, inMain(metric.Ready))
	require.True(t, slices.ContainsFunc(x.Findings, func(f report.Finding) bool {
		r := x.Regions[x.Paths[f.Path].Region]
		return x.Metrics[f.Metric].Name == metric.Network && r.Func == "main.network" && strings.HasSuffix(r.File, "states/main.go")
	}), "the wait for the pipe is a finding at its place")
}

// statesAddUp checks that execution is what ran, and that all time is divided.
func statesAddUp(t *testing.T, x *report.Experiment) {
	require.True(t, x.Header.States)
	require.Equal(t, metric.ExecutionTitle, x.Metrics[x.MetricIndex(metric.Execution)].Title)
	below := map[string]bool{metric.Time: true}
	sum := int64(0)
	for i, m := range x.Metrics {
		if below[m.Name] = below[m.Name] || below[m.Parent] && m.Parent != ""; below[m.Name] {
			for _, c := range x.Cells(i) {
				require.GreaterOrEqual(t, c.Value, int64(0), m.Name)
				sum += c.Value
			}
		}
	}
	require.Equal(t, x.Header.Time, sum)
}

// TestCrowd: many goroutines that use locks for the first time wait for each other in the recorder, which is its overhead.
func TestCrowd(t *testing.T) {
	a := record(t, "crowd")
	require.Empty(t, a.Check())
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	total := func(name string) int64 { return e.Total(e.MetricIndex(name)) }
	require.LessOrEqual(t, total(metric.UnrecordedWait), total(metric.Overhead)+1e6)
	t.Logf("overhead %.1f %%, not recorded %.1f %%", 100*float64(total(metric.Overhead))/float64(e.Header.Time), 100*float64(total(metric.UnrecordedWait))/float64(e.Header.Time))
}

// TestIdle: the goroutines that run finalizers and cleanups sleep while there are none, but wait where those do. Who waits for the collector, or to stop the world, waits for
// no unknown.
func TestIdle(t *testing.T) {
	a := record(t, "idle")
	require.Empty(t, a.Check())
	defs := a.Definitions()
	names := make([]string, len(defs.Locations))
	type did struct {
		name string
		kind wire.Kind
		at   string
	}
	count, inside := map[did]int{}, make([]string, len(defs.Locations))
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		at := ""
		switch e.Kind {
		case wire.Begin:
			names[l] = defs.Regions[e.ID].Name
		case wire.SleepBegin, wire.RecvBegin:
			at = strings.TrimSpace(defs.Regions[e.ID].Name + " " + defs.Regions[e.ID].Func)
			inside[l] = at
		case wire.Blocked:
			at = inside[l]
		}
		count[did{names[l], e.Kind, at}]++
	}
	for _, name := range []string{"finalizers", "cleanups"} {
		require.Positive(t, count[did{name, wire.SleepBegin, wire.Idle}], name)
		require.Positive(t, count[did{name, wire.LockBegin, ""}], name)
		require.Zero(t, count[did{name, wire.Parked, ""}], name)
	}
	require.Equal(t, 1, count[did{"finalizers", wire.Blocked, "recv main.blocked"}], "that is a wait")
	require.Positive(t, count[did{"main.stop", wire.Assist, ""}])
	require.Positive(t, count[did{"main.stop", wire.Stopped, ""}])
	require.Zero(t, count[did{"main.stop", wire.Parked, ""}])
	x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	statesAddUp(t, x)
}
