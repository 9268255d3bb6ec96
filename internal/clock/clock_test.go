package clock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClockAgreesWithMonotonic(t *testing.T) {
	k := Best()
	frequency := float64(Frequency(k))
	a := Take(k)
	time.Sleep(20 * time.Millisecond)
	b := Take(k)
	mono := float64(b.Mono - a.Mono)
	require.InEpsilon(t, mono, float64(b.Ticks-a.Ticks)/frequency*1e9, 0.05)
	require.InDelta(t, time.Now().UnixNano(), b.Wall, float64(10*time.Second))
}

func TestClockIsMonotonic(t *testing.T) {
	for _, k := range []Kind{Monotonic, Best()} {
		last := Now(k)
		for range 10000 {
			now := Now(k)
			require.LessOrEqual(t, last, now, k)
			last = now
		}
	}
	require.EqualValues(t, 1e9, Frequency(Monotonic))
}
