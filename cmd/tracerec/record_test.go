//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/internal/sessionfile"
	"tracerec/internal/shm"
	"tracerec/internal/testkit"
	"tracerec/trace"
)

func TestExitStatus(t *testing.T) {
	subject := program(t, "subject")
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("text"), 0o644))
	for _, c := range []struct {
		name   string
		args   []string
		status int
		stderr string
	}{
		{"success", []string{subject, "exit", "0"}, 0, ""},
		{"failure", []string{subject, "exit", "3"}, 3, ""},
		{"two, not ours", []string{subject, "exit", "2"}, 2, ""},
		{"panic", []string{subject, "panic"}, 2, "panic: as asked"},
		{"SIGKILL", []string{subject, "die", "9"}, 137, ""},
		{"SIGSEGV", []string{subject, "die", "11"}, 2, ""}, // caught by the Go runtime, which exits
		{"not found", []string{"./no-such-program"}, 127, "tracerec: ./no-such-program: no such file or directory\n"},
		{"not in PATH", []string{"no-such-program"}, 127, "tracerec: no-such-program: executable file not found in $PATH\n"},
		{"not executable", []string{script}, 126, "tracerec: " + script + ": permission denied\n"},
		{"directory", []string{"/"}, 126, "tracerec: /: "},
		{"no program", nil, 2, "tracerec: no program to record"},
		{"unknown flag", []string{"--frobnicate", subject}, 2, "tracerec: unknown flag: --frobnicate\n"},
		{"bad size", []string{"--buffer", "many", subject}, 2, "not a size"},
		{"tiny size", []string{"--buffer", "1", subject}, 2, "tracerec: a buffer of 1: must be from 4M to 1T\n"},
		{"huge size", []string{"--buffer", "100T", subject}, 2, "tracerec: a buffer of 100T: must be from 4M to 1T\n"},
		{"no patience", []string{"--patience", "-1s", subject}, 2, "tracerec: --patience -1s: must not be negative\n"},
		{"no name", []string{"-o", "", subject}, 2, "tracerec: the name of the trace directory is empty\n"},
		{"bad resolution", []string{"--resolution", "2ns", subject}, 2, "neither 1ns nor 64ns"},
		{"unknown counter", []string{"-c", "no-such", subject}, 2, `tracerec: unknown event "no-such"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			archive := filepath.Join(t.TempDir(), "trace.dir")
			r := record(t, append([]string{"-o", archive}, c.args...)...)
			require.Equal(t, c.status, r.status, r.stderr)
			require.Contains(t, r.stderr, c.stderr)
			if len(c.args) < 2 || c.args[0] != subject { // nothing ran
				require.NoDirExists(t, archive)
				require.Equal(t, 1, lines(r.stderr), r.stderr)
				return
			}
			clean(t, archive)
			require.Equal(t, 40, countKind(t, archive, "enter")["work"])
			require.NoFileExists(t, filepath.Join(archive, "session"))
		})
	}
}

func TestSummaryLine(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	r := record(t, "-o", archive, "--", program(t, "subject"), "regions", "1000")
	require.Equal(t, 0, r.status, r.stderr)
	require.Empty(t, r.stdout)
	require.Regexp(t, `^tracerec: \S.*/a: 8,0\d\d events of 5 goroutines, [\d.]+ KiB \([\d.]+ bytes per event\), nothing lost, overhead .*\n$`, r.stderr)

	r = record(t, "-q", "-o", archive+"2", program(t, "subject"), "regions", "1000")
	require.Equal(t, result{}, r)
}

func TestStandardStreams(t *testing.T) {
	cmd := tracerec("-o", filepath.Join(t.TempDir(), "a"), program(t, "plain"), "5")
	cmd.Stdin = strings.NewReader("through\n")
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	require.Error(t, cmd.Run())
	require.Equal(t, 5, cmd.ProcessState.ExitCode())
	require.Equal(t, "through\n", out.String())
	require.Contains(t, err.String(), "no events recorded")
	require.Contains(t, err.String(), "instrument")
	require.Equal(t, 1, lines(err.String()), err.String())
}

func TestProgramThatRecordsNothing(t *testing.T) {
	r := record(t, "-o", filepath.Join(t.TempDir(), "a"), program(t, "subject"), "idle")
	require.Equal(t, 0, r.status)
	require.Contains(t, r.stderr, "no events recorded")
	require.Equal(t, 1, lines(r.stderr), r.stderr)
}

func TestTracerecInTracerec(t *testing.T) {
	inner := tracerec("-o", filepath.Join(t.TempDir(), "inner"), program(t, "subject"), "regions", "10")
	r := record(t, "-o", filepath.Join(t.TempDir(), "outer"), "/usr/bin/env", asTracerec+"=1", inner.Path,
		"-o", inner.Args[2], program(t, "subject"), "regions", "10")
	require.Equal(t, 0, r.status, r.stderr)
	require.Contains(t, r.stderr, "another tracerec, inside this one,")
	require.Equal(t, 40, countKind(t, inner.Args[2], "enter")["work"])
}

func TestFlagsStopAtTheProgram(t *testing.T) {
	dir := t.TempDir()
	r := record(t, "record", "-o", filepath.Join(dir, "a"), "echo", "-o", "x", "--help", "--", "info")
	require.Equal(t, "-o x --help -- info\n", r.stdout)
	r = record(t, "-o", filepath.Join(dir, "b"), "--", "echo", "run")
	require.Equal(t, "run\n", r.stdout)
}

// TestSignals sends signals to tracerec only: each reaches the program once.
func TestSignals(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("-o", archive, program(t, "subject"), "signals")
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true} // no terminal
	out := start(t, cmd)
	require.Equal(t, "ready", out.next())
	for _, s := range []os.Signal{unix.SIGUSR1, unix.SIGINT, unix.SIGQUIT, unix.SIGHUP, unix.SIGTERM} {
		require.NoError(t, cmd.Process.Signal(s))
		require.Equal(t, s.String(), out.next())
	}
	require.Error(t, cmd.Wait())
	require.Equal(t, 7, cmd.ProcessState.ExitCode())
	clean(t, archive)
}

// TestIgnoredSignalsStayIgnored: what nohup, or a shell in the background, ignores goes neither to tracerec nor to the program.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	for _, command := range [][]string{{"record", "-o", filepath.Join(t.TempDir(), "a")}, {"count", "-e", "task-clock"}} {
		direct := tracerec(append(command, "sh", "-c", "kill -HUP $PPID; kill -INT $PPID; kill -HUP $$; kill -INT $$; echo goes on")...)
		out, err := ignoring(direct).Output()
		require.NoError(t, err)
		require.Equal(t, "goes on\n", string(out))
	}
}

// ignoring returns cmd with signals ignored, as nohup and shells start programs in the background.
func ignoring(cmd *exec.Cmd) *exec.Cmd {
	shell := exec.Command("sh", append([]string{"-c", `trap "" HUP INT; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)...)
	shell.Env = cmd.Env
	shell.SysProcAttr = &unix.SysProcAttr{Setsid: true} // no terminal
	return shell
}

// TestIgnoredSignalsReachTheProgram: a program may want what was ignored when it was started.
func TestIgnoredSignalsReachTheProgram(t *testing.T) {
	subject := program(t, "subject")
	for _, command := range [][]string{{"record", "-o", filepath.Join(t.TempDir(), "a")}, {"count", "-e", "task-clock"},
		{"count", "-e", "task-clock", "-p", strconv.Itoa(os.Getpid())}} {
		cmd := ignoring(tracerec(append(command, subject, "signals")...))
		out := start(t, cmd)
		require.Equal(t, "ready", out.next())
		waitFor(t, "tracerec to catch signals", func() bool { return catches(t, cmd.Process.Pid, unix.SIGHUP, unix.SIGINT) })
		for _, s := range []os.Signal{unix.SIGINT, unix.SIGHUP, unix.SIGTERM} {
			require.NoError(t, cmd.Process.Signal(s))
			require.Equal(t, s.String(), out.next(), command)
		}
		require.Error(t, cmd.Wait())
		require.Equal(t, 7, cmd.ProcessState.ExitCode())
	}
}

// catches tells whether a process catches all these signals.
func catches(t *testing.T, pid int, signals ...syscall.Signal) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "\nSigCgt:\t")
	line, _, _ := strings.Cut(rest, "\n")
	caught, err := strconv.ParseUint(line, 16, 64)
	require.NoError(t, err)
	for _, s := range signals {
		if caught&(1<<(s-1)) == 0 {
			return false
		}
	}
	return true
}

// TestInterruptFromTerminal types ^C and ^\: the terminal sends them to tracerec and to the program, which must
// see each once.
func TestInterruptFromTerminal(t *testing.T) {
	master, slave := testkit.Terminal(t)
	cmd := tracerec("-o", filepath.Join(t.TempDir(), "a"), program(t, "subject"), "signals")
	cmd.Stdin = slave
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	out := start(t, cmd)
	require.Equal(t, "ready", out.next())
	for key, name := range map[string]string{"\x03": "interrupt", "\x1c": "quit"} {
		_, err := master.WriteString(key)
		require.NoError(t, err)
		require.Equal(t, name, out.next())
	}
	time.Sleep(100 * time.Millisecond) // time for a second one to arrive
	require.NoError(t, cmd.Process.Signal(unix.SIGTERM))
	require.Equal(t, "terminated", out.next())
	require.Error(t, cmd.Wait())
	require.Equal(t, 7, cmd.ProcessState.ExitCode())
}

func TestChildrenJoin(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	r := record(t, "-o", archive, program(t, "subject"), "family", "3")
	require.Equal(t, 0, r.status, r.stderr)
	require.Contains(t, r.stderr, "in 4 processes")
	clean(t, archive)
	require.Equal(t, map[string]int{"child": 3, "work": 120}, countKind(t, archive, "enter"))
	a, err := trace.Open(archive)
	require.NoError(t, err)
	defer a.Close()
	processes := a.Definitions().Processes
	root := processes[a.Header().Root]
	require.Equal(t, 0, root.Exit)
	require.Equal(t, []string{program(t, "subject"), "family", "3"}, root.Args)
	for i, p := range processes {
		if i != a.Header().Root {
			require.Equal(t, root.PID, p.Parent)
			require.Equal(t, -1, p.Exit)
		}
	}
}

// TestChildThatOutlivesTheProgram records a child that ends after the program, while tracerec waits for it or later.
func TestChildThatOutlivesTheProgram(t *testing.T) {
	for patience, exits := range map[string]int{"10m": 2, "1ms": 1} {
		archive := filepath.Join(t.TempDir(), "a")
		cmd := tracerec("-o", archive, "--patience", patience, program(t, "subject"), "outlive")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		input := lifeline(t, cmd)
		require.NoError(t, cmd.Start())
		if exits == 2 {
			waitForProgram(t, cmd, archive)
			input.Close()
		}
		require.NoError(t, cmd.Wait(), stderr.String())
		input.Close()
		clean(t, archive)
		require.Equal(t, 2, countKind(t, archive, "enter")["life"])
		require.Equal(t, exits, kinds(t, archive)["exit"])
		for _, sign := range []string{"still runs", "INCOMPLETE"} {
			require.Equal(t, exits == 1, strings.Contains(stderr.String(), sign), stderr.String())
		}
		require.Equal(t, exits == 2, strings.Contains(stderr.String(), "nothing lost"), stderr.String())
		require.Equal(t, 2-exits, strings.Count(inside("info", archive).stdout, "  warning   still running at the end of the recording: 1\n"))
	}
}

// TestIgnoredSignalsLeaveThePatience: what tracerec ignored from its start does not end its wait for a child of the program.
func TestIgnoredSignalsLeaveThePatience(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	cmd := ignoring(tracerec("-o", archive, "--patience", "10m", program(t, "subject"), "outlive"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	input := lifeline(t, cmd)
	require.NoError(t, cmd.Start())
	waitForProgram(t, cmd, archive)
	require.NoError(t, cmd.Process.Signal(unix.SIGHUP))
	require.NoError(t, cmd.Process.Signal(unix.SIGINT))
	input.Close()
	require.NoError(t, cmd.Wait())
	require.Contains(t, stderr.String(), "nothing lost")
	clean(t, archive)
}

// waitForProgram waits for the end of the program that tracerec, just started, records.
func waitForProgram(t *testing.T, cmd *exec.Cmd, archive string) {
	t.Helper()
	waitFor(t, "the program's start", func() bool {
		named, _, _ := sessionfile.Read(archive)
		buffers, _ := filepath.Glob(filepath.Join(named, "*"+shm.Suffix))
		return len(buffers) > 0
	})
	waitFor(t, "the program's end", func() bool { return len(childrenOf(cmd.Process.Pid)) == 0 })
}

// TestInterruptEndsThePatience interrupts tracerec while it waits for a child of the program.
func TestInterruptEndsThePatience(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("-o", archive, "--patience", "10m", program(t, "subject"), "outlive")
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	lifeline(t, cmd)
	require.NoError(t, cmd.Start())
	waitForProgram(t, cmd, archive)
	require.NoError(t, cmd.Process.Signal(unix.SIGINT))
	require.NoError(t, cmd.Wait())
	require.Contains(t, stderr.String(), "still runs; what it does from now on is not recorded")
	clean(t, archive)
}

// kinds counts the events of an archive by kind.
func kinds(t *testing.T, archive string) map[string]int {
	counts := map[string]int{}
	each(t, archive, func(_ *trace.Archive, _ trace.LocationID, e trace.Event) { counts[e.Kind.String()]++ })
	return counts
}

func TestOlderArchiveIsMovedAside(t *testing.T) {
	archive := filepath.Join(t.TempDir(), "a")
	for i := range 3 {
		r := record(t, "-o", archive, program(t, "subject"), "regions", []string{"10", "20", "30"}[i])
		require.Equal(t, 0, r.status, r.stderr)
	}
	aside, err := filepath.Glob(archive + ".20*")
	require.NoError(t, err)
	require.Len(t, aside, 2)
	total := 0
	for _, dir := range append(aside, archive) {
		clean(t, dir)
		total += countKind(t, dir, "enter")["work"]
	}
	require.Equal(t, 240, total)
	require.Equal(t, 120, countKind(t, archive, "enter")["work"])
}

func TestOutputTaken(t *testing.T) {
	dir := t.TempDir()
	file, full, empty := filepath.Join(dir, "file"), filepath.Join(dir, "full"), filepath.Join(dir, "empty")
	require.NoError(t, os.WriteFile(file, []byte("precious"), 0o644))
	require.NoError(t, os.Mkdir(empty, 0o755))
	require.NoError(t, os.Mkdir(full, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(full, "notes"), []byte("precious"), 0o644))
	for taken, also := range map[string]string{file: "", full: "", empty: ", or remove it: it is empty"} {
		r := record(t, "-o", taken, "echo", "ran")
		require.Equal(t, result{2, "", "tracerec: " + taken + ": exists and is not a trace directory; choose another name" + also + "\n"}, r)
	}
	require.NoError(t, os.Remove(empty))
	require.Zero(t, record(t, "-o", empty, "echo", "ran").status)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "precious", string(kept))

	archive := filepath.Join(dir, "a")
	cmd := tracerec("-o", archive, program(t, "subject"), "signals")
	out := start(t, cmd)
	require.Equal(t, "ready", out.next())
	r := record(t, "-o", archive, "echo", "ran")
	require.Equal(t, result{0, "ran\n", fmt.Sprintf("tracerec: %s: is being recorded by process %d; the program is not recorded\n", archive, cmd.Process.Pid)}, r)
	require.NoError(t, cmd.Process.Signal(unix.SIGTERM))
	cmd.Wait()
	clean(t, archive)
}

func TestStartThatFailsLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	archive, garbage := filepath.Join(dir, "a"), filepath.Join(dir, "garbage")
	require.Equal(t, 0, record(t, "-o", archive, program(t, "subject"), "exit", "0").status)
	require.NoError(t, os.WriteFile(garbage, []byte("\x01\x02"), 0o755))
	r := record(t, "-o", archive, garbage)
	require.Equal(t, result{126, "", "tracerec: " + garbage + ": exec format error\n"}, r)
	clean(t, archive) // back in its place
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 2)
}

// lineReader reads the output of a process line by line.
type lineReader struct {
	t     *testing.T
	lines chan string
}

// lifeline gives cmd an input that ends with the test, however that ends, and returns its other end. Programs of testdata that would go
// on for ever end with it, also when nobody is left to kill them.
func lifeline(t *testing.T, cmd *exec.Cmd) io.Closer {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdin = r
	t.Cleanup(func() { w.Close(); r.Close() })
	return w
}

// start starts cmd and returns its standard output.
func start(t *testing.T, cmd *exec.Cmd) lineReader {
	t.Helper()
	if cmd.Stdin == nil {
		lifeline(t, cmd)
	}
	pipe, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = w
	require.NoError(t, cmd.Start())
	w.Close()
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait(); pipe.Close() })
	r := lineReader{t, make(chan string, 1<<16)}
	go scan(pipe, r.lines)
	return r
}

// next returns the next line.
func (r lineReader) next() string {
	r.t.Helper()
	return testkit.Receive(r.t, "output", r.lines)
}
