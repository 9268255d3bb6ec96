//go:build linux

package perf

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/substrate"
	"tracerec/internal/testkit"
)

// built builds a program with a variable, and returns its file.
func built(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"),
		[]byte("package main\n\nvar Wide, Next uint64\n\nvar Pair [2]uint64\n\nvar Odd [3]byte\n\nvar Narrow uint16\n\nfunc main() { Wide++; Next++; Narrow++; Pair[1]++; Odd[0]++; println(Wide, Next, Narrow, Pair[1], Odd[0]) }\n"), 0o644))
	build := exec.Command("go", append(append([]string{"build", "-o", "m"}, flags...), ".")...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("cannot build with %v: %s", flags, out)
	}
	return filepath.Join(dir, "m")
}

func TestWatchedVariables(t *testing.T) {
	program := built(t, "-buildmode=exe")
	wide, err := Addressed("mem:main.Wide", program)
	require.NoError(t, err)
	require.Regexp(t, `^mem:0x[0-9a-f]+/8$`, wide)
	whole, err := Addressed("mem:main.Wide/4:rw:u", program)
	require.NoError(t, err)
	require.Equal(t, wide[:len(wide)-2]+"/4:rw:u", whole)
	narrow, err := Addressed("mem:main.Narrow:w", program)
	require.NoError(t, err)
	require.Regexp(t, `^mem:0x[0-9a-f]+/2:w$`, narrow)
	pair, err := Addressed("mem:main.Pair/8:w", program)
	require.NoError(t, err)
	further, err := Addressed("mem:main.Pair+8/8:w", program)
	require.NoError(t, err)
	require.NotEqual(t, pair, further)
	odd, err := Addressed("mem:main.Odd:w", program)
	require.NoError(t, err)
	require.Regexp(t, `^mem:0x[0-9a-f]+/2:w$`, odd)
	for _, name := range []string{"cycles", "mem:0x1234/8:w", "mem:4096/8:w", "sched:sched_switch"} {
		same, err := Addressed(name, program)
		require.NoError(t, err)
		require.Equal(t, name, same)
	}
	for name, why := range map[string]string{
		"mem:main.Wide/9:w":            "mem:main.Wide/9:w: the length must be 1, 2, 4 or 8 bytes, not 9",
		"mem:main.Wide/0:w":            "mem:main.Wide/0:w: the length must be 1, 2, 4 or 8 bytes, not 0",
		"mem:main.Wide/8:q":            "mem:main.Wide/8:q: the access must be w, r or rw, not q",
		"mem:main.Wide/8:ww":           "mem:main.Wide/8:ww: the access must be",
		"mem:main.Wide/8:x":            "mem:main.Wide/8:x: x: a variable is not executed",
		"mem:main.Wide+4/8:w":          "is not a multiple of the length, 8",
		"mem:main.Wide+4:w":            "is not a multiple of the length, 8",
		"mem:main.Wide+1/2:w":          "is not a multiple of the length, 2",
		"mem:main.Wide+8/8:w":          "8 bytes from byte 8 on do not lie within main.Wide, which has 8",
		"mem:main.Pair+0xffffff00/8:w": "do not lie within main.Pair, which has 16",
		"mem:main.Next+0xffffff00/8:w": "do not lie within main.Next, which has 8",
	} {
		_, err := Addressed(name, program)
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "mem:0x")
	}
	if _, err = Addressed("mem:main.Wide/4:r", program); runtime.GOARCH == "amd64" {
		require.ErrorContains(t, err, "mem:main.Wide/4:r: r: x86 cannot watch reads alone")
	}
	for _, name := range []string{"mem:main.Wide:u", "mem:main.Wide/8:wr", "mem:main.Wide:rw:u", "mem:main.Wide+4/4:w"} {
		_, err := Addressed(name, program)
		require.NoError(t, err)
	}
	_, err = Addressed("mem:main.Nothing/8:w", program)
	require.ErrorContains(t, err, "has no variable main.Nothing")
	_, err = Addressed("mem:main.main/8:w", program)
	require.ErrorContains(t, err, "has no variable main.main")
	_, err = Addressed("mem:main.Wide/8:w", os.DevNull)
	require.ErrorContains(t, err, "cannot read the symbols")
	_, err = Addressed("mem:main.Wide/8:w", built(t, "-ldflags=-s"))
	require.ErrorContains(t, err, "no symbol table")
	_, err = Addressed("mem:main.Wide/8:w", built(t, "-buildmode=pie"))
	require.ErrorContains(t, err, "PIE")
}

// A program's own variables are known by their names.
func TestOwnVariables(t *testing.T) {
	open(t, substrate.Options{}, watch(0))
	program := testkit.Build(t, nil, "./testdata/watched") // tests themselves have no symbols
	out, err := exec.Command(program, "mem:main.cells+8/8:w", "mem:main.cells+8/8:w:u", "mem:main.cells+16/8:w", "mem:main.nothing/8:w", "page-faults:q").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "mem:main.cells+8/8:w 7\nmem:main.cells+8/8:w:u 7\nmem:main.cells+16/8:w: unknown event: "+
		"8 bytes from byte 16 on do not lie within main.cells, which has 16\n"+
		"mem:main.nothing/8:w: unknown event: this program has no variable main.nothing (name it with its package: main.counter)\n"+
		"page-faults:q: unknown event: modifiers are u, k and p, not \"q\"\n", string(out))
}
