package sync_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/shm"
	"tracerec/trace/wire"
)

// TestVisits records a program that visits a function too often: no visit is counted twice, on any number of processors, and when enough are
// counted that is said.
func TestVisits(t *testing.T) {
	a := record(t, "visits")
	require.Empty(t, a.Check())
	defs := a.Definitions()
	recorded, counted := map[string]uint64{}, map[string]uint64{}
	more := map[string]bool{}
	for m := a.Merge(); ; {
		_, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e.Kind == wire.Enter {
			recorded[defs.Regions[e.ID].Name]++
		}
	}
	for name, n := range defs.Processes[0].Warnings {
		if region, atLeast, ok := wire.Unrecorded(name); ok {
			counted[region], more[region] = n, atLeast
		}
	}
	require.True(t, more["main.short"])
	require.GreaterOrEqual(t, counted["main.short"], uint64(shm.Enough))
	require.LessOrEqual(t, recorded["main.short"]+counted["main.short"], uint64(4*10*100_000))
}
