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

// A program that starts others, talks to them, ends them and shares memory with them.
func TestProcesses(t *testing.T) {
	t.Parallel()
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "processes")
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "processes"), program, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(bin, "in"), []byte("no program"), 0o755))
	counts := map[uint64]bool{}
	for range 2 {
		var printed bytes.Buffer
		k, err := New(program, Options{Args: []string{"/bin/processes"}, Env: []string{"OUT=/out"}, Stdout: &printed, Stderr: &printed,
			CPUs: 2, MaxInstructions: 1e9, Mounts: []Mount{{Guest: "/bin", Host: bin}, {Guest: "/out", Host: t.TempDir(), Write: true}}})
		require.NoError(t, err)
		status, err := k.Run()
		require.NoError(t, err, "%s", &printed)
		require.Equal(t, "echo 150000 <nil>\n[STATUS=seven] true\nstatus exit status 7 7 true\n"+
			"fork/exec /no/such: no such file or directory\nfork/exec /bin/in: exec format error\n"+
			"ready <nil>\nterminated <nil>\nsignal: killed child exited\nstopped stopped (signal)\ncontinued true\nkilled killed\nshared 3000 [184 11]\ntrue\n", printed.String())
		require.Equal(t, 0, status)
		counts[k.Instructions()] = true
		require.NoError(t, k.Close())
	}
	require.Len(t, counts, 1)
}
