package output

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func requireFile(t *testing.T, name, content string) {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, content, string(b))
}

// requireOnly requires that nothing else is in a directory.
func requireOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	var found []string
	for _, e := range list {
		found = append(found, e.Name())
	}
	require.Equal(t, names, found)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	require.NoError(t, Write(name, text("one")))
	require.NoError(t, os.Chmod(name, 0o600))
	require.NoError(t, Write(name, text("two")))
	requireFile(t, name, "two")
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode())
	broken := errors.New("broken")
	require.ErrorIs(t, Write(name, func(w io.Writer) error { return errors.Join(text("three")(w), broken) }), broken)
	requireFile(t, name, "two")
	requireOnly(t, dir, "f")
}

func TestLinks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a/b"), 0o777))
	require.NoError(t, os.Symlink("a/b", filepath.Join(dir, "to")))
	require.NoError(t, os.Symlink("to/../f", filepath.Join(dir, "link"))) // a/f
	for _, content := range []string{"new", "again"} {
		require.NoError(t, Write(filepath.Join(dir, "link"), text(content)))
		requireFile(t, filepath.Join(dir, "a/f"), content)
	}
	requireOnly(t, dir, "a", "link", "to")
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	require.ErrorContains(t, Write(filepath.Join(dir, "loop"), text("")), dir+"/loop: too many levels of symbolic links")
}

// A pipe stays one, and so does a link to a device.
func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	read := make(chan string)
	go func() {
		b, err := os.ReadFile(pipe)
		read <- fmt.Sprint(string(b), err)
	}()
	require.NoError(t, Write(pipe, text("through")))
	require.Equal(t, "through<nil>", <-read)
	full := filepath.Join(dir, "full")
	require.NoError(t, os.Symlink("/dev/full", full))
	require.EqualError(t, Write(full, text("x")), "write "+full+": no space left on device")
	link, err := os.Readlink(full)
	require.NoError(t, err)
	require.Equal(t, "/dev/full", link)
	requireOnly(t, dir, "full", "pipe")
}

// What standard output goes to is not replaced although it is a regular file, and what it was told before is kept.
func TestStandardOutput(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	defer func(old *os.File) { os.Stdout = old }(os.Stdout)
	os.Stdout = f
	require.NoError(t, text("before ")(f))
	require.NoError(t, Write(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), text("report")))
	require.NoError(t, text(" after")(f))
	requireFile(t, name, "before report after")
}

// Errors name the file as the caller does.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	require.EqualError(t, Write(dir+"/no/f", text("")), "open "+dir+"/no/f: no such file or directory")
	require.EqualError(t, Write(dir, text("")), "open "+dir+": is a directory")
	err := Write(dir+"/f", func(io.Writer) error { return os.Mkdir(dir+"/f", 0o777) })
	require.EqualError(t, err, "write "+dir+"/f: file exists")
	requireOnly(t, dir, "f")
}

// What a killed process left is removed by the next one, but nothing that somebody still writes, nor what only looks like it.
func TestLeftBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("files cannot be locked")
	}
	dir := t.TempDir()
	killed := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	killed.Env = append(os.Environ(), "OUTPUT_FILE="+filepath.Join(dir, "f"))
	require.Error(t, killed.Run())
	parts, err := filepath.Glob(filepath.Join(dir, ".expert-*"))
	require.NoError(t, err)
	require.Len(t, parts, 1)
	own := ".expert-" + kernel()
	others := []string{own + "short", own + "abcdefghijklmnopq", own[1:] + "abcdefghijklmnop", own + "limits-linux.txt", ".expert-22222222abcdefghijklmnop"}
	for _, name := range others {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	others = append(others, own+"abcdefghijklmnop")
	require.NoError(t, os.Mkdir(filepath.Join(dir, own+"abcdefghijklmnop"), 0o700))
	require.NoError(t, Write(filepath.Join(dir, "f"), func(w io.Writer) error {
		return errors.Join(text("one")(w), Write(filepath.Join(dir, "g"), text("two")))
	}))
	requireFile(t, filepath.Join(dir, "f"), "one")
	slices.Sort(others)
	requireOnly(t, dir, append(others, "f", "g")...)
}

// TestKilled is what TestLeftBehind lets run in another process.
func TestKilled(t *testing.T) {
	if name := os.Getenv("OUTPUT_FILE"); name != "" {
		_ = Write(name, func(w io.Writer) error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) })
	}
}
