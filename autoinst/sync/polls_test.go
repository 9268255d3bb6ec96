package sync_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

// TestPolls records a program that tries in vain: those tries to receive are known that come one right after the other at one place, many at a time, and no others.
func TestPolls(t *testing.T) {
	a := record(t, "polls")
	require.Empty(t, a.Check())
	defs := a.Definitions()
	began, ended, at := int64(0), int64(0), ""
	tries, together := map[string]int{}, map[string]bool{}
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
			together[r.Func] = together[r.Func] || at == r.Func && int64(e.Time)-ended < (ended-began)/4
			began, at = int64(e.Time), r.Func
		case wire.Chose:
			require.Equal(t, wire.Failed, wire.Outcome(e.ID))
			tries[at] += int(e.Word >> 32)
			ended = int64(e.Time)
		}
	}
	polling := []string{"main.receives", "main.selects", "main.until", "main.selectsUntil"}
	for _, f := range polling {
		require.Positive(t, tries[f], f)
		require.LessOrEqual(t, tries[f], 1<<16, f)
		require.Zero(t, tries[f]%1024, f)
		require.True(t, together[f], "%s: none is right behind another one", f)
	}
	for f := range tries {
		require.Contains(t, polling, f)
	}
}
