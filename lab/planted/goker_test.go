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

// everybody stands before the stacks of all goroutines, which a program prints last.
const everybody = "== everybody =="

// The bugs of well-known programs that Go has as a test of its profile of leaked goroutines: what that profile tells of a run is what
// expert says was still waiting when the run ended, and whoever expert says was waiting is there by the stacks of all goroutines.
func TestGoKer(t *testing.T) {
	x := build(t)
	program, names := x.kernels(t, nil, `println2("`+everybody+`")
	pprof.Lookup("goroutine").WriteTo(os.Stdout, 2)`)
	runs, leaks, missed, told, wrong := 0, 0, 0, 0, 0
	for _, name := range names {
		for range 3 {
			runs++
			profile, blocked, answer := x.leaks(t, program, name)
			for _, l := range profile {
				leaks++
				if !l.in(answer, "once") { // the profile calls it a lock
					missed++
					t.Errorf("%s: %v is missing in %v", name, l, answer)
				}
			}
			for _, l := range answer {
				told++
				if !l.in(blocked, "lock") && !l.in(blocked, "") { // without operation it was on its way there
					wrong++
					t.Errorf("%s: %v was not waiting: %v", name, l, blocked)
				}
			}
		}
	}
	t.Logf("%d runs of %d programs: %d kinds of leaks, %d missed; %d kinds of waits told, %d wrong", runs, len(names), leaks, missed, told, wrong)
	require.Greater(t, leaks, 2*len(names))
	require.Greater(t, told, leaks)
}

// The same, mended: of nobody it is said that he was still waiting, for all goroutines have ended.
func TestGoKerFixed(t *testing.T) {
	x := build(t)
	program, names := x.kernels(t, fixedKernels, "for runtime.NumGoroutine() > 1 {\n\t\ttime.Sleep(time.Millisecond)\n\t}")
	runs, told := 0, 0
	for _, name := range names {
		for range 3 {
			runs++
			_, _, answer := x.leaks(t, program, name)
			told += len(answer)
			if len(answer) > 0 {
				t.Errorf("%s: %v is told, but all have ended", name, answer)
			}
		}
	}
	t.Logf("%d runs of %d programs without a leak: %d told", runs, len(names), told)
	require.True(t, *only != "" || len(fixedKernels) == len(names))
}

// in says whether a leak, perhaps under another name of its operation, is one of a list.
func (l leak) in(list []leak, name string) bool {
	return slices.Contains(list, l) || slices.Contains(list, leak{name, l.place})
}

// kernels builds the programs, which are one that takes a name: those that are edited if there are edits, else all. That one does something last.
func (x tools) kernels(t *testing.T, edits map[string][]string, last string) (program string, names []string) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	source := filepath.Join(strings.TrimSpace(string(root)), "src/runtime/testdata/testgoroutineleakprofile")
	files, err := filepath.Glob(filepath.Join(source, "goker", "*.go"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("this Go installation has no tests of the runtime")
	}
	dir := t.TempDir()
	for _, file := range append(files, filepath.Join(source, "main.go")) {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		text, name := string(b), strings.TrimSuffix(filepath.Base(file), ".go")
		e := edits[name]
		if name == "main" && filepath.Dir(file) == source {
			e = []string{"import \"os\"", imports, "\tf()\n}\n", "\tf()\n\t" + last + "\n}\n"}
		} else if filepath.Dir(file) != source && edits != nil && e == nil || name == "main" && filepath.Dir(file) != source {
			continue
		}
		for i := 0; i < len(e); i += 2 {
			require.Contains(t, text, e[i], name)
			text = strings.ReplaceAll(text, e[i], e[i+1])
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), []byte(text), 0o666))
		for _, m := range regexp.MustCompile(`register\("(\w+)"`).FindAllStringSubmatch(text, -1) {
			if regexp.MustCompile(*only).MatchString(m[1]) {
				names = append(names, m[1])
			}
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module kernels\n\ngo 1.26\n"), 0o666))
	build := exec.Command(x.tracerec, "build", "-o", "kernels", ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOEXPERIMENT=goroutineleakprofile")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	return filepath.Join(dir, "kernels"), names
}

// imports are those of the programs' main function, and what their last deeds need.
const imports = `import (
	"os"
	"runtime"
	"runtime/pprof"
	"time"
)

var (
	_ = runtime.NumGoroutine
	_ = pprof.Lookup
	_ = time.Sleep
)

func println2(s string) { os.Stdout.WriteString(s + "\n\n") }`

// leaks records a kernel, and returns what its profile tells, who was blocked at its end, if it tells that, and who was still waiting as expert says.
func (x tools) leaks(t *testing.T, program, name string) (profile, blocked, answer []leak) {
	dir := filepath.Join(t.TempDir(), "trace.dir")
	out, err := exec.Command(x.tracerec, "-q", "-o", dir, program, name).Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	before, after, _ := strings.Cut(string(out), everybody)
	profile, blocked = blockedIn(before, true), blockedIn(after, false)
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
	return profile, blocked, answer
}

var (
	waiting = regexp.MustCompile(`^goroutine \d+ \[(.*?)( \(leaked\))?(?:, [^\]]*)?\]:`)
	frame   = regexp.MustCompile(`\n\t(\S+\.go):(\d+)`)
)

// blockedIn returns in what operations goroutines are by their stacks, and at which lines of the program, once each; if so wanted, only of those that leaked.
func blockedIn(stacks string, leaked bool) (list []leak) {
	for _, goroutine := range strings.Split(stacks, "\n\n") {
		m := waiting.FindStringSubmatch(strings.TrimLeft(goroutine, "\n"))
		if m == nil || leaked && m[2] == "" {
			continue
		}
		for _, f := range frame.FindAllStringSubmatch(goroutine, -1) {
			if strings.Contains(f[1], "/src/sync/") || strings.Contains(f[1], "/src/internal/") || strings.Contains(f[1], "/src/runtime/") ||
				strings.Contains(f[1], "/src/tracerec/") {
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
