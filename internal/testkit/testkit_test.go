package testkit

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// role in the environment makes the test's own binary tell which of some signals it finds ignored.
const role = "TESTKIT_TELL"

func TestMain(m *testing.M) {
	if os.Getenv(role) != "" {
		os.Stdout.WriteString(ignored())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func ignored() (names string) {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			names += s.String() + " "
		}
	}
	return names
}

func TestBuiltOnce(t *testing.T) {
	dir := t.TempDir()
	write := func(says string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() { print(\""+says+"\") }\n"), 0o666))
	}
	says := func(file string) string {
		out, err := exec.Command(file).CombinedOutput()
		require.NoError(t, err)
		return string(out)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o666))
	write("one")
	args := []string{"build", "."}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			_, err := compile(dir, nil, args)
			require.NoError(t, err)
		})
	}
	all.Wait()
	file, err := compile(dir, nil, args)
	require.NoError(t, err)
	require.Equal(t, "one", says(file))
	before, err := os.Stat(file)
	require.NoError(t, err)
	_, err = compile(dir, nil, args)
	require.NoError(t, err)
	after, err := os.Stat(file)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "nothing changed, and it was written")
	write("two")
	_, err = compile(dir, nil, args)
	require.NoError(t, err)
	require.Equal(t, "two", says(file))
	other, err := compile(dir, RISCV, args)
	require.NoError(t, err)
	require.NotEqual(t, file, other)
	left, err := filepath.Glob(filepath.Join(dir, "bin", ".tests", "go-build*"))
	require.NoError(t, err)
	require.Empty(t, left)
	write("\"")
	_, err = compile(dir, nil, args)
	require.ErrorContains(t, err, "main.go:3")
}

// TestKeptElsewhere: where sources cannot be written, programs are kept in the user's cache.
func TestKeptElsewhere(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin"), nil, 0o666)) // of root, too, files are no directories
	for _, variable := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(variable, home)
	}
	kept, err := keep(dir)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(kept, home), kept)
	require.DirExists(t, kept)
	entries, err := os.ReadDir(kept)
	require.NoError(t, err)
	require.Empty(t, entries)
}

func TestUntil(t *testing.T) {
	n := 0
	Until(t, "the third time", func() bool { n++; return n == 3 })
	require.Equal(t, 3, n)
	c := make(chan int)
	go func() { c <- 7 }()
	require.Equal(t, 7, Receive(t, "a number", c))
}

// TestCatchIgnored: what a shell ignores for a program in the background, programs that it starts have nonetheless.
func TestCatchIgnored(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	require.NoError(t, err)
	tell := func() string {
		cmd := exec.Command("sh", "-c", `"$0"`, self)
		cmd.Env = append(os.Environ(), role+"=1")
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	if was := ignored(); was != "" {
		require.Equal(t, was, tell())
	} else { // begin anew with a parent that ignores them
		out, err := exec.Command("sh", "-c", `trap "" HUP INT; "$0" -test.run ^TestCatchIgnored$ -test.v`, self).CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS")
		return
	}
	CatchIgnored()
	require.Empty(t, strings.TrimSpace(tell()))
}

// recording is a test that only keeps what fails it.
type recording struct {
	testing.TB
	failures int
}

func (*recording) Helper()                 {}
func (r *recording) Errorf(string, ...any) { r.failures++ }

func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"a.1": "a", "b.1": "b"}
	failures := func() int {
		r := &recording{TB: t}
		Generated(r, dir, "*.1", files, false)
		return r.failures
	}
	require.Equal(t, 2, failures())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.1"), []byte("other"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.1"), nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.2"), nil, 0o644)) // not meant
	require.Equal(t, 3, failures())
	Generated(t, dir, "*.1", files, true)
	require.Zero(t, failures())
	require.FileExists(t, filepath.Join(dir, "c.2"))
	require.NoFileExists(t, filepath.Join(dir, "c.1"))
}
