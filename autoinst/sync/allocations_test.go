package sync_test

import (
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
