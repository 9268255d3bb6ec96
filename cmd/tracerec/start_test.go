//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// initialized matches what GODEBUG=inittrace=1 says of a package.
var initialized = regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes, \d+ allocs$`)

// go test may start a tracerec for each package, so what that does before it records delays all tests. Memory that packages allocate when they are
// initialized stands for the work of it.
func TestStartsAreSmall(t *testing.T) {
	cmd := tracerec("version")
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	all, packages := 0, 0
	for _, m := range initialized.FindAllStringSubmatch(string(out), -1) {
		if n, _ := strconv.Atoi(m[2]); strings.HasPrefix(m[1], "tracerec/") {
			packages, all = packages+1, all+n
			require.Less(t, n, 48<<10, "%s: make it when first used, by sync.OnceValue", m[1])
		}
	}
	require.Greater(t, packages, 20)
	require.Less(t, all, 240<<10)
}

// What go test starts for each package imports neither commands nor analysis, nor what makes tables or regular expressions when it is initialized.
func TestTestsNeedLittle(t *testing.T) {
	text, err := exec.Command("go", "list", "-deps", "../tracerec-test").Output()
	require.NoError(t, err)
	deps := strings.Fields(string(text))
	require.Contains(t, deps, "tracerec/recorder/tests")
	for _, p := range []string{"tracerec/autoinst/build", "tracerec/analyzer", "tracerec/report", "github.com/spf13/cobra", "net/http", "go/types", "encoding/xml"} {
		require.NotContains(t, deps, p)
	}
	cmd := exec.Command(testkit.Build(t, nil, "../tracerec-test"))
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, _ := cmd.CombinedOutput()
	require.Equal(t, 2, cmd.ProcessState.ExitCode(), string(out))
	require.Contains(t, string(out), "tracerec: only the go command uses this\n")
	all := 0
	for _, m := range initialized.FindAllStringSubmatch(string(out), -1) {
		n, _ := strconv.Atoi(m[2])
		all += n
	}
	require.NotZero(t, all)
	require.Less(t, all, 400<<10)
}

// TestTestsBeside: tests are recorded by tracerec-test if that lies beside tracerec and belongs to it, and else by tracerec, with the same results.
func TestTestsBeside(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	bin, module := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/parent\n\ngo 1.25\n", "parent_test.go": `package parent

import (
	"fmt"
	"os"
	"testing"
)

func TestParent(t *testing.T) {
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", os.Getppid()))
	os.WriteFile("exe", []byte(exe), 0o666)
}

func TestFails(t *testing.T) { t.Fail() }
`} {
		require.NoError(t, os.WriteFile(filepath.Join(module, name), []byte(text), 0o666))
	}
	install := func(pkg, name string) string {
		program, err := os.ReadFile(testkit.Build(t, nil, pkg))
		require.NoError(t, err)
		name = filepath.Join(bin, name)
		require.NoError(t, os.WriteFile(name, program, 0o777))
		return name
	}
	self, beside := install(".", "tracerec"), filepath.Join(bin, "tracerec-test")
	outputs := map[string]string{}
	for _, pkg := range []string{"", "../tracerec-test", "."} {
		by := self
		if pkg != "" {
			install(pkg, "tracerec-test")
		}
		if pkg == "../tracerec-test" {
			by = beside
		}
		cmd := exec.Command(self, "test", "-q", "-run", "Parent|Fails", ".")
		cmd.Dir = module
		out, _ := cmd.CombinedOutput()
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), string(out))
		outputs[regexp.MustCompile(`[0-9.]+s`).ReplaceAllString(string(out), "0s")] = pkg
		exe, err := os.ReadFile(filepath.Join(module, "exe"))
		require.NoError(t, err)
		require.Equal(t, by, string(exe), pkg)
		clean(t, filepath.Join(module, "trace.dir", "example.com", "parent"))
	}
	require.Len(t, outputs, 1)
}
