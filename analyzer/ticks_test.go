package analyzer_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/internal/naive/random"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/tracetext"
	"tracerec/trace/wire"
)

// inOtherTicks returns an archive with a clock of another resolution.
func inOtherTicks(a *trace.Archive, perNanosecond int64) *trace.Archive {
	s := &trace.Source{Header: a.Header(), Definitions: *a.Definitions(), Ticks: trace.Nanoseconds * trace.Ticks(perNanosecond)}
	s.Definitions.Processes = slices.Clone(s.Definitions.Processes)
	for i := range s.Definitions.Processes {
		p := &s.Definitions.Processes[i]
		p.Start, p.End = p.Start*perNanosecond, p.End*perNanosecond
	}
	var pieces [][]trace.Event
	for _, c := range a.Chunks() {
		batches, err := a.NewDecoder().Decode(c, new(trace.Buffer))
		if err != nil {
			panic(err)
		}
		for _, b := range batches {
			for i := range b.Events {
				e := &b.Events[i]
				if e.Time *= perNanosecond; e.Kind == wire.Overhead {
					e.Word *= uint64(perNanosecond)
				}
			}
			s.Chunks = append(s.Chunks, trace.SourceChunk{Location: b.Location, First: b.Events[0].Time, Last: b.Events[len(b.Events)-1].Time, Events: len(b.Events)})
			pieces = append(pieces, b.Events)
		}
	}
	s.Decoder = func() func(int, *trace.Batch) error {
		return func(chunk int, to *trace.Batch) error {
			to.Events = append(to.Events, pieces[chunk]...)
			return nil
		}
	}
	return trace.FromSource(s)
}

// TestTicks: the same events by a finer clock have the same result. Only what was divided may be rounded otherwise.
func TestTicks(t *testing.T) {
	for seed := range uint64(60) {
		a, err := tracetext.Open("random", random.Trace(seed))
		require.NoError(t, err)
		want := analyze(t, a, 1)
		waits := map[int64]int{}
		count := func(sign int) func(*analyzer.Op, *analyzer.Wait) {
			return func(o *analyzer.Op, w *analyzer.Wait) { waits[o.Begin<<32^o.End<<16^w.Begin<<8^w.Release] += sign }
		}
		_, err = analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: count(1)})
		require.NoError(t, err)
		got, err := analyzer.Analyze(inOtherTicks(a, 3), analyzer.Options{Patterns: patterns.All(), Wait: count(-1)})
		require.NoError(t, err)
		for at, n := range waits {
			require.Zero(t, n, "%d", at)
		}
		require.Equal(t, want.Header, got.Header)
		require.Equal(t, want.Split, got.Split)
		require.Equal(t, want.Operations, got.Operations)
		require.Equal(t, want.NeverEnded, got.NeverEnded)
		require.Equal(t, len(want.Findings), len(got.Findings))
		for i, m := range want.Metrics {
			if m.Name == metric.Imbalance || m.Parent == metric.Imbalance || m.Name == metric.CriticalPathImbalance || m.Kind == metric.Counter || m.Kind == metric.More {
				continue // those were divided, and sources have no counters
			}
			require.Equal(t, want.Cells(i), got.Cells(i), m.Name)
		}
		for i := range want.Stats {
			w, g := want.Stats[i], got.Stats[i]
			require.Equal(t, []int64{int64(w.Count), w.Sum, w.Min, w.Max}, []int64{int64(g.Count), g.Sum, g.Min, g.Max})
			require.InDelta(t, w.Mean, g.Mean, 1)
			require.Equal(t, w.Worst, g.Worst)
		}
		for i := range want.Findings {
			w, g := severities(want.Findings[i:]), severities(got.Findings[i:])
			require.Equal(t, w, g)
		}
	}
}

// severities returns what is exact of findings, in an order that does not depend on rounding.
func severities(list []report.Finding) (all []int64) {
	for _, f := range list {
		all = append(all, f.Severity)
	}
	slices.Sort(all)
	return all
}

// TestTickNumbers: ticks are ns rounded towards 0 for times, to the nearest for durations, whatever they are.
func TestTickNumbers(t *testing.T) {
	for _, c := range []struct {
		ticks          trace.Ticks
		n, time, spent int64
	}{
		{2_100_019_902, 2_100_019_902, 1e9, 1e9}, {3e9, 2, 0, 1}, {3e9, 1, 0, 0}, {2e9, 3, 1, 2}, {3e9, -2, 0, -1}, {1e6, 7, 7000, 7000}, {1, 5, 5e9, 5e9},
		{trace.Nanoseconds, math.MinInt64, math.MinInt64, math.MinInt64}, {1, math.MaxInt64, math.MaxInt64, math.MaxInt64}, {1, math.MinInt64, -math.MaxInt64, -math.MaxInt64},
		{math.MaxInt64, math.MaxInt64, 1e9, 1e9},
	} {
		require.Equal(t, c.time, c.ticks.Time(c.n), "%v", c)
		require.Equal(t, c.spent, c.ticks.Duration(c.n), "%v", c)
	}
}
