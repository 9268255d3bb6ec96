//go:build linux

package recorder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	sessionfile "tracerec/internal/session"
	"tracerec/internal/shm"
)

// ownerFile is the file in a session directory in shared memory that names the trace directory. The recorder
// locks it before it writes the name, and holds the lock while it lives.
const ownerFile = "recorder"

// own writes the owner file.
func (s *session) own(traceDir string) error {
	abs, err := filepath.Abs(traceDir)
	if err != nil {
		return err
	}
	if s.owner, err = os.Create(s.path(ownerFile)); err != nil {
		return err
	}
	if err := unix.Flock(int(s.owner.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return err
	}
	_, err = s.owner.WriteString(abs + "\n")
	return err
}

// removeOrphans removes sessions from shared memory that nothing can complete any more: the recorder and all
// processes are dead, and the trace directory was deleted. It returns the names of these directories.
func removeOrphans() (deleted []string) {
	dirs, _ := filepath.Glob(filepath.Join(sharedMemory, sessionPrefix+"*"))
	for _, dir := range dirs {
		if traceDir, ok := orphaned(dir); ok && (&session{dir: dir}).removeBuffers() == nil {
			deleted = append(deleted, traceDir)
		}
	}
	return deleted
}

// orphaned tells whether the session in dir is an orphan, and the name its trace directory had. Whatever is not
// exactly as a recorder of this user leaves it is none.
func orphaned(dir string) (traceDir string, is bool) {
	var stat unix.Stat_t
	if unix.Lstat(dir, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR || int(stat.Uid) != os.Getuid() {
		return "", false
	}
	owner, err := os.Open(filepath.Join(dir, ownerFile))
	if err != nil {
		return "", false
	}
	defer owner.Close()
	name := make([]byte, unix.PathMax+1)
	n, _ := owner.Read(name)
	traceDir, whole := strings.CutSuffix(string(name[:n]), "\n")
	if !whole || !filepath.IsAbs(traceDir) || unix.Flock(int(owner.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return "", false
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != ownerFile && !abandoned(filepath.Join(dir, e.Name())) {
			return "", false
		}
	}
	return traceDir, err == nil && !named(dir, filepath.Dir(traceDir))
}

// abandoned tells whether a file is the buffer of a dead process.
func abandoned(path string) bool {
	if !strings.HasSuffix(path, shm.Suffix) {
		return false
	}
	view, err := shm.Open(path)
	if err != nil {
		return false
	}
	defer view.Close()
	return !view.Alive()
}

// named tells whether a trace directory in parent names the session, be it under another name by now.
func named(session, parent string) bool {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	for _, e := range entries {
		if named, _, err := sessionfile.Read(filepath.Join(parent, e.Name())); err == nil && named == session {
			return true
		}
	}
	return false
}
