package counters

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/counters/mpx"
	"tracerec/internal/scripted"
)

// An event that stops happening makes the scaled count fall; a count must not.
func TestCountsOfTurnsNeverFall(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	burst := func(from, to int64) uint64 {
		const end = 10_500_000 // ns
		return uint64(min(to, end)/1000 - min(from, end)/1000)
	}
	sub := scripted.New(scripted.Config{Counters: 1, Turn: time.Millisecond, Events: []scripted.Event{{Name: "a", Rate: burst}, {Name: "b", Rate: burst}, {Name: "c", Rate: burst}}})
	s := New(sub)
	require.NoError(t, s.SetOptions(Options{Multiplex: true}))
	require.NoError(t, s.AddAll("a", "b", "c"))
	require.NoError(t, s.Start())
	sub.Advance(3 * time.Millisecond)
	last, v := make([]int64, 3), make([]int64, 3)
	fell := false
	for range 60 {
		sub.Advance(500 * time.Microsecond)
		require.NoError(t, s.Read(v))
		for i := range v {
			require.GreaterOrEqual(t, v[i], last[i])
			s.mu.Lock() // the set reads itself from time to time
			estimate, _ := s.parts[0].(*groupPart).timed.estimate(s.parts[0].(*groupPart).last[i], i)
			s.mu.Unlock()
			fell = fell || estimate < v[i]
		}
		copy(last, v)
	}
	require.True(t, fell, "the test makes estimates fall")
	require.NoError(t, s.Close())
}

// The multiplexer of a thread is shared while sets use it, and gone afterwards.
func TestMultiplexersAreShared(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sub := scripted.New(scripted.Config{Counters: 1, Slots: true, Events: []scripted.Event{{Name: "a"}, {Name: "b"}}})
	var sets []*EventSet
	for range 3 {
		s := New(sub)
		require.NoError(t, s.SetMultiplexing(mpx.Options{Slice: -1}))
		require.NoError(t, s.AddAll("a", "b"))
		require.NoError(t, s.Start())
		sets = append(sets, s)
		require.Len(t, multiplexers.of, 1)
	}
	require.Equal(t, 1, sub.Opened(), "one slot for all")
	for _, s := range sets {
		require.Len(t, multiplexers.of, 1)
		require.ErrorIs(t, s.Stop(nil), ErrNoData)
		require.NoError(t, s.Close())
	}
	require.Empty(t, multiplexers.of)
	require.Zero(t, sub.Opened())
}

// What happens while Stop waits for handlers is not counted, and handlers read the last counts.
func TestHandlersAfterTheLastReading(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sub := scripted.New(scripted.Config{Overflow: true, Events: []scripted.Event{{Name: "a"}}})
	s := New(sub)
	require.NoError(t, s.Add("a"))
	var inside []int64
	owner, begin := thread(), make(chan int)
	require.NoError(t, s.OnOverflow("a", 10, OverflowOptions{}, func(Overflow) {
		for before := <-begin; sub.Reads() == before; { // the last reading of Stop
			time.Sleep(time.Millisecond)
		}
		sub.HappenAt(scripted.Place{Thread: owner}, "a", 5)
		inside = make([]int64, 1)
		s.Read(inside)
	}))
	require.NoError(t, s.Start())
	sub.Happen("a", 12)
	begin <- sub.Reads()
	v := make([]int64, 1)
	require.NoError(t, s.Stop(v))
	require.Equal(t, []int64{12}, v)
	require.Equal(t, []int64{12}, inside)
	require.NoError(t, s.Close())
}

// The errors of events that take the system's turns are those of programs with phases: nearly all values are within three of them. Where several events
// count at once, each keeps its counter for several turns and waits for as many, and phases that are longer than a turn are in neighbouring readings.
func TestErrorsOfTurnsKnowPhases(t *testing.T) {
	for _, c := range []struct {
		counters, events int
		phase            int64 // ns
	}{{1, 3, 7_000_000}, {4, 8, 3_000_000}, {4, 8, 15_000_000}, {2, 6, 7_000_000}} {
		values, within, poisson := 0, 0, 0
		for seed := range uint64(40) {
			for _, v := range phasedTurns(t, c.counters, c.events, c.phase, rand.New(rand.NewPCG(seed, 1))) {
				values++
				if v.off <= 3*v.error {
					within++
				}
				if v.off <= 3*v.poisson {
					poisson++
				}
			}
		}
		t.Logf("%+v: of %d values, %d are within three errors, and %d would be within three of counts that come at random", c, values, within, poisson)
		require.Greater(t, within*100, values*95)
		require.Less(t, poisson*100, values*50, "the test makes programs with phases")
	}
}

// estimated is how far a value is off, and how far it is said to be.
type estimated struct{ off, error, poisson float64 }

// phasedTurns counts events that share counters in a program that goes slowly or quickly, phase by phase.
func phasedTurns(t *testing.T, counters, events int, phase int64, random *rand.Rand) (out []estimated) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const duration, turn = 420_000_000, 4 * time.Millisecond
	levels := make([]float64, duration/phase+4) // events per ns
	for i := range levels {
		levels[i] = []float64{0.0001, 0.01}[random.IntN(2)]
	}
	upTo := func(at int64) (sum float64) {
		for i, level := range levels {
			sum += level * float64(max(0, min(at-int64(i)*phase, phase)))
		}
		return sum
	}
	config := scripted.Config{Counters: counters, Turn: turn}
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}[:events]
	for _, name := range names {
		rate := func(from, to int64) uint64 { return uint64(upTo(to)) - uint64(upTo(from)) }
		config.Events = append(config.Events, scripted.Event{Name: name, Rate: rate})
	}
	sub := scripted.New(config)
	s := New(sub)
	require.NoError(t, s.SetOptions(Options{Multiplex: true}))
	require.NoError(t, s.AddAll(names...))
	require.NoError(t, s.Start())
	v := make([]int64, events)
	passed := int64(0)
	for passed < duration { // as the timer reads, more or less
		reading := int64(sliceInterval) * int64(75+random.IntN(100)) / 100
		sub.Advance(time.Duration(reading))
		passed += reading
		if err := s.Read(v); passed > int64(events)*int64(turn) {
			require.NoError(t, err)
		}
	}
	q, err := s.Quality()
	require.NoError(t, err)
	for i := range v {
		random := math.Sqrt(float64(v[i]) * (1 - q[i].Share) / q[i].Share)
		out = append(out, estimated{math.Abs(float64(v[i]) - upTo(passed)), q[i].Error, random})
	}
	require.NoError(t, s.Close())
	return out
}
