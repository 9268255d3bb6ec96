package analyzer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// Events are what they were once they were packed, whatever they say, those of several chunks one behind the other, beyond the blocks of memory.
func TestPacked(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	number := func() uint64 { return r.Uint64() >> r.IntN(64) }
	var s stream
	var chunks []packedChunk
	var want []trace.Batch
	for range 200 {
		var list []trace.Event
		for range r.IntN(2000) {
			list = append(list, trace.Event{Time: int64(number()), Word: number(), ID: uint32(number()), Kind: wire.Kind(number())})
		}
		list = append(list, trace.Event{Time: math.MinInt64, Word: math.MaxUint64, ID: math.MaxUint32, Kind: math.MaxUint8}, trace.Event{Time: math.MaxInt64})
		b := trace.Batch{Events: list}
		for range r.IntN(100) {
			b.Values = append(b.Values, number())
		}
		chunks = append(chunks, packedChunk{&s, s.at(), len(list), len(b.Values)})
		s.pack(&b)
		want = append(want, b)
	}
	require.Greater(t, len(s.blocks), 2)
	for i := range chunks {
		var got trace.Batch
		chunks[i].unpack(&got)
		require.Equal(t, want[i], got)
	}
}

// Events that begin and end regions, which most are, take few bytes.
func TestPackedSize(t *testing.T) {
	var s stream
	var list []trace.Event
	for i := range 1000 {
		list = append(list, trace.Event{Time: int64(i)*2000 + 500, Kind: wire.Enter, ID: uint32(i % 100)}, trace.Event{Time: int64(i)*2000 + 1500, Kind: wire.Exit})
	}
	s.pack(&trace.Batch{Events: list})
	require.Equal(t, 5*len(list), len(s.blocks[0]), "kind, two bytes of time, id, word")
}

// Encounters of each location are in order, however they came, and however many pieces in order they were.
func TestSortedEncounters(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 300 {
		locations, n := 1+r.IntN(5), r.IntN(300)
		s := &scan{locations: make([]location, locations), workers: make([]*scanner, 1+r.IntN(3))}
		var a assembly
		pieces := 1 + r.IntN(1+n)
		for i := range n {
			a.meetings = append(a.meetings, meeting{object: uint32(r.IntN(3))})
			a.encounters = append(a.encounters, encounter{at: int64(i % pieces), order: int64(r.IntN(3)), wait: int64(r.IntN(3)), loc: uint32(r.IntN(locations)), of: int32(r.IntN(i + 1))})
		}
		want := slices.Clone(a.encounters)
		slices.SortStableFunc(want, func(x, y encounter) int {
			if x.loc != y.loc {
				return int(x.loc) - int(y.loc)
			}
			return a.compare(&x, &y)
		})
		a.sort(s)
		require.Equal(t, want, a.encounters[:n])
		require.Equal(t, int32(n), a.first[locations])
		for i, e := range a.encounters {
			require.True(t, a.first[e.loc] <= int32(i) && int32(i) < a.first[e.loc+1])
		}
	}
}
