package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/trace"
)

// endless is a module with a test that never ends, and says that it runs.
var endless = map[string]string{
	"go.mod": "module example.com/endless\n\ngo 1.25\n",
	"endless_test.go": `package endless

import (
	"os"
	"strconv"
	"testing"
	"time"
)

func TestEndless(t *testing.T) {
	os.WriteFile("pid.new", []byte(strconv.Itoa(os.Getpid())), 0o666)
	os.Rename("pid.new", "pid")
	for {
		time.Sleep(time.Hour)
	}
}
`}

// inModule returns tracerec test in a module of its own, without a terminal, and its output.
func inModule(t *testing.T, files map[string]string) (cmd *exec.Cmd, dir string, out io.Reader) {
	dir = t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	cmd = tracerec("test", ".")
	cmd.Dir, cmd.SysProcAttr = dir, &unix.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	return cmd, dir, out
}

// Whatever ends tracerec test ends go test, the test and its recording as well, and what was recorded is whole.
func TestKilledTest(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	for signal, status := range map[unix.Signal]int{unix.SIGTERM: 128 + int(unix.SIGTERM), unix.SIGKILL: -1, unix.SIGINT: 1} {
		cmd, dir, out := inModule(t, endless)
		require.NoError(t, cmd.Start())
		pid := 0
		waitFor(t, "the test", func() bool {
			text, err := os.ReadFile(filepath.Join(dir, "pid"))
			pid, _ = strconv.Atoi(string(text))
			return err == nil
		})
		to := cmd.Process.Pid
		if signal == unix.SIGINT {
			to = -to // as a terminal does
		}
		require.NoError(t, unix.Kill(to, signal))
		_, err := io.ReadAll(out) // until nobody is left who could write
		require.NoError(t, err)
		require.Error(t, cmd.Wait())
		require.Equal(t, status, cmd.ProcessState.ExitCode(), signal)
		require.ErrorIs(t, unix.Kill(pid, 0), unix.ESRCH, signal)
		archive := filepath.Join(dir, "trace.dir", "example.com", "endless")
		if signal == unix.SIGKILL { // nobody was there to put it in its place
			found, err := filepath.Glob(filepath.Join(dir, "trace.dir", ".recording-*"))
			require.NoError(t, err)
			require.Len(t, found, 1)
			archive = found[0]
		}
		a, err := trace.Open(archive)
		require.NoError(t, err, signal)
		require.NoError(t, a.Close())
	}
}

// mortal is a module with a test that a signal ends, or that exits as if one had.
var mortal = map[string]string{
	"go.mod": "module example.com/mortal\n\ngo 1.25\n",
	"mortal_test.go": `package mortal

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func TestMortal(t *testing.T) {
	signal, err := strconv.Atoi(os.Getenv("MORTAL"))
	if err != nil {
		os.Exit(137)
	}
	syscall.Kill(os.Getpid(), syscall.Signal(signal))
	time.Sleep(time.Minute)
}
`}

// What go test says of a test that a signal ends, it says of a recorded one.
func TestMortal(t *testing.T) {
	if testing.Short() {
		t.Skip("the runtime is built")
	}
	for signal, want := range map[string]string{"9": "signal: killed\n", "": "exit status 137\n"} { // others may be ignored
		cmd, dir, out := inModule(t, mortal)
		cmd.Env = append(cmd.Environ(), "MORTAL="+signal)
		require.NoError(t, cmd.Start())
		said, err := io.ReadAll(out)
		require.NoError(t, err)
		require.Error(t, cmd.Wait())
		require.Equal(t, 1, cmd.ProcessState.ExitCode(), signal)
		require.Contains(t, string(said), want)
		require.DirExists(t, filepath.Join(dir, "trace.dir", "example.com", "mortal"))
	}
}

// Who interrupts go vet does not want the tests.
func TestInterruptedVet(t *testing.T) {
	real, err := exec.LookPath("go")
	require.NoError(t, err)
	cmd, dir, out := inModule(t, map[string]string{"go.mod": endless["go.mod"], "a_test.go": "package a\n", "go": `#!/bin/sh
case $1 in
vet) >vetting; exec sleep 1000000;;
test) >tested;;
*) exec ` + real + ` "$@";;
esac
`})
	cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"), "PWD="+dir)
	require.NoError(t, cmd.Start())
	waitFor(t, "go vet", func() bool {
		_, err := os.Stat(filepath.Join(dir, "vetting"))
		return err == nil
	})
	require.NoError(t, cmd.Process.Signal(unix.SIGTERM))
	_, err = io.ReadAll(out)
	require.NoError(t, err)
	require.Error(t, cmd.Wait())
	require.Equal(t, 128+int(unix.SIGTERM), cmd.ProcessState.ExitCode())
	require.NoFileExists(t, filepath.Join(dir, "tested"))
}

// Who interrupts the preparation of a build has the go command ended first, and nothing left.
func TestInterruptedPreparation(t *testing.T) {
	real, err := exec.LookPath("go")
	require.NoError(t, err)
	for signal, group := range map[unix.Signal]bool{unix.SIGTERM: false, unix.SIGINT: true} {
		cmd, dir, out := inModule(t, map[string]string{"go.mod": endless["go.mod"], "a_test.go": "package a\n", "go": `#!/bin/sh
case $1 in
list) trap "echo >ended; exit 1" TERM INT; echo >listing; while :; do sleep 0.01; done;;
test) echo >tested;;
*) exec ` + real + ` "$@";;
esac
`})
		temporary := t.TempDir()
		cmd.Env = append(cmd.Env, "PATH="+dir+":"+os.Getenv("PATH"), "PWD="+dir, "TMPDIR="+temporary)
		require.NoError(t, cmd.Start())
		waitFor(t, "go list", func() bool {
			_, err := os.Stat(filepath.Join(dir, "listing"))
			return err == nil
		})
		to := cmd.Process.Pid
		if group {
			to = -to // as a terminal does
		}
		require.NoError(t, unix.Kill(to, signal))
		said, err := io.ReadAll(out)
		require.NoError(t, err)
		require.Error(t, cmd.Wait())
		require.Equal(t, 128+int(signal), cmd.ProcessState.ExitCode())
		require.Empty(t, string(said))
		require.FileExists(t, filepath.Join(dir, "ended"))
		require.NoFileExists(t, filepath.Join(dir, "tested"))
		left, err := os.ReadDir(temporary)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}
