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
	program, names := x.kernels(t, nil, tellEverybody, x.tracerec, "build")
	x.leaksOf(t, program, names, x.recorded)
}

// The same of their execution traces, of programs that nothing was built into but the call that begins one.
func TestGoKerTraced(t *testing.T) {
	x := build(t)
	program, names := x.kernels(t, nil, tellEverybody, "go", "build")
	x.leaksOf(t, program, names, x.traced)
}

// tellEverybody prints the stacks of all goroutines.
const tellEverybody = `println2("` + everybody + `")
	pprof.Lookup("goroutine").WriteTo(os.Stdout, 2)`

// leaksOf compares what a way of recording tells of programs with what they tell themselves.
func (x tools) leaksOf(t *testing.T, program string, names []string, record recording) {
	runs, leaks, missed, told, wrong := 0, 0, 0, 0, 0
	for _, name := range names {
		for range 3 {
			runs++
			out, at := record(t, program, name)
			profile, blocked, answer := x.leaks(t, out, at)
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
	program, names := x.kernels(t, fixedKernels, awaitAll, x.tracerec, "build")
	x.noLeaksOf(t, program, names, x.recorded)
}

// The same of their execution traces. To write one takes goroutines of the runtime, too.
func TestGoKerFixedTraced(t *testing.T) {
	x := build(t)
	program, names := x.kernels(t, fixedKernels, strings.Replace(awaitAll, "> 1", "> before", 1), "go", "build")
	x.noLeaksOf(t, program, names, x.traced)
}

// awaitAll waits until all other goroutines have ended.
const awaitAll = "for runtime.NumGoroutine() > 1 {\n\t\ttime.Sleep(time.Millisecond)\n\t}"

// noLeaksOf demands that a way of recording tells of nobody.
func (x tools) noLeaksOf(t *testing.T, program string, names []string, record recording) {
	runs, told := 0, 0
	for _, name := range names {
		for range 3 {
			runs++
			out, at := record(t, program, name)
			_, _, answer := x.leaks(t, out, at)
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

// kernels builds the programs with a command, which are one that takes a name: those that are edited if there are edits, else all. That one does
// something last, and writes an execution trace if the environment names a file for it.
func (x tools) kernels(t *testing.T, edits map[string][]string, last string, command ...string) (program string, names []string) {
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
			e = []string{"import \"os\"", imports, "\tf()\n}\n", "\tbefore := beginTrace()\n\tf()\n\t" + last + "\n\ttrace.Stop()\n\t_ = before\n}\n"}
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
	build := exec.Command(command[0], append(command[1:], "-o", "kernels", ".")...)
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
	"runtime/trace"
	"time"
)

// beginTrace returns how many goroutines there are then.
func beginTrace() int {
	if name := os.Getenv("KERNEL_TRACE"); name != "" {
		f, err := os.Create(name)
		if err == nil {
			err = trace.Start(f)
		}
		if err != nil {
			panic(err)
		}
	}
	return runtime.NumGoroutine()
}

var (
	_ = runtime.NumGoroutine
	_ = pprof.Lookup
	_ = time.Sleep
)

func println2(s string) { os.Stdout.WriteString(s + "\n\n") }`

// recording records a run of a program, and returns what it printed and where the recording is.
type recording func(t *testing.T, program, name string) (out []byte, at string)

func (x tools) recorded(t *testing.T, program, name string) ([]byte, string) {
	at := filepath.Join(t.TempDir(), "trace.dir")
	return printed(t, exec.Command(x.tracerec, "-q", "-o", at, program, name)), at
}

func (x tools) traced(t *testing.T, program, name string) ([]byte, string) {
	at := filepath.Join(t.TempDir(), "go.trace")
	run := exec.Command(program, name)
	run.Env = append(os.Environ(), "KERNEL_TRACE="+at)
	return printed(t, run), at
}

// printed returns what a program prints. What it exits with is its own affair.
func printed(t *testing.T, run *exec.Cmd) []byte {
	out, err := run.Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	return out
}

// leaks returns what the profile of a run tells, who was blocked at its end, if it tells that, and who was still waiting as expert says.
func (x tools) leaks(t *testing.T, out []byte, recording string) (profile, blocked, answer []leak) {
	before, after, _ := strings.Cut(string(out), everybody)
	profile, blocked = blockedIn(before, true), blockedIn(after, false)
	out, err := exec.Command(x.expert, "analyze", "--format", "json", recording).Output()
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
