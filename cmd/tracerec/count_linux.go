package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"tracerec/counters"
	"tracerec/counters/perf"
)

// caught is the signals that end the counting of what runs already, or are handed on to the command.
var caught = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGPIPE}

// once counts one run. It reports whether a signal ended it, so that there shall be no other.
func (o *countOptions) once(t *tally) (stop bool, err error) {
	if o.pid > 0 || o.cpu >= 0 {
		return o.beside(t)
	}
	// A process that is traced stops at its first instruction, which is where counting begins. Only the thread that
	// started it can let it go on.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, notIgnored()...)
	defer signal.Stop(signals)
	cmd, traced, err := o.start()
	if err != nil {
		return false, err
	}
	set, err := o.open(t, counters.Options{Thread: cmd.Process.Pid, Inherit: o.inherit})
	begin := time.Now()
	if traced {
		err = errors.Join(err, syscall.PtraceDetach(cmd.Process.Pid))
	} else {
		t.Late = true
	}
	done := make(chan struct{})
	go relayTo(cmd.Process, signals, done)
	if err != nil {
		cmd.Process.Kill()
	}
	cmd.Wait()
	close(done)
	real := time.Since(begin)
	if err != nil {
		return false, err
	}
	t.Status = exitStatus(cmd.ProcessState)
	t.ran(real, cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime(), mostResident(cmd.ProcessState))
	return t.Status > 128, t.take(set)
}

// watchpoint puts the address of a variable of the program into an event that names one.
func (o *countOptions) watchpoint(name string) (string, error) {
	program := fmt.Sprintf("/proc/%d/exe", o.pid)
	if o.pid == 0 && len(o.args) > 0 {
		program = o.args[0]
		if path, err := exec.LookPath(program); err == nil || errors.Is(err, exec.ErrDot) {
			program = path
		}
	}
	return perf.Addressed(name, program)
}

// start starts the command, stopped if the system permits that.
func (o *countOptions) start() (cmd *exec.Cmd, traced bool, err error) {
	path, err := exec.LookPath(o.args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return nil, false, cannotStart(o.args[0], err)
	}
	for _, traced = range []bool{true, false} {
		if traced && changesUser(path) {
			continue
		}
		cmd = &exec.Cmd{Path: path, Args: o.args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			SysProcAttr: &syscall.SysProcAttr{Ptrace: traced}}
		if err = cmd.Start(); err == nil || !errors.Is(err, unix.EPERM) {
			break
		}
	}
	if err != nil {
		return nil, false, cannotStart(o.args[0], err)
	}
	if !traced {
		return cmd, false, nil
	}
	var status unix.WaitStatus
	for {
		_, err = unix.Wait4(cmd.Process.Pid, &status, 0, nil)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil || !status.Stopped() {
		return nil, false, &exit{126, fmt.Errorf("%s: it did not stop at its start (status %#x)", o.args[0], int(status))}
	}
	return cmd, true, nil
}

// changesUser tells whether a program runs as another user. It would not if it were traced by one without privileges.
func changesUser(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 && os.Geteuid() != 0
}

// cannotStart gives an error the exit status of a shell.
func cannotStart(name string, err error) error {
	status := 126
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		status = 127
	}
	for wrapped := err; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
		err = wrapped // the innermost says it best
	}
	return &exit{status, fmt.Errorf("%s: %w", name, err)}
}

// notIgnored returns the signals to catch: those that were ignored stay so, in the command as well (nohup).
func notIgnored() (some []os.Signal) {
	for _, s := range caught {
		if !signal.Ignored(s) {
			some = append(some, s)
		}
	}
	return some
}

// relayTo hands signals on to the process. Those of the terminal reach it without us.
func relayTo(p *os.Process, signals <-chan os.Signal, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case s := <-signals:
			if s == unix.SIGPIPE || (s == unix.SIGINT || s == unix.SIGQUIT) && inForeground() {
				continue
			}
			p.Signal(s) // fails only when it has ended
		}
	}
}

// inForeground tells whether this process is in the foreground process group of its terminal.
func inForeground() bool {
	tty, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer unix.Close(tty)
	group, err := unix.IoctlGetInt(tty, unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// exitStatus is what a shell says of how a process ended.
func exitStatus(state *os.ProcessState) int {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return state.ExitCode()
}

// mostResident returns the most memory in bytes that a process had, 0 if that is not known: the kernel's figure begins with
// that of the process which started it.
func mostResident(state *os.ProcessState) int64 {
	var own unix.Rusage
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok || unix.Getrusage(unix.RUSAGE_SELF, &own) != nil || usage.Maxrss <= own.Maxrss {
		return 0
	}
	return usage.Maxrss << 10
}

// beside counts a process or a processor, while a command runs or until a signal comes.
func (o *countOptions) beside(t *tally) (stop bool, err error) {
	target := counters.Options{Thread: o.pid, Inherit: o.inherit}
	if o.cpu >= 0 {
		target = counters.Options{CPU: o.cpu + 1}
	} else if unix.Kill(o.pid, 0) == unix.ESRCH {
		return true, fmt.Errorf("-p %d: there is no such process", o.pid)
	}
	signals := make(chan os.Signal, 64)
	signal.Notify(signals, notIgnored()...)
	defer signal.Stop(signals)
	begin := time.Now()
	set, err := o.open(t, target)
	if err != nil {
		return true, err
	}
	if len(o.args) == 0 {
		stop = awaitEnd(o.pid, signals)
	} else if err = o.during(t, signals); err != nil {
		return true, errors.Join(err, set.Close())
	}
	t.ran(time.Since(begin), 0, 0, 0)
	return stop || t.Status > 128, t.take(set)
}

// during runs the command.
func (o *countOptions) during(t *tally, signals <-chan os.Signal) error {
	cmd := exec.Command(o.args[0], o.args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return cannotStart(o.args[0], err)
	}
	done := make(chan struct{})
	go relayTo(cmd.Process, signals, done)
	cmd.Wait()
	close(done)
	t.Status = exitStatus(cmd.ProcessState)
	return nil
}

// awaitEnd waits for a signal (then it returns true) or for the end of the process, if one is counted.
func awaitEnd(pid int, signals <-chan os.Signal) bool {
	ended := func() bool { return pid > 0 && unix.Kill(pid, 0) == unix.ESRCH }
	if fd, err := unix.PidfdOpen(pid, 0); err == nil { // tells the end also of one that nobody reaps, or whose number another one has by now
		defer unix.Close(fd)
		ended = func() bool { n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0); return n > 0 }
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case s := <-signals:
			if s != unix.SIGPIPE {
				return true
			}
		case <-tick.C:
			if ended() {
				return false
			}
		}
	}
}
