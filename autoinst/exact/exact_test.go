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
)

// here is the Go that runs the test.
func here(t *testing.T) Toolchain {
	out, err := exec.Command("go", "env", "-json", "GOROOT", "GOVERSION").Output()
	require.NoError(t, err)
	var tool Toolchain
	require.NoError(t, json.Unmarshal(out, &tool))
	tool.GOOS, tool.GOARCH = "linux", "amd64"
	return tool
}

// TestVersions: the installed version is one that is known; this test fails when it is not, and then the ways onto threads of the
// new version have to be read before it is added.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	name, err := Overlay(here(t), dir, "")
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

// source makes a runtime directory with the given changes to the installed one's files.
func source(t *testing.T, change map[string]func(string) string) Toolchain {
	tool := here(t)
	from := filepath.Join(tool.GOROOT, "src", "runtime")
	tool.GOROOT = t.TempDir()
	to := filepath.Join(tool.GOROOT, "src", "runtime")
	require.NoError(t, os.MkdirAll(to, 0o755))
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		name := filepath.Base(f)
		if c := change[name]; c != nil {
			require.NotEqual(t, string(text), c(string(text)), name)
			text = []byte(c(string(text)))
		}
		require.NoError(t, os.WriteFile(filepath.Join(to, name), text, 0o644))
	}
	return tool
}

func TestUnknownSourceIsRefused(t *testing.T) {
	replace := func(old, text string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, text, 1) }
	}
	for what, change := range map[string]map[string]func(string) string{
		"another way onto a thread": {"proc.go": replace("func schedule() {", "func other(gp *g) {\n\tgogo(&gp.sched)\n}\n\nfunc schedule() {")},
		"a way in another file":     {"time.go": replace("package runtime\n", "package runtime\n\nfunc other(mp *m, gp *g) { \n\tmp.curg = gp\n}\n")},
		"execute is another":        {"proc.go": replace("func execute(gp *g, inheritTime bool) {", "func execute(gp *g) {")},
		"dropg begins otherwise":    {"proc.go": replace("func dropg() {\n\tgp := getg()\n", "func dropg() {\n\tme := getg()\n")},
		"no coroutines":             {"coro.go": replace("func coroswitch_m(gp *g) {", "func coroSwitch(gp *g) {")},
		"g is another":              {"runtime2.go": replace("type g struct {", "type g = struct {")},
	} {
		dir := t.TempDir()
		_, err := Overlay(source(t, change), dir, "")
		require.ErrorIs(t, err, ErrUnsupported, what)
		require.ErrorContains(t, err, "build without --exact-counters", what)
		left, _ := os.ReadDir(dir)
		require.Empty(t, left, what)
	}
	_, err := Overlay(source(t, nil), t.TempDir(), "")
	require.NoError(t, err, "the copy as it is")
}

func TestUnsupportedIsRefused(t *testing.T) {
	for _, change := range []func(*Toolchain){
		func(t *Toolchain) { t.GOVERSION = "go1.25.3" },
		func(t *Toolchain) { t.GOVERSION = "go1.260" },
		func(t *Toolchain) { t.GOVERSION = "devel go1.27-abcdef" },
		func(t *Toolchain) { t.GOOS = "darwin" },
		func(t *Toolchain) { t.GOARCH = "riscv64" },
		func(t *Toolchain) { t.GOROOT = "/no/such/directory" },
	} {
		tool := here(t)
		change(&tool)
		_, err := Overlay(tool, t.TempDir(), "")
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
	name, err := Overlay(tool, t.TempDir(), write(`{"Replace": {"/a.go": "/b.go"}}`))
	require.NoError(t, err)
	replace, err := readOverlay(name)
	require.NoError(t, err)
	require.Equal(t, "/b.go", replace["/a.go"])
	require.Len(t, replace, 5)
	proc := filepath.Join(tool.GOROOT, "src", "runtime", "proc.go")
	_, err = Overlay(tool, t.TempDir(), write(`{"Replace": {"`+proc+`": "/b.go"}}`))
	require.ErrorContains(t, err, "replaces "+proc)
	_, err = Overlay(tool, t.TempDir(), write(`{`))
	require.Error(t, err)
	_, err = Overlay(tool, t.TempDir(), "/no/such/file")
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestOtherArchitectures: the patched runtime compiles for them.
func TestOtherArchitectures(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("the runtime is built")
	}
	tool := here(t)
	tool.GOARCH = "arm64"
	overlay, err := Overlay(tool, t.TempDir(), "")
	require.NoError(t, err)
	build := exec.Command("go", "build", "-overlay", overlay, "runtime")
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
}
