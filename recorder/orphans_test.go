//go:build linux

package recorder

import (
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/sessionfile"
	"tracerec/internal/shm"
)

// TestOrphans leaves a session behind whose recorder and program are dead, and looks when it is removed.
func TestOrphans(t *testing.T) {
	defer func(dir string) { sharedMemory = dir }(sharedMemory)
	for _, c := range []struct {
		name    string
		change  func(t *testing.T, archive string, s *session)
		removed bool
	}{
		{"deleted", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.RemoveAll(archive))
		}, true},
		{"deleted with its parent", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.RemoveAll(filepath.Dir(archive)))
		}, true},
		{"replaced", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.WriteFile(filepath.Join(archive, sessionfile.File), []byte("/dev/shm/tracerec-other\n"), 0o666))
		}, true},
		{"moved a moment ago", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.Rename(archive, filepath.Join(t.TempDir(), "elsewhere")))
			require.NoError(t, os.Chtimes(s.path(ownerFile), time.Time{}, time.Now()))
		}, false},
		{"never used", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.RemoveAll(archive))
			buffers, _ := filepath.Glob(s.path("*" + shm.Suffix))
			for _, b := range buffers { // one of the program, one of its package instrument
				require.NoError(t, os.Remove(b))
			}
			hourAgo := time.Now().Add(-time.Hour)
			require.NoError(t, os.Chtimes(s.path(ownerFile), hourAgo, hourAgo))
			require.NoError(t, os.Chtimes(s.dir, hourAgo, hourAgo))
		}, true},
		{"recorder killed early", func(t *testing.T, archive string, s *session) {
			buffers, _ := filepath.Glob(s.path("*" + shm.Suffix))
			for _, b := range buffers {
				require.NoError(t, os.Remove(b))
			}
			require.NoError(t, os.Truncate(s.path(ownerFile), 0))
			age(t, s.dir)
		}, true},
		{"owner unknown", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.Truncate(s.path(ownerFile), 0))
			age(t, s.dir)
		}, false},
		{"still there", func(*testing.T, string, *session) {}, false},
		{"renamed", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.Rename(archive, archive+".20060102-150405"))
		}, false},
		{"recorder alive", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.RemoveAll(archive))
			require.NoError(t, s.own(archive))
			t.Cleanup(func() { s.owner.Close() })
		}, false},
		{"process alive", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.RemoveAll(archive))
			_, err := shm.Create(shm.Config{Dir: s.dir, Buffer: MinBuffer}, 1, 0)
			require.NoError(t, err)
		}, false},
		{"something else in it", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.RemoveAll(archive))
			require.NoError(t, os.WriteFile(s.path("notes"), nil, 0o666))
		}, false},
		{"nobody's", func(t *testing.T, archive string, s *session) {
			require.NoError(t, os.RemoveAll(archive))
			require.NoError(t, os.Remove(s.path(ownerFile)))
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sharedMemory = t.TempDir()
			archive := filepath.Join(t.TempDir(), "work", "a")
			require.NoError(t, os.MkdirAll(archive, 0o777))
			s, err := makeSession(archive, MinBuffer)
			require.NoError(t, err)
			n, _, _ := removeOrphans()
			require.Zero(t, n)
			self, err := os.Executable()
			require.NoError(t, err)
			program := exec.Command(self, "1", "1", "0", "kill")
			program.Env = append(os.Environ(), shm.Environment+"="+shm.Config{Dir: s.dir, Buffer: MinBuffer}.String())
			require.Error(t, program.Run())
			s.lock.Close()
			s.owner.Close()

			age(t, s.dir)
			c.change(t, archive, s)
			if c.name != "never used" {
				twoDaysAgo := time.Now().Add(-2 * orphanAge)
				require.NoError(t, os.Chtimes(s.dir, twoDaysAgo, twoDaysAgo))
			}
			var said []string
			tidy(math.MaxInt64, func(m string) { said = append(said, m) })
			if _, err := os.Stat(s.dir); c.removed {
				require.ErrorIs(t, err, fs.ErrNotExist)
				require.Len(t, said, 1)
				require.Contains(t, said[0], ", left by 1 interrupted recording")
			} else if c.name == "moved a moment ago" {
				require.Len(t, said, 1)
				require.Contains(t, said[0], "unless you want to recover them: rm -r "+s.dir)
				tidy(0, func(m string) { t.Error("there is room: ", m) })
			} else {
				require.Empty(t, said)
			}
			if c.removed {
				require.NoDirExists(t, s.dir)
			} else {
				buffers, _ := filepath.Glob(s.path("*" + shm.Suffix))
				require.NotEmpty(t, buffers)
			}
		})
	}
}

// age makes everything in a directory two days old.
func age(t *testing.T, dir string) {
	t.Helper()
	twoDaysAgo := time.Now().Add(-2 * orphanAge)
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, file := range files {
		require.NoError(t, os.Chtimes(file, twoDaysAgo, twoDaysAgo))
	}
}
