package build

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"tracerec/internal/launch"
)

// hold makes a temporary directory that is removed by the next build if this process is killed: it is locked while this process lives.
func hold() (dir string, err error) {
	const name = "tracerec-build-"
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), name+"*"))
	for _, dir := range old {
		info, err := os.Stat(dir)
		if err != nil || time.Since(info.ModTime()) < time.Minute { // it may be about to be locked
			continue
		}
		if lock, err := os.Open(dir); err == nil {
			if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
				os.RemoveAll(dir)
			}
			lock.Close()
		}
	}
	if dir, err = os.MkdirTemp("", name); err != nil {
		return "", err
	}
	lock, err := unix.Open(dir, unix.O_RDONLY|unix.O_CLOEXEC, 0) // open as long as this process is there
	if err == nil {
		err = unix.Flock(lock, unix.LOCK_SH)
	}
	return dir, err
}

// watch has a signal that means this process cancel something instead of ending it, until it is told to stop.
func watch(cancel func(error)) (stop func()) {
	signals := launch.Before()
	go func() {
		for sig := range signals.C {
			if signals.Own(sig) {
				cancel(&Interrupted{128 + int(sig.(unix.Signal)), func(p *os.Process) error {
					if signals.For(sig) {
						return p.Signal(sig)
					}
					return nil
				}})
			}
		}
	}()
	return signals.Stop
}

// run runs the go command for the user, with his signals, and returns its exit status. It has no standard input.
func (t *toolchain) run(stdout, stderr io.Writer, args ...string) (status int, err error) {
	cmd := exec.Command(t.program, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = t.env, stdout, stderr
	signals := launch.Before()
	if err := t.cause(nil); err != nil { // nobody hands that signal on
		signals.Stop()
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		signals.Stop()
		return 0, launch.Failed(t.program, err)
	}
	signals.Started()
	meant := make(chan bool, 1)
	go func() { meant <- signals.HandOn(cmd.Process) }()
	cmd.Wait() // how it ended is asked
	signals.Stop()
	t.interrupted = t.interrupted || <-meant
	return launch.Status(cmd.ProcessState), nil
}
