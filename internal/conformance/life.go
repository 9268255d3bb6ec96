package conformance

import (
	"errors"
	"runtime"
	"strings"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
)

// life is the life cycle of sets and its errors.
var life = []behaviour{
	{"an empty set cannot be started", nil, nil, func(b *Bench) {
		s := b.Set()
		require.ErrorIs(b, s.Start(), counters.ErrEmpty)
		b.close(s)
	}},
	{"a set reports its state", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		require.Equal(b, counters.Stopped, s.State())
		b.start(s)
		require.Equal(b, counters.Running, s.State())
		b.stop(s)
		require.Equal(b, counters.Stopped, s.State())
		b.close(s)
		require.Zero(b, s.State())
	}},
	{"starting a running set is refused", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.start(s)
		require.ErrorIs(b, s.Start(), counters.ErrRunning)
		b.do(0, b.N)
		b.count(0, b.N, b.stop(s)[0], "the set has run on")
		b.close(s)
	}},
	{"stopping a stopped set is refused", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		require.ErrorIs(b, s.Stop(nil), counters.ErrNotRunning)
		b.start(s)
		b.stop(s)
		require.ErrorIs(b, s.Stop(nil), counters.ErrNotRunning)
		b.close(s)
	}},
	{"a set that never ran cannot be read", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		v := make([]int64, 1)
		for _, err := range []error{s.Read(v), s.Accumulate(v), s.Reset()} {
			require.ErrorIs(b, err, counters.ErrNotRunning)
		}
		b.close(s)
	}},
	{"a running set cannot be changed", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.start(s)
		require.ErrorIs(b, s.Add(b.Works[1].Event), counters.ErrRunning)
		require.ErrorIs(b, s.Remove(b.Works[0].Event), counters.ErrRunning)
		require.ErrorIs(b, s.SetOptions(counters.Options{Domain: counters.User}), counters.ErrRunning)
		require.Equal(b, b.all(1), s.Names())
		b.stop(s)
		b.close(s)
	}},
	{"a running set is neither cleaned up nor destroyed", []string{"johnmay2"}, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.start(s)
		require.ErrorIs(b, s.Cleanup(), counters.ErrRunning)
		require.ErrorIs(b, s.Destroy(), counters.ErrRunning)
		b.do(0, b.N)
		b.count(0, b.N, b.stop(s)[0])
		b.close(s)
	}},
	{"a set with events is not destroyed", []string{"johnmay2"}, nil, func(b *Bench) {
		s := b.set(b.all(2)...)
		require.ErrorIs(b, s.Destroy(), counters.ErrNotClean)
		require.NoError(b, s.Cleanup())
		require.NoError(b, s.Destroy())
	}},
	{"a destroyed set refuses everything", []string{"johnmay2"}, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.close(s)
		v := make([]int64, 1)
		handler := func(counters.Overflow) {}
		for _, err := range []error{
			s.Add(b.Works[0].Event), s.Remove(b.Works[0].Event), s.Start(), s.Read(v), s.Accumulate(v), s.Reset(), s.Stop(v),
			s.Cleanup(), s.Destroy(), s.SetOptions(counters.Options{}),
			s.OnOverflow(b.Works[0].Event, 1, counters.OverflowOptions{}, handler),
		} {
			require.ErrorIs(b, err, counters.ErrDestroyed)
		}
		require.NoError(b, s.Close(), "closing twice does nothing")
	}},
	{"a set that was cleaned up takes other events", nil, nil, func(b *Bench) {
		s := b.set(b.all(2)...)
		require.NoError(b, s.SetOptions(counters.Options{Multiplex: true}))
		require.NoError(b, s.Cleanup())
		require.Empty(b, s.Names())
		require.Equal(b, counters.Options{}, s.Options())
		require.NoError(b, s.Add(b.Works[2].Event))
		b.start(s)
		b.do(2, b.N)
		b.count(2, b.N, b.stop(s)[0])
		b.close(s)
	}},
	{"an event cannot be added twice", nil, nil, func(b *Bench) {
		s := b.set(b.all(2)...)
		require.ErrorIs(b, s.Add(b.Works[1].Event), counters.ErrDuplicate)
		require.Equal(b, b.all(2), s.Names())
		b.close(s)
	}},
	{"unknown events are refused", []string{"failed_events"}, nil, func(b *Bench) {
		s := b.Set()
		known := b.Works[0].Event
		for _, name := range []string{"", " ", "no-such-event", known + "x", known + "::u", known + ":q", known + ":u:zz", "PAPI_", "PAPI_NO_SUCH", ",", known + ",",
			strings.Repeat("x", 4096), "\x00", "☃", "N0 + N1", "perf::", "=1"} {
			require.Error(b, s.Add(name), "%.20q", name)
		}
		for _, name := range []string{"no-such-event", "PAPI_NO_SUCH", strings.Repeat("x", 4096)} {
			require.ErrorIs(b, s.Add(name), counters.ErrUnknownEvent)
		}
		require.Empty(b, s.Names())
		b.close(s)
	}},
	{"a refused event leaves the set as it was", []string{"case1", "case2"}, nil, func(b *Bench) {
		s := b.set(b.all(2)...)
		require.Error(b, s.Add("no-such-event"))
		require.Error(b, s.Remove("no-such-event"))
		b.start(s)
		b.do(1, b.N)
		v := b.stop(s)
		b.count(0, 0, v[0])
		b.count(1, b.N, v[1])
		b.close(s)
	}},
	{"if one event of several is refused none is added", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		require.ErrorIs(b, s.AddAll(b.Works[1].Event, "no-such-event"), counters.ErrUnknownEvent)
		require.ErrorIs(b, s.AddAll(b.Works[1].Event, b.Works[1].Event), counters.ErrDuplicate)
		require.Equal(b, b.all(1), s.Names())
		b.close(s)
	}},
	{"removing an event leaves the others as they were", []string{"remove_events"}, nil, func(b *Bench) {
		s := b.set(b.all(3)...)
		require.NoError(b, s.Remove(b.Works[0].Event))
		require.Equal(b, []string{b.Works[1].Event, b.Works[2].Event}, s.Names())
		b.start(s)
		for i := range 3 {
			b.do(i, b.N*(i+1))
		}
		v := b.stop(s)
		b.count(1, 2*b.N, v[0])
		b.count(2, 3*b.N, v[1])
		b.close(s)
	}},
	{"changing a set drops the counts of its last run", nil, nil, func(b *Bench) {
		for _, change := range []func(*counters.EventSet) error{
			func(s *counters.EventSet) error { return s.Add(b.Works[2].Event) },
			func(s *counters.EventSet) error { return s.Remove(b.Works[0].Event) },
			func(s *counters.EventSet) error { return s.Cleanup() },
		} {
			s := b.set(b.all(2)...)
			b.start(s)
			b.do(0, b.N)
			b.stop(s)
			require.Error(b, s.Add("no-such-event"))
			b.count(0, b.N, b.read(s)[0], "a refused change is none")
			require.NoError(b, change(s))
			v := make([]int64, s.Len())
			require.ErrorIs(b, s.Read(v), counters.ErrNotRunning)
			require.ErrorIs(b, s.Reset(), counters.ErrNotRunning)
			_, err := s.Quality()
			require.ErrorIs(b, err, counters.ErrNotRunning)
			b.close(s)
		}
	}},
	{"an event that is not in the set cannot be removed", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		require.ErrorIs(b, s.Remove(b.Works[1].Event), counters.ErrNotInSet)
		require.NoError(b, s.Remove(b.Works[0].Event))
		require.ErrorIs(b, s.Remove(b.Works[0].Event), counters.ErrNotInSet)
		b.close(s)
	}},
	{"sets made one after another leave nothing open", []string{"destroy"}, nil, func(b *Bench) {
		open := b.Opened()
		for range 20 {
			s := b.set(b.all(2)...)
			b.start(s)
			b.stop(s)
			require.NoError(b, s.Remove(b.Works[0].Event))
			require.NoError(b, s.Cleanup())
			require.NoError(b, s.Destroy())
			require.Equal(b, open, b.Opened())
		}
	}},
	{"a running set that is closed leaves nothing open", nil, nil, func(b *Bench) {
		open := b.Opened()
		s := b.set(b.all(2)...)
		b.start(s)
		require.Greater(b, b.Opened(), open)
		b.close(s)
		require.Equal(b, open, b.Opened())
	}},
	{"a stopped set that is closed leaves nothing open", nil, nil, func(b *Bench) {
		open := b.Opened()
		s := b.set(b.all(2)...)
		require.Equal(b, open, b.Opened())
		b.start(s)
		b.stop(s)
		b.close(s)
		require.Equal(b, open, b.Opened())
	}},
	{"a stopped set holds no counters", nil, []Capability{Limited}, func(b *Bench) {
		first := b.set(b.all(b.Counters)...)
		b.start(first)
		b.stop(first)
		second := b.set(b.Works[b.Counters].Event)
		b.start(second)
		b.do(b.Counters, b.N)
		b.count(b.Counters, b.N, b.stop(second)[0])
		b.close(first, second)
	}},
	{"a stopped set can be started again and again", nil, nil, func(b *Bench) {
		s := b.set(b.all(2)...)
		for i := range 20 {
			b.do(0, b.N)
			b.start(s)
			b.do(i%2, b.N)
			v := b.stop(s)
			b.count(i%2, b.N, v[i%2])
			b.count(1-i%2, 0, v[1-i%2])
		}
		b.close(s)
	}},
	{"a stopped set can be started on another thread", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		b.start(s)
		b.do(0, b.N)
		b.count(0, b.N, b.stop(s)[0])
		done := make(chan bool)
		go func() {
			defer close(done)
			runtime.LockOSThread() // which ends with the goroutine
			b.start(s)
			b.do(0, 2*b.N)
			b.count(0, 2*b.N, b.stop(s)[0])
		}()
		<-done
		b.start(s)
		b.do(0, b.N)
		b.count(0, b.N, b.stop(s)[0])
		b.close(s)
	}},
	{"a wrong number of values is refused", nil, nil, func(b *Bench) {
		s := b.set(b.all(2)...)
		b.start(s)
		for _, n := range []int{0, 1, 3} {
			require.ErrorIs(b, s.Read(make([]int64, n)), counters.ErrInvalid)
		}
		require.ErrorIs(b, s.Stop(make([]int64, 1)), counters.ErrInvalid)
		require.Equal(b, counters.Running, s.State())
		b.stop(s)
		b.close(s)
	}},
	{"names lead to events and back", []string{"eventname", "code2name", "describe"}, nil, func(b *Bench) {
		s := b.set(b.all(3)...)
		require.Equal(b, b.all(3), s.Names())
		for i, e := range s.Events() {
			require.Equal(b, b.Works[i].Event, e.Name)
			require.NotEmpty(b, e.Unit)
		}
		b.close(s)
	}},
	{"every listed event can be tried", []string{"all_events", "all_native_events", "get_event_component", "cmpinfo"}, nil, func(b *Bench) {
		distinct := []error{counters.ErrUnavailable, counters.ErrPermission, counters.ErrConflict, counters.ErrNoCounters, counters.ErrBusy,
			counters.ErrUnsupported, counters.ErrGone, counters.ErrDescriptors}
		tried := 0
		for _, e := range b.Events {
			s := b.Set()
			if err := s.Add(e.Name); err != nil {
				is := func(k error) bool { return errors.Is(err, k) }
				require.True(b, contains(distinct, is), "%s: %v", e.Name, err)
				require.NotContains(b, err.Error(), "\n", e.Name)
			} else {
				require.Equal(b, e.Name, s.Events()[0].Name)
				b.start(s)
				require.Len(b, b.stop(s), 1)
				require.NoError(b, s.Remove(e.Name))
				tried++
			}
			b.close(s)
		}
		require.GreaterOrEqual(b, tried, 3)
	}},
}

func contains(list []error, f func(error) bool) bool {
	for _, e := range list {
		if f(e) {
			return true
		}
	}
	return false
}
