//go:build linux

package recorder

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sessionfile "tracerec/internal/session"
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
			n, _ := removeOrphans()
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
			if n, _ := removeOrphans(); c.removed {
				size, used := usage(s.dir)
				require.Equal(t, 1, n, "%d bytes, %v", size, used)
				require.NoDirExists(t, s.dir)
			} else {
				require.Zero(t, n)
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
