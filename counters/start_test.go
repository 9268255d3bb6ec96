package counters

import (
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHighLevel(t *testing.T) {
	var n uint64
	unregister, err := Register(Event{Name: "beans", Unit: "events"}, func() uint64 { return n })
	require.NoError(t, err)
	defer unregister()
	n = 100
	c, err := Start("user:beans", "go:gc-cycles")
	require.NoError(t, err)
	n = 130
	runtime.GC()
	values, err := c.Read()
	require.NoError(t, err)
	require.Equal(t, int64(30), values[0])
	require.Positive(t, values[1])
	rates, err := c.Rates()
	require.NoError(t, err)
	per, ok := rates.Per("user:beans", "go:gc-cycles")
	require.True(t, ok)
	require.InDelta(t, 30/float64(rates.Values[1]), per, 1e-9)
	_, ok = rates.Per("user:beans", "cycles")
	require.False(t, ok)
	require.Positive(t, rates.Real)
	perSecond, ok := rates.PerSecond("user:beans")
	require.True(t, ok)
	require.Positive(t, perSecond)
	n = 142
	values, err = c.Stop()
	require.NoError(t, err)
	require.Equal(t, int64(42), values[0])
	_, err = c.Stop()
	require.ErrorIs(t, err, ErrDestroyed)
	_, err = Start("user:peas")
	require.ErrorIs(t, err, ErrUnknownEvent)
	_, err = Start()
	require.ErrorIs(t, err, ErrEmpty)
}

// PAPI's realtime and virttime with a shorter sleep: real time goes on, virtual time nearly stands still.
func TestTimers(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	v0, err := VirtualNanoseconds()
	if err != nil {
		t.Skip(err)
	}
	c0, err := VirtualCycles()
	require.NoError(t, err)
	r0, t0 := bothClocks()
	time.Sleep(100 * time.Millisecond)
	r1, t1 := bothClocks()
	real, ticks := r1-r0, t1-t0
	v1, err := VirtualNanoseconds()
	require.NoError(t, err)
	require.GreaterOrEqual(t, real, int64(100e6))
	require.Less(t, v1-v0, real/4)
	require.InEpsilon(t, float64(real)/1e9*float64(CycleRate()), float64(ticks), 0.2)
	for v1-v0 < 10e6 { // a thread that computes: virtual time goes on, in both units
		v1, _ = VirtualNanoseconds()
	}
	c1, err := VirtualCycles()
	require.NoError(t, err)
	require.InEpsilon(t, float64(v1-v0)*float64(CycleRate())/1e9, float64(c1-c0), 0.2)
}

// bothClocks reads them at once: of many readings those that lie closest together.
func bothClocks() (ns int64, ticks uint64) {
	for i, least := 0, int64(math.MaxInt64); i < 100; i++ {
		before := RealNanoseconds()
		at := RealCycles()
		if took := RealNanoseconds() - before; took < least {
			least, ns, ticks = took, before, at
		}
	}
	return ns, ticks
}

func TestRegister(t *testing.T) {
	read := func() uint64 { return 1 }
	for _, bad := range []string{"", "a b", "a,b"} {
		_, err := Register(Event{Name: bad}, read)
		require.ErrorIs(t, err, ErrInvalid, bad)
	}
	_, err := Register(Event{Name: "x"}, nil)
	require.ErrorIs(t, err, ErrInvalid)
	unregister, err := Register(Event{Name: "x", Gauge: true}, read)
	require.NoError(t, err)
	_, err = Register(Event{Name: "x"}, read)
	require.ErrorIs(t, err, ErrDuplicate)
	e, _, err := Find("user:x")
	require.NoError(t, err)
	require.True(t, e.Gauge && e.Process)
	require.NoError(t, Available("user:x"))
	unregister()
	unregister()
	require.ErrorIs(t, Available("user:x"), ErrUnknownEvent)
}

// The high level goes together with the low level, and on several threads (PAPI's serial_hl_ll_comb and pthread_hl).
func TestHighLevelBesideSets(t *testing.T) {
	var n atomic.Uint64
	unregister, err := Register(Event{Name: "steps"}, n.Load)
	require.NoError(t, err)
	defer unregister()
	low := New()
	require.NoError(t, low.Add("user:steps"))
	require.NoError(t, low.Start())
	n.Add(5)
	high, err := Start("user:steps")
	require.NoError(t, err)
	n.Add(7)
	values, err := high.Stop()
	require.NoError(t, err)
	require.Equal(t, []int64{7}, values)
	require.NoError(t, low.Stop(values))
	require.Equal(t, []int64{12}, values)
	require.NoError(t, low.Close())
}

func TestHighLevelOnThreads(t *testing.T) {
	if err := Available("task-clock"); err != nil {
		t.Skip("not here: ", err)
	}
	var wg sync.WaitGroup
	spent, other := make([]int64, 2), make([]error, 2)
	for i := range spent { // the first computes three times as long as the second
		wg.Go(func() {
			c, err := Start("task-clock")
			if err != nil {
				other[i] = err
				return
			}
			from, _ := VirtualNanoseconds()
			for now := from; now < from+int64(3-2*i)*5e6; {
				now, _ = VirtualNanoseconds()
			}
			values, err := c.Stop()
			spent[i], other[i] = values[0], err
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(other...))
	require.GreaterOrEqual(t, spent[0], int64(14e6), "two clocks of the kernel, not quite the same")
	require.GreaterOrEqual(t, spent[1], int64(4e6))
	require.Less(t, spent[1], spent[0])
}

// Every event of the Go runtime can be counted by itself, and levels are marked.
func TestGoRuntime(t *testing.T) {
	listed := goRuntime{}.Events()
	require.GreaterOrEqual(t, len(listed), 20)
	for _, e := range listed {
		require.NoError(t, Available(e.Name), e.Name)
		require.True(t, e.Process)
		require.NotEmpty(t, e.Description)
		_, from, err := Find(e.Name)
		require.NoError(t, err)
		require.Equal(t, goRuntime{}, from)
	}
	s := New()
	require.NoError(t, s.AddAll("go:goroutines", "go:goroutines-created", "go:gc-pauses", "go:alloc-bytes", "go:gc-cpu"))
	require.NoError(t, s.Start())
	stop, wg := make(chan bool), sync.WaitGroup{}
	for range 50 {
		wg.Go(func() { <-stop })
	}
	keep := make([]byte, 1<<20)
	runtime.GC()
	v := make([]int64, 5)
	require.NoError(t, s.Read(v))
	require.GreaterOrEqual(t, v[0], int64(51))
	require.GreaterOrEqual(t, v[1], int64(50))
	require.GreaterOrEqual(t, v[2], int64(1))
	require.GreaterOrEqual(t, v[3], int64(len(keep)))
	require.Positive(t, v[4])
	close(stop)
	wg.Wait()
	require.NoError(t, s.Stop(v))
	require.NoError(t, s.Close())
	_, err := goRuntime{}.Open([]string{"go:no-such"}, Options{})
	require.ErrorIs(t, err, ErrUnknownEvent)
}
