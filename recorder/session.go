//go:build linux

package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"tracerec/internal/sessionfile"
	"tracerec/internal/shm"
)

// sessionPrefix begins the names of session directories in shared memory.
const sessionPrefix = "tracerec-"

// sharedMemory is where session directories are made if it has room.
var sharedMemory = "/dev/shm"

// A session is the directory in which the measured processes keep their measurement buffers. The file
// `session` in the trace directory names it until the trace directory is complete, so that it is found after
// the death of the recorder.
type session struct {
	dir   string
	lock  *os.File // of the trace directory
	owner *os.File // in shared memory: says the same from the other side, see orphaned
	gone  bool     // the directory was removed during the run
	early bool     // the recorder died before it told anybody of the session
}

// makeSession makes a session directory for the trace directory dir, in shared memory if room bytes are
// free there, else below dir.
func makeSession(dir string, room int64) (*session, error) {
	s, named := &session{}, ""
	if freeSpace(sharedMemory) >= room {
		s.dir, _ = os.MkdirTemp(sharedMemory, sessionPrefix)
		named = s.dir
	}
	if s.dir == "" {
		abs, err := filepath.Abs(filepath.Join(dir, buffersDir))
		if err != nil {
			return nil, err
		}
		if err := os.Mkdir(abs, 0o700); err != nil {
			return nil, err
		}
		s.dir, named = abs, buffersDir
	}
	err := sessionfile.Write(dir, named)
	if err == nil {
		s.lock, err = sessionfile.Lock(dir)
	}
	if err == nil && named != buffersDir {
		err = s.own(dir)
	}
	if err != nil {
		os.RemoveAll(s.dir)
		return nil, err
	}
	return s, nil
}

// openSession finds and locks the session of a trace directory that was left incomplete.
func openSession(dir string) (*session, error) {
	lock, err := sessionfile.Lock(dir)
	if err != nil {
		return nil, err
	}
	named, _, err := sessionfile.Read(dir)
	early := errors.Is(err, sessionfile.ErrIncomplete)
	if err != nil && !early {
		lock.Close()
		return nil, err
	}
	s := &session{dir: named, lock: lock, early: early}
	switch {
	case early || s.dir == buffersDir: // one in shared memory that nobody knows goes as an orphan
		s.dir = filepath.Join(dir, buffersDir)
	case !filepath.IsAbs(s.dir) || !strings.HasPrefix(filepath.Base(s.dir), sessionPrefix):
		lock.Close()
		return nil, fmt.Errorf("%s: offset 0: names no session directory", lock.Name())
	}
	return s, nil
}

// remove ends the session: the trace directory dir is complete. The session file goes last.
func (s *session) remove(dir string) error {
	defer s.lock.Close()
	defer s.owner.Close() // nil is as good as closed
	err := s.removeBuffers()
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = os.Remove(filepath.Join(dir, sessionfile.File))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the trace directory was removed
	}
	return err
}

// removeBuffers removes the session directory. A process that begins just now may still make a file there: it finds no directory
// the next time, or its file is found here.
func (s *session) removeBuffers() (err error) {
	for range 10 {
		entries, failed := os.ReadDir(s.dir)
		err = failed
		for _, e := range entries {
			if ours(e.Name()) { // not everything: the name of the directory came out of a file
				if failed := os.Remove(s.path(e.Name())); !errors.Is(failed, fs.ErrNotExist) {
					err = errors.Join(err, failed)
				}
			}
		}
		if err == nil {
			err = os.Remove(s.dir)
		}
		if !errors.Is(err, unix.ENOTEMPTY) {
			break
		}
	}
	return err
}

// ours tells whether a file of a session directory is of a recording.
func ours(name string) bool {
	return name == ownerFile || name == windowFile || name == shm.OnFile || name == nestedFile || shm.Unborn(name) ||
		strings.HasSuffix(name, shm.Suffix) || strings.HasSuffix(name, shm.NoteSuffix)
}

// path returns the path of a file of the session.
func (s *session) path(name string) string { return filepath.Join(s.dir, name) }

// freeSpace returns how many bytes can be stored in dir, 0 if that cannot be found out.
func freeSpace(dir string) int64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0
	}
	return int64(s.Bavail) * s.Bsize
}
