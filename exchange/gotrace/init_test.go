package gotrace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/trace"
	"testing"

	"github.com/stretchr/testify/require"
)

// tracesInit names a file in the environment: a trace of what the program does while it initialises packages.
const tracesInit = "GOTRACE_TEST_INIT"

func init() {
	file := os.Getenv(tracesInit)
	if file == "" {
		return
	}
	f, err := os.Create(file)
	if err == nil {
		err = trace.Start(f)
	}
	if err != nil {
		panic(err)
	}
	c := make(chan int)
	go receives(c)
	sends(c)
	trace.Stop()
	os.Exit(0)
}

// TestInit: a program whose trace begins in an init function has a main goroutine.
func TestInit(t *testing.T) {
	file := filepath.Join(t.TempDir(), "init.trace")
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), tracesInit+"="+file)
	out, err := child.CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	e := analyzed(t, opened(t, text))
	require.Equal(t, "main", e.Locations[0].Name)
	require.EqualValues(t, 1, e.Locations[0].GoID)
}
