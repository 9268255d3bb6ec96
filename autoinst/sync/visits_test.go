package sync_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// TestVisits records a program that visits a function too often: each visit is recorded or counted, on any number of processors.
func TestVisits(t *testing.T) {
	a := record(t, "visits")
	require.Empty(t, a.Check())
	defs := a.Definitions()
	recorded, counted := uint64(0), uint64(0)
	for m := a.Merge(); ; {
		_, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e.Kind == wire.Enter && defs.Regions[e.ID].Name == "main.short" {
			recorded++
		}
	}
	for name, n := range defs.Processes[0].Warnings {
		require.True(t, strings.HasPrefix(name, "visits of main.short "), name)
		counted += n
	}
	require.NotZero(t, counted)
	require.Equal(t, uint64(4*10*100_000), recorded+counted)
}
