// Package launch serves commands that start the program of another command line: which file it is, with which status a shell would
// report that it cannot be started or how it ended, and which signals are for it.
package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// Exit statuses of a shell for programs that are not started.
const (
	NotExecutable = 126
	NotFound      = 127
)

// An Error says why a program could not be started, with the exit status a shell gives for it.
type Error struct {
	Program string
	Status  int // NotFound, or NotExecutable
	Err     error
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %v", e.Program, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// Failed gives err, from looking for or starting program, its exit status.
func Failed(program string, err error) *Error {
	status := NotExecutable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		status = NotFound
	}
	for wrapped := err; wrapped != nil; wrapped = errors.Unwrap(wrapped) {
		err = wrapped // the innermost says it best: "permission denied"
	}
	return &Error{program, status, err}
}

// Find returns the file that the name of a program stands for. The error is an *Error.
func Find(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil || errors.Is(err, exec.ErrDot) {
		return path, nil // the user's PATH says so
	}
	return "", Failed(name, err)
}

// Status is what a shell says of how a process ended: 128+n when signal n ended it.
func Status(state *os.ProcessState) int {
	if by := EndedBy(state); by != 0 {
		return 128 + int(by)
	}
	return state.ExitCode()
}

// EndedBy returns the signal that ended a process, 0 if none did.
func EndedBy(state *os.ProcessState) syscall.Signal {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal()
	}
	return 0
}
