package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// leak is an operation that never ends, at a line.
type leak struct {
	operation string
	place
}

// operations are those that a goroutine is in, as the runtime names them.
var operations = map[string]string{
	"chan receive": "recv", "chan send": "send", "select": "select", "sync.Mutex.Lock": "lock", "sync.RWMutex.Lock": "lock",
	"sync.RWMutex.RLock": "rlock", "sync.WaitGroup.Wait": "wait", "sync.Cond.Wait": "condwait",
	"chan receive (nil chan)": "recv", "chan send (nil chan)": "send", "select (no cases)": "select",
}

// The bugs of well-known programs that Go has as a test of its profile of leaked goroutines: what that profile tells of a run is what
// expert says was still waiting when the run ended.
func TestGoKer(t *testing.T) {
	x := build(t)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	program, names := x.kernels(t, filepath.Join(strings.TrimSpace(string(root)), "src/runtime/testdata/testgoroutineleakprofile"))
	runs, leaks, missed := 0, 0, 0
	for _, name := range names {
		for range 3 {
			runs++
			profile, answer := x.leaks(t, program, name)
			for _, l := range profile {
				leaks++
				once := leak{"once", l.place} // the profile calls it a lock
				if !slices.Contains(answer, l) && !slices.Contains(answer, once) {
					missed++
					t.Errorf("%s: %v is missing in %v", name, l, answer)
				}
			}
		}
	}
	t.Logf("%d runs of %d programs: %d kinds of leaks, %d missed", runs, len(names), leaks, missed)
	require.Greater(t, leaks, 2*len(names))
}

// kernels builds the programs, which are one that takes a name.
func (x tools) kernels(t *testing.T, source string) (program string, names []string) {
	files, err := filepath.Glob(filepath.Join(source, "goker", "*.go"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("this Go installation has no tests of the runtime")
	}
	dir := t.TempDir()
	for _, file := range append(files, filepath.Join(source, "main.go")) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o666))
		for _, m := range regexp.MustCompile(`register\("(\w+)"`).FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module kernels\n\ngo 1.26\n"), 0o666))
	build := exec.Command(x.tracerec, "build", "-o", "kernels", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOEXPERIMENT=goroutineleakprofile")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return filepath.Join(dir, "kernels"), names
}

// leaks records a kernel, and returns what its profile tells, and what expert says.
func (x tools) leaks(t *testing.T, program, name string) (profile, answer []leak) {
	dir := filepath.Join(t.TempDir(), "trace.dir")
	out, err := exec.Command(x.tracerec, "-q", "-o", dir, program, name).Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	profile = leaksIn(string(out))
	out, err = exec.Command(x.expert, "analyze", "--format", "json", dir).Output()
	require.NoError(t, err)
	var a struct {
		Experiment struct {
			NeverEnded []struct {
				Callpath []string `json:"callpath"`
				place
			} `json:"never_ended"`
		} `json:"experiment"`
	}
	require.NoError(t, json.Unmarshal(out, &a))
	for _, w := range a.Experiment.NeverEnded {
		answer = append(answer, leak{w.Callpath[len(w.Callpath)-1], place{filepath.Base(w.File), w.Line}})
	}
	return profile, answer
}

var (
	leaked = regexp.MustCompile(`^goroutine \d+ \[(.*?) \(leaked\)`)
	frame  = regexp.MustCompile(`\n\t(\S+\.go):(\d+)`)
)

// leaksIn returns what a profile of leaked goroutines tells, once each.
func leaksIn(profile string) (list []leak) {
	for _, goroutine := range strings.Split(profile, "\n\n") {
		m := leaked.FindStringSubmatch(goroutine)
		if m == nil {
			continue
		}
		for _, f := range frame.FindAllStringSubmatch(goroutine, -1) {
			if strings.Contains(f[1], "/src/sync/") || strings.Contains(f[1], "/src/internal/") || strings.Contains(f[1], "/src/runtime/") {
				continue
			}
			line, _ := strconv.Atoi(f[2])
			if l := (leak{operations[m[1]], place{filepath.Base(f[1]), line}}); !slices.Contains(list, l) {
				list = append(list, l)
			}
			break
		}
	}
	return list
}
