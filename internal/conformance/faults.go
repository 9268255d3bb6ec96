package conformance

import (
	"errors"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
)

// presets is portable names.
var presets = []behaviour{
	{"a preset counts as its native event", []string{"describe"}, []Capability{Presets}, func(b *Bench) {
		s := b.set(b.Preset.Single, b.Works[0].Event)
		b.start(s)
		b.do(0, b.N)
		v := b.stop(s)
		b.count(0, b.N, v[0])
		require.Equal(b, v[0], v[1])
		require.Equal(b, b.Preset.Single, s.Events()[0].Name)
		b.close(s)
	}},
	{"a derived preset is computed", []string{"tenth"}, []Capability{Presets}, func(b *Bench) {
		s := b.set(b.Preset.Sum, b.Preset.Difference)
		b.start(s)
		b.do(0, b.N)
		b.do(1, 3*b.N)
		v := b.read(s)
		require.Equal(b, []int64{int64(4 * b.N), int64(-2 * b.N)}, v)
		sum := []int64{1, 1}
		require.NoError(b, s.Accumulate(sum))
		require.Equal(b, []int64{int64(4*b.N) + 1, int64(-2*b.N) + 1}, sum)
		b.do(0, b.N)
		require.Equal(b, []int64{int64(b.N), int64(b.N)}, b.stop(s))
		b.close(s)
	}},
	{"presets share their native events", nil, []Capability{Presets, Limited}, func(b *Bench) {
		s := b.set(b.Preset.Single, b.Preset.Sum, b.Preset.Difference, b.Works[0].Event, b.Works[1].Event)
		b.start(s)
		b.do(0, b.N)
		b.do(1, b.N)
		n := int64(b.N)
		require.Equal(b, []int64{n, 2 * n, 0, n, n}, b.stop(s), "five events on two counters")
		require.NoError(b, s.Remove(b.Preset.Single))
		b.start(s)
		b.do(1, b.N)
		require.Equal(b, []int64{n, -n, 0, n}, b.stop(s))
		b.close(s)
	}},
	{"an unavailable preset is not an unknown one", nil, []Capability{Presets}, func(b *Bench) {
		s := b.Set()
		require.ErrorIs(b, s.Add(b.Preset.Lacking), counters.ErrNoPreset)
		require.ErrorIs(b, s.Add("PAPI_NO_SUCH"), counters.ErrUnknownEvent)
		require.Empty(b, s.Names())
		b.close(s)
	}},
	{"a preset takes a domain", []string{"perf_event_user_kernel"}, []Capability{Presets, Domains}, func(b *Bench) {
		s := b.set(b.Preset.Single+":u", b.Preset.Single+":k")
		b.start(s)
		b.do(0, 2*b.N)
		b.Kernel(b.N)
		v := b.stop(s)
		b.count(0, 2*b.N, v[0])
		b.count(0, b.N, v[1])
		b.close(s)
	}},
}

var errPlanted = errors.New("planted fault")

// faults is what goes wrong.
var faults = []behaviour{
	{"an event that cannot be opened is refused with the reason", nil, []Capability{Faults}, func(b *Bench) {
		for _, reason := range []error{counters.ErrPermission, counters.ErrUnavailable, counters.ErrDescriptors, counters.ErrGone} {
			s := b.set(b.all(1)...)
			b.Break(b.Works[1].Event, reason, nil)
			err := s.Add(b.Works[1].Event)
			require.ErrorIs(b, err, reason)
			require.Contains(b, err.Error(), b.Works[1].Event)
			require.Equal(b, b.all(1), s.Names())
			b.Break(b.Works[1].Event, nil, nil)
			require.NoError(b, s.Add(b.Works[1].Event))
			b.close(s)
		}
	}},
	{"a start that fails leaves the set stopped", nil, []Capability{Faults}, func(b *Bench) {
		s := b.set(b.all(2)...)
		b.Break(b.Works[1].Event, counters.ErrPermission, nil)
		require.ErrorIs(b, s.Start(), counters.ErrPermission)
		require.Equal(b, counters.Stopped, s.State())
		require.ErrorIs(b, s.Read(make([]int64, 2)), counters.ErrNotRunning)
		b.Break(b.Works[1].Event, nil, errPlanted)
		require.ErrorIs(b, s.Start(), errPlanted)
		require.Equal(b, counters.Stopped, s.State())
		b.Break(b.Works[1].Event, nil, nil)
		b.start(s)
		b.do(1, b.N)
		v := b.stop(s)
		b.count(1, b.N, v[1])
		b.Break(b.Works[1].Event, counters.ErrPermission, nil)
		require.ErrorIs(b, s.Start(), counters.ErrPermission)
		require.Equal(b, v, b.read(s), "the counts of the last run are still there")
		b.Break(b.Works[1].Event, nil, errPlanted)
		require.ErrorIs(b, s.Start(), errPlanted)
		require.ErrorIs(b, s.Read(v), counters.ErrNotRunning, "now they are gone, and not zero")
		b.Break(b.Works[1].Event, nil, nil)
		b.close(s)
	}},
	{"a failed reading is not zero", nil, []Capability{Faults}, func(b *Bench) {
		s := b.set(b.all(2)...)
		b.start(s)
		b.do(0, b.N)
		b.Break(b.Works[0].Event, nil, errPlanted)
		v := []int64{-1, -1}
		require.ErrorIs(b, s.Read(v), errPlanted)
		require.Equal(b, []int64{-1, -1}, v)
		b.Break(b.Works[0].Event, nil, nil)
		b.do(0, b.N)
		b.count(0, 2*b.N, b.read(s)[0], "nothing was lost")
		b.Break(b.Works[0].Event, nil, errPlanted)
		require.ErrorIs(b, s.Stop(v), errPlanted)
		require.Equal(b, []int64{-1, -1}, v)
		require.Equal(b, counters.Stopped, s.State())
		b.Break(b.Works[0].Event, nil, nil)
		b.close(s)
	}},
	{"counters that others hold are reported", []string{"nmi_watchdog"}, []Capability{Faults, Limited}, func(b *Bench) {
		b.Take(b.Counters - 1)
		s := b.set(b.all(1)...)
		err := s.Add(b.Works[1].Event)
		require.ErrorIs(b, err, counters.ErrBusy)
		b.Take(0)
		require.NoError(b, s.Add(b.Works[1].Event))
		b.close(s)
	}},
	{"a narrow counter is widened", nil, []Capability{Narrow}, func(b *Bench) {
		s := b.set(b.Narrow)
		require.Less(b, s.Events()[0].Bits, 64)
		full := 1<<s.Events()[0].Bits - 1
		b.start(s)
		for i := 1; i <= 5; i++ { // each begins again at 0 once
			b.Wrap(full)
			require.Equal(b, int64(i*full), b.read(s)[0])
		}
		require.Equal(b, int64(5*full), b.stop(s)[0])
		b.close(s)
	}},
	{"a narrow counter is read before it wraps twice", nil, []Capability{Narrow}, func(b *Bench) {
		s := b.set(b.Narrow)
		half := 1 << (s.Events()[0].Bits - 1)
		b.start(s)
		const rounds = 12
		for range rounds { // nobody reads meanwhile but the set itself
			b.Wrap(half)
			reads := b.Reads() // behind it: one before it does not count
			require.Eventually(b, func() bool { return b.Reads() > reads }, 30*time.Second, time.Millisecond)
		}
		require.Equal(b, int64(rounds*half), b.stop(s)[0])
		b.close(s)
	}},
}
