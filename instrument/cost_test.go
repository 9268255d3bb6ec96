//go:build linux && (amd64 || arm64 || riscv64)

package instrument_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/instrument"
	"tracerec/internal/shm"
)

// TestCostOfEvent compares the cost that a session states with that of events recorded, and finds no trace of its measuring.
func TestCostOfEvent(t *testing.T) {
	for name, c := range map[string]shm.Config{"descriptors": {}, "portable": {Portable: true}} {
		t.Run(name, func(t *testing.T) {
			c.Dir = t.TempDir()
			require.NoError(t, instrument.Attach(c))
			defer instrument.Detach()
			v := view(t, c.Dir)
			require.Empty(t, v.Owned())
			require.Zero(t, v.Locations())
			const rounds, pairs = 200, 100 // so few that some rounds are left alone on the busiest machine
			best := time.Duration(1 << 62)
			for range rounds {
				start := time.Now()
				for range pairs {
					handle.Enter().End()
				}
				best = min(best, time.Since(start))
			}
			real := uint64(best) * 1000 / (2 * pairs)
			cost := v.Info().EventCost
			t.Logf("%d ps stated, %d ps needed", cost, real)
			require.Greater(t, cost, real/50)
			require.Less(t, cost, real*50)
		})
	}
}

// TestLeast finds the cost of undisturbed batches among disturbed ones, whichever these are, and comes to an end where none is left alone.
func TestLeast(t *testing.T) {
	for name, c := range map[string]struct {
		cost  func(batch int) uint64
		least uint64
	}{
		"alone":            {func(int) uint64 { return 5000 }, 5000},
		"late to come":     {func(i int) uint64 { return []uint64{216_000, 5000}[min(i/30, 1)] }, 5000},
		"descheduled":      {func(i int) uint64 { return []uint64{27_000_000, 90_000, 5100, 8000, 5000, 33_000}[i%6] }, 5000},
		"rarely alone":     {func(i int) uint64 { return 5000 + uint64(i+9)%10*1000 }, 5000},
		"clocks are crude": {func(i int) uint64 { return uint64(i%3) * 15_000 }, 0},
	} {
		calls := 0
		got := instrument.Least(32, func() uint64 { calls++; return c.cost(calls - 1) })
		require.Equal(t, c.least, got, name)
		require.LessOrEqual(t, calls, 4*32+1, name)
	}
}

// TestRefusedWhileMeasuring: a reading that is refused before there is a buffer, in which it would be counted, does not harm the program.
func TestRefusedWhileMeasuring(t *testing.T) { require.NotPanics(t, instrument.RefusedInScratch) }
