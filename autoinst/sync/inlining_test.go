package sync_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/autoinst/regions"
)

// TestInlining: what the compiler inlines of the packages that programs call, it inlines with our patches, too. TryRLock is a second call there, and what is behind RLocker is
// called through an interface anyway.
func TestInlining(t *testing.T) {
	if testing.Short() {
		t.Skip("builds packages of the standard library")
	}
	args := []string{"-o", filepath.Join(t.TempDir(), "program")}
	for _, path := range []string{"internal/sync", "sync", "internal/poll", "os", "net", "time"} {
		args = append(args, "-gcflags="+path+"=-m")
	}
	args = append(args, "./streams")
	dir := filepath.Join("testdata", "programs")
	plain := exec.Command("go", append([]string{"build"}, args...)...)
	plain.Dir = dir
	said, err := plain.CombinedOutput()
	require.NoError(t, err, string(said))

	b, err := build.New("build", append([]string{"-C", dir}, args...), regions.Options{})
	defer b.Close()
	require.NoError(t, err)
	var ours bytes.Buffer
	_, err = b.Run(nil, given.Orders{}, &ours, &ours)
	require.NoError(t, err)

	can := inlinable(ours.String())
	var cannot []string
	for _, name := range inlinable(string(said)) {
		if _, found := slices.BinarySearch(can, name); !found {
			cannot = append(cannot, name)
		}
	}
	require.Contains(t, can, "(*RWMutex).RLock")
	require.Equal(t, []string{"(*RWMutex).TryRLock", "(*rlocker).Lock", "(*rlocker).Unlock"}, cannot)
}

// inlinable returns the names of the functions that the compiler says it can inline, sorted.
func inlinable(said string) (names []string) {
	for line := range strings.Lines(said) {
		if _, name, found := strings.Cut(line, ": can inline "); found {
			names = append(names, strings.TrimSpace(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
