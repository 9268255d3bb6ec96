package tracetest_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/internal/tracetest"
	"tracerec/patterns"
	"tracerec/trace"
)

// Archives of all shapes have the events that were asked for, and nothing in them is odd.
func TestShapes(t *testing.T) {
	const events = 20_000
	waits := map[string]string{"locks": "lock_competition", "pingpong": "late_sender", "fanin": "full_buffer", "select": "late_sender", "pipeline": "late_sender"}
	for _, s := range tracetest.Shapes {
		t.Run(s.Name, func(t *testing.T) {
			a := archive(t, &s, events)
			x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Locations: 1 << 20})
			require.NoError(t, err)
			require.Empty(t, x.Warnings)
			require.InDelta(t, events, float64(x.Header.Events), events/50)
			if name := waits[s.Name]; name != "" {
				require.NotEmpty(t, x.Cells(x.MetricIndex(name)), name)
			}
		})
	}
}

// archive returns an archive of a shape.
func archive(t testing.TB, s *tracetest.Shape, events int) *trace.Archive {
	var buf bytes.Buffer
	w, err := trace.NewWriter(&buf, trace.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Write(w, events, 1))
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("shape", bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	require.NoError(t, err)
	require.Empty(t, a.Problems())
	return a
}

// The profile of this benchmark is what the compiler optimizes expert for: see the target profile of the Makefile.
func BenchmarkAnalyze(b *testing.B) {
	const events = 1_000_000
	for _, s := range tracetest.Shapes {
		a := archive(b, &s, events)
		b.Run(s.Name, func(b *testing.B) {
			for b.Loop() {
				_, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
				require.NoError(b, err)
			}
			b.ReportMetric(events*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
