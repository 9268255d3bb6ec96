package conformance

import (
	"runtime"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
)

// collect handles an event's overflows by keeping them.
func (b *Bench) collect(s *counters.EventSet, work int, threshold uint64, o counters.OverflowOptions) *[]counters.Overflow {
	b.Helper()
	var list []counters.Overflow
	require.NoError(b, s.OnOverflow(b.Works[work].Event, threshold, o, func(o counters.Overflow) { list = append(list, o) }))
	return &list
}

// stands adds up the events that overflows stand for.
func stands(list []counters.Overflow) (n int64) {
	for _, o := range list {
		n += int64(o.Count)
	}
	return n
}

// overflows is callbacks on a threshold.
var overflows = []behaviour{
	{"an overflow occurs every so many events", []string{"overflow", "overflow_single_event"}, []Capability{Overflows}, func(b *Bench) {
		s := b.set(b.all(2)...)
		list := b.collect(s, 0, uint64(b.N/10), counters.OverflowOptions{})
		require.Equal(b, counters.Stopped|counters.Overflowing, s.State())
		b.start(s)
		b.do(0, b.N)
		b.do(1, b.N)
		v := b.stop(s)
		b.count(0, b.N, v[0], "counts go on")
		b.count(1, b.N, v[1])
		require.Equal(b, int64(b.N), stands(*list)+int64(s.Lost())*int64(b.N/10))
		require.Len(b, *list, 10-int(s.Lost()))
		b.close(s)
	}},
	{"overflows of two events are told apart", []string{"overflow2", "overflow_twoevents", "overflow_index"}, []Capability{Overflows}, func(b *Bench) {
		s := b.set(b.all(2)...)
		first := b.collect(s, 0, uint64(b.N/10), counters.OverflowOptions{})
		second := b.collect(s, 1, uint64(b.N/5), counters.OverflowOptions{})
		b.start(s)
		b.do(0, b.N)
		b.do(1, b.N)
		b.stop(s)
		require.Len(b, *first, 10)
		require.Len(b, *second, 5)
		for _, o := range *first {
			require.Equal(b, []any{b.Works[0].Event, 0, uint64(b.N / 10)}, []any{o.Event, o.Index, o.Count})
		}
		for _, o := range *second {
			require.Equal(b, []any{b.Works[1].Event, 1, uint64(b.N / 5)}, []any{o.Event, o.Index, o.Count})
		}
		b.close(s)
	}},
	{"fewer events than the threshold do not overflow", nil, []Capability{Overflows}, func(b *Bench) {
		s := b.set(b.all(1)...)
		list := b.collect(s, 0, uint64(b.N+1), counters.OverflowOptions{})
		b.start(s)
		b.do(0, b.N)
		b.stop(s)
		require.Empty(b, *list)
		b.close(s)
	}},
	{"threshold zero removes the handler", nil, []Capability{Overflows}, func(b *Bench) {
		s := b.set(b.all(1)...)
		list := b.collect(s, 0, 1, counters.OverflowOptions{})
		require.NoError(b, s.OnOverflow(b.Works[0].Event, 0, counters.OverflowOptions{}, nil))
		require.Equal(b, counters.Stopped, s.State())
		b.start(s)
		b.do(0, b.N)
		b.stop(s)
		require.Empty(b, *list)
		b.close(s)
	}},
	{"handlers read the values", []string{"overflow_values"}, []Capability{Overflows}, func(b *Bench) {
		s := b.set(b.all(1)...)
		var values []int64
		v := make([]int64, 1)
		require.NoError(b, s.OnOverflow(b.Works[0].Event, uint64(b.N/5), counters.OverflowOptions{}, func(counters.Overflow) {
			if s.Read(v) == nil {
				values = append(values, v[0])
			}
		}))
		b.start(s)
		b.do(0, b.N)
		b.Settle()
		end := b.stop(s)[0]
		require.Len(b, values, 5)
		for i, v := range values {
			require.GreaterOrEqual(b, v, int64((i+1)*b.N/5))
			require.LessOrEqual(b, v, end)
		}
		b.close(s)
	}},
	{"handlers run one at a time", []string{"krentel_pthreads", "krentel_pthreads_race"}, []Capability{Overflows}, func(b *Bench) {
		s := b.set(b.all(2)...)
		var in, together, calls atomic.Int64
		for _, w := range b.Works[:2] {
			require.NoError(b, s.OnOverflow(w.Event, uint64(b.N/10), counters.OverflowOptions{}, func(counters.Overflow) {
				if in.Add(1) > 1 {
					together.Add(1)
				}
				calls.Add(1)
				runtime.Gosched()
				in.Add(-1)
			}))
		}
		b.start(s)
		for range 10 {
			b.do(0, b.N/10)
			b.do(1, b.N/10)
		}
		b.stop(s)
		require.Equal(b, int64(20), calls.Load()+int64(s.Lost()))
		require.Zero(b, together.Load())
		b.close(s)
	}},
	{"a handler cannot stop its set", nil, []Capability{Overflows}, func(b *Bench) {
		s := b.set(b.all(1)...)
		var refused error
		require.NoError(b, s.OnOverflow(b.Works[0].Event, uint64(b.N), counters.OverflowOptions{}, func(counters.Overflow) { refused = s.Stop(nil) }))
		b.start(s)
		b.do(0, b.N)
		b.count(0, b.N, b.stop(s)[0])
		require.ErrorIs(b, refused, counters.ErrState)
		b.close(s)
	}},
	{"handlers of events outside of the set are refused", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		f := func(counters.Overflow) {}
		require.ErrorIs(b, s.OnOverflow(b.Works[1].Event, 1, counters.OverflowOptions{}, f), counters.ErrNotInSet)
		require.ErrorIs(b, s.OnOverflow(b.Works[0].Event, 1, counters.OverflowOptions{}, nil), counters.ErrInvalid)
		b.start(s)
		require.ErrorIs(b, s.OnOverflow(b.Works[0].Event, 1, counters.OverflowOptions{}, f), counters.ErrRunning)
		b.stop(s)
		b.close(s)
	}},
	{"every start counts towards the threshold from zero", []string{"child_overflow"}, []Capability{Overflows}, func(b *Bench) {
		s := b.set(b.all(1)...)
		list := b.collect(s, 0, uint64(b.N/5), counters.OverflowOptions{})
		for range 3 {
			*list = nil
			b.start(s)
			b.do(0, b.N)
			b.stop(s)
			require.Len(b, *list, 5)
		}
		b.close(s)
	}},
	{"each thread has its own overflows", []string{"overflow_pthreads"}, []Capability{Overflows}, func(b *Bench) {
		const n = 4
		calls, errs := make([]int, n), make([]error, n)
		together(n, func(i int) {
			s := b.Set()
			errs[i] = s.Add(b.Works[0].Event)
			if errs[i] == nil {
				errs[i] = s.OnOverflow(b.Works[0].Event, uint64(b.N/10), counters.OverflowOptions{}, func(counters.Overflow) { calls[i]++ })
			}
			if errs[i] == nil {
				errs[i] = s.Start()
			}
			if errs[i] == nil {
				b.do(0, b.N/10*(i+1))
			}
			if err := s.Close(); errs[i] == nil {
				errs[i] = err
			}
		})
		for i := range n {
			require.NoError(b, errs[i])
			require.Equal(b, i+1, calls[i])
		}
	}},
	{"overflows report the program counter", []string{"overflow"}, []Capability{Overflows, PCs}, func(b *Bench) {
		s := b.set(b.all(1)...)
		list := b.collect(s, 0, uint64(b.N/10), counters.OverflowOptions{})
		b.start(s)
		low, high := b.DoAt(b.N)
		b.stop(s)
		require.NotEmpty(b, *list)
		for _, o := range *list {
			require.True(b, o.PC >= low && o.PC < high, "%#x is not from %#x to %#x", o.PC, low, high)
			require.NotZero(b, o.Thread)
		}
		b.close(s)
	}},
	{"a timer emulates overflows", []string{"overflow_force_software"}, []Capability{Emulation}, func(b *Bench) {
		s := b.set(b.all(2)...)
		threshold := uint64(b.N / 20)
		list := b.collect(s, 0, threshold, counters.OverflowOptions{Software: true, Interval: time.Millisecond})
		b.start(s)
		for range 20 {
			b.do(0, b.N/20)
			b.Pass(5 * time.Millisecond)
			b.Settle()
		}
		v := b.stop(s)
		b.count(0, b.N, v[0])
		require.GreaterOrEqual(b, len(*list), 5, "within a factor of four of the number there are")
		require.LessOrEqual(b, len(*list), 20)
		require.LessOrEqual(b, stands(*list), v[0])
		require.GreaterOrEqual(b, stands(*list), v[0]*3/4)
		for _, o := range *list {
			require.GreaterOrEqual(b, o.Count, threshold)
			require.Less(b, o.Excess, o.Count, "the next threshold was not reached")
		}
		b.close(s)
	}},
	{"a reset counts towards the threshold from zero", nil, []Capability{Emulation}, func(b *Bench) {
		s := b.set(b.all(1)...)
		list := b.collect(s, 0, uint64(b.N), counters.OverflowOptions{Software: true})
		b.start(s)
		for i := 1; i <= 3; i++ {
			b.do(0, b.N+b.N/2)
			b.Pass(5 * time.Millisecond)
			b.Settle()
			require.NoError(b, s.Reset())
		}
		b.stop(s)
		require.Len(b, *list, 3)
		b.close(s)
	}},
	{"removing an event removes its handler", nil, []Capability{Overflows}, func(b *Bench) {
		s := b.set(b.all(1)...)
		list := b.collect(s, 0, 1, counters.OverflowOptions{})
		require.NoError(b, s.Remove(b.Works[0].Event))
		require.Equal(b, counters.Stopped, s.State())
		require.NoError(b, s.Add(b.Works[0].Event))
		b.start(s)
		b.do(0, b.N)
		b.count(0, b.N, b.stop(s)[0])
		require.Empty(b, *list)
		b.close(s)
	}},
	{"all events of a full set overflow", []string{"overflow_allcounters"}, []Capability{Overflows, Emulation, Limited}, func(b *Bench) {
		s := b.set(b.all(b.Counters)...)
		var lists []*[]counters.Overflow
		for i := range b.Counters {
			lists = append(lists, b.collect(s, i, uint64(b.N/10), counters.OverflowOptions{}))
		}
		b.start(s)
		for i := range b.Counters {
			b.do(i, b.N)
			b.Pass(5 * time.Millisecond)
			b.Settle()
		}
		for i, v := range b.stop(s) {
			b.count(i, b.N, v)
			require.Equal(b, int64(b.N), stands(*lists[i]), "by a counter or by the timer")
		}
		b.close(s)
	}},
	{"derived presets overflow by the timer", nil, []Capability{Emulation, Presets}, func(b *Bench) {
		s := b.set(b.Preset.Sum)
		calls := 0
		require.NoError(b, s.OnOverflow(b.Preset.Sum, uint64(b.N), counters.OverflowOptions{}, func(counters.Overflow) { calls++ }))
		b.start(s)
		b.do(0, b.N/2)
		b.Pass(5 * time.Millisecond)
		b.Settle()
		require.Zero(b, calls)
		b.do(1, b.N)
		b.Pass(5 * time.Millisecond)
		b.Settle()
		b.stop(s)
		require.Equal(b, 1, calls)
		b.close(s)
	}},
}

// profiles is histograms over program counters.
var profiles = []behaviour{
	{"a profile finds the code that did the work", []string{"profile", "sprofile"}, []Capability{Overflows, PCs}, func(b *Bench) {
		s := b.set(b.all(1)...)
		low, high := b.DoAt(0)
		h, err := s.Profile(b.Works[0].Event, uint64(b.N/10), counters.ProfileOptions{Regions: []counters.Region{{Low: low, High: high}}})
		require.NoError(b, err)
		require.Equal(b, counters.Stopped|counters.Profiling, s.State())
		b.start(s)
		b.DoAt(b.N)
		b.stop(s)
		counted, outside, unknown, dropped := h.Samples()
		require.Equal(b, []uint64{10 - s.Lost(), 0, 0, 0}, []uint64{counted, outside, unknown, dropped})
		var sum uint64
		for _, k := range h.Buckets() {
			require.True(b, k.Low >= low && k.Low < high)
			sum += k.Value
		}
		require.Equal(b, counted, sum)
		b.close(s)
	}},
	{"buckets may cover single bytes and have other widths", []string{"byte_profile"}, []Capability{Overflows, PCs}, func(b *Bench) {
		for _, bits := range []int{16, 32, 64} {
			s := b.set(b.all(1)...)
			low, high := b.DoAt(0)
			h, err := s.Profile(b.Works[0].Event, uint64(b.N/10), counters.ProfileOptions{Bits: bits, Weighted: true,
				Regions: []counters.Region{{Low: low, High: high, Scale: 0x20000}}})
			require.NoError(b, err)
			b.start(s)
			b.DoAt(b.N)
			b.stop(s)
			var sum uint64
			for _, k := range h.Buckets() {
				sum += k.Value
			}
			require.Equal(b, uint64(b.N)-s.Lost()*uint64(b.N/10), sum, "weighted by events")
			b.close(s)
		}
	}},
	{"two events have separate profiles", []string{"profile_twoevents"}, []Capability{Overflows, PCs}, func(b *Bench) {
		s := b.set(b.all(2)...)
		one, err := s.Profile(b.Works[0].Event, uint64(b.N/10), counters.ProfileOptions{})
		require.NoError(b, err)
		two, err := s.Profile(b.Works[1].Event, uint64(b.N/5), counters.ProfileOptions{})
		require.NoError(b, err)
		b.start(s)
		b.do(0, b.N)
		b.do(1, b.N)
		b.stop(s)
		first, _, _, _ := one.Samples()
		second, _, _, _ := two.Samples()
		require.Equal(b, []uint64{10, 5}, []uint64{first, second})
		b.close(s)
	}},
	{"each thread has its own profile", []string{"profile_pthreads"}, []Capability{Overflows, PCs}, func(b *Bench) {
		const n = 3
		counted, errs := make([]uint64, n), make([]error, n)
		together(n, func(i int) {
			s := b.Set()
			defer s.Close()
			if errs[i] = s.Add(b.Works[0].Event); errs[i] != nil {
				return
			}
			var h *counters.Histogram
			if h, errs[i] = s.Profile(b.Works[0].Event, uint64(b.N/10), counters.ProfileOptions{}); errs[i] != nil {
				return
			}
			if errs[i] = s.Start(); errs[i] != nil {
				return
			}
			b.do(0, b.N/10*(i+2))
			errs[i] = s.Stop(nil)
			counted[i], _, _, _ = h.Samples()
		})
		for i := range n {
			require.NoError(b, errs[i])
			require.Equal(b, uint64(i+2), counted[i])
		}
	}},
}
