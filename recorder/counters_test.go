//go:build linux

package recorder

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/sample"
	"tracerec/trace/wire"
)

func TestSumSigns(t *testing.T) {
	for formula, want := range map[string][]bool{
		"N0": {false}, "N0 + N1": {false, false}, "N0 - N1": {false, true}, "N1 - N0 + N2": {true, false, false},
	} {
		got, err := sumSigns(formula, len(want))
		require.NoError(t, err, formula)
		require.Equal(t, want, got, formula)
	}
	for _, formula := range []string{"", "N0 * N1", "N0 + N0", "N0", "N0 + N2", "N0 + 2", "N0 / N1", "- N0 + N1", "(N0 + N1)"} {
		_, err := sumSigns(formula, 2)
		require.Error(t, err, formula)
	}
}

// built builds a program with a variable, and returns its file.
func built(t *testing.T, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"),
		[]byte("package main\n\nvar Wide, Next uint64\n\nvar Narrow uint16\n\nfunc main() { Wide++; Next++; Narrow++; println(Wide, Next, Narrow) }\n"), 0o644))
	build := exec.Command("go", append(append([]string{"build", "-o", "m"}, flags...), ".")...)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("cannot build with %v: %s", flags, out)
	}
	return filepath.Join(dir, "m")
}

func TestWatchedVariables(t *testing.T) {
	program := built(t, "-buildmode=exe")
	wide, err := addressed("mem:main.Wide", program)
	require.NoError(t, err)
	require.Regexp(t, `^mem:0x[0-9a-f]+/8$`, wide)
	whole, err := addressed("mem:main.Wide/4:rw:u", program)
	require.NoError(t, err)
	require.Equal(t, wide[:len(wide)-2]+"/4:rw:u", whole)
	narrow, err := addressed("mem:main.Narrow:w", program)
	require.NoError(t, err)
	require.Regexp(t, `^mem:0x[0-9a-f]+/2:w$`, narrow)
	further, err := addressed("mem:main.Wide+8/8:w", program)
	require.NoError(t, err)
	require.NotEqual(t, wide+":w", further)
	for _, name := range []string{"cycles", "mem:0x1234/8:w", "mem:4096/8:w", "sched:sched_switch"} {
		same, err := addressed(name, program)
		require.NoError(t, err)
		require.Equal(t, name, same)
	}
	for name, why := range map[string]string{
		"mem:main.Wide/9:w":   "mem:main.Wide/9:w: the length is 1, 2, 4 or 8 bytes, not 9",
		"mem:main.Wide/0:w":   "mem:main.Wide/0:w: the length is 1, 2, 4 or 8 bytes, not 0",
		"mem:main.Wide/8:q":   "mem:main.Wide/8:q: the access is w, r or rw, not q",
		"mem:main.Wide/8:ww":  "mem:main.Wide/8:ww: the access is",
		"mem:main.Wide/8:x":   "mem:main.Wide/8:x: x: a variable is not executed",
		"mem:main.Wide+4/8:w": "is no multiple of the length, 8",
		"mem:main.Wide+4:w":   "is no multiple of the length, 8",
		"mem:main.Wide+1/2:w": "is no multiple of the length, 2",
	} {
		_, err := addressed(name, program)
		require.ErrorContains(t, err, why)
		require.NotContains(t, err.Error(), "mem:0x")
	}
	if _, err = addressed("mem:main.Wide/4:r", program); runtime.GOARCH == "amd64" {
		require.ErrorContains(t, err, "mem:main.Wide/4:r: r: x86 cannot watch reads alone")
	}
	for _, name := range []string{"mem:main.Wide:u", "mem:main.Wide/8:wr", "mem:main.Wide:rw:u", "mem:main.Wide+4/4:w"} {
		_, err := addressed(name, program)
		require.NoError(t, err)
	}
	_, err = addressed("mem:main.Nothing/8:w", program)
	require.ErrorContains(t, err, "has no variable main.Nothing")
	_, err = addressed("mem:main.main/8:w", program)
	require.ErrorContains(t, err, "has no variable main.main")
	_, err = addressed("mem:main.Wide/8:w", os.DevNull)
	require.ErrorContains(t, err, "has no symbols")
	_, err = addressed("mem:main.Wide/8:w", built(t, "-ldflags=-s"))
	require.ErrorContains(t, err, "no symbol table")
	_, err = addressed("mem:main.Wide/8:w", built(t, "-buildmode=pie"))
	require.ErrorContains(t, err, "PIE")
}

func TestHandDown(t *testing.T) {
	specs, err := handDown([]string{"task-clock", "go:gc-pauses"}, "")
	if err != nil {
		t.Skip("no counters here: ", err)
	}
	require.Equal(t, "task-clock|+1.1.0.0.0.0.", specs[0])
	require.Equal(t, "go:gc-pauses|/sched/pauses/total/gc:seconds", specs[1])
	for name, why := range map[string]string{
		"no-such":       "unknown event",
		"rusage:minflt": "at regions it cannot be read",
		"PAPI_NONSENSE": "unknown event",
		"go:goroutines": "a level and not a count",
		"go:threads":    "a level and not a count",
		"go:live-bytes": "a level and not a count",
	} {
		_, err = handDown([]string{name}, "")
		require.ErrorContains(t, err, why)
	}
	_, err = handDown([]string{"task-clock", "task-clock"}, "")
	require.ErrorContains(t, err, "named twice")
	var many []string
	for i := range sample.MaxEvents + 1 {
		many = append(many, fmt.Sprintf("mem:0x%x/8:w", 4096+8*i))
	}
	_, err = handDown(many, "")
	require.ErrorContains(t, err, "at most 16")
}

func TestMissingText(t *testing.T) {
	require.Equal(t, "counter cycles is missing (gone)", missingText(wire.Def{Type: wire.DefMissing, Name: "cycles", Unit: "gone"}))
	require.Equal(t, "a remark", missingText(wire.Def{Type: wire.DefMissing, Unit: "a remark"}))
}

func TestProcessor(t *testing.T) {
	p, hertz := processor()
	require.NotEmpty(t, p.Arch)
	require.Zero(t, hertz%1000)
}
