//go:build linux

package recorder

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"tracerec/internal/launch"
)

// A child is the running program.
type child struct {
	cmd     *exec.Cmd
	signals *launch.Signals
	relays  sync.WaitGroup
	ended   atomic.Bool
	died    func(syscall.Signal) // see Options
	used    int64                // processor time when it had ended, ns; 0 unknown
	hurry   chan struct{}        // closed by a signal that comes after the program's end
}

// start starts the program at path with args (args[0] is its name) and env. It has this standard output, the recorder's own
// standard input and error, and gets the signals that are sent to the recorder.
func start(path string, args, env []string, stdout *os.File) (*child, error) {
	c := &child{cmd: &exec.Cmd{
		Path: path, Args: args, Env: env,
		Stdin: os.Stdin, Stdout: stdout, Stderr: os.Stderr,
	}, signals: launch.Before(), hurry: make(chan struct{})}
	if err := c.cmd.Start(); err != nil {
		c.signals.Stop()
		return nil, launch.Failed(args[0], err)
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
	if by := launch.EndedBy(c.cmd.ProcessState); by != 0 && c.died != nil {
		c.died(by)
	}
	return launch.Status(c.cmd.ProcessState)
}

// release gives signals their usual effect again.
func (c *child) release() {
	c.signals.Stop()
	c.relays.Wait()
}
