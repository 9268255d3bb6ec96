//go:build linux

package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"tracerec/internal/sessionfile"
	"tracerec/trace"
)

// errTaken is part of errors about a trace directory that must not be written.
var errTaken = errors.New("exists and is not a trace directory; choose another name")

// An output is a trace directory that was made for a recording.
type output struct {
	dir   string
	aside string // where an older archive of the same name went, empty if there was none
}

// makeOutput makes the trace directory dir. An archive of that name is moved aside, with its start time
// appended to its name; anything else of that name is an error, and so is an archive that is being recorded.
func makeOutput(dir string) (*output, error) {
	out := &output{dir: filepath.Clean(dir)}
	switch _, err := os.Lstat(out.dir); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		start, err := startOf(out.dir)
		if err != nil {
			return nil, err
		}
		if out.aside, err = moveAside(out.dir, start); err != nil {
			return nil, err
		}
	}
	err := os.MkdirAll(filepath.Dir(out.dir), 0o777)
	if err == nil {
		err = os.Mkdir(out.dir, 0o777)
	}
	if err != nil {
		return nil, errors.Join(err, out.putBack())
	}
	return out, nil
}

// undo takes back makeOutput: nothing was recorded.
func (out *output) undo() error {
	return errors.Join(os.RemoveAll(out.dir), out.putBack())
}

// putBack gives the older archive its name back.
func (out *output) putBack() error {
	if out.aside == "" {
		return nil
	}
	return os.Rename(out.aside, out.dir)
}

// startOf returns when the recording of the archive in dir began. It fails when dir is no archive or is
// being recorded.
func startOf(dir string) (time.Time, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return time.Time{}, err
	}
	if !info.IsDir() {
		return time.Time{}, fmt.Errorf("%s: %w", dir, errTaken)
	}
	_, err = os.Stat(filepath.Join(dir, sessionfile.File))
	cut := err == nil
	if cut {
		lock, err := sessionfile.Lock(dir)
		if err != nil {
			return time.Time{}, err
		}
		lock.Close()
	}
	if tests, err := os.Stat(filepath.Join(dir, TestsFile)); err == nil {
		return tests.ModTime(), nil
	}
	archive, err := trace.Open(dir)
	switch {
	case err == nil:
		defer archive.Close()
		if start := archive.Header().Start; start != 0 {
			return time.Unix(0, start), nil
		}
		return info.ModTime(), nil
	case cut: // died before it wrote anything
		return info.ModTime(), nil
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) == 0 { // perhaps of a recorder that was killed in its first moment
		return time.Time{}, fmt.Errorf("%s: %w, or remove it: it is empty", dir, errTaken)
	}
	return time.Time{}, fmt.Errorf("%s: %w", dir, errTaken)
}

// moveAside renames dir to dir.20061231-235959, or dir.20061231-235959-2 and so on if that is taken.
func moveAside(dir string, start time.Time) (string, error) {
	base := dir + start.Format(".20060102-150405")
	for i := 1; ; i++ {
		name := base
		if i > 1 {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		if _, err := os.Lstat(name); err == nil {
			continue // rename would replace an empty directory
		}
		return name, os.Rename(dir, name)
	}
}
