//go:build linux

package linux

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// lacking are tests that find something missing inside, and skip themselves: the go tool, echo, and the privilege to mount.
var lacking = map[string]*regexp.Regexp{"os/exec": regexp.MustCompile(`^Test(AbsPathExec|String|FindExecutableVsNoexec)\b`)}

// The tests of the Go distribution's own packages end inside as they do natively.
func TestStandardLibrary(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	packages := []string{"container/heap"}
	if *all {
		packages = []string{"sync", "sync/atomic", "sort", "strings", "strconv", "bytes", "bufio", "math", "regexp", "encoding/json", "compress/flate",
			"crypto/sha256", "container/heap", "container/list", "container/ring", "os/exec"}
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	root := strings.TrimSpace(string(out))
	for _, name := range packages {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(root, "src", name)
			if _, err := os.Stat(dir); err != nil {
				t.Skip("the sources of the Go distribution are not there:", err)
			}
			bin := t.TempDir()
			native, inside := filepath.Join(bin, "native"), filepath.Join(bin, "inside")
			testBinary(t, name, native)
			testBinary(t, name, inside, "GOOS=linux", "GOARCH=riscv64")
			cmd := exec.Command(native, "-test.v", "-test.short")
			cmd.Dir = dir
			want, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", want)
			require.NotEmpty(t, results(want))
			status, got := runTests(t, inside, root, dir, bin)
			require.Equal(t, 0, status, "%s", got)
			expected := results(want)
			maps.DeleteFunc(expected, func(test, _ string) bool { return lacking[name] != nil && lacking[name].MatchString(test) })
			require.Equal(t, expected, results(got))
		})
	}
}

// testBinary builds the tests of a package.
func testBinary(t *testing.T, name, file string, env ...string) {
	build := exec.Command("go", "test", "-c", "-o", file, name)
	build.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// runTests runs a binary of tests in its package's directory.
func runTests(t *testing.T, file, root, dir, bin string) (int, []byte) {
	program, err := os.ReadFile(file)
	require.NoError(t, err)
	var printed bytes.Buffer
	k, err := New(program, Options{Args: []string{"/bin/inside", "-test.v", "-test.short"}, Dir: dir, Stdout: &printed, Stderr: &printed, CPUs: 2,
		Env: []string{"PATH=/bin", "TMPDIR=/tmp", "USER=guest", "HOME=/tmp", "GOROOT=" + root},
		Mounts: []Mount{{Guest: root, Host: root}, {Guest: "/bin", Host: bin},
			{Guest: "/tmp", Host: t.TempDir(), Write: true}}})
	require.NoError(t, err)
	defer k.Close()
	status, err := k.Run()
	require.NoError(t, err, "%s", &printed)
	return status, printed.Bytes()
}

// implementations are parts of names of tests that are made once for each way in which a processor can do something.
var implementations = regexp.MustCompile(`/(Base|AVX2|SHA-NI)\b`)

// results returns how each test ended, but those that were skipped. One of several implementations stands for all, unless it fails.
func results(output []byte) map[string]string {
	r := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^ *--- (PASS|FAIL): (\S+)`).FindAllSubmatch(output, -1) {
		if name := implementations.ReplaceAllString(string(line[2]), ""); r[name] != "FAIL" {
			r[name] = string(line[1])
		}
	}
	return r
}
