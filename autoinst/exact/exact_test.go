package exact

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/overlay"
)

// here is the Go that runs the test.
func here(t *testing.T) (target Target) {
	out, err := exec.Command("go", "env", "-json", "GOROOT", "GOVERSION").Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(out, &target))
	target.GOOS, target.GOARCH = "linux", "amd64"
	return target
}

// written writes the overlay for a target and returns its file, and what replaces what.
func written(t *testing.T, target Target) (file string, replace map[string]string) {
	t.Helper()
	o := overlay.New(target.GOROOT)
	require.NoError(t, Patch(o, target))
	file, err := o.Write(t.TempDir())
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var content struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(text, &content))
	return file, content.Replace
}

// TestVersions: the installed version is one that is known; this test fails when it is not, and then the ways onto threads of the
// new version have to be read before it is added.
func TestVersions(t *testing.T) {
	_, replace := written(t, here(t))
	require.Len(t, replace, 4)
	for original, patched := range replace {
		text, err := os.ReadFile(patched)
		require.NoError(t, err)
		before, err := os.ReadFile(original)
		if filepath.Base(original) == added {
			require.ErrorIs(t, err, os.ErrNotExist)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, string(before), withoutHooks(string(text)), original)
	}
}

// withoutHooks removes what the patches put in.
func withoutHooks(text string) string {
	for _, p := range patches {
		text = strings.Replace(text, p.text, "", 1)
	}
	return text
}

// source makes a copy of the installed runtime's source.
func source(t *testing.T) (tool Target, dir string) {
	tool = here(t)
	files, err := filepath.Glob(filepath.Join(tool.GOROOT, "src", "runtime", "*.go"))
	require.NoError(t, err)
	tool.GOROOT = t.TempDir()
	dir = filepath.Join(tool.GOROOT, "src", "runtime")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(f)), text, 0o644))
	}
	return tool, dir
}

func TestUnknownSourceIsRefused(t *testing.T) {
	tool, runtime := source(t)
	for what, change := range map[string]struct{ file, old, text string }{
		"another way onto a thread": {"proc.go", "func schedule() {", "func other(gp *g) {\n\tgogo(&gp.sched)\n}\n\nfunc schedule() {"},
		"a way in another file":     {"time.go", "package runtime\n", "package runtime\n\nfunc other(mp *m, gp *g) { \n\tmp.curg = gp\n}\n"},
		"execute is another":        {"proc.go", "func execute(gp *g, inheritTime bool) {", "func execute(gp *g) {"},
		"dropg begins otherwise":    {"proc.go", "func dropg() {\n\tgp := getg()\n", "func dropg() {\n\tme := getg()\n"},
		"no coroutines":             {"coro.go", "func coroswitch_m(gp *g) {", "func coroSwitch(gp *g) {"},
		"g is another":              {"runtime2.go", "type g struct {", "type g = struct {"},
	} {
		file := filepath.Join(runtime, change.file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(text), change.old, what)
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), change.old, change.text, 1)), 0o644))
		err = Patch(overlay.New(tool.GOROOT), tool)
		require.ErrorIs(t, err, ErrUnsupported, what)
		require.ErrorContains(t, err, "build without --exact-counters", what)
		require.NoError(t, os.WriteFile(file, text, 0o644))
	}
	require.NoError(t, Patch(overlay.New(tool.GOROOT), tool), "the copy as it is")
}

func TestUnsupportedIsRefused(t *testing.T) {
	for _, change := range []func(*Target){
		func(t *Target) { t.GOVERSION = "go1.25.3" },
		func(t *Target) { t.GOVERSION = "go1.260" },
		func(t *Target) { t.GOVERSION = "devel go1.27-abcdef" },
		func(t *Target) { t.GOOS = "darwin" },
		func(t *Target) { t.GOARCH = "riscv64" },
		func(t *Target) { t.GOROOT = "/no/such/directory" },
	} {
		tool := here(t)
		change(&tool)
		require.ErrorIs(t, Patch(overlay.New(tool.GOROOT), tool), ErrUnsupported, "%+v", tool)
	}
}

// TestOtherArchitectures: the patched runtime compiles for them.
func TestOtherArchitectures(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("the runtime is built")
	}
	tool := here(t)
	tool.GOARCH = "arm64"
	file, _ := written(t, tool)
	build := exec.Command("go", "build", "-overlay", file, "runtime")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
}
