package sync_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAllocations: in a program that is not recorded, operations allocate as often as without us.
func TestAllocations(t *testing.T) {
	ours := said(t, program(t, "allocations"))
	plain := filepath.Join(t.TempDir(), "plain")
	build := exec.Command("go", "build", "-o", plain, "./allocations")
	build.Dir = filepath.Join("testdata", "programs")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, said(t, plain), ours)
	require.Contains(t, ours, "locks 0\n")
}

func said(t *testing.T, program string) string {
	out, err := exec.Command(program).Output()
	require.NoError(t, err)
	return string(out)
}

// TestShortGoroutines: what short goroutines do with locks of their own allocates little more while it is recorded, where memory is used again, and they soon begin with a stack that
// is large enough. Each processor learns that by itself, so there is one.
func TestShortGoroutines(t *testing.T) {
	contexts := program(t, "contexts")
	out := filepath.Join(t.TempDir(), "out")
	recordCommand(t, "sh", "-c", `GOMAXPROCS=1 "$0" >"$1"`, contexts, out)
	recorded, err := os.ReadFile(out)
	require.NoError(t, err)
	read := func(text string) (allocations, larger float64) {
		_, err := fmt.Sscan(text, &allocations, &larger)
		require.NoError(t, err)
		return allocations, larger
	}
	usual, _ := read(said(t, contexts))
	allocations, larger := read(string(recorded))
	require.Less(t, allocations, usual+1)
	require.Less(t, larger, 0.2)
}
