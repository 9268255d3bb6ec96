//go:build linux

package launch

import (
	"os"
	"os/signal"
	"slices"

	"golang.org/x/sys/unix"
)

// caught lists the signals that are caught. Those of job control act on the command and the program alike. SIGPIPE is for the
// command only (see Signals.For): a closed standard error shall not end it before its results are complete.
var caught = []os.Signal{
	unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGPIPE,
}

// Signals are those that come to this process while it has a program. One at a time.
type Signals struct {
	C       chan os.Signal
	ignored []os.Signal // by this process when the program was started
}

// Before begins to catch signals before the program is started, so that none ends this process alone. Those that this process
// ignores (nohup; shells, in the background) it goes on ignoring, so that the program begins with that, too.
func Before() *Signals {
	s := &Signals{C: make(chan os.Signal, 64)}
	for _, sig := range caught {
		if signal.Ignored(sig) {
			s.ignored = append(s.ignored, sig)
		} else {
			signal.Notify(s.C, sig)
		}
	}
	return s
}

// HandOn hands signals on to the program until Stop. It tells whether one of them also meant this process.
func (s *Signals) HandOn(program *os.Process) (meant bool) {
	for sig := range s.C {
		meant = meant || s.Own(sig)
		if s.For(sig) {
			program.Signal(sig) // fails only when it has ended
		}
	}
	return meant
}

// Started catches the ignored signals as well, now that the program is started: it may want them all the same.
func (s *Signals) Started() {
	for _, sig := range s.ignored { // without any, Notify would catch all that there are
		signal.Notify(s.C, sig)
	}
}

// Stop gives signals the effect that they had; none comes any more.
func (s *Signals) Stop() {
	signal.Stop(s.C)
	for _, sig := range s.ignored {
		signal.Ignore(sig)
	}
	close(s.C)
}

// Own tells whether a signal also means this process, which does not ignore it.
func (s *Signals) Own(sig os.Signal) bool {
	return sig != unix.SIGPIPE && !slices.Contains(s.ignored, sig)
}

// For tells whether a signal is to be handed on to the program. Those of the terminal reach it without us.
func (s *Signals) For(sig os.Signal) bool {
	return sig != unix.SIGPIPE && !((sig == unix.SIGINT || sig == unix.SIGQUIT) && inForeground())
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
