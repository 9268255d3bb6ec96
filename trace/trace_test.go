package trace

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// testEvent is an event as a test expects it back, with process-local numbers.
type testEvent struct {
	location uint64
	e        Event
	values   []uint64
}

// testArchive writes a random archive of 1 ns resolution and returns it with the events of each location
// in order. Objects have ids 1 to 9, regions 1 to 20, metrics 1 to 3.
func testArchive(t testing.TB, rng *rand.Rand, pieces, perPiece, chunkEvents int) ([]byte, map[uint64][]testEvent) {
	return testArchiveOf(t, rng, Options{Resolution: 1, ChunkEvents: chunkEvents, Wall: 1e18}, pieces, perPiece)
}

func testArchiveOf(t testing.TB, rng *rand.Rand, o Options, pieces, perPiece int) ([]byte, map[uint64][]testEvent) {
	var out bytes.Buffer
	w, err := NewWriter(&out, o)
	require.NoError(t, err)
	p, err := w.AddProcess(ProcessInfo{PID: 7, Args: []string{"./app", "-x"}})
	require.NoError(t, err)
	for id := uint32(1); id <= 20; id++ {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefRegion, ID: id, Name: "r", Func: "main.f", File: "f.go", Line: id}))
	}
	for id := uint32(1); id <= 9; id++ {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefObject, ID: id, Object: wire.Channel, Size: uint64(id), Region: id}))
	}
	for id := uint32(1); id <= 3; id++ {
		require.NoError(t, p.Define(wire.Def{Type: wire.DefMetric, ID: id, Name: "m", Unit: "1"}))
	}
	want := map[uint64][]testEvent{}
	seq, now := map[uint64]uint64{}, map[uint64]uint64{}
	for range pieces {
		l := 1 + rng.Uint64N(5)
		c := RawChunk{Location: l, GoID: l * 10, Seq: seq[l], Base: now[l]}
		seq[l]++
		for range perPiece {
			s := wire.Specs[rng.IntN(len(wire.Specs))]
			if s.Kind == wire.Time {
				now[l] += rng.Uint64N(1 << 38)
				c.Words = append(c.Words, wire.Head(wire.Time, 0, 0), now[l])
				continue
			}
			delta := rng.Uint64N(1 << rng.UintN(37))
			now[l] += delta
			e := testEvent{location: l, e: Event{Kind: s.Kind, Time: int64(now[l])}}
			var words []uint64
			switch s.ID {
			case wire.RegionID:
				e.e.ID = 1 + rng.Uint32N(20)
			case wire.MetricID:
				e.e.ID = 1 + rng.Uint32N(3)
			case wire.CountID:
				e.e.ID = rng.Uint32N(4)
				for range e.e.ID {
					words = append(words, rng.Uint64()>>rng.UintN(64))
				}
				e.values = words
			}
			if len(s.Words) > 0 && s.ID != wire.CountID {
				v := rng.Uint64N(1 << 40)
				switch class := classOf[s.Kind]; {
				case class.hasObject():
					v = wire.ObjectWord(rng.Uint32N(10), rng.Uint32())
					if s.Kind == wire.LockBegin {
						v &^= uint64(wire.AtOnce) << 32
					}
				case class == placeWord:
					v = rng.Uint64N(6)
				}
				e.e.Word = v
				words = []uint64{v}
			}
			want[l] = append(want[l], e)
			if s.Kind == wire.LockBegin && rng.IntN(2) == 0 {
				words[0] |= uint64(wire.AtOnce) << 32
				want[l] = append(want[l], testEvent{location: l, e: Event{Time: e.e.Time, Kind: wire.Leave}})
			}
			c.Words = append(append(c.Words, wire.Head(s.Kind, e.e.ID, delta)), words...)
		}
		c.Words = append(c.Words, 0, 12345)
		require.NoError(t, p.Chunk(c))
		if rng.IntN(4) == 0 {
			require.NoError(t, w.Flush())
		}
	}
	require.NoError(t, p.Exited(3, Stamp{Ticks: 1 << 50, Mono: 1 << 50}))
	require.NoError(t, w.Close())
	for _, events := range want { // a location without events is none
		for i := range events {
			if e := &events[i].e; classOf[e.Kind] == placeWord && want[e.Word] == nil {
				e.Word = 0
			}
		}
	}
	return out.Bytes(), want
}

func open(t testing.TB, b []byte) *Archive {
	a, err := OpenReader("test", bytes.NewReader(b), int64(len(b)))
	require.NoError(t, err)
	return a
}

// readAll decodes everything and undoes the translation of numbers.
func readAll(t testing.TB, a *Archive) map[uint64][]testEvent {
	got := map[uint64][]testEvent{}
	d := a.NewDecoder()
	var buf Buffer
	defs := a.Definitions()
	for _, c := range a.Chunks() {
		batches, err := d.Decode(c, &buf)
		require.NoError(t, err)
		require.Len(t, batches, len(c.Locations))
		for i, b := range batches {
			require.Equal(t, c.Locations[i], b.Location)
			l := defs.Locations[b.Location].Number
			for _, e := range b.Events {
				require.True(t, e.Time >= c.First && e.Time <= c.Last)
				var values []uint64
				if v := b.CounterValues(e); len(v) > 0 {
					values = append(values, v...)
				}
				switch spec, _ := wire.SpecOf(e.Kind); spec.ID {
				case wire.RegionID:
					e.ID = uint32(defs.Regions[e.ID].Line)
				case wire.MetricID:
					e.ID++
				case wire.CountID:
					e.Word = 0
				}
				if classOf[e.Kind] == placeWord && e.Word > 0 {
					e.Word = defs.Locations[e.Other()].Number
				}
				got[l] = append(got[l], testEvent{l, e, values})
			}
		}
	}
	return got
}

func requireSame(t testing.TB, want, got map[uint64][]testEvent) {
	require.Len(t, got, len(want))
	for l := range want {
		require.Len(t, got[l], len(want[l]))
		for i := range want[l] {
			require.Equal(t, want[l][i], got[l][i])
		}
	}
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		b, want := testArchive(t, rng, 1+rng.IntN(40), rng.IntN(300), 1+rng.IntN(400))
		a := open(t, b)
		require.Empty(t, a.Problems())
		require.True(t, a.Header().Complete)
		requireSame(t, want, readAll(t, a))
		require.Equal(t, 3, a.Definitions().Processes[0].Exit)
	}
}

// TestPlain: an archive is longer if nothing is compressed, or less of it, and has the same events.
func TestPlain(t *testing.T) {
	var sizes []int
	for _, plain := range []int64{0, 4000, 1 << 40} {
		b, want := testArchiveOf(t, rand.New(rand.NewPCG(1, 3)), Options{Resolution: 1, ChunkEvents: 300, Plain: plain}, 30, 50)
		requireSame(t, want, readAll(t, open(t, b)))
		sizes = append(sizes, len(b))
	}
	require.IsNonDecreasing(t, sizes)
	require.Less(t, sizes[0], sizes[2])
}

func TestMergeIsOrdered(t *testing.T) {
	b, want := testArchive(t, rand.New(rand.NewPCG(1, 2)), 30, 50, 64)
	a := open(t, b)
	m := a.Merge()
	last := struct {
		time int64
		l    LocationID
	}{-1, 0}
	seen := map[uint64]int{}
	for {
		l, e, _, err := m.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		require.True(t, e.Time > last.time || e.Time == last.time && l >= last.l)
		last.time, last.l = e.Time, l
		n := a.Definitions().Locations[l].Number
		require.Equal(t, want[n][seen[n]].e.Kind, e.Kind)
		seen[n]++
	}
	for n, events := range want {
		require.Equal(t, len(events), seen[n])
	}
}
