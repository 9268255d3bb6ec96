package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program reads its counters itself, whether it is recorded or not, and switches the address trace if there is one.
func TestSimCalls(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and simulates a program")
	}
	guest(t) // or skip
	const counts = `^332833500 \[\d+ \d+ 50\d\d\] .*\n`
	dir := t.TempDir()
	r := inside("sim", "-q", "-o", "", "testdata/programs/calls")
	require.Zero(t, r.status, r.stderr)
	require.Regexp(t, counts+`no trace .* no trace .*\n$`, r.stdout)
	r = inside("sim", "-q", "-o", filepath.Join(dir, "a"), "--trace", filepath.Join(dir, "a.trz"), "testdata/programs/calls")
	require.Zero(t, r.status, r.stderr)
	require.Regexp(t, counts+`<nil> <nil>\n$`, r.stdout)
	clean(t, filepath.Join(dir, "a"))
}
