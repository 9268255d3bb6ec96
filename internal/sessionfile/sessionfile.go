// Package sessionfile reads and writes the file in a trace directory which says that the recording is not finished, and where the
// measurement buffers are that complete it.
package sessionfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"tracerec/internal/readable"
)

// File is the name of the file: its first line names the session directory, its second one is the number of the
// recorder's process. The recorder holds a lock on it while it lives.
const File = "session"

// ErrBusy is part of errors about a trace directory into which a recorder writes.
var ErrBusy = errors.New("is being recorded")

// ErrIncomplete is part of errors about a file whose recorder was killed before it had written it: nobody was told of the session.
var ErrIncomplete = errors.New("is incomplete")

// Write writes the file into the trace directory dir for this process. It must not exist: another recorder may have begun just now.
func Write(dir, named string) error {
	f, err := os.OpenFile(filepath.Join(dir, File), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s\n%d\n", named, os.Getpid())
	return errors.Join(err, f.Close())
}

// Read returns the session directory that the file in dir names, and the number of the recorder's process, 0 if unknown.
func Read(dir string) (named string, pid int, err error) {
	path := filepath.Join(dir, File)
	text, err := os.ReadFile(path)
	first, rest, whole := strings.Cut(string(text), "\n")
	if err == nil && !whole {
		return "", 0, fmt.Errorf("%s: %w", path, ErrIncomplete)
	}
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
	return fmt.Errorf("%s: unfinished recording; complete it with tracerec recover %s%s", dir, readable.Argument(dir), whereRecorded)
}
