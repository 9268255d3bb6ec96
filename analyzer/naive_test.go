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
		if slices.Contains(naive.WaitStates, k.Metric) && k.Metric != metric.ExternalWait && k.Metric != metric.TimerWait && k.Metric != metric.Network {
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

// TestCausesOfLongAgo compares what causes waits with the oracle where those who met did much with others since, so that it is known for blocks of encounters.
func TestCausesOfLongAgo(t *testing.T) {
	const rounds = 450
	var main, a, b, c strings.Builder
	for i := range rounds {
		at := 10 + 10*i
		for _, pair := range [][3]any{{&main, &a, "ma"}, {&b, &c, "bc"}} {
			waiter, sender, name := pair[0].(*strings.Builder), pair[1].(*strings.Builder), pair[2].(string)
			late := 1 + (i*7+len(name))%5
			fmt.Fprintf(waiter, "  %d recv %s @f.go:1\n  %[1]d blocked\n  %[3]d leave\n", at, name, at+late)
			fmt.Fprintf(sender, "  %d enter part%d\n  %d exit\n  %d send %s @f.go:2\n  %[4]d leave\n", at-5, i%3, at+late-1, at+late, name)
		}
	}
	end := 10 + 10*rounds
	fmt.Fprintf(&main, "  %d recv bm @f.go:3\n  %[1]d blocked\n  %[2]d leave\n  %[3]d exit\n", end, end+50, end+60)
	fmt.Fprintf(&b, "  %d send bm @f.go:4\n  %[1]d leave\n  %[2]d exit\n  %[2]d end\n", end+50, end+55)
	text := "channel ma cap 0\nchannel bc cap 0\nchannel bm cap 0\nlocation main\n  0 enter main\n  0 create a @f.go:5\n  0 create b @f.go:5\n  0 create c @f.go:5\n" + main.String()
	for name, events := range map[string]string{"a": a.String(), "c": c.String()} {
		text += fmt.Sprintf("location %s\n  0 begin worker by main\n  0 enter work\n%s  %d exit\n  %[3]d end\n", name, events, end)
	}
	text += "location b\n  0 begin other by main\n  0 enter collect\n" + b.String()
	require.Empty(t, compare(t, text))
	a1, err := tracetext.Open("long", text)
	require.NoError(t, err)
	want, err := naive.Analyze(a1)
	require.NoError(t, err)
	require.False(t, want.Causes.Unclear)
	longterm := 0.0
	for k, d := range want.Causes.Severity {
		if k.Metric == "delay_go_longterm" {
			longterm += d
		}
	}
	require.Greater(t, longterm, 10.0, "c made b wait, and so main")
}

// TestCausesAreTold demands that the oracle knows the causes in most random traces, and each metric of them.
func TestCausesAreTold(t *testing.T) {
	clear, found := 0, map[string]int{}
	for seed := range uint64(100) {
		a, err := tracetext.Open("random", random.Trace(seed))
		require.NoError(t, err)
		r, err := naive.Analyze(a)
		require.NoError(t, err)
		if r.Causes.Unclear {
			continue
		}
		clear++
		for k := range r.Causes.Severity {
			found[k.Metric]++
		}
	}
	require.Greater(t, clear, 60)
	for _, m := range []string{"delay_go", "delay_go_longterm", metric.IndirectWait, metric.Propagating} {
		require.Greater(t, found[m], 20, m)
	}
}
