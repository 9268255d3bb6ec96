package sync_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/recorder"
)

// TestTracebacks: of goroutines that wait, users see the functions that they see without us.
func TestTracebacks(t *testing.T) {
	recorded := program(t, "tracebacks")
	plain := filepath.Join(t.TempDir(), "tracebacks")
	build := exec.Command("go", "build", "-o", plain, ".")
	build.Dir = filepath.Join("testdata", "programs", "tracebacks")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	said, _ := exec.Command(plain).CombinedOutput()
	want := functions(string(said))
	require.Contains(t, want, "main.locks sync.(*Mutex).Lock internal/sync.(*Mutex).Lock internal/sync.(*Mutex).lockSlow internal/sync.runtime_SemacquireMutex")
	require.Contains(t, want, "main.reads sync.(*RWMutex).RLock sync.runtime_SemacquireRWMutexR")

	said, err = exec.Command(recorded).CombinedOutput()
	require.Error(t, err)
	require.Equal(t, want, functions(string(said)), "without a recording")
	o := recorder.Defaults(filepath.Join(t.TempDir(), "trace"))
	o.Quiet = true
	log := filepath.Join(t.TempDir(), "log")
	_, err = recorder.Run(o, []string{"sh", "-c", `exec "$0" 2>"$1"`, recorded, log})
	require.NoError(t, err)
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Equal(t, want, functions(string(text)))
}

// functions returns the functions of each goroutine of a traceback, from the outermost on, in the order of their names.
func functions(text string) (list []string) {
	for _, goroutine := range strings.Split(text, "\n\n") {
		var names []string
		for line := range strings.Lines(goroutine) {
			if name := strings.TrimSuffix(line, "\n"); strings.HasSuffix(name, ")") {
				names = append(names, name[:strings.LastIndexByte(name, '(')])
			}
		}
		if slices.Reverse(names); len(names) > 0 {
			list = append(list, strings.Join(names, " "))
		}
	}
	slices.Sort(list)
	return list
}
