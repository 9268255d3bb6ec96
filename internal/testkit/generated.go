package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// Generated fails a test unless the files of a directory whose names match a pattern are those given, name by name with the same content.
// With update it makes them so.
func Generated(t testing.TB, dir, pattern string, files map[string]string, update bool) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		if _, wanted := files[filepath.Base(file)]; wanted {
			continue
		}
		if !update {
			t.Errorf("nothing makes %s any more; run make generate", file)
		} else if err := os.Remove(file); err != nil {
			t.Error(err)
		}
	}
	for name, want := range files {
		file := filepath.Join(dir, name)
		if update {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Error(err)
			}
		} else if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what it is made of (%v); run make generate", file, err)
		}
	}
}
