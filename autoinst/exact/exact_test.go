package exact

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// here is the Go that runs the test.
func here(t *testing.T) toolchain {
	tool, err := toolchainOf(nil, os.Stderr)
	require.NoError(t, err)
	tool.GOOS, tool.GOARCH = "linux", "amd64"
	return tool
}

// TestVersions: the installed version is one that is known; this test fails when it is not, and then the ways onto threads of the
// new version have to be read before it is added.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	name, err := overlay(here(t), dir, "")
	require.NoError(t, err)
	replace, err := readOverlay(name)
	require.NoError(t, err)
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
func source(t *testing.T) (tool toolchain, dir string) {
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
		dir := t.TempDir()
		_, err = overlay(tool, dir, "")
		require.ErrorIs(t, err, ErrUnsupported, what)
		require.ErrorContains(t, err, "build without --exact-counters", what)
		left, _ := os.ReadDir(dir)
		require.Empty(t, left, what)
		require.NoError(t, os.WriteFile(file, text, 0o644))
	}
	_, err := overlay(tool, t.TempDir(), "")
	require.NoError(t, err, "the copy as it is")
}

func TestUnsupportedIsRefused(t *testing.T) {
	for _, change := range []func(*toolchain){
		func(t *toolchain) { t.GOVERSION = "go1.25.3" },
		func(t *toolchain) { t.GOVERSION = "go1.260" },
		func(t *toolchain) { t.GOVERSION = "devel go1.27-abcdef" },
		func(t *toolchain) { t.GOOS = "darwin" },
		func(t *toolchain) { t.GOARCH = "riscv64" },
		func(t *toolchain) { t.GOROOT = "/no/such/directory" },
	} {
		tool := here(t)
		change(&tool)
		_, err := overlay(tool, t.TempDir(), "")
		require.ErrorIs(t, err, ErrUnsupported, "%+v", tool)
	}
}

// TestOverlayOfTheUser: what the build replaces otherwise stays replaced, unless it is what has to be patched.
func TestOverlayOfTheUser(t *testing.T) {
	tool := here(t)
	write := func(text string) string {
		name := filepath.Join(t.TempDir(), "user.json")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		return name
	}
	name, err := overlay(tool, t.TempDir(), write(`{"Replace": {"/a.go": "/b.go"}}`))
	require.NoError(t, err)
	replace, err := readOverlay(name)
	require.NoError(t, err)
	require.Equal(t, "/b.go", replace["/a.go"])
	require.Len(t, replace, 5)
	proc := filepath.Join(tool.GOROOT, "src", "runtime", "proc.go")
	_, err = overlay(tool, t.TempDir(), write(`{"Replace": {"`+proc+`": "/b.go"}}`))
	require.ErrorContains(t, err, "replaces "+proc)
	_, err = overlay(tool, t.TempDir(), write(`{`))
	require.Error(t, err)
	_, err = overlay(tool, t.TempDir(), "/no/such/file")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestOtherArchitectures: the patched runtime compiles for them.
func TestOtherArchitectures(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("the runtime is built")
	}
	tool := here(t)
	tool.GOARCH = "arm64"
	overlay, err := overlay(tool, t.TempDir(), "")
	require.NoError(t, err)
	build := exec.Command("go", "build", "-overlay", overlay, "runtime")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
}

// -C and -overlay are taken out of the flags, and nothing else.
func TestSplitFlags(t *testing.T) {
	for args, want := range map[string]string{
		"":                                 " |  | ",
		"-o x ./cmd/app":                   " | -o x ./cmd/app | ",
		"-C dir -overlay=f.json .":         "-C dir | . | f.json",
		"--C=dir -v --overlay f.json -x .": "--C=dir | -v -x . | f.json",
		"-v -C dir":                        " | -v -C dir | ", // go build says why not
	} {
		in, rest, overlay, err := splitFlags(strings.Fields(args))
		require.NoError(t, err)
		require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(strings.Join(in, " ")+" | "+strings.Join(rest, " ")+" | "+overlay), args)
	}
	for _, args := range []string{"-C", "-v -overlay"} {
		_, _, _, err := splitFlags(strings.Fields(args))
		require.ErrorContains(t, err, "without a", args)
	}
}
