//go:build linux

package recorder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"tracerec/internal/readable"
	"tracerec/internal/sessionfile"
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

// How old a session must be to be removed. The trace directory may only have been moved, and who moved it may want
// to recover it. Sessions without a buffer are of no use to anybody, but one that is just being made looks the same.
const (
	orphanAge = 24 * time.Hour
	emptyAge  = time.Minute
)

// removeOrphans removes sessions from shared memory that nothing can complete any more: the recorder and all
// processes have been dead for a day, and the trace directory is not where it was. It returns how many these were, the
// bytes of their buffers, and the directories of those with buffers that are not that old yet.
func removeOrphans() (sessions int, bytes int64, young []string) {
	dirs, _ := filepath.Glob(filepath.Join(sharedMemory, sessionPrefix+"*"))
	for _, dir := range dirs {
		size, used := usage(dir)
		age := time.Since(used)
		if age < emptyAge && size == 0 || !orphaned(dir) {
			continue
		}
		if size > 0 && age < orphanAge {
			young = append(young, dir)
		} else if (&session{dir: dir}).removeBuffers() == nil {
			sessions, bytes = sessions+1, bytes+size
		}
	}
	return sessions, bytes, young
}

// tidy removes orphans, and says so. Where shared memory lacks room for a buffer, it names those that it will remove later, too.
func tidy(room int64, say func(string)) {
	n, bytes, young := removeOrphans()
	if n > 0 {
		say("removed " + readable.Bytes(bytes) + " from " + sharedMemory + ", left by " + readable.Plural(n, "interrupted recording") +
			" whose trace directory is gone")
	}
	if len(young) == 0 || freeSpace(sharedMemory) >= room {
		return
	}
	bytes = 0
	for _, dir := range young {
		size, _ := usage(dir)
		bytes += size
	}
	say(sharedMemory + " is nearly full; " + readable.Plural(len(young), "interrupted recording") + " whose trace directory was moved or removed left " +
		readable.Bytes(bytes) + " there; unless you want to recover them: rm -r " + strings.Join(young, " "))
}

// usage returns how much memory the buffers in dir take, and when something in it was changed last.
func usage(dir string) (size int64, last time.Time) {
	if info, err := os.Lstat(dir); err == nil {
		last = info.ModTime()
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue
		}
		if info.ModTime().After(last) {
			last = info.ModTime()
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && strings.HasSuffix(e.Name(), shm.Suffix) {
			size += stat.Blocks * 512
		}
	}
	return size, last
}

// orphaned tells whether the session in dir is an orphan. Whatever is not exactly as a recorder of this user leaves it
// is none.
func orphaned(dir string) bool {
	var stat unix.Stat_t
	if unix.Lstat(dir, &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFDIR || int(stat.Uid) != os.Getuid() {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) == 0 {
		return true
	}
	owner, err := os.Open(filepath.Join(dir, ownerFile))
	if err != nil {
		return false
	}
	defer owner.Close()
	name := make([]byte, unix.PathMax+1)
	n, _ := owner.Read(name)
	traceDir, whole := strings.CutSuffix(string(name[:n]), "\n")
	if whole && !filepath.IsAbs(traceDir) || unix.Flock(int(owner.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		return false
	}
	for _, e := range entries {
		name := e.Name()
		if !ours(name) || strings.HasSuffix(name, shm.Suffix) && (!whole || !abandoned(filepath.Join(dir, name))) {
			return false
		}
	}
	return !whole || !named(dir, filepath.Dir(traceDir)) // one that was killed while it wrote the name has told nobody of the session
}

// abandoned tells whether a file is the buffer of a dead process.
func abandoned(path string) bool {
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
