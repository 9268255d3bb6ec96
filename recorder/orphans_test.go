//go:build linux

package recorder

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

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
			_, err := shm.Create(shm.Config{Dir: s.dir, Buffer: MinBuffer}, 1)
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
			require.Empty(t, removeOrphans())
			self, err := os.Executable()
			require.NoError(t, err)
			program := exec.Command(self, "1", "1", "0", "kill")
			program.Env = append(os.Environ(), shm.Environment+"="+shm.Config{Dir: s.dir, Buffer: MinBuffer}.String())
			require.Error(t, program.Run())
			s.lock.Close()
			s.owner.Close()

			c.change(t, archive, s)
			if deleted := removeOrphans(); c.removed {
				require.Equal(t, []string{archive}, deleted)
				require.NoDirExists(t, s.dir)
			} else {
				require.Empty(t, deleted)
				buffers, _ := filepath.Glob(s.path("*" + shm.Suffix))
				require.NotEmpty(t, buffers)
			}
		})
	}
}
