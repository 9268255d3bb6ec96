package sync_test

import (
	"os"
	"path/filepath"
	gosync "sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/build"
	"tracerec/autoinst/given"
	"tracerec/autoinst/regions"
	"tracerec/recorder"
	"tracerec/trace"
)

// directory has the programs when they are built.
var directory string

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(directory)
	os.Exit(status)
}

// built builds all programs in testdata at once.
var built = gosync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "tracerec-programs-"); err != nil {
		return "", err
	}
	directory = dir
	b, err := build.New("build", []string{"-C", filepath.Join("testdata", "programs"), "-o", dir + "/", "./..."}, regions.Options{})
	defer b.Close()
	if err == nil {
		_, err = b.Run(nil, given.Orders{}, os.Stdout, os.Stderr)
	}
	return dir, err
})

// program returns the name of a program in testdata, as tracerec build builds it.
func program(t *testing.T, name string) string {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	dir, err := built()
	require.NoError(t, err)
	name = filepath.Join(dir, name)
	require.FileExists(t, name)
	return name
}

// linked builds a program of one file, which may call what the runtime does not export, and returns its name.
func linked(t *testing.T, source string) string {
	if testing.Short() {
		t.Skip("builds the runtime")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module linked\n\ngo 1.26\n", "main.go": source} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	program := filepath.Join(dir, "linked")
	b, err := build.New("build", []string{"-C", dir, "-ldflags", "-checklinkname=0", "-o", program}, regions.Options{})
	defer b.Close()
	require.NoError(t, err)
	_, err = b.Run(nil, given.Orders{}, os.Stdout, os.Stderr)
	require.NoError(t, err)
	return program
}

// record records a program, which must succeed, completely.
func record(t *testing.T, name string, args ...string) *trace.Archive {
	return recordCommand(t, append([]string{program(t, name)}, args...)...)
}

func recordCommand(t *testing.T, command ...string) *trace.Archive {
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet = true
	status, err := recorder.Run(o, command)
	require.NoError(t, err)
	require.Zero(t, status)
	a, err := trace.Open(o.Dir)
	require.NoError(t, err)
	t.Cleanup(func() { a.Close() })
	require.True(t, a.Header().Complete)
	return a
}
