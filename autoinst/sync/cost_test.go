package sync_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/recorder"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestCost counts what it costs to record an operation: the events, and how often the clock is read for them; and goroutines
// do not get a larger stack for their first operation.
func TestCost(t *testing.T) {
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet, o.Resolution = true, 1
	out := filepath.Join(t.TempDir(), "out")
	status, err := recorder.Run(o, []string{"sh", "-c", `"$0" >"$1"`, program(t, "cost"), out})
	require.NoError(t, err)
	require.Zero(t, status)
	said, err := os.ReadFile(out)
	require.NoError(t, err)
	var moved int
	_, err = fmt.Sscan(string(said), &moved)
	require.NoError(t, err)
	require.Less(t, moved, 10, "only what comes to a place for the first time takes more")
	a, err := trace.Open(o.Dir)
	require.NoError(t, err)
	defer a.Close()

	type cost struct{ events, stamps int }
	per := map[string]cost{}
	const rounds = 1000 // what others on the machine cause is much less
	region, events, stamps := "", 0, map[int64]bool{}
	defs := a.Definitions()
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		switch {
		case defs.Locations[l].GoID != 1:
		case e.Kind == wire.Enter:
			region, events, stamps = defs.Regions[e.ID].Name, 0, map[int64]bool{}
		case e.Kind == wire.Exit:
			per[region] = cost{events / rounds, len(stamps) / rounds}
		}
		events++
		stamps[e.Time] = true
	}
	delete(per, "main.main")
	require.Equal(t, map[string]cost{
		"main.locks": {3, 2}, "main.readers": {3, 2}, "main.buffered": {4, 4}, "main.toAndFro": {14, 10}, "main.start": {11, 9},
	}, per)
}
