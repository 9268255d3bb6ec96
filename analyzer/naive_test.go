package analyzer_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive"
	"tracerec/internal/naive/random"
	"tracerec/metric"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

// TestNaive compares the analysis of random traces with that of the oracle: every severity, every critical
// share, every causer, every instance and its statistics.
func TestNaive(t *testing.T) { compareAll(t, 1000, random.Trace) }

// TestNaiveDamaged does the same with events missing, repeated or in the wrong place.
func TestNaiveDamaged(t *testing.T) { compareAll(t, 500, random.Damaged) }

// TestNaiveCut does the same with archives that were not completed.
func TestNaiveCut(t *testing.T) {
	for seed := range seeds(200) {
		text := random.Trace(seed)
		a := unfinished(t, text)
		require.Empty(t, compareArchive(t, a), "seed %d:\n%s", seed, text)
		require.NoError(t, a.Close())
	}
}

var traces = flag.Uint64("traces", 0, "number of random traces that each test takes; 0 for its own")

// seeds is how many random traces a test takes.
func seeds(n uint64) uint64 {
	if *traces > 0 {
		return *traces
	}
	if testing.Short() {
		return n / 8
	}
	return n
}

func compareAll(t *testing.T, n uint64, generate func(seed uint64) string) {
	for seed := range seeds(n) {
		text := generate(seed)
		if lines := compare(t, text); len(lines) > 0 {
			t.Fatalf("seed %d:\n%s\n%s", seed, strings.Join(lines, "\n"), text)
		}
	}
}

// compare analyzes a trace twice and returns the differences.
func compare(t *testing.T, text string) (lines []string) {
	a, err := tracetext.Open("random", "process main processors 2\n"+text)
	require.NoError(t, err, text)
	return compareArchive(t, a)
}

// compareArchive analyzes an archive twice and returns the differences.
func compareArchive(t *testing.T, a *trace.Archive) (lines []string) {
	want, err := naive.Analyze(a)
	require.NoError(t, err)
	x := analyze(t, a, 2)
	got := result(a, x)
	lines = append(lines, causes(got.Severity, want.Causes)...)
	lines = append(lines, differences("severity", got.Severity, want.Severity)...)
	lines = append(lines, differences("critical", got.Critical, want.Critical)...)
	lines = append(lines, differences("caused", got.Caused, want.Caused)...)
	lines = append(lines, differences("never ended", got.NeverEnded, want.NeverEnded)...)
	lines = append(lines, differences("holder", got.Holders, want.Holders)...)
	lines = append(lines, differences("total", map[string]int64{"time": got.Time, "focus": got.Focus},
		map[string]int64{"time": want.Time, "focus": want.Focus})...)
	lines = append(lines, onward(a, x, want)...)
	if s := naive.Split(x.Split); s != want.Split {
		lines = append(lines, fmt.Sprintf("split: engine %+v, oracle %+v", s, want.Split))
	}
	if s := x.Split; s.Execution+s.Runnable+s.Waiting+s.Sleep+s.External+s.NotRecorded != x.Header.Focus {
		lines = append(lines, fmt.Sprintf("split: %+v do not add up to %d", s, x.Header.Focus))
	}
	if l := x.Header.Load; (l == nil) != (want.Load == nil) || l != nil && naive.Load(*l) != *want.Load {
		lines = append(lines, fmt.Sprintf("load: engine %+v, oracle %+v", l, want.Load))
	}
	lines = append(lines, differences("split of operations", got.Operations, want.Operations)...)
	lines = append(lines, differences("counted on the critical path", got.PathCounts, want.PathCounts)...)
	lines = append(lines, countedDifferences(got, want)...)
	lines = append(lines, differences("instance", instances(a, x), wanted(x, want))...)
	for m, s := range x.Stats {
		s.Worst = nil
		if name := x.Metrics[m].Name; x.Metrics[m].Kind == metric.WaitState {
			if w := statistics(want, name); !reflect.DeepEqual(w, s) {
				lines = append(lines, fmt.Sprintf("statistics of %s: engine %v, oracle %v", name, s, w))
			}
		}
	}
	return lines
}

// causes compares what caused waits, and takes it from the engine's severities. It is the sum of shares, rounded.
func causes(engine map[naive.Cell]int64, want *naive.Causes) (lines []string) {
	waits := map[naive.Cell]int64{}
	for k, v := range engine {
		if slices.Contains(naive.WaitStates, k.Metric) && k.Metric != metric.ExternalWait && k.Metric != metric.Network {
			waits[k.Clear()] += v
		}
	}
	for k, v := range waits {
		for _, both := range [][2]string{{"go_direct", metric.IndirectWait}, {"go_terminal", metric.Propagating}} {
			a, b := k, k
			a.Metric, b.Metric = both[0], both[1]
			if engine[a] != max(0, v-engine[b]) {
				lines = append(lines, fmt.Sprintf("%v: %d and %d of %d", a, engine[a], engine[b], v))
			}
		}
	}
	all := maps.Clone(want.Severity)
	for k, v := range engine {
		if !naive.Divides(k.Metric) {
			continue
		}
		delete(engine, k)
		if k.Metric == "delay_go" || k.Metric == "delay_go_longterm" || k.Metric == "go_indirect" || k.Metric == "go_propagating" {
			if d := all[k]; !want.Unclear && math.Abs(d-float64(v)) > 0.501 {
				lines = append(lines, fmt.Sprintf("%v: engine %d, oracle %.3f", k, v, d))
			}
			delete(all, k)
		}
	}
	for k, d := range all {
		if !want.Unclear && d > 0.501 {
			lines = append(lines, fmt.Sprintf("%v: engine has none, oracle %.3f", k, d))
		}
	}
	return lines
}
