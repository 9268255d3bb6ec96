// Package session knows the file in a trace directory that says that its recording is not finished, and where the
// measurement buffers are that complete it.
package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// File is the name of the file: its first line names the session directory, its second one is the number of the
// recorder's process. The recorder holds a lock on it while it lives.
const File = "session"

// ErrBusy is part of errors about a trace directory into which a recorder writes.
var ErrBusy = errors.New("is being recorded")

// Write writes the file into the trace directory dir for this process.
func Write(dir, named string) error {
	return os.WriteFile(filepath.Join(dir, File), fmt.Appendf(nil, "%s\n%d\n", named, os.Getpid()), 0o666)
}

// Read returns the session directory that the file in dir names, and the number of the recorder's process, 0 if unknown.
func Read(dir string) (named string, pid int, err error) {
	text, err := os.ReadFile(filepath.Join(dir, File))
	first, rest, _ := strings.Cut(string(text), "\n")
	pid, _ = strconv.Atoi(strings.TrimSpace(rest))
	return strings.TrimSpace(first), pid, err
}

// Lock opens and locks the file in the trace directory dir. The lock goes with its holder, so it says whether that
// is alive.
func Lock(dir string) (*os.File, error) {
	f, err := os.Open(filepath.Join(dir, File))
	if err != nil {
		return nil, err
	}
	if held, err := lock(f); err != nil {
		f.Close()
		if !held {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if _, pid, _ := Read(dir); pid > 0 {
			return nil, fmt.Errorf("%s: %w by process %d", dir, ErrBusy, pid)
		}
		return nil, fmt.Errorf("%s: %w", dir, ErrBusy)
	}
	return f, nil
}

// Unfinished returns an error if the recording of the archive in dir goes on or was cut off.
func Unfinished(dir string) error {
	f, err := Lock(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		return err
	}
	f.Close()
	return fmt.Errorf("%s: unfinished recording; tracerec recover %s completes it%s", dir, dir, whereRecorded)
}
