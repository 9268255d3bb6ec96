//go:build linux

package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

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
	testkit.NeedDescriptors(t, 256) // its events have high numbers, and are none of those that the program looks at
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
			t.Parallel()
			for range *harmless {
				notHarmed(t, hostile, name, nil, []string{"-c", "page-faults", "--buffer", "32MiB"}) // perf events are descriptors
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

// TestHarmlessBuilds runs some of these programs as people build them otherwise: with the race detector, movable, without symbols.
func TestHarmlessBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	for name, flags := range map[string][]string{"race": {"-race"}, "stripped": {"-buildmode=pie", "-trimpath", "-ldflags=-s -w"}} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("gcc"); err != nil && name == "race" {
				t.Skip("no C compiler: ", err)
			}
			hostile := testkit.Build(t, nil, append(flags, "./testdata/programs/hostile")...)
			for _, variant := range []string{"files under all numbers", "exec", "panic, not caught"} {
				notHarmed(t, hostile, variant, nil, []string{"-c", "page-faults"})
			}
		})
	}
}

// statusOf returns the exit status of a process as shells give it.
func statusOf(s *os.ProcessState) int {
	if w := s.Sys().(syscall.WaitStatus); w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
