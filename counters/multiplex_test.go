package counters

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/counters/mpx"
	"tracerec/counters/scripted"
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
			estimate, _ := s.parts[0].(*groupPart).timed.estimate(s.parts[0].(*groupPart).last[i], i)
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

// The errors of events that take the system's turns are those of programs with phases: nearly all values are within three of them.
func TestErrorsOfTurnsKnowPhases(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const phase, phases, seeds = 7_000_000, 60, 40 // ns
	const reading = 10 * time.Millisecond
	values, within, poisson := 0, 0, 0
	for seed := range seeds {
		random := rand.New(rand.NewPCG(uint64(seed), 1))
		levels := make([]float64, phases) // events per ns
		for i := range levels {
			levels[i] = []float64{0.0001, 0.01}[random.IntN(2)]
		}
		upTo := func(at int64) (sum float64) {
			for i, level := range levels {
				sum += level * float64(max(0, min(at-int64(i)*phase, phase)))
			}
			return sum
		}
		rate := func(from, to int64) uint64 { return uint64(upTo(to)) - uint64(upTo(from)) }
		sub := scripted.New(scripted.Config{Counters: 1, Turn: 4 * time.Millisecond,
			Events: []scripted.Event{{Name: "a", Rate: rate}, {Name: "b", Rate: rate}, {Name: "c", Rate: rate}}})
		s := New(sub)
		require.NoError(t, s.SetOptions(Options{Multiplex: true}))
		require.NoError(t, s.AddAll("a", "b", "c"))
		require.NoError(t, s.Start())
		v := make([]int64, 3)
		for range phases * phase / int(reading) {
			sub.Advance(reading)
			require.NoError(t, s.Read(v))
		}
		truth := upTo(phases * phase / int64(reading) * int64(reading))
		q, err := s.Quality()
		require.NoError(t, err)
		for i := range v {
			values++
			off := math.Abs(float64(v[i]) - truth)
			if off <= 3*q[i].Error {
				within++
			}
			if off <= 3*math.Sqrt(float64(v[i])*(1-q[i].Share)/q[i].Share) {
				poisson++
			}
		}
		require.NoError(t, s.Close())
	}
	t.Logf("of %d values, %d are within three errors, and %d would be within three of counts that come at random", values, within, poisson)
	require.Greater(t, within*100, values*90)
	require.Less(t, poisson*100, values*50, "the test makes programs with phases")
}
