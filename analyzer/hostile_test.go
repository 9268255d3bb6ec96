package analyzer_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestArbitraryEvents analyzes streams of events that no program could have recorded: levels that do not nest, objects
// of the wrong kind, goroutines that create each other. The invariants hold even there.
func TestArbitraryEvents(t *testing.T) {
	found, all := 0, seeds(200)
	for seed := range all {
		a := arbitraryTrace(t, rand.New(rand.NewPCG(seed, 1)))
		x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: 1})
		require.NoError(t, err)
		if !t.Run("", func(t *testing.T) { invariants(t, x) }) {
			t.Fatalf("seed %d", seed)
		}
		y, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Workers: 3, Memory: 1})
		require.NoError(t, err)
		require.Equal(t, written(t, x), written(t, y))
		found += len(x.Findings)
	}
	require.Greater(t, found, int(all))
}

// arbitraryTrace returns an archive of a few locations with arbitrary events.
func arbitraryTrace(t *testing.T, rng *rand.Rand) *trace.Archive {
	var buf bytes.Buffer
	w, err := trace.NewWriter(&buf, trace.Options{Resolution: 1, ChunkEvents: 1 + rng.IntN(100)})
	require.NoError(t, err)
	p, err := w.AddProcess(trace.ProcessInfo{PID: 1})
	require.NoError(t, err)
	for i := range uint32(4) {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefRegion, ID: i + 1, Name: "r", Line: i}))
		require.NoError(t, p.Define(wire.Def{Type: wire.DefMetric, ID: i + 1, Name: "m"}))
	}
	for i := range uint32(7) {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefObject, ID: i + 1, Object: wire.ObjectKind(i + 1), Size: uint64(rng.IntN(3))}))
	}
	for number := range uint64(2 + rng.IntN(4)) {
		s := stencil{p: p, number: number + 1}
		now := uint64(rng.IntN(20))
		for range 10 + rng.IntN(80) {
			spec := wire.Specs[rng.IntN(len(wire.Specs))]
			if spec.Kind == wire.Time || spec.Kind == wire.End && rng.IntN(20) > 0 {
				continue
			}
			now += uint64(rng.IntN(30))
			id := uint32(rng.IntN(4))
			if spec.ID == wire.RegionID || spec.ID == wire.MetricID {
				id++
			}
			words := make([]uint64, max(0, wire.WordsOf(spec.Kind, id)))
			for i := range words {
				words[i] = wire.ObjectWord(uint32(rng.IntN(8)), uint32(rng.IntN(3)))
			}
			s.event(spec.Kind, id, now, words...)
		}
		s.flush(t)
	}
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("arbitrary", bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	require.NoError(t, err)
	return a
}
