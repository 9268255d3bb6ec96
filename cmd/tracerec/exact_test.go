//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/autoinst/exact"
	"tracerec/exchange/gotrace"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
)

const variableA, variableB = "mem:main.A/8:w", "mem:main.B/8:w"

// amounts is what an analysis says of a call path, over all locations.
type amounts map[string]int64

func amountsBy(e *report.Experiment, metric string) amounts {
	a := amounts{}
	if m := e.MetricIndex(metric); m >= 0 {
		for _, c := range e.Severity[m] {
			a[strings.Join(e.CallPath(c.Path), "/")] += c.Value
		}
	}
	return a
}

// runMigrants records the program and returns what its counters say and what it says itself.
func runMigrants(t *testing.T, program string, rounds int, counters string) (r *report.Experiment, truth map[string]amounts) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "trace.dir")
	out := record(t, "-q", "-o", archive, "-c", counters, program, fmt.Sprint(rounds), "1ms")
	if out.status == 2 {
		t.Skip("no such counters here: ", out.stderr)
	}
	require.Equal(t, 0, out.status, out.stderr)
	require.Empty(t, out.stderr)
	clean(t, archive)
	a, err := trace.Open(archive)
	require.NoError(t, err)
	defer a.Close()
	r, err = analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	truth = map[string]amounts{variableA: {}, variableB: {}, "task-clock": {}}
	for line := range strings.Lines(out.stdout) {
		var path string
		var n [2]int64
		if _, err := fmt.Sscanf(line, "stores %s %d %d", &path, &n[0], &n[1]); err == nil {
			truth[variableA][path], truth[variableB][path] = n[0], n[1]
		} else if _, err := fmt.Sscanf(line, "clock %s %d", &path, &n[0]); err == nil {
			truth["task-clock"][path] = n[0]
		}
	}
	require.NotEmpty(t, truth[variableA])
	return r, truth
}

// TestCheapCounters: certain ≤ truth ≤ certain + uncertain holds for every region of goroutines that change threads all the
// time, and of what 1 ms of computing did at least 90 % are certain.
func TestCheapCounters(t *testing.T) {
	const tries = 3 // the share is one of chance: the scheduler may take a busy goroutine's turn every 10 ms
	for try := 1; ; try++ {
		sure, computed := checkCheap(t)
		t.Logf("computing: %d of %d stores are certain, %.1f %%", sure, computed, 100*float64(sure)/float64(computed))
		if sure*10 >= computed*9 {
			return
		}
		require.Less(t, try, tries, "less than 90 %% are certain")
	}
}

func checkCheap(t *testing.T) (sure, computed int64) {
	r, truth := runMigrants(t, program(t, "migrants"), 20, variableA+","+variableB+",task-clock")
	shared := int64(0)
	for _, v := range []string{variableA, variableB} {
		certain, uncertain := amountsBy(r, v), amountsBy(r, v+"_uncertain")
		for path, n := range truth[v] {
			require.LessOrEqual(t, certain[path], n, "%s: more than the truth is certain in %s", v, path)
			require.GreaterOrEqual(t, certain[path]+uncertain[path], n, "%s: less than the truth in %s", v, path)
			if strings.HasSuffix(path, "/compute") {
				computed, sure = computed+n, sure+certain[path]
			} else {
				shared += uncertain[path]
			}
		}
	}
	require.Positive(t, shared, "the program does not show what it is to show: nothing is uncertain")
	certain, uncertain := amountsBy(r, "task-clock"), amountsBy(r, "task-clock_uncertain")
	for path, n := range truth["task-clock"] { // by another clock of the kernel, which includes its switches of threads
		require.GreaterOrEqual(t, certain[path]+uncertain[path], n-n/100, path)
	}
	return sure, computed
}

// TestExactCounters: a program that was built with a scheduler that counts has an error of zero.
func TestExactCounters(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	app := filepath.Join(t.TempDir(), "migrants")
	built := record(t, "build", "--exact-counters", "-o", app, "./testdata/programs/migrants")
	if strings.Contains(built.stderr, exact.ErrUnsupported.Error()) {
		t.Skip(built.stderr)
	}
	require.Equal(t, result{}, built)
	require.True(t, isExact(app))
	r, truth := runMigrants(t, app, 20, variableA+","+variableB+",task-clock")
	stores := int64(0)
	for _, v := range []string{variableA, variableB} {
		certain := amountsBy(r, v)
		for path, n := range truth[v] {
			require.Equal(t, n, certain[path], "%s in %s", v, path)
			stores += n
		}
		require.Empty(t, amountsBy(r, v+"_uncertain"))
	}
	require.Greater(t, stores, int64(2000))
	t.Logf("%d stores of %d regions: error 0", stores, len(truth[variableA])+len(truth[variableB]))
	clock := amountsBy(r, "task-clock")
	require.Empty(t, amountsBy(r, "task-clock_uncertain"))
	var ratios []float64
	for path, n := range truth["task-clock"] { // alone on its thread, its time is the thread's, but for what the scheduler and the recording take
		require.GreaterOrEqual(t, clock[path], n-n/10, path)
		ratios = append(ratios, float64(clock[path])/float64(n))
	}
	slices.Sort(ratios)
	t.Logf("task-clock by the thread's own clock: %.3f", ratios)
	require.Less(t, ratios[len(ratios)/2], 1.1)
}

// TestBuildMessages: what cannot be built is told.
func TestBuildMessages(t *testing.T) {
	r := inside("build")
	require.Equal(t, 2, r.status)
	require.Contains(t, r.stderr, "--exact-counters has to come first")
	r = inside("build", "--exact-counters", "-overlay")
	require.Contains(t, r.stderr, "-overlay without a file")
	r = record(t, "build", "--exact-counters", "./no/such/package")
	require.Equal(t, 1, r.status)
	require.Contains(t, r.stderr, "no/such/package")
	cmd := tracerec("build", "--exact-counters", ".")
	cmd.Env = append(cmd.Env, "GOOS=windows")
	out, err := cmd.CombinedOutput()
	require.IsType(t, &exec.ExitError{}, err)
	require.Contains(t, string(out), "not supported on windows/")
}

// TestCertified: with the schedule of Go's own execution trace, too, never more is certain than the truth.
func TestCertified(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "trace.dir")
	out := record(t, "-q", "-o", archive, "-c", variableA, "--certify", program(t, "migrants"), "20", "1ms")
	if out.status == 2 {
		t.Skip("no such counters here: ", out.stderr)
	}
	require.Equal(t, 0, out.status, out.stderr)
	clean(t, archive)
	pieces, err := filepath.Glob(filepath.Join(archive, "schedule-*.gotrace"))
	require.NoError(t, err)
	require.NotEmpty(t, pieces)
	f, err := os.Open(pieces[0])
	require.NoError(t, err)
	defer f.Close()
	schedule, err := gotrace.ReadSchedule(f)
	require.NoError(t, err, "the first piece ended when the first goroutine did")

	a, err := trace.Open(archive)
	require.NoError(t, err)
	defer a.Close()
	var asked atomic.Int64
	r, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Undisturbed: func(_ int, goid uint64, from, to int64) bool {
		asked.Add(1)
		return schedule.Undisturbed(goid, from, to)
	}})
	require.NoError(t, err)
	require.Positive(t, asked.Load(), "nothing was uncertain")
	certain := amountsBy(r, variableA)
	for line := range strings.Lines(out.stdout) {
		var path string
		var n, b int64
		if _, err := fmt.Sscanf(line, "stores %s %d %d", &path, &n, &b); err == nil {
			require.LessOrEqual(t, certain[path], n, path)
		}
	}
}
