package conformance

import (
	"sync/atomic"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
)

// counting is what counts are.
var counting = []behaviour{
	{"work is counted", []string{"zero", "zero_named", "smoke_tests/simple"}, nil, func(b *Bench) {
		s := b.set(b.all(2)...)
		for round := 1; round <= 3; round++ {
			b.start(s)
			b.do(0, round*b.N)
			b.do(1, b.N)
			v := b.stop(s)
			b.count(0, round*b.N, v[0])
			b.count(1, b.N, v[1])
		}
		b.close(s)
	}},
	{"what happens before start and after stop is not counted", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.do(0, b.N)
		b.start(s)
		b.do(0, 2*b.N)
		v := b.stop(s)
		b.do(0, b.N)
		b.count(0, 2*b.N, v[0])
		require.Equal(b, v, b.read(s))
		b.close(s)
	}},
	{"counting continues after a reading", []string{"first"}, nil, func(b *Bench) {
		s := b.set(b.all(2)...)
		b.start(s)
		for i := 1; i <= 3; i++ {
			b.do(0, b.N)
			v := b.read(s)
			b.count(0, i*b.N, v[0])
			b.count(1, 0, v[1])
		}
		require.NoError(b, s.Reset())
		b.do(1, b.N)
		v := b.stop(s)
		b.count(0, 0, v[0])
		b.count(1, b.N, v[1])
		b.close(s)
	}},
	{"frequent readings change nothing", []string{"papi_tot_ins"}, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.start(s)
		for range 100 {
			b.read(s)
		}
		b.do(0, b.N)
		for range 100 {
			b.read(s)
		}
		b.count(0, b.N, b.stop(s)[0])
		b.close(s)
	}},
	{"start stop read accumulate reset in all orders", []string{"reset"}, nil, rows(counters.Options{})},
	{"readings accumulate and reset", []string{"low-level"}, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		sum := []int64{1000}
		b.start(s)
		b.do(0, b.N)
		require.NoError(b, s.Accumulate(sum))
		b.count(0, b.N+1000, sum[0])
		b.count(0, 0, b.read(s)[0], "accumulating resets")
		b.do(0, b.N)
		b.count(0, b.N, b.read(s)[0], "reading does not")
		require.NoError(b, s.Accumulate(sum))
		b.count(0, 2*b.N+1000, sum[0])
		b.do(0, b.N)
		last := b.stop(s)
		b.count(0, b.N, last[0])
		require.NoError(b, s.Accumulate(sum))
		b.count(0, 3*b.N+1000, sum[0], "of a stopped set, too")
		require.Zero(b, b.read(s)[0])
		b.close(s)
	}},
	{"values are in the order in which the events were added", nil, nil, func(b *Bench) {
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			s := b.Set()
			for _, w := range order {
				require.NoError(b, s.Add(b.Works[w].Event))
			}
			b.start(s)
			for i := range 3 {
				b.do(i, b.N*(i+1))
			}
			v := b.stop(s)
			for i, w := range order {
				b.count(w, b.N*(w+1), v[i])
			}
			b.close(s)
		}
	}},
	{"without work the count is zero", nil, nil, func(b *Bench) {
		s := b.set(b.all(3)...)
		b.start(s)
		for i, v := range b.stop(s) {
			b.count(i, 0, v)
		}
		b.close(s)
	}},
	{"a level may fall", nil, []Capability{Levels}, func(b *Bench) {
		s := b.set(b.Level, b.Works[0].Event)
		b.SetLevel(10)
		b.start(s)
		b.SetLevel(7)
		require.Equal(b, int64(7), b.read(s)[0])
		b.SetLevel(3)
		sum := []int64{100, 100}
		require.NoError(b, s.Accumulate(sum))
		require.Equal(b, []int64{3, 100}, sum, "levels are not added up")
		require.ErrorIs(b, s.OnOverflow(b.Level, 1, counters.OverflowOptions{}, func(counters.Overflow) {}), counters.ErrRunning)
		b.stop(s)
		require.ErrorIs(b, s.OnOverflow(b.Level, 1, counters.OverflowOptions{}, func(counters.Overflow) {}), counters.ErrUnsupported)
		b.close(s)
	}},
	{"readings of an undisturbed goroutine are certain", nil, []Capability{Certainty}, func(b *Bench) {
		certain := 0
		for range 20 { // others may disturb it
			s := b.set(b.all(1)...)
			b.start(s)
			b.do(0, 10)
			b.read(s)
			if s.Certain() {
				certain++
			}
			b.stop(s)
			b.close(s)
		}
		require.Greater(b, certain, 10)
	}},
	{"readings around a disturbance are not certain", nil, []Capability{Certainty, Disturbances}, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.start(s)
		b.do(0, b.N)
		b.Disturb()
		b.count(0, b.N, b.read(s)[0])
		require.False(b, s.Certain())
		b.stop(s)
		require.False(b, s.Certain())
		b.start(s)
		require.True(b, s.Certain(), "a new start is a new chance")
		b.stop(s)
		b.close(s)
	}},
	{"readings by another goroutine say nothing about the owner", nil, []Capability{Certainty}, func(b *Bench) {
		certain := 0
		for range 20 {
			s := b.set(b.all(1)...)
			b.start(s)
			b.do(0, 10)
			before := b.read(s)
			owner := s.Certain()
			v := make([]int64, 1)
			var done atomic.Bool
			go func() {
				defer done.Store(true)
				if s.Read(v) != nil {
					v = nil
				}
			}()
			for !done.Load() { // waiting would be a disturbance
			}
			require.Equal(b, before, v)
			if owner && s.Certain() {
				certain++
			}
			b.stop(s)
			b.close(s)
		}
		require.Greater(b, certain, 10)
	}},
}

// rows is PAPI's test reset: nine ways to get counts, as multiples of half the work.
func rows(o counters.Options) func(b *Bench) {
	return func(b *Bench) {
		s := b.set(b.all(1)...)
		require.NoError(b, s.SetOptions(o))
		half := b.N / 2
		for range 2 { // 1, 2
			b.start(s)
			b.do(0, 2*half)
			b.count(0, 2*half, b.stop(s)[0])
		}
		require.NoError(b, s.Reset()) // 3
		b.start(s)
		b.do(0, 2*half)
		b.count(0, 2*half, b.stop(s)[0])
		b.start(s) // 4
		b.do(0, half)
		b.count(0, half, b.read(s)[0])
		b.do(0, half) // 5
		b.count(0, 2*half, b.read(s)[0])
		b.do(0, half) // 6
		six := b.read(s)
		b.count(0, 3*half, six[0])
		require.NoError(b, s.Accumulate(six))
		b.count(0, 6*half, six[0])
		b.do(0, half) // 7
		b.count(0, half, b.read(s)[0])
		b.do(0, half) // 8
		require.NoError(b, s.Reset())
		b.do(0, half)
		b.count(0, half, b.stop(s)[0])
		require.NoError(b, s.Reset()) // 9
		require.Zero(b, b.read(s)[0])
		b.close(s)
	}
}
