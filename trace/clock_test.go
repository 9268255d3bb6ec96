package trace

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimebaseIsExactAtStamps(t *testing.T) {
	stamps := []Stamp{{Ticks: 5000, Mono: 100}, {Ticks: 5000 + 300e6, Mono: 100 + 100e6 + 77}, {Ticks: 5000 + 600e6, Mono: 100 + 200e6 - 50}}
	b, wrong := newTimebase(1, 3e9, stamps)
	require.Zero(t, wrong)
	for _, s := range stamps {
		require.InDelta(t, s.Mono, b.ns(int64(s.Ticks-5000)), 1)
	}
	require.InDelta(t, 100+50e6+38, b.ns(150e6), 1)
	// Beyond the last stamp, the speed of the last piece.
	require.InDelta(t, 100+300e6-177, b.ns(900e6), 2)
	// Before the first, the nominal speed.
	require.EqualValues(t, 100-1000, b.ns(-3000))
}

func TestTimebaseWithoutDriftIsExact(t *testing.T) {
	b, _ := newTimebase(1, 1e9, []Stamp{{}, {Ticks: 1e9, Mono: 1e9}, {Ticks: 5e17, Mono: 5e17}})
	for _, v := range []int64{0, 1, 999999999, 1e9, 1e9 + 1, 4e17 + 12345, 5e17, 5e17 + 1e12 + 7, -5} {
		require.Equal(t, v, b.ns(v))
	}
}

// TestTimebaseIsMonotone takes clocks that jump, stand still and lie.
func TestTimebaseIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		stamps := []Stamp{{Ticks: rng.Uint64(), Mono: rng.Int64N(1 << 40)}}
		for range rng.IntN(6) {
			last := stamps[len(stamps)-1]
			stamps = append(stamps, Stamp{Ticks: last.Ticks + rng.Uint64()>>rng.UintN(64), Mono: last.Mono + rng.Int64()>>rng.UintN(63)})
		}
		unit := 1 + rng.Uint64N(1<<rng.UintN(32))
		b, _ := newTimebase(unit, minFrequency+rng.Uint64N(maxFrequency-minFrequency), stamps)
		before, at := int64(math.MinInt64), int64(math.MinInt64)
		for u := int64(-maxUnits); u <= maxUnits; {
			ns := b.ns(u)
			require.GreaterOrEqual(t, ns, before, "%v unit %d from %d to %d", stamps, unit, at, u)
			before, at = ns, u
			step := int64(rng.Uint64() >> (3 + rng.UintN(60)))
			if k := rng.IntN(len(b.segments)); rng.IntN(4) == 0 && b.segments[k].from > u {
				step = b.segments[k].from - u - rng.Int64N(2)
			}
			u += max(step, 1)
		}
	}
}

func TestUnitTicks(t *testing.T) {
	require.EqualValues(t, 192, unitTicks(64, 3e9))
	require.EqualValues(t, 134, unitTicks(64, 2.1e9))
	require.EqualValues(t, 64, unitTicks(64, 1e9))
	require.EqualValues(t, 3, unitTicks(1, 3e9))
	require.EqualValues(t, 1, unitTicks(1, 1e6))
}

func TestDivisorsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	units := []uint64{1, 2, 3, 64, 134, 1 << 32}
	for range 1000 {
		units = append(units, 1+rng.Uint64N(1<<32)>>rng.UintN(32))
	}
	for _, unit := range units {
		d := newDivisor(unit)
		for _, v := range []int64{0, 1, int64(unit) - 1, int64(unit), int64(unit) + 1, math.MaxInt64, math.MaxInt64 - math.MaxInt64%int64(unit), math.MinInt64, -1, -int64(unit), rng.Int64(), rng.Int64() >> rng.UintN(63), -rng.Int64()} {
			for _, v := range []int64{v, max(v, math.MinInt64+1) - 1} {
				require.Equal(t, floorDiv(v, unit), d.floor(v), "%d / %d", v, unit)
			}
		}
	}
}
