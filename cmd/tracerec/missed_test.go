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
	"golang.org/x/sys/unix"

	"tracerec/internal/sessionfile"
	"tracerec/internal/shm"
	"tracerec/internal/testkit"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// TestDaemonsAreRecorded: of a program that ends when it has started another one, this is recorded as well, if it was told of the session.
func TestDaemonsAreRecorded(t *testing.T) {
	hostile := program(t, "hostile")
	t.Chdir(t.TempDir()) // it writes files
	for variant, processes := range map[string]int{"daemon": 2, "daemon of a daemon": 3, "daemon, closed": 2, "child": 2, "children": 6, "exec": 2} {
		archive := filepath.Join(t.TempDir(), "a")
		r := record(t, "-o", archive, hostile, variant)
		require.Equal(t, 0, r.status, r.stderr)
		require.Contains(t, r.stderr, "nothing lost", variant)
		a, err := trace.Open(archive)
		require.NoError(t, err)
		require.Len(t, a.Definitions().Processes, processes, variant)
		a.Close()
	}
}

// TestNameSpaces records programs whose numbers are those of others where the recorder is.
func TestNameSpaces(t *testing.T) {
	hostile := program(t, "hostile")
	t.Chdir(t.TempDir()) // it writes files
	script := `for i in 1 2 3; do "$0" nothing > /dev/null; done`
	for _, options := range []string{"-pf", "-pfm"} {
		if err := exec.Command("unshare", options, "true").Run(); err != nil {
			t.Skip("no name spaces here: ", err)
		}
		archive := filepath.Join(t.TempDir(), "a")
		r := record(t, "-o", archive, "unshare", options, "bash", "-c", script, hostile)
		require.Equal(t, 0, r.status, r.stderr)
		require.Contains(t, r.stderr, "nothing lost")
		clean(t, archive)
	}
}

// TestSessionTakenAway removes the session directory, or cuts off the buffer, of a program that runs: neither recorder nor program take harm,
// and it is said what is missing.
func TestSessionTakenAway(t *testing.T) {
	for name, c := range map[string]struct {
		take func(dir string)
		says string
	}{
		"directory removed": {func(dir string) { require.NoError(t, os.RemoveAll(dir)) }, "was removed during the run"},
		"buffer cut": {func(dir string) {
			buffers, _ := filepath.Glob(filepath.Join(dir, "*"+shm.Suffix))
			require.Len(t, buffers, 1)
			require.NoError(t, os.Truncate(buffers[0], 4096))
		}, "its buffer was truncated during the run"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive := filepath.Join(t.TempDir(), "a")
			cmd := tracerec("-o", archive, program(t, "subject"), "signals", "1000")
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out := start(t, cmd)
			require.Equal(t, "ready", out.next())
			require.NoError(t, cmd.Process.Signal(unix.SIGUSR1)) // it records
			require.Equal(t, "user defined signal 1", out.next())
			dir, _, err := sessionfile.Read(archive)
			require.NoError(t, err)
			waitFor(t, "all that it recorded", func() bool {
				ends := 0
				each(t, archive, func(_ *trace.Archive, _ trace.LocationID, e trace.Event) {
					if e.Kind == wire.End {
						ends++
					}
				})
				return ends == 4
			})
			c.take(dir)
			if name == "buffer cut" { // the recorder makes it whole before the program goes on
				buffers, _ := filepath.Glob(filepath.Join(dir, "*"+shm.Suffix))
				waitFor(t, "the buffer's mending", func() bool {
					info, err := os.Stat(buffers[0])
					return err == nil && info.Size() > 4096
				})
			}
			require.NoError(t, cmd.Process.Signal(unix.SIGTERM))
			require.Error(t, cmd.Wait())
			require.Equal(t, 7, cmd.ProcessState.ExitCode(), stderr.String())
			require.Contains(t, stderr.String(), c.says)
			require.NotContains(t, stderr.String(), "nothing lost")
			require.Regexp(t, `[1-9][0-9,]* events of [1-9][0-9]* goroutines?,`, stderr.String())
			require.NoDirExists(t, dir)
			clean(t, archive)
		})
	}
}

// TestFewDescriptors: a program runs, unrecorded, where recording would take more descriptors than there are, and it is said.
func TestFewDescriptors(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a program for each number of descriptors")
	}
	static := []string{"CGO_ENABLED=0"} // loading libraries takes a descriptor
	hostile, recorder := testkit.Build(t, static, "./testdata/programs/hostile"), testkit.Build(t, static, ".")
	t.Chdir(t.TempDir()) // it writes files
	limited := func(n int, args ...string) (status int, stdout, stderr string) {
		cmd := exec.Command("bash", append([]string{"-c", `ulimit -n "$1"; shift; exec "$@"`, "bash", strconv.Itoa(n)}, args...)...)
		var out, said strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &said
		cmd.Run()
		return cmd.ProcessState.ExitCode(), out.String(), said.String()
	}
	unrecorded := regexp.MustCompile(`^tracerec: only \d+ file descriptors? left \(ulimit -n\), and recording needs \d+; the program is not recorded\n`)
	for n := 6; n < 40; n += 3 {
		archive := filepath.Join(t.TempDir(), "a")
		status, out, _ := limited(n, hostile, "nothing")
		got, recorded, said := limited(n, recorder, "-o", archive, hostile, "nothing")
		require.Equal(t, status, got, "%d descriptors: %s", n, said)
		require.Equal(t, out, recorded, n)
		if !strings.Contains(said, "nothing lost") {
			require.Regexp(t, unrecorded, said, n)
			require.NoDirExists(t, archive)
			require.Less(t, n, 36)
			continue
		}
		clean(t, archive)
	}
}
