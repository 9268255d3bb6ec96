package conformance

import (
	"errors"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
)

// several is sets beside each other.
var several = []behaviour{
	{"nested sets count separately", nil, nil, func(b *Bench) {
		outer, inner := b.set(b.all(1)...), b.set(b.all(1)...)
		b.start(outer)
		b.do(0, b.N)
		b.start(inner)
		b.do(0, 2*b.N)
		in := b.stop(inner)
		b.do(0, b.N)
		out := b.stop(outer)
		b.count(0, 2*b.N, in[0])
		b.count(0, 4*b.N, out[0])
		b.close(inner, outer)
	}},
	{"overlapping sets count separately", nil, nil, func(b *Bench) {
		first, second := b.set(b.all(2)...), b.set(b.Works[1].Event, b.Works[0].Event)
		b.start(first)
		b.do(0, b.N)
		b.start(second)
		b.do(0, b.N)
		b.do(1, b.N)
		one := b.stop(first)
		b.do(0, b.N)
		two := b.stop(second)
		b.count(0, 2*b.N, one[0])
		b.count(1, b.N, one[1])
		b.count(1, b.N, two[0])
		b.count(0, 2*b.N, two[1])
		b.close(first, second)
	}},
	{"resetting one set leaves another alone", nil, nil, func(b *Bench) {
		first, second := b.set(b.all(1)...), b.set(b.all(1)...)
		b.start(first)
		b.start(second)
		b.do(0, b.N)
		require.NoError(b, first.Reset())
		b.do(0, b.N)
		b.count(0, b.N, b.stop(first)[0])
		b.count(0, 2*b.N, b.stop(second)[0])
		b.close(first, second)
	}},
	{"many sets run at once", nil, nil, func(b *Bench) {
		var sets []*counters.EventSet
		for range 10 {
			s := b.set(b.all(1)...)
			b.start(s)
			b.do(0, b.N)
			sets = append(sets, s)
		}
		for i, s := range sets {
			b.count(0, (10-i)*b.N, b.stop(s)[0], "set %d", i)
		}
		b.close(sets...)
	}},
	{"sets share events that do not fit twice", nil, []Capability{Limited}, func(b *Bench) {
		first := b.set(b.all(b.Counters)...)
		b.start(first)
		second := b.set(b.all(b.Counters)...)
		b.do(0, b.N)
		b.start(second)
		for i := range b.Counters {
			b.do(i, b.N)
		}
		one := b.stop(first)
		b.do(1, b.N)
		two := b.stop(second)
		for i := range b.Counters {
			want := map[bool]int{true: 2 * b.N, false: b.N}
			b.count(i, want[i == 0], one[i])
			b.count(i, want[i == 1], two[i], "counted on after the first set has ended")
		}
		b.close(first, second)
	}},
	{"sets share some events and open others", nil, []Capability{Limited}, func(b *Bench) {
		first := b.set(b.all(b.Counters - 1)...)
		b.start(first)
		second := b.set(b.Works[0].Event, b.Works[b.Counters].Event)
		b.start(second)
		b.do(0, b.N)
		b.do(b.Counters, 2*b.N)
		two := b.stop(second)
		b.count(0, b.N, two[0])
		b.count(b.Counters, 2*b.N, two[1])
		b.count(0, b.N, b.stop(first)[0])
		b.close(first, second)
	}},
	{"counters that another set holds are refused until it stops", nil, []Capability{Limited}, func(b *Bench) {
		first := b.set(b.all(b.Counters)...)
		b.start(first)
		second := b.Set()
		err := second.Add(b.Works[b.Counters].Event)
		require.True(b, held(err), "%v", err)
		b.stop(first)
		require.NoError(b, second.Add(b.Works[b.Counters].Event))
		b.start(second)
		err = first.Start()
		require.True(b, held(err), "%v", err)
		require.Equal(b, counters.Stopped, first.State())
		b.do(b.Counters, b.N)
		b.count(b.Counters, b.N, b.stop(second)[0], "the first set was older, and took nothing")
		b.start(first)
		b.do(1, b.N)
		b.count(1, b.N, b.stop(first)[1])
		b.close(first, second)
	}},
}

// held tells whether an error says that counters are in use. Whose use that is, not every substrate knows.
func held(err error) bool {
	return errors.Is(err, counters.ErrConflict) || errors.Is(err, counters.ErrNoCounters) || errors.Is(err, counters.ErrBusy)
}

// limits is what does not fit.
var limits = []behaviour{
	{"all counters can be used at once", nil, []Capability{Limited}, func(b *Bench) {
		s := b.set(b.all(b.Counters)...)
		b.start(s)
		for i := range b.Counters {
			b.do(i, b.N*(i+1))
		}
		for i, v := range b.stop(s) {
			b.count(i, b.N*(i+1), v)
		}
		b.close(s)
	}},
	{"one event too many is refused", []string{"case1", "case2"}, []Capability{Limited}, func(b *Bench) {
		s := b.set(b.all(b.Counters)...)
		err := s.Add(b.Works[b.Counters].Event)
		require.True(b, errors.Is(err, counters.ErrConflict) || errors.Is(err, counters.ErrNoCounters), "%v", err)
		require.Equal(b, b.all(b.Counters), s.Names())
		b.start(s)
		b.do(0, b.N)
		b.count(0, b.N, b.stop(s)[0])
		b.close(s)
	}},
	{"a removed event makes room", nil, []Capability{Limited}, func(b *Bench) {
		s := b.set(b.all(b.Counters)...)
		require.NoError(b, s.Remove(b.Works[0].Event))
		require.NoError(b, s.Add(b.Works[b.Counters].Event))
		b.start(s)
		b.do(b.Counters, b.N)
		b.count(b.Counters, b.N, b.stop(s)[b.Counters-1])
		b.close(s)
	}},
	{"events that need the same counter conflict", nil, []Capability{Picky}, func(b *Bench) {
		s := b.set(b.Picky[0])
		require.ErrorIs(b, s.Add(b.Picky[1]), counters.ErrConflict)
		require.NoError(b, s.Add(b.Picky[2]), "others fit on")
		require.NoError(b, s.Remove(b.Picky[0]))
		require.NoError(b, s.Add(b.Picky[1]))
		b.close(s)
	}},
	{"each thread has all counters", nil, []Capability{Limited}, func(b *Bench) {
		s := b.set(b.all(b.Counters)...)
		b.start(s)
		elsewhere(func() {
			t, shares := b.set(b.all(b.Counters)...), b.set(b.all(b.Counters)...)
			b.start(t)
			b.do(0, b.N)
			b.start(shares)
			b.do(0, b.N)
			b.count(0, 2*b.N, b.stop(t)[0])
			b.count(0, b.N, b.stop(shares)[0], "shared within the thread")
			b.close(t, shares)
		})
		b.count(0, 0, b.stop(s)[0])
		b.close(s)
	}},
}

// domains is modes of the processor.
var domains = []behaviour{
	{"user and kernel mode add up", []string{"second"}, []Capability{Domains}, func(b *Bench) {
		var sets []*counters.EventSet
		for _, d := range []counters.Domain{counters.All, counters.User, counters.Kernel} {
			s := b.set(b.all(1)...)
			require.NoError(b, s.SetOptions(counters.Options{Domain: d}))
			b.start(s)
			sets = append(sets, s)
		}
		b.do(0, 2*b.N)
		b.Kernel(b.N)
		var v []int64
		for _, s := range sets {
			v = append(v, b.stop(s)[0])
		}
		b.count(0, 3*b.N, v[0])
		b.count(0, 2*b.N, v[1])
		b.count(0, b.N, v[2])
		b.close(sets...)
	}},
	{"a suffix selects the domain", []string{"perf_event_user_kernel"}, []Capability{Domains}, func(b *Bench) {
		name := b.Works[0].Event
		s := b.set(name+":u", name+":k")
		b.start(s)
		b.do(0, 2*b.N)
		b.Kernel(b.N)
		v := b.stop(s)
		b.count(0, 2*b.N, v[0])
		b.count(0, b.N, v[1])
		b.close(s)
	}},
	{"a suffix overrides the domain of the set", nil, []Capability{Domains}, func(b *Bench) {
		s := b.set(b.Works[0].Event + ":k")
		require.NoError(b, s.SetOptions(counters.Options{Domain: counters.User}))
		b.start(s)
		b.do(0, 2*b.N)
		b.Kernel(b.N)
		b.count(0, b.N, b.stop(s)[0])
		b.close(s)
	}},
	{"the domain can be changed between runs", []string{"second"}, []Capability{Domains}, func(b *Bench) {
		s := b.Set()
		require.NoError(b, s.SetOptions(counters.Options{Domain: counters.Kernel}))
		require.NoError(b, s.Add(b.Works[0].Event))
		for _, d := range []counters.Domain{counters.Kernel, counters.User} {
			require.NoError(b, s.SetOptions(counters.Options{Domain: d}))
			require.Equal(b, d, s.Options().Domain)
			b.start(s)
			b.do(0, 2*b.N)
			b.Kernel(b.N)
			b.count(0, map[counters.Domain]int{counters.Kernel: b.N, counters.User: 2 * b.N}[d], b.stop(s)[0])
		}
		b.close(s)
	}},
	{"invalid options are refused", nil, nil, func(b *Bench) {
		s := b.set(b.all(1)...)
		require.ErrorIs(b, s.SetOptions(counters.Options{Domain: 1 << 6}), counters.ErrInvalid)
		require.ErrorIs(b, s.SetOptions(counters.Options{Thread: -1}), counters.ErrInvalid)
		require.ErrorIs(b, s.SetOptions(counters.Options{CPU: -1}), counters.ErrInvalid)
		require.ErrorIs(b, s.SetOptions(counters.Options{CPU: 1, Thread: 1}), counters.ErrState)
		require.Equal(b, counters.Options{}, s.Options())
		b.close(s)
	}},
}
