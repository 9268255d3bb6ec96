//go:build linux

package main

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/session"
	"tracerec/internal/shm"
	"tracerec/internal/testkit"
)

var harmless = flag.Int("harmless", 1, "how often to run each variant of the program that does everything to itself")

// outcome is what a run of a program leaves.
type outcome struct {
	Status         int
	Stdout, Stderr string
	Files          map[string]string
}

// outcomeOf runs a command in a directory of its own, with what it starts.
func outcomeOf(t *testing.T, cmd *exec.Cmd) (o outcome) {
	t.Helper()
	cmd.Dir = t.TempDir()
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	if exited := (*exec.ExitError)(nil); !errors.As(cmd.Run(), &exited) && cmd.ProcessState == nil {
		require.Fail(t, "not started")
	}
	o.Status, o.Files = statusOf(cmd.ProcessState), map[string]string{}
	o.Stdout = out.String()
	for line := range strings.Lines(err.String()) {
		switch {
		case strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "PC="): // stacks, with addresses and numbers of goroutines
			return o.withFiles(cmd.Dir)
		case !strings.HasPrefix(line, "tracerec: "):
			o.Stderr += line
		}
	}
	return o.withFiles(cmd.Dir)
}

// withFiles adds the files in a directory.
func (o outcome) withFiles(dir string) outcome {
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			content = []byte("cannot be read")
		}
		o.Files[filepath.Base(file)] = string(content)
	}
	return o
}

// TestHarmless runs programs that close all descriptors, use their numbers again, run out of them, change limits, rights, root and
// processes, with and without recording: output, files and status are the same.
func TestHarmless(t *testing.T) {
	hostile := testkit.Build(t, nil, "./testdata/programs/hostile")
	names, err := exec.Command(hostile).Output()
	require.NoError(t, err)
	require.Greater(t, bytes.Count(names, []byte("\n")), 50)
	for i, name := range slices.Collect(strings.Lines(string(names))) {
		if testing.Short() && i%8 != 0 {
			continue // they differ in what other processes do
		}
		name = strings.TrimSuffix(name, "\n")
		t.Run(name, func(t *testing.T) {
			for range *harmless {
				notHarmed(t, hostile, name, nil, []string{"-c", "page-faults"}) // perf events are descriptors
			}
		})
	}
}

// notHarmed runs a variant without recording, and with every set of options: that makes no difference. It returns the last archive.
func notHarmed(t *testing.T, hostile, variant string, options ...[]string) (archive string) {
	t.Helper()
	plain := outcomeOf(t, exec.Command(hostile, variant))
	for _, o := range options {
		archive = filepath.Join(t.TempDir(), "a")
		require.Equal(t, plain, outcomeOf(t, tracerec(append(o, "-o", archive, hostile, variant)...)), o)
		clean(t, archive)
	}
	return archive
}

// statusOf returns the exit status of a process as shells give it.
func statusOf(s *os.ProcessState) int {
	if w := s.Sys().(syscall.WaitStatus); w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

var (
	starts    = flag.Int("starts", 12, "how often to kill the program, one time in four the recorder, within the program's first 50 ms")
	creations = flag.Int("creations", 3, "how often to kill the program, one time in four the recorder, while the buffer is made")
)

// TestKillsAtStart kills the program, or the recorder and then the program, at moments of its first 50 ms: the recording can be read or
// recovered, and nothing is left in shared memory.
func TestKillsAtStart(t *testing.T) {
	for i := range *starts {
		killed(t, i%4 == 3, func(string) bool {
			time.Sleep(time.Duration(rand.IntN(int(50 * time.Millisecond))))
			return true
		})
	}
}

// TestKillsAtCreation is TestKillsAtStart for the moments at which the buffer has a file but no name yet. What is missed is tried again.
func TestKillsAtCreation(t *testing.T) {
	for hit, tries := 0, 0; hit < *creations && tries < 20**creations; tries++ {
		if killed(t, hit%4 == 3, func(session string) (seen bool) {
			for end := time.Now().Add(time.Second); !seen && time.Now().Before(end); {
				entries, _ := os.ReadDir(session)
				for _, e := range entries {
					if strings.HasSuffix(e.Name(), shm.Suffix) {
						return false // too late
					}
					seen = seen || shm.Unborn(e.Name())
				}
			}
			return seen
		}) {
			hit++
		}
	}
}

// killed records a program, and kills it when ready has returned, or the recorder before if that is asked for. It returns what ready does.
func killed(t *testing.T, recorderToo bool, ready func(session string) bool) (hit bool) {
	t.Helper()
	archive := filepath.Join(t.TempDir(), "a")
	cmd := tracerec("-o", archive, program(t, "subject"), "signals")
	var said strings.Builder
	cmd.Stderr = &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	require.NoError(t, cmd.Start())
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whatever goes wrong
	named := ""
	testkit.Until(t, "the session", func() bool { named, _, _ = session.Read(archive); return named != "" })
	var victims []int
	if !recorderToo {
		testkit.Until(t, "the program", func() bool { victims = childrenOf(cmd.Process.Pid); return len(victims) > 0 })
	}
	hit = ready(named)
	if recorderToo {
		victims = childrenOf(cmd.Process.Pid)
		syscall.Kill(cmd.Process.Pid, syscall.SIGKILL)
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	testkit.Until(t, "the recorder's end", func() bool { // its first child may be one that only tries what the system can do
		if !recorderToo {
			victims = childrenOf(cmd.Process.Pid)
		}
		for _, pid := range victims {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(over) > 0
	})
	<-over
	if recorderToo {
		for _, pid := range victims {
			testkit.Until(t, "the program's end", func() bool { return ended(pid) })
		}
		r := inside("recover", archive)
		require.Equal(t, 0, r.status, r.stderr)
	} else {
		require.Equal(t, 137, cmd.ProcessState.ExitCode(), said.String())
	}
	clean(t, archive)
	require.NoDirExists(t, named, said.String())
	return hit
}
