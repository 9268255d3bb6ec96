//go:build linux

package linux

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// What recorders of other processes need is there, and the same every time.
func TestWhatRecordersNeed(t *testing.T) {
	t.Parallel()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "attends")
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "attends"), program, 0o755))
	counts := map[uint64]bool{}
	for range 2 {
		var printed bytes.Buffer
		k, err := New(program, Options{Args: []string{"/bin/attends", "/out"}, Stdout: &printed, Stderr: &printed,
			CPUs: 2, MaxInstructions: 1e9, Mounts: []Mount{{Guest: "/bin", Host: bin}, {Guest: "/out", Host: t.TempDir(), Write: true}}})
		require.NoError(t, err)
		status, err := k.Run()
		require.NoError(t, err, "%s", &printed)
		require.Equal(t, "<nil> operation not supported\n<nil>\n100000 true false\nrunning 0 <nil> true true\n<nil>\nended 1 <nil> Z\n"+
			"child may not resource temporarily unavailable\nchild has it <nil>\ntrue no such process\ntrue <nil> true\n"+
			"<nil> 8589934592 no such file or directory <nil>\noperation not permitted\ntrue\n", printed.String())
		require.Equal(t, 0, status)
		counts[k.Instructions()] = true
		require.NoError(t, k.Close())
	}
	require.Len(t, counts, 1)
}
