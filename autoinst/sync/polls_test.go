package sync_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// TestPolls records a program that tries in vain: those tries are known that come one right after the other, many at a time, and no others.
func TestPolls(t *testing.T) {
	a := record(t, "polls")
	require.Empty(t, a.Check())
	defs := a.Definitions()
	at, tries := "", map[string]int{}
	for m := a.Merge(); ; {
		_, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch e.Kind {
		case wire.SelectBegin:
			r := &defs.Regions[e.ID]
			require.Equal(t, "select", r.Name)
			require.Contains(t, r.File, "polls/main.go")
			at = r.Func
		case wire.Chose:
			require.Equal(t, wire.Failed, wire.Outcome(e.ID))
			tries[at] += int(e.Word >> 32)
		}
	}
	for _, f := range []string{"main.receives", "main.sends", "main.selects"} {
		require.Positive(t, tries[f], f)
		require.LessOrEqual(t, tries[f], 1<<20, f)
		require.Zero(t, tries[f]%1024, f)
	}
	require.Len(t, tries, 3)
}
