package counters

import (
	"runtime"
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
	r0, t0 := RealNanoseconds(), RealCycles()
	time.Sleep(100 * time.Millisecond)
	real, ticks := RealNanoseconds()-r0, RealCycles()-t0
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
