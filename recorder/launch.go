//go:build linux

package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"tracerec/internal/relay"
)

// A StartError says why a program could not be started, with the exit status a shell gives for it.
type StartError struct {
	Program string
	Status  int // 127 not found, 126 found but not executable
	Err     error
}

func (e *StartError) Error() string { return fmt.Sprintf("%s: %v", e.Program, e.Err) }
func (e *StartError) Unwrap() error { return e.Err }

// newStartError gives err, from looking for or starting program, its exit status.
func newStartError(program string, err error) *StartError {
	status := 126
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		status = 127
	}
	for wrapped := err; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
		err = wrapped // the innermost says it best: "permission denied"
	}
	return &StartError{program, status, err}
}

// findProgram returns the file that the name of a program stands for.
func findProgram(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil || errors.Is(err, exec.ErrDot) {
		return path, nil // the user's PATH says so
	}
	return "", newStartError(name, err)
}

// A child is the running program.
type child struct {
	cmd     *exec.Cmd
	signals *relay.Signals
	relays  sync.WaitGroup
	ended   atomic.Bool
	used    int64         // processor time when it had ended, ns; 0 unknown
	hurry   chan struct{} // closed by a signal that comes after the program's end
}

// launch starts the program at path with args (args[0] is its name) and env. It has the recorder's own
// standard input, output and error, and gets the signals that are sent to the recorder.
func launch(path string, args, env []string) (*child, error) {
	c := &child{cmd: &exec.Cmd{
		Path: path, Args: args, Env: env,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	}, signals: relay.Before(), hurry: make(chan struct{})}
	if err := c.cmd.Start(); err != nil {
		c.signals.Stop()
		return nil, newStartError(args[0], err)
	}
	c.signals.Started()
	c.relays.Go(c.relay)
	return c, nil
}

// relay hands signals on to the program until no more come. After the program's end a signal means that the user does not
// want to wait.
func (c *child) relay() {
	hurry := sync.OnceFunc(func() { close(c.hurry) })
	for sig := range c.signals.C {
		over := c.ended.Load()
		if !over && c.signals.For(sig) {
			over = errors.Is(c.cmd.Process.Signal(sig), os.ErrProcessDone)
		}
		if over && c.signals.Own(sig) {
			hurry()
		}
	}
}

// wait waits for the program's end and returns its exit status, 128+n when signal n ended it. Signals go on
// being caught, so that none ends the recorder before the archive is complete; see release.
func (c *child) wait() int {
	for pid := c.cmd.Process.Pid; ; { // while it is there, how much processor time it used can be asked
		if err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			c.used = cpuTime(pid)
			break
		}
	}
	c.cmd.Wait()
	c.ended.Store(true)
	state, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok {
		return 1
	}
	if state.Signaled() {
		return 128 + int(state.Signal())
	}
	return state.ExitStatus()
}

// release gives signals their usual effect again.
func (c *child) release() {
	c.signals.Stop()
	c.relays.Wait()
}
