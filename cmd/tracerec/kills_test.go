//go:build linux

package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
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
)

var (
	starts    = flag.Int("starts", 12, "how often to kill the program, one time in four the recorder, within the program's first 50 ms")
	creations = flag.Int("creations", 6, "how often to kill the program, one time in four the recorder, while the buffer is made")
)

// doomed is a program that is about to be killed, with the recorder that records it.
type doomed struct {
	*exec.Cmd        // the recorder, in a group of processes of its own
	archive, session string
	traced           int      // the program, if this thread traces it
	said             *os.File // a pipe would be waited for as long as anybody has it, also the program
}

// startDoomed begins to record a program that would go on for ever.
func startDoomed(t *testing.T, command ...string) *doomed {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "a")
	d := &doomed{Cmd: tracerec(append([]string{"-o", archive}, command...)...), archive: archive}
	var err error
	d.said, err = os.Create(filepath.Join(t.TempDir(), "said"))
	require.NoError(t, err)
	defer d.said.Close()
	d.Stderr = d.said
	d.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	lifeline(t, d.Cmd)
	require.NoError(t, d.Start())
	testkit.Until(t, "the session", func() bool { d.session, _, _ = sessionfile.Read(archive); return d.session != "" })
	return d
}

// The states in which a kill may find a program, by what is in the session directory.
const (
	before    = "before its buffer"
	making    = "making its buffer"
	recording = "recording"
)

func (d *doomed) state() string {
	entries, _ := os.ReadDir(d.session)
	state := before
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), shm.Suffix) {
			return recording
		}
		if shm.Unborn(e.Name()) {
			state = making
		}
	}
	return state
}

// kill kills the program, or the recorder before if that is asked for: the recording can be read or recovered, and nothing is left in shared
// memory.
func (d *doomed) kill(t *testing.T, recorderToo bool) {
	t.Helper()
	if recorderToo {
		d.Process.Kill()
		d.Wait()
		testkit.Until(t, "the program's end", func() bool { return d.killOthers() == 0 })
		r := inside("recover", d.archive)
		require.Equal(t, 0, r.status, r.stderr)
	} else {
		over := make(chan error, 1)
		go func() { over <- d.Wait() }()
		testkit.Until(t, "the recorder's end", func() bool { d.killOthers(); return len(over) > 0 })
		<-over
		said, _ := os.ReadFile(d.said.Name())
		require.Equal(t, 137, d.ProcessState.ExitCode(), "%s", said)
	}
	clean(t, d.archive)
	require.NoDirExists(t, d.session)
}

// killOthers kills all processes of the recorder's group but the recorder, and returns how many there were. More than one may be the
// program's: the recorder tries what the system can do in processes of its own.
func (d *doomed) killOthers() (n int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == d.Process.Pid {
			continue
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		stat := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(stat) > 17 && stat[2] == strconv.Itoa(d.Process.Pid) && (stat[0] != "Z" || stat[17] != "1") { // it may have other threads yet
			n++
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if d.traced != 0 {
		unix.Wait4(d.traced, nil, unix.WALL|unix.WNOHANG, nil) // before, its parent is not told
	}
	return n
}

// TestKillsAtStart kills the program, or the recorder and then the program, at moments of its first 50 ms.
func TestKillsAtStart(t *testing.T) {
	hit := map[string]int{}
	for i := range *starts {
		d := startDoomed(t, program(t, "subject"), "signals")
		if i%4 != 3 {
			testkit.Until(t, "the program", func() bool { return len(childrenOf(d.Process.Pid)) > 0 })
		}
		time.Sleep(time.Duration(rand.IntN(int(50 * time.Millisecond))))
		hit[d.state()]++
		d.kill(t, i%4 == 3)
	}
	t.Log(hit)
}

// stepper leads the first thread of a program, which makes the buffer, from one entry to or return from the system to the next. In
// between nothing changes that others could find.
type stepper struct {
	pid    int
	signal int // to be delivered with the next step
}

// startStopped begins to record a program that stands still at its begin.
func startStopped(t *testing.T, command ...string) (d *doomed, pid int) {
	t.Helper()
	d = startDoomed(t, append([]string{"sh", "-c", `kill -STOP $$; exec "$@"`, "sh"}, command...)...)
	testkit.Until(t, "the program", func() bool {
		for _, child := range childrenOf(d.Process.Pid) {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
			if strings.Contains(string(text), ") T ") {
				pid = child
			}
		}
		return pid != 0
	})
	return d, pid
}

// startSteps begins to record a program that stands still at its begin. The calling goroutine is bound to its thread.
func startSteps(t *testing.T) (*doomed, *stepper) {
	t.Helper()
	d, pid := startStopped(t, program(t, "subject"), "signals")
	s := &stepper{pid: pid}
	if err := unix.PtraceSeize(s.pid); err != nil {
		syscall.Kill(s.pid, syscall.SIGKILL)
		d.Wait()
		t.Skip("may not trace processes here: ", err)
	}
	d.traced = s.pid
	require.True(t, s.wait(t))
	require.NoError(t, unix.PtraceSetOptions(s.pid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL))
	require.NoError(t, syscall.Kill(s.pid, syscall.SIGCONT))
	return d, s
}

// step goes on to the next entry or return.
func (s *stepper) step(t *testing.T) {
	t.Helper()
	for {
		_, _, err := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SYSCALL, uintptr(s.pid), 0, uintptr(s.signal), 0, 0)
		require.Zero(t, err)
		if s.wait(t) {
			return
		}
	}
}

// wait waits until the thread stands still, and tells whether that is where it enters or leaves the system.
func (s *stepper) wait(t *testing.T) (stepped bool) {
	t.Helper()
	var status unix.WaitStatus
	_, err := unix.Wait4(s.pid, &status, unix.WALL, nil)
	for err == unix.EINTR {
		_, err = unix.Wait4(s.pid, &status, unix.WALL, nil)
	}
	require.NoError(t, err)
	require.True(t, status.Stopped(), "%#x", status)
	s.signal = int(status.StopSignal())
	event := int(status) >> 16
	switch {
	case s.signal == int(unix.SIGTRAP)|0x80:
		s.signal = 0
		return true
	case event != 0:
		s.signal = 0
		return event == unix.PTRACE_EVENT_STOP
	}
	return false
}

// TestKillsAtCreation kills the program, or the recorder and then the program, at each entry to and return from the system between the first
// moment at which the buffer has a file and that at which it has its name.
func TestKillsAtCreation(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	hit, steps := map[string]int{}, 0
	reach := func(step int) (d *doomed, found string) { // the step of creation, or the first moment after it
		d, s := startSteps(t)
		for found = d.state(); found == before; found = d.state() {
			s.step(t)
		}
		for steps = 0; steps < step && found == making; found = d.state() {
			s.step(t)
			steps++
		}
		hit[found]++
		return d, found
	}
	d, found := reach(1 << 20)
	d.kill(t, false)
	require.Equal(t, recording, found)
	all := steps
	require.Greater(t, all, 10)
	var at []int
	for hit[making] < *creations {
		step := (len(at)*all/min(*creations, all) + len(at)/all) % all
		d, found := reach(step)
		d.kill(t, hit[found]%4 == 3)
		if found == recording { // there were fewer this time: the runtime calls the system as it needs to
			all = steps
			continue
		}
		at = append(at, step)
	}
	slices.Sort(at)
	t.Logf("%v; of %d steps at %v", hit, all, at)
}
