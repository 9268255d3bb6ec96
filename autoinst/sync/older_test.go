package sync_test

import (
	"bufio"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/recorder"
	"tracerec/trace"
)

// TestOlder: goroutines that wait from before a recording begins until it ends are not in it, and are told.
func TestOlder(t *testing.T) {
	name := program(t, "older")
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	out, in, err := os.Pipe()
	require.NoError(t, err)
	defer out.Close()
	o.Quiet, o.Stdout, o.Window = true, in, &recorder.Window{From: -1, To: -1}
	ended := make(chan error, 1)
	go func() {
		_, err := recorder.Run(o, []string{name})
		in.Close()
		ended <- err
	}()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		require.NoError(t, recorder.Control(o.Dir, lines.Text() == "ready"))
	}
	require.NoError(t, <-ended)
	a, err := trace.Open(o.Dir)
	require.NoError(t, err)
	defer a.Close()
	require.Empty(t, a.Check())
	warnings := map[string]uint64{}
	for _, p := range a.Definitions().Processes {
		maps.Copy(warnings, p.Warnings)
	}
	require.Equal(t, map[string]uint64{"goroutines that waited all the time, since before the recording began, are not in it: " +
		"main.locked ×3 [sync.Mutex.Lock], main.receives [chan receive] (a goroutine dump shows where)": 1}, warnings)
}
