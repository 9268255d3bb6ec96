package mpx

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/substrate"
)

const slice = 1_000_000 // cycles of a time slice in these tests

// cells returns events e0, e1, …; e_k occurs every 100·(k+1) cycles.
func cells(n int) (names []string, total map[string]func(uint64) int64) {
	total = map[string]func(uint64) int64{}
	for k := range n {
		names = append(names, fmt.Sprintf("e%d", k))
		total[names[k]] = steady(uint64(100 * (k + 1)))
	}
	return names, total
}

func manual(o Options) Options {
	o.Slice = -1
	return o
}

func newSet(t *testing.T, m *Multiplexer, names ...string) *Set {
	t.Helper()
	s, err := m.NewSet(names...)
	require.NoError(t, err)
	return s
}

func read(t *testing.T, s *Set) []Value {
	t.Helper()
	v := make([]Value, len(s.events))
	require.NoError(t, s.Read(v))
	return v
}

// turns lets so many slices pass.
func (f *fake) turns(m *Multiplexer, n int) {
	for range n {
		f.run(slice)
		m.Rotate()
	}
}

func TestSteadyEventsAreEstimated(t *testing.T) {
	names, total := cells(8)
	for _, e := range []Estimator{Global, Local, Trapezoid} {
		for _, counters := range []int{1, 2, 3, 4, 5, 7} {
			f := newFake(counters, total)
			m := New(f, 1, manual(Options{Estimator: e}))
			s := newSet(t, m, names...)
			require.NoError(t, s.Start())
			f.turns(m, 80)
			require.NoError(t, s.Stop())
			for k, v := range read(t, s) {
				require.True(t, v.Enough, "%v", v)
				require.False(t, v.Whole)
				require.InEpsilon(t, 80*slice/100/(k+1), v.Count, 1e-4, "%s, %d counters, %s: %+v", e, counters, names[k], v)
				require.EqualValues(t, 80*slice, v.Total)
				require.InDelta(t, 80*slice*counters/8, v.Counted, slice, "turns are fair")
				require.Less(t, v.Error, 0.01*float64(v.Count))
			}
			require.Empty(t, f.slots, "counters are given back")
		}
	}
}

// In general, for event sets that contain n event types, measurement periods of T ≤ t(n-1) will not produce data for
// some events (section 6).
func TestShortPeriodsLeaveEventsWithoutData(t *testing.T) {
	const n = 8
	names, total := cells(n)
	for whole := range n + 2 {
		for _, part := range []uint64{0, slice / 2} {
			f := newFake(1, total)
			m := New(f, 1, manual(Options{Seed: uint64(whole)}))
			s := newSet(t, m, names...)
			require.NoError(t, s.Start())
			f.turns(m, whole)
			f.run(part)
			require.NoError(t, s.Stop())
			known := 0
			for _, v := range read(t, s) {
				require.Equal(t, whole >= n || v.Whole, v.Enough, "T = %d·t + %d: %+v", whole, part, v)
				if v.Known() {
					known++
					require.NotZero(t, v.Count)
				} else {
					require.True(t, math.IsInf(v.Error, 1))
				}
			}
			with := whole
			if part > 0 {
				with++
			}
			require.Equal(t, min(with, n), known, "T = %d·t + %d", whole, part)
		}
	}
}

func TestTheFirstEventIsChosenByChance(t *testing.T) {
	names, total := cells(8)
	first := map[string]int{}
	for seed := range uint64(64) {
		var again [2]string
		for i := range again {
			f := newFake(1, total)
			m := New(f, 1, manual(Options{Seed: seed}))
			require.NoError(t, newSet(t, m, names...).Start())
			again[i] = f.slots[0].event
		}
		require.Equal(t, again[0], again[1], "the seed decides")
		first[again[0]]++
	}
	require.Len(t, first, 8, "all of them come first at times")
}

func TestEventsThatNeedNoTurnsAreNoEstimates(t *testing.T) {
	names, total := cells(5)
	f := newFake(4, total)
	m := New(f, 1, manual(Options{}))
	few, more := newSet(t, m, names[:4]...), newSet(t, m, names[4])
	require.NoError(t, few.Start())
	f.run(12_345)
	for k, v := range read(t, few) {
		require.Equal(t, Value{Count: int64(12_345 / 100 / (k + 1)), Raw: int64(12_345 / 100 / (k + 1)), Whole: true, Enough: true,
			Slices: 1, Counted: 12_345, Total: 12_345, Hits: int64(12_345 / 100 / (k + 1))}, v)
	}
	f.turns(m, 1)
	require.True(t, read(t, few)[0].Whole, "nobody waits")
	require.NoError(t, more.Start())
	f.turns(m, 4)
	whole := 0
	for _, v := range read(t, few) {
		if v.Whole {
			whole++
		}
	}
	require.Zero(t, whole, "five take turns on four")
	require.NoError(t, more.Stop())
	require.NoError(t, few.Reset())
	f.turns(m, 3)
	for _, v := range read(t, few) {
		require.True(t, v.Whole)
		require.EqualValues(t, 3*slice, v.Total)
	}
}

func TestReferenceAndActivationCounts(t *testing.T) {
	names, total := cells(4)
	f := newFake(1, total)
	m := New(f, 1, manual(Options{}))
	a, b := newSet(t, m, names[0], names[1]), newSet(t, m, names[1], names[2])
	counts := func() (refs, active []int) {
		for _, e := range m.events {
			refs, active = append(refs, e.refs), append(active, e.active)
		}
		return refs, active
	}
	check := func(wantRefs, wantActive []int) {
		t.Helper()
		refs, active := counts()
		require.Equal(t, wantRefs, refs)
		require.Equal(t, wantActive, active)
	}
	check([]int{1, 2, 1}, []int{0, 0, 0})
	require.Empty(t, f.slots, "without an active set there is no current event")
	require.NoError(t, a.Start())
	check([]int{1, 2, 1}, []int{1, 1, 0})
	require.NoError(t, b.Start())
	check([]int{1, 2, 1}, []int{1, 2, 1})
	require.Len(t, f.slots, 1)
	require.NoError(t, a.Stop())
	check([]int{1, 2, 1}, []int{0, 1, 1})
	require.NotEqual(t, "e0", f.slots[0].event, "what no running set wants is not counted")
	require.NoError(t, a.Destroy())
	check([]int{1, 1}, []int{1, 1})
	require.ErrorIs(t, b.Destroy(), ErrState)
	require.NoError(t, b.Stop())
	require.Empty(t, f.slots)
	require.NoError(t, b.Destroy())
	require.Empty(t, m.events)
}

func TestStatesOfSets(t *testing.T) {
	names, total := cells(2)
	m := New(newFake(1, total), 1, manual(Options{}))
	s := newSet(t, m, names...)
	require.ErrorIs(t, s.Stop(), ErrState)
	require.ErrorIs(t, s.Reset(), ErrState)
	for _, v := range read(t, s) {
		require.False(t, v.Known(), "never started: no value")
	}
	require.NoError(t, s.Start())
	require.ErrorIs(t, s.Start(), ErrState)
	require.ErrorIs(t, s.Destroy(), ErrState)
	require.NoError(t, s.Stop())
	require.NoError(t, s.Destroy())
	for _, err := range []error{s.Start(), s.Stop(), s.Reset(), s.Destroy(), s.Read(make([]Value, 2))} {
		require.ErrorIs(t, err, ErrState)
		require.ErrorContains(t, err, "destroyed")
	}
	_, err := m.NewSet("e0", "e0")
	require.ErrorIs(t, err, substrate.ErrConflict)
}

// A thread that does not run in a slice gets none; its event stays until it has run.
func TestThreadsThatDoNotRunKeepTheirEvent(t *testing.T) {
	names, total := cells(3)
	f := newFake(1, total)
	m := New(f, 1, manual(Options{}))
	s := newSet(t, m, names...)
	require.NoError(t, s.Start())
	first := f.slots[0].event
	for range 10 {
		m.Rotate()
		f.run(DefaultMinCycles / 11)
	}
	m.Rotate()
	require.Equal(t, first, f.slots[0].event)
	f.run(DefaultMinCycles)
	m.Rotate()
	require.NotEqual(t, first, f.slots[0].event)
	require.Equal(t, 1, m.Stats().Switches)
}

func TestCostOfCountingIsTakenOut(t *testing.T) {
	names, total := cells(8)
	for _, counters := range []int{1, 4} {
		f := newFake(counters, total)
		f.cost = 40 // of the 100 cycles from one e0 to the next
		m := New(f, 1, manual(Options{HitCost: func(string) float64 { return 40 }}))
		s := newSet(t, m, names...)
		require.NoError(t, s.Start())
		f.turns(m, 160)
		require.NoError(t, s.Stop())
		for k, v := range read(t, s) {
			truth := 160 * slice / 100 / (k + 1)
			require.InEpsilon(t, truth, v.Count, 1e-3, "%s of 8 on %d: %+v", names[k], counters, v)
			require.EqualValues(t, f.work, v.Total)
		}
		v := read(t, s)
		if counters == 1 { // each slice is lengthened by its own event only: dense ones are underestimated
			require.Less(t, v[0].Raw, int64(85*160*slice/100/100))
			require.Greater(t, v[7].Raw, int64(104*160*slice/800/100))
		}
	}
}

func TestErrorFollowsTheVariationOfRates(t *testing.T) {
	total := map[string]func(uint64) int64{"even": steady(100), "phases": phased(100, 26*slice), "other": steady(70), "last": steady(500)}
	f := newFake(1, total)
	m := New(f, 1, manual(Options{}))
	s := newSet(t, m, "even", "phases", "other", "last")
	require.NoError(t, s.Start())
	f.turns(m, 3)
	require.True(t, math.IsInf(read(t, s)[0].Error, 1), "one slice says nothing about how rates vary")
	f.turns(m, 600)
	v := read(t, s)
	require.Less(t, v[0].Error/float64(v[0].Count), 1e-4)
	off := math.Abs(float64(v[1].Count - total["phases"](f.work)))
	require.Greater(t, v[1].Error/float64(v[1].Count), 0.02)
	require.Less(t, off, 3*v[1].Error)
}

func TestFailuresAreTold(t *testing.T) {
	names, total := cells(3)
	f := newFake(1, total)
	f.refuse["e1"] = fmt.Errorf("fake: %w", substrate.ErrPermission)
	m := New(f, 1, manual(Options{}))
	s := newSet(t, m, names...)
	require.NoError(t, s.Start(), "the others can be counted")
	f.turns(m, 20)
	require.NoError(t, s.Stop())
	v := make([]Value, 3)
	err := s.Read(v)
	require.ErrorIs(t, err, substrate.ErrPermission)
	require.EqualError(t, err, "mpx: e1: fake: the kernel does not permit it")
	require.False(t, v[1].Known())
	for _, k := range []int{0, 2} {
		require.InEpsilon(t, 20*slice/100/(k+1), v[k].Count, 1e-3)
	}

	only := newSet(t, m, "e1")
	require.ErrorIs(t, only.Start(), substrate.ErrPermission)
	require.ErrorIs(t, only.Stop(), ErrState, "it did not start")
	require.Zero(t, m.active())

	unknown := newSet(t, m, "nonsense")
	require.ErrorIs(t, unknown.Start(), substrate.ErrUnknownEvent)

	f.counters = 0
	require.ErrorIs(t, newSet(t, m, "e0").Start(), substrate.ErrNoCounters)
}

func TestASlotThatCannotBeReadIsGivenUp(t *testing.T) {
	names, total := cells(2)
	f := newFake(2, total)
	m := New(f, 1, manual(Options{}))
	s := newSet(t, m, names...)
	require.NoError(t, s.Start())
	f.turns(m, 2)
	f.broken["e0"] = fmt.Errorf("fake: %w", substrate.ErrGone)
	f.run(slice)
	v := make([]Value, 2)
	require.NoError(t, s.Read(v))
	require.False(t, v[0].Whole)
	require.EqualValues(t, 2*slice/100, v[0].Hits, "what was counted before stays")
	require.EqualValues(t, 3*slice/200, v[1].Count)
	require.True(t, v[1].Whole)
	require.Len(t, f.slots, 1)
	require.NoError(t, s.Stop())
}

func TestCalibrationFindsTheCost(t *testing.T) {
	f := newFake(1, map[string]func(uint64) int64{"hit": steady(10), "quiet": func(uint64) int64 { return 0 }})
	f.cost = 123
	cost, err := Calibrate(f, 1, "hit", "quiet", func(n int) { f.run(uint64(10 * n)) })
	require.NoError(t, err)
	require.InDelta(t, 123, cost, 0.01)
	_, err = Calibrate(f, 1, "quiet", "hit", func(n int) { f.run(uint64(10 * n)) })
	require.ErrorIs(t, err, substrate.ErrUnsupported)
	require.Empty(t, f.slots)
}

func TestEstimatesOfLocalNeverFallWhileTheSetRuns(t *testing.T) {
	total := map[string]func(uint64) int64{"a": phased(50, 5*slice/2), "b": phased(90, 7*slice), "c": steady(300)}
	f := newFake(1, total)
	m := New(f, 1, manual(Options{Estimator: Local}))
	s := newSet(t, m, "a", "b", "c")
	require.NoError(t, s.Start())
	last := make([]Value, 3)
	for range 200 {
		f.run(slice / 3)
		v := read(t, s)
		for k := range v {
			require.GreaterOrEqual(t, v[k].Count, last[k].Count)
		}
		last = v
		f.run(slice * 2 / 3)
		m.Rotate()
	}
	require.NoError(t, s.Stop())
	for k, v := range read(t, s) {
		require.GreaterOrEqual(t, v.Count, last[k].Count)
	}
}

// Where rates change slowly, the trapezoid is nearer to the truth than the rate of the last slice alone.
func TestEstimatorsOnARamp(t *testing.T) {
	total := map[string]func(uint64) int64{"rest": steady(1000), "more": steady(1000), "third": steady(1000),
		"ramp": func(w uint64) int64 { return int64(float64(w) * float64(w) / 1e10) }}
	f := newFake(1, total)
	m := New(f, 1, manual(Options{Seed: 3}))
	s := newSet(t, m, "ramp", "more", "rest", "third")
	require.NoError(t, s.Start())
	f.turns(m, 42)
	require.NoError(t, s.Stop())
	truth := float64(total["ramp"](f.work))
	var off [3]float64
	for e := range Trapezoid + 1 {
		v := make([]Value, 4)
		require.NoError(t, s.Estimate(e, v))
		off[e] = math.Abs(float64(v[0].Count)/truth - 1)
	}
	require.Less(t, off[Trapezoid], off[Local])
	require.Less(t, off[Trapezoid], 0.02)
}

func TestEnoughIsOfThePeriodOfTheSet(t *testing.T) {
	names, total := cells(4)
	f := newFake(1, total)
	m := New(f, 1, manual(Options{}))
	outer, inner := newSet(t, m, names...), newSet(t, m, names...)
	require.NoError(t, outer.Start())
	f.turns(m, 20)
	require.NoError(t, inner.Start())
	f.turns(m, 3)
	for k := range names {
		require.True(t, read(t, outer)[k].Enough)
		require.False(t, read(t, inner)[k].Enough, "three slices for four events")
	}
	f.turns(m, 1)
	for _, v := range read(t, inner) {
		require.True(t, v.Enough)
	}
	require.NoError(t, inner.Reset())
	f.run(20 * slice)
	m.Rotate()
	f.run(slice)
	for _, v := range read(t, inner) {
		require.False(t, v.Enough, "one slice was very long, but two events had none")
	}
}

func TestTheOrderOfTurnsOutlastsTheEndOfOthers(t *testing.T) {
	names, total := cells(4)
	f := newFake(1, total)
	m := New(f, 1, manual(Options{}))
	var sets []*Set
	for _, n := range names {
		sets = append(sets, newSet(t, m, n))
		require.NoError(t, sets[len(sets)-1].Start())
	}
	f.turns(m, 1)
	require.Equal(t, "e1", f.slots[0].event)
	require.NoError(t, sets[0].Stop())
	require.NoError(t, sets[0].Destroy())
	for _, next := range []string{"e2", "e3", "e1", "e2"} {
		f.turns(m, 1)
		require.Equal(t, next, f.slots[0].event)
	}
}

// wandering is an event whose rate changes at random from one piece of a tenth of a slice to the next, about a level that changes
// slowly.
func wandering(r *rand.Rand, pieces int) func(uint64) int64 {
	const piece = slice / 10
	sum := make([]int64, pieces+1)
	level := 1.0
	for i := range pieces {
		level += 0.02 * (r.Float64() - 0.5)
		sum[i+1] = sum[i] + int64(100*max(0.1, level)*(0.5+r.Float64()))
	}
	return func(w uint64) int64 {
		i := w / piece
		return sum[i] + (sum[i+1]-sum[i])*int64(w%piece)/piece
	}
}

// The truth must be within two standard errors about as often as of a normal distribution, however unequal slices are.
func TestErrorsCoverTheTruth(t *testing.T) {
	for _, long := range []uint64{1, 5} {
		values, within := 0, [3]int{}
		for seed := range uint64(40) {
			r := rand.New(rand.NewPCG(seed, long))
			total := map[string]func(uint64) int64{}
			var names []string
			for k := range 6 {
				names = append(names, fmt.Sprint("e", k))
				total[names[k]] = wandering(r, 20_000)
			}
			f := newFake(1, total)
			m := New(f, 1, manual(Options{Seed: seed}))
			s := newSet(t, m, names...)
			require.NoError(t, s.Start())
			for range 150 {
				f.run(slice/2 + r.Uint64N(slice*long))
				m.Rotate()
			}
			require.NoError(t, s.Stop())
			for k, v := range read(t, s) {
				values++
				off := math.Abs(float64(v.Count - total[names[k]](f.work)))
				for i := range within {
					if off <= float64(i+1)*v.Error {
						within[i]++
					}
				}
			}
		}
		t.Logf("of %d values, within 1, 2, 3 standard errors: %v", values, within)
		require.InDelta(t, 0.68, float64(within[0])/float64(values), 0.15)
		require.Greater(t, float64(within[1])/float64(values), 0.88)
		require.Greater(t, float64(within[2])/float64(values), 0.95)
	}
}
