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
			const pairs = 20_000
			best := time.Duration(1 << 62)
			for range 5 {
				start := time.Now()
				for range pairs / 5 {
					handle.Enter().End()
				}
				best = min(best, time.Since(start))
			}
			real := uint64(best) * 1000 / (2 * pairs / 5)
			cost := v.Info().EventCost
			t.Logf("%d ps stated, %d ps needed", cost, real)
			require.Greater(t, cost, real/50)
			require.Less(t, cost, real*50)
		})
	}
}
