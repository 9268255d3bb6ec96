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

// TestManySymbols: what comes before and behind the 256th symbol of a chunk is read as it was written.
func TestManySymbols(t *testing.T) {
	const regions = 300
	var out bytes.Buffer
	w, err := NewWriter(&out, Options{})
	require.NoError(t, err)
	p, err := w.AddProcess(ProcessInfo{})
	require.NoError(t, err)
	words := []uint64{wire.Head(wire.Time, 0, 0), 100}
	var want []uint32
	enter := func(region uint32) {
		words, want = append(words, wire.Head(wire.Enter, region+1, 64), wire.Head(wire.Exit, 0, 64)), append(want, region)
	}
	for region := range uint32(regions) {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefRegion, ID: region + 1, Name: "work", Line: region}))
		enter(region)
	}
	enter(0)
	require.NoError(t, p.Chunk(RawChunk{Location: 1, GoID: 1, Words: words}))
	require.NoError(t, w.Close())
	a := open(t, out.Bytes())
	require.Len(t, a.Chunks(), 1)
	batches, err := a.NewDecoder().Decode(a.Chunks()[0], new(Buffer))
	require.NoError(t, err)
	var got []uint32
	for _, e := range batches[0].Events {
		if e.Kind == wire.Enter {
			got = append(got, uint32(a.Definitions().Regions[e.ID].Line))
		}
	}
	require.Equal(t, want, got)
}
