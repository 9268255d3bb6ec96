//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/autoinst/exact"
	"tracerec/metric/spec"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
)

const (
	variableA, variableB = "mem:main.A/8:w", "mem:main.B/8:w"
	refusedReadings      = "readings of counters refused by the system"
)

// amounts is what an analysis says of a call path, over all locations.
type amounts map[string]int64

func amountsBy(e *report.Experiment, metric string) amounts {
	a := amounts{}
	if m := e.MetricIndex(metric); m >= 0 {
		for _, c := range e.Cells(m) {
			a[strings.Join(e.CallPath(c.Path), "/")] += c.Value
		}
	}
	return a
}

// runMigrants records the program and returns what its counters say and what it says itself: stores by variable and region, and between
// which two times some regions took their thread.
func runMigrants(t *testing.T, program string, rounds int, counters string) (r *report.Experiment, stores map[string][2]float64, clock map[string][2]int64) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "trace.dir")
	out := record(t, "-q", "-o", archive, "-c", counters, program, fmt.Sprint(rounds), "1ms")
	if out.status == 2 {
		t.Skip("no such counters here: ", out.stderr)
	}
	require.Equal(t, 0, out.status, out.stderr)
	for line := range strings.Lines(out.stderr) { // not root's, or others count on the same processors: holds asks what the report says of that
		require.Regexp(t, ": counted in user mode only, because the kernel does not permit more: |: "+refusedReadings, line)
	}
	clean(t, archive)
	a, err := trace.Open(archive)
	require.NoError(t, err)
	defer a.Close()
	r, err = analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	stores, clock = map[string][2]float64{}, map[string][2]int64{}
	for line := range strings.Lines(out.stdout) {
		var path string
		var n [2]int64
		if _, err := fmt.Sscanf(line, "stores %s %d %d", &path, &n[0], &n[1]); err == nil {
			stores[path] = [2]float64{float64(n[0]), float64(n[1])}
		} else if _, err := fmt.Sscanf(line, "clock %s %d %d", &path, &n[0], &n[1]); err == nil {
			clock[path] = n
		}
	}
	require.NotEmpty(t, stores)
	require.NotEmpty(t, clock)
	return r, stores, clock
}

// TestExactCounters: a program that was built with a scheduler that counts has an error of zero.
func TestExactCounters(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	app := exactly(t, "migrants")
	for range *recordings {
		requireExact(t, recordMigrants(t, app))
	}
}

// exactly builds a program of the tests for exact counters.
func exactly(t *testing.T, name string) (app string) {
	t.Helper()
	app = filepath.Join(t.TempDir(), name)
	built := record(t, "build", "--exact-counters", "-o", app, "./testdata/programs/"+name)
	if strings.Contains(built.stderr, exact.ErrUnsupported.Error()) {
		t.Skip(built.stderr)
	}
	require.Equal(t, result{}, built)
	require.True(t, exact.Built(app))
	return app
}

// TestExactCountersAreHarmless is TestHarmless for a scheduler that reads events, as far as descriptors are concerned: events whose numbers the
// program closes, or takes for its own files, are missing, and their numbers the program's.
func TestExactCountersAreHarmless(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	app := exactly(t, "hostile")
	const notKnown, refused = "nothing is known of a counter", "the program closed their descriptors"
	for variant, says := range map[string]string{
		"close range":            notKnown + "|" + refused, // threads that run goroutines for the first time have new events
		"pipe under all numbers": refused,
		"no descriptor left":     "",
	} {
		t.Run(variant, func(t *testing.T) {
			archive := notHarmed(t, app, variant, []string{"-c", "page-faults,task-clock"})
			a, err := trace.Open(archive)
			require.NoError(t, err)
			defer a.Close()
			e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
			require.NoError(t, err)
			require.Regexp(t, says, strings.Join(e.Warnings, "\n"))
		})
	}
}

func requireExact(t *testing.T, r *recorded) {
	t.Helper()
	stores := 0.0
	for metric, of := range ofStores {
		say := ask(t, r.cube, metric)
		for path := range r.stores {
			if x := r.is(path, of); !math.IsNaN(x) {
				require.Equal(t, found{x, spec.Point(x)}, say[path], "%s in %s", metric, path)
			}
		}
	}
	for path := range r.stores {
		stores += r.is(path, ofStores["SUM"])
	}
	require.Greater(t, stores, 2000.0)
	t.Logf("%v stores in %d regions: error 0", stores, len(r.stores))
	require.Empty(t, amountsBy(r.Experiment, "task-clock_uncertain"))
	clock := amountsBy(r.Experiment, "task-clock")
	for path, n := range r.clock { // by the program's own event of the kernel, which is started and stopped beside
		require.GreaterOrEqual(t, clock[path], n[0]-n[0]/100, path)
		require.LessOrEqual(t, clock[path], n[1]+n[1]/100, path)
	}
}

// TestBuildMessages: what cannot be built is told.
func TestBuildMessages(t *testing.T) {
	r := inside("build", "--exact-counters", "-overlay")
	require.Contains(t, r.stderr, "flag needs an argument: -overlay")
	r = record(t, "build", "--exact-counters", "./no/such/package")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.stderr, "no/such/package")
	cmd := tracerec("build", "--exact-counters", ".")
	cmd.Env = append(cmd.Env, "GOOS=windows")
	out, err := cmd.CombinedOutput()
	require.IsType(t, &exec.ExitError{}, err)
	require.Contains(t, string(out), "not supported on windows/")
}
