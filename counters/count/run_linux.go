package count

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"tracerec/counters"
	"tracerec/counters/perf"
	"tracerec/internal/launch"
)

// once counts one run. It reports whether a signal ended it, so that there shall be no other.
func (o *Options) once(t *Tally) (stop bool, err error) {
	if o.PID > 0 || o.CPU >= 0 {
		return o.beside(t)
	}
	// A process that is traced stops at its first instruction, which is where counting begins. Only the thread that
	// started it can let it go on.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	signals := launch.Before()
	defer signals.Stop()
	cmd, traced, err := o.start()
	if err != nil {
		return false, err
	}
	signals.Started()
	set, err := o.open(t, counters.Options{Thread: cmd.Process.Pid, Inherit: o.Inherit})
	begin := time.Now()
	if traced {
		err = errors.Join(err, syscall.PtraceDetach(cmd.Process.Pid))
	} else {
		t.Late = true
	}
	go signals.HandOn(cmd.Process)
	if err != nil {
		cmd.Process.Kill()
	}
	cmd.Wait()
	real := time.Since(begin)
	if err != nil {
		return false, err
	}
	t.Status = launch.Status(cmd.ProcessState)
	t.ran(real, cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime(), mostResident(cmd.ProcessState))
	return t.Status > 128, t.take(set)
}

// watchpoint puts the address of a variable of the program into an event that names one.
func (o *Options) watchpoint(name string) (string, error) {
	program := fmt.Sprintf("/proc/%d/exe", o.PID)
	if o.PID == 0 && len(o.Args) > 0 {
		program = o.Args[0]
		if path, err := launch.Find(program); err == nil {
			program = path
		}
	}
	return perf.Addressed(name, program)
}

// start starts the command, stopped if the system permits that.
func (o *Options) start() (cmd *exec.Cmd, traced bool, err error) {
	path, err := launch.Find(o.Args[0])
	if err != nil {
		return nil, false, err
	}
	for _, traced = range []bool{true, false} {
		if traced && changesUser(path) {
			continue
		}
		cmd = &exec.Cmd{Path: path, Args: o.Args, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			SysProcAttr: &syscall.SysProcAttr{Ptrace: traced}}
		if err = cmd.Start(); err == nil || !errors.Is(err, unix.EPERM) {
			break
		}
	}
	if err != nil {
		return nil, false, launch.Failed(o.Args[0], err)
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
		return nil, false, &launch.Error{Program: o.Args[0], Status: launch.NotExecutable, Err: fmt.Errorf("it did not stop at its first instruction (status %#x)", int(status))}
	}
	return cmd, true, nil
}

// changesUser tells whether a program runs as another user. It would not if it were traced by one without privileges.
func changesUser(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 && os.Geteuid() != 0
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
func (o *Options) beside(t *Tally) (stop bool, err error) {
	target := counters.Options{Thread: o.PID, Inherit: o.Inherit}
	if o.CPU >= 0 {
		target = counters.Options{CPU: o.CPU + 1}
	} else if unix.Kill(o.PID, 0) == unix.ESRCH {
		return true, fmt.Errorf("-p %d: no such process", o.PID)
	}
	signals := launch.Before()
	defer signals.Stop()
	begin := time.Now()
	set, err := o.open(t, target)
	if err != nil {
		return true, err
	}
	if len(o.Args) == 0 {
		stop = awaitEnd(o.PID, signals)
	} else if err = o.during(t, signals); err != nil {
		return true, errors.Join(err, set.Close())
	}
	t.ran(time.Since(begin), 0, 0, 0)
	return stop || t.Status > 128, t.take(set)
}

// during runs the command.
func (o *Options) during(t *Tally, signals *launch.Signals) error {
	cmd := exec.Command(o.Args[0], o.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return launch.Failed(o.Args[0], err)
	}
	signals.Started()
	go signals.HandOn(cmd.Process)
	cmd.Wait()
	t.Status = launch.Status(cmd.ProcessState)
	return nil
}

// awaitEnd waits for a signal (then it returns true) or for the end of the process, if one is counted.
func awaitEnd(pid int, signals *launch.Signals) bool {
	ended := func() bool { return pid > 0 && unix.Kill(pid, 0) == unix.ESRCH }
	if fd, err := unix.PidfdOpen(pid, 0); err == nil { // tells the end also of one that nobody reaps, or whose number another one has by now
		defer unix.Close(fd)
		ended = func() bool { n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0); return n > 0 }
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case s := <-signals.C:
			if signals.Own(s) {
				return true
			}
		case <-tick.C:
			if ended() {
				return false
			}
		}
	}
}
