package main

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/internal/tracetest"
	"tracerec/trace"
)

// largeArchive writes an archive with too many events for 128 MiB.
func largeArchive(t *testing.T, dir string) {
	w, err := trace.Create(dir, trace.Options{})
	require.NoError(t, err)
	require.NoError(t, tracetest.Synthetic(w, 700_000, 1))
	require.NoError(t, w.Close())
}

// child returns expert with these arguments as a process of its own.
func child(tmp string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "EXPERT_ARGS="+strings.Join(args, "\x01"))
	return cmd
}

// TestChild is what child lets run.
func TestChild(t *testing.T) {
	args := os.Getenv("EXPERT_ARGS")
	if args == "" {
		return
	}
	if os.Getenv("EXPERT_FULL") != "" { // no file may be larger: that stands for a full disk
		signal.Ignore(syscall.SIGXFSZ)
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}))
	}
	status, _, stderr := expert(strings.Split(args, "\x01")...)
	os.Stderr.WriteString(stderr)
	os.Exit(status)
}

// requireNames requires that a directory has only files of these names.
func requireNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	require.Equal(t, want, names)
}

// Whenever an analysis is killed, an older file of that name stays whole, and of what it left nothing is there after the next one.
func TestKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files cannot be locked")
	}
	dir, out, tmp := filepath.Join(t.TempDir(), "trace.dir"), t.TempDir(), t.TempDir()
	largeArchive(t, dir)
	for name, command := range map[string]string{"r.cubex": "analyze", "r.pftrace": "export --to perfetto", "r.html": "export --to html"} {
		file := filepath.Join(out, name)
		args := append(strings.Fields(command), dir, "--memory", "128M", "-o", file)
		start := time.Now()
		require.NoError(t, child(tmp, args...).Run())
		took := time.Since(start)
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		n := testkit.Cases(17)
		for i := range n {
			cmd := child(tmp, args...)
			require.NoError(t, cmd.Start())
			time.Sleep(took * time.Duration(i+1) / time.Duration(n+1)) // anywhere is right
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.True(t, string(want) == string(got), "%s killed after %d of %d parts", command, i+1, n+1)
		}
		require.NoError(t, child(tmp, args...).Run())
		requireNames(t, out, name)
		requireNames(t, tmp)
		require.NoError(t, os.Remove(file))
	}
}

// Where there is no place for what does not fit into memory, that is said in one line, and nothing is left behind.
func TestNoPlace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory of the heap only")
	}
	dir, out, tmp := filepath.Join(t.TempDir(), "trace.dir"), t.TempDir(), t.TempDir()
	largeArchive(t, dir)
	for _, c := range []struct{ tmp, full, says string }{
		{tmp, "1", "file too large (TMPDIR says where, --memory how much is needed there)"},
		{filepath.Join(tmp, "missing"), "", "no such file or directory (TMPDIR says where)"},
		{"/proc", "", "(TMPDIR says where)"}, // where nobody may write
	} {
		for name, command := range map[string]string{"r.cubex": "analyze", "r.pftrace": "export --to perfetto"} {
			cmd := child(c.tmp, append(strings.Fields(command), dir, "--memory", "128M", "-o", filepath.Join(out, name))...)
			cmd.Env = append(cmd.Env, "EXPERT_FULL="+c.full)
			text, err := cmd.CombinedOutput()
			exit := (*exec.ExitError)(nil)
			require.ErrorAs(t, err, &exit)
			require.Equal(t, 2, exit.ExitCode(), string(text))
			require.Contains(t, string(text), c.says)
			require.Equal(t, 1, strings.Count(string(text), "\n"), string(text))
			requireNames(t, out)
			requireNames(t, tmp)
		}
	}
}
