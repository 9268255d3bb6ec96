package trace

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// manyLocations is an archive of n goroutines with a region each.
func manyLocations(t testing.TB, n uint64) []byte {
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{})
	require.NoError(t, err)
	p, err := w.AddProcess(ProcessInfo{Frequency: 3e9})
	require.NoError(t, err)
	for id := range uint32(2) {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefRegion, ID: id + 1, Name: "work"}))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	now := uint64(0)
	for l := range n {
		now += rng.Uint64N(3000)
		require.NoError(t, p.Chunk(RawChunk{Location: l + 1, GoID: 20 + l, Base: now, Words: []uint64{wire.Head(wire.Begin, 1, 100), 1,
			wire.Head(wire.Enter, 2, rng.Uint64N(500)), wire.Head(wire.Exit, 0, 1000+rng.Uint64N(5000)), wire.Head(wire.End, 0, rng.Uint64N(300))}}))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// TestManySmallLocations: a location of four events must cost only a few bytes.
func TestManySmallLocations(t *testing.T) {
	const n = 100000
	b := manyLocations(t, n)
	size := float64(len(b)) / n
	t.Logf("%.2f bytes per location", size)
	require.Less(t, size, 8.0)
	a := open(t, b)
	require.Len(t, a.Definitions().Locations, n)
	require.Empty(t, a.Check())
}

func BenchmarkOpenManyLocations(b *testing.B) {
	data := manyLocations(b, 1000000)
	b.ReportAllocs()
	for b.Loop() {
		open(b, data)
	}
}
