package analyzer_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/internal/naive/random"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/tracetext"
	"tracerec/trace/wire"
)

// TestDeterminism analyzes the same events with other numbers of workers and in other chunks.
func TestDeterminism(t *testing.T) {
	for seed := range uint64(60) {
		text := random.Trace(seed)
		var want string
		for _, c := range []struct{ pieces, chunk, workers int }{{0, 0, 1}, {0, 0, 2}, {0, 0, 8}, {3, 4, 1}, {1, 2, 8}, {7, 16, 3}} {
			var out bytes.Buffer
			w, err := trace.NewWriter(&out, trace.Options{Resolution: 1, ChunkEvents: c.chunk})
			require.NoError(t, err)
			require.NoError(t, tracetext.Write(w, text, c.pieces))
			require.NoError(t, w.Close())
			a, err := trace.OpenReader("random", bytes.NewReader(out.Bytes()), int64(out.Len()))
			require.NoError(t, err)
			got, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: c.workers, Memory: int64(c.pieces * c.chunk * 60)})
			require.NoError(t, err)
			got.Starts = nil // they are of the chunks
			if want == "" {
				want = written(t, got)
			}
			require.Equal(t, want, written(t, got), "%v\n%s", c, text)
		}
	}
}

// TestLargeObjectsAreDeterministic covers what only large objects take: matching and charging side by side.
func TestLargeObjectsAreDeterministic(t *testing.T) {
	a := stencilTrace(t, 8, 600_000)
	want, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: 1})
	require.NoError(t, err)
	got, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: 4})
	require.NoError(t, err)
	require.Equal(t, written(t, want), written(t, got))
	invariants(t, got)
	require.NotEmpty(t, got.Findings)
}

// TestInvariants checks what must hold for every trace.
func TestInvariants(t *testing.T) {
	for seed := range uint64(400) {
		text := random.Trace(seed)
		a, err := tracetext.Open("random", text)
		require.NoError(t, err)
		x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
		require.NoError(t, err)
		if !t.Run("", func(t *testing.T) { invariants(t, x) }) {
			t.Fatalf("seed %d\n%s", seed, text)
		}
	}
}

// invariants: time is divided without rest, nothing is negative, the critical path is as long as the focus,
// and no finding is on it for longer.
func invariants(t *testing.T, x *report.Experiment) {
	sum, path := int64(0), int64(0)
	root := map[string]string{}
	for i, m := range x.Metrics {
		root[m.Name] = m.Name
		if m.Parent != "" {
			root[m.Name] = root[m.Parent]
		}
		for j, c := range x.Cells(i) {
			require.Positive(t, c.Value, m.Name)
			if j > 0 {
				p := x.Cells(i)[j-1]
				require.True(t, p.Path < c.Path || p.Path == c.Path && p.Location < c.Location, "order")
			}
			switch {
			case root[m.Name] == "time":
				sum += c.Value
			case m.Name == "critical_path":
				path += c.Value
			}
		}
	}
	require.Equal(t, x.Header.Time, sum)
	require.Equal(t, x.Header.Focus, path)
	for i, p := range x.Paths {
		require.Less(t, p.Parent, int32(i))
	}
	for _, f := range x.Findings {
		require.LessOrEqual(t, f.Critical, x.Header.Focus)
		severity, critical, instances := int64(0), int64(0), uint64(0)
		for i, l := range f.Lines {
			require.LessOrEqual(t, l.Critical, f.Critical)
			if i > 0 {
				require.LessOrEqual(t, l.Critical, f.Lines[i-1].Critical)
			}
			severity, critical, instances = severity+l.Severity, critical+l.Critical, instances+l.Instances
			require.Equal(t, l.Severity, causedBy(l.Causers))
			require.Subset(t, f.Locations, l.Locations)
		}
		require.Equal(t, f.Severity, severity)
		require.Equal(t, f.Severity, causedBy(f.Causers))
		require.Equal(t, f.Instances, instances)
		require.LessOrEqual(t, f.Critical, critical)
		require.Equal(t, []any{f.Metric, f.Path, f.Group}, []any{f.Lines[0].Metric, f.Lines[0].Path, f.Lines[0].Group})
	}
}

func causedBy(causers []report.Causer) (sum int64) {
	for _, c := range causers {
		sum += c.Severity
	}
	return sum
}

// goroutinesTrace returns an archive of n goroutines, each with one region, started by the first.
func goroutinesTrace(t testing.TB, n int) *trace.Archive {
	var buf bytes.Buffer
	w, err := trace.NewWriter(&buf, trace.Options{Resolution: 1})
	require.NoError(t, err)
	p, err := w.AddProcess(trace.ProcessInfo{PID: 1})
	require.NoError(t, err)
	for i, name := range []string{"main", "worker", "solve", "create"} {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefRegion, ID: uint32(i + 1), Name: name}))
	}
	main := stencil{p: p, number: 1}
	main.event(wire.Enter, 1, 0)
	for i := 2; i <= n; i++ {
		main.event(wire.Create, 4, uint64(i)*1000, uint64(i))
		if len(main.words) > 6000 {
			main.flush(t)
		}
		g := stencil{p: p, number: uint64(i), base: uint64(i) * 1000}
		g.last = g.base
		g.event(wire.Begin, 2, uint64(i)*1000+500, 1)
		g.event(wire.Enter, 3, uint64(i)*1000+600)
		g.event(wire.Exit, 0, uint64(i)*1000+5600)
		g.event(wire.End, 0, uint64(i)*1000+5700)
		g.flush(t)
	}
	main.event(wire.Exit, 0, uint64(n)*1000+100_000)
	main.flush(t)
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("goroutines", bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	require.NoError(t, err)
	return a
}

// TestManyGoroutinesAreCollapsed: beyond 4096, unless told, the goroutines of a group are one location, with exact sums.
func TestManyGoroutinesAreCollapsed(t *testing.T) {
	const n = 10_000
	x, err := analyzer.Analyze(goroutinesTrace(t, n), analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	invariants(t, x)
	require.Len(t, x.Locations, 2)
	require.Contains(t, x.Warnings, "10,000 goroutines are too many to be shown one by one; added up are worker ×9,999 (--locations)")
	all, err := analyzer.Analyze(goroutinesTrace(t, n), analyzer.Options{Patterns: patterns.All(), Locations: n})
	require.NoError(t, err)
	require.Len(t, all.Locations, n)
	require.NotContains(t, strings.Join(all.Warnings, "\n"), "--locations")
	require.Equal(t, report.Location{Name: "worker", Group: 1, Count: n - 1, GoID: 2, Trace: 1}, x.Locations[1])
	for i, m := range x.Metrics {
		for _, c := range x.Cells(i) {
			r := x.Regions[x.Paths[c.Path].Region]
			if m.Name == "execution" && r.Name == "solve" {
				require.EqualValues(t, (n-1)*5000, c.Value)
			}
			if m.Name == "visits" && r.Name == "solve" {
				require.EqualValues(t, n-1, c.Value)
			}
		}
	}
}

func BenchmarkGoroutines(b *testing.B) {
	a := goroutinesTrace(b, *benchEvents/5)
	memory := uint64(0)
	for b.Loop() {
		memory = max(memory, peak(func() {
			_, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
			require.NoError(b, err)
		}))
	}
	b.ReportMetric(float64(*benchEvents)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(memory)/float64(*benchEvents), "B/event")
}
