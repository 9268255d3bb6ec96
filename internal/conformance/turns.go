package conformance

import (
	"errors"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
)

// multiplexed returns a set of all of Many that take turns.
func (b *Bench) multiplexed() *counters.EventSet {
	b.Helper()
	s := b.Set()
	require.NoError(b, b.ask(s))
	require.NoError(b, s.AddAll(b.Many...))
	return s
}

// ask asks for multiplexing.
func (b *Bench) ask(s *counters.EventSet) error {
	if b.Turns != nil {
		return s.SetMultiplexing(*b.Turns)
	}
	return s.SetOptions(counters.Options{Multiplex: true})
}

// near asserts that estimates are near the truth.
func (b *Bench) near(truth, got []int64) {
	b.Helper()
	for i := range truth {
		require.InEpsilon(b, truth[i], got[i], b.Loose, "%s: %v estimated of %v", b.Many[i], got, truth)
	}
}

// turns is more events than counters.
var turns = []behaviour{
	{"events are multiplexed only on request", []string{"multiplex1", "multiplex2", "max_multiplex"}, []Capability{Turns}, func(b *Bench) {
		s := b.Set()
		err := s.AddAll(b.Many...)
		require.True(b, errors.Is(err, counters.ErrConflict) || errors.Is(err, counters.ErrNoCounters), "%v", err)
		require.NoError(b, b.ask(s))
		require.Equal(b, counters.Stopped|counters.Multiplexed, s.State())
		require.NoError(b, s.AddAll(b.Many...))
		b.start(s)
		require.Equal(b, counters.Running|counters.Multiplexed, s.State())
		b.Mix(s, 4)
		for i, v := range b.stop(s) {
			require.Positive(b, v, b.Many[i])
		}
		b.close(s)
	}},
	{"multiplexing can be requested after events were added", []string{"multiplex1"}, []Capability{Turns}, func(b *Bench) {
		s := b.set(b.Many[0])
		require.NoError(b, b.ask(s))
		require.NoError(b, s.AddAll(b.Many[1:]...))
		err := s.SetOptions(counters.Options{})
		require.True(b, errors.Is(err, counters.ErrConflict) || errors.Is(err, counters.ErrNoCounters), "%v", err)
		require.True(b, s.Options().Multiplex, "they do not fit without")
		b.start(s)
		b.Mix(s, 4)
		require.Len(b, b.stop(s), len(b.Many))
		b.close(s)
	}},
	{"estimates are near the truth", []string{"sdsc-mpx", "sdsc2", "sdsc4-mpx", "branches"}, []Capability{Turns}, func(b *Bench) {
		s := b.multiplexed()
		b.start(s)
		truth := b.Mix(s, 10)
		b.near(truth, b.stop(s))
		b.close(s)
	}},
	{"estimates never fall", []string{"mendes-alt"}, []Capability{Turns}, func(b *Bench) {
		s := b.multiplexed()
		b.start(s)
		b.Mix(s, 1)
		last := b.read(s)
		for range 6 {
			b.Mix(s, 1)
			v := b.read(s)
			for i := range v {
				require.GreaterOrEqual(b, v[i], last[i])
			}
			last = v
		}
		v := b.stop(s)
		for i := range v {
			require.GreaterOrEqual(b, v[i], last[i])
		}
		b.close(s)
	}},
	{"an event without a turn is marked", []string{"multiplex2"}, []Capability{Turns}, func(b *Bench) {
		s := b.multiplexed()
		b.start(s)
		b.Moment(s)
		v := make([]int64, len(b.Many))
		require.ErrorIs(b, s.Read(v), counters.ErrNoData)
		quality, err := s.Quality()
		require.NoError(b, err)
		missing := 0
		for _, q := range quality {
			if q.Share == 0 {
				missing++
				require.False(b, q.Enough)
			}
		}
		require.NotZero(b, missing)
		require.Less(b, missing, len(b.Many))
		require.ErrorIs(b, s.Stop(v), counters.ErrNoData)
		require.Equal(b, counters.Stopped|counters.Multiplexed, s.State())
		b.close(s)
	}},
	{"estimates report their quality", nil, []Capability{Turns}, func(b *Bench) {
		s := b.multiplexed()
		b.start(s)
		for range 10 { // from slice to slice it is seen how much rates vary
			b.Mix(s, 1)
			b.read(s)
		}
		b.stop(s)
		quality, err := s.Quality()
		require.NoError(b, err)
		sum := 0.0
		for _, q := range quality {
			require.True(b, q.Share > 0 && q.Share < 1, "%v", quality)
			require.True(b, q.Enough)
			require.True(b, q.Error >= 0 && q.Error < 1e6, "%v", quality)
			sum += q.Share
		}
		require.InEpsilon(b, b.Counters, sum, 0.3, "all counters were used all the time")
		b.close(s)
	}},
	{"events that fit are counted without estimates", nil, []Capability{Turns}, func(b *Bench) {
		s := b.set(b.all(2)...)
		require.NoError(b, b.ask(s))
		b.start(s)
		b.do(0, b.N)
		v := b.stop(s)
		b.count(0, b.N, v[0])
		b.count(1, 0, v[1])
		quality, err := s.Quality()
		require.NoError(b, err)
		require.Equal(b, counters.Quality{Share: 1, Enough: true}, quality[0])
		b.close(s)
	}},
	{"a multiplexed set disturbs no other", []string{"multiplex1", "multiplex3_pthreads"}, []Capability{Turns}, func(b *Bench) {
		single := b.set(b.all(1)...)
		b.start(single)
		b.do(0, b.N)
		before := b.read(single)[0]
		s := b.multiplexed()
		b.start(s)
		truth := b.Mix(s, 3)
		b.stop(s)
		b.close(s)
		own := int64(0)
		for i, name := range b.Many {
			if name == b.Works[0].Event {
				own = truth[i]
			}
		}
		require.Equal(b, before+own, b.stop(single)[0])
		b.close(single)
	}},
	{"multiplexed sets overlap", []string{"multiplex1"}, []Capability{Turns}, func(b *Bench) {
		first, second := b.multiplexed(), b.multiplexed()
		b.start(first)
		before := b.Mix(first, 5)
		b.start(second)
		both := b.Mix(first, 10)
		b.near(both, b.stop(second))
		b.close(second)
		third := b.multiplexed()
		b.start(third)
		after := b.Mix(first, 10)
		b.near(after, b.stop(third))
		for i := range both {
			both[i] += before[i] + after[i]
		}
		b.near(both, b.stop(first))
		b.close(first, third)
	}},
	{"a multiplexed set can be reset", []string{"reset_multiplex"}, []Capability{Turns}, rows(counters.Options{Multiplex: true})},
	{"a reset begins a new estimate", []string{"reset_multiplex"}, []Capability{Turns}, func(b *Bench) {
		s := b.multiplexed()
		b.start(s)
		b.Mix(s, 10)
		require.NoError(b, s.Reset())
		truth := b.Mix(s, 10)
		b.near(truth, b.stop(s))
		b.close(s)
	}},
	{"each thread takes its own turns", []string{"multiplex1_pthreads", "kufrin"}, []Capability{Turns}, func(b *Bench) {
		for range 2 {
			elsewhere(func() {
				s := b.multiplexed()
				b.start(s)
				truth := b.Mix(s, 8)
				b.near(truth, b.stop(s))
				b.close(s)
			})
		}
	}},
}
