package testkit

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Cases returns how many of n cases a test tries that go the same ways again and again, random ones say: all, with -short a tenth.
func Cases(n int) int {
	if testing.Short() {
		return max(1, n/10)
	}
	return n
}

// most is the size of a report that is read with -short: the few that are larger have most of the time.
const most = 1 << 18

// Reports returns the reports of other tools in directories of the shared data, which is beside the project and no part of it; with
// -short the small ones. The test is skipped where there are none.
func Reports(t testing.TB, dirs ...string) []string {
	t.Helper()
	var files []string
	for _, dir := range dirs {
		dir = filepath.Join("..", "..", "..", "shared", "data", dir)
		if _, err := os.Stat(dir); err != nil {
			t.Skip("the reports of other tools are not beside the project: ", err)
		}
		if err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(file, ".cubex") && !strings.HasSuffix(file, ".cube") {
				return err
			}
			if info, err := d.Info(); err != nil || testing.Short() && info.Size() > most {
				return err
			}
			files = append(files, file)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
