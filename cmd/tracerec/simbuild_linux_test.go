package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
)

// Any clone gives the same numbers, however a package is named, and its recordings lead to the source where it was.
func TestSimBuildsTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program in three places")
	}
	guest(t) // skips
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	counts := map[string]bool{}
	for _, c := range []struct{ dir, program string }{{"a", "."}, {"longer/" + "name/of/a/clone", "."}, {"b", "./main.go"}} {
		dir := filepath.Join(base, c.dir)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "part"), 0o755))
		for name, content := range map[string]string{"go.mod": "module example.org/same\n\ngo 1.26\n",
			"main.go":      "package main\n\nimport \"example.org/same/part\"\n\nfunc main() { println(part.Work(100)) }\n",
			"part/part.go": "package part\n\n//go:noinline\nfunc Work(n int) (s int) {\n\tfor i := range n {\n\t\ts += i\n\t}\n\treturn s\n}\n"} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
		}
		t.Chdir(dir)
		r := inside("sim", "-o", "out", "--machine", "none", c.program)
		require.Zero(t, r.status, r.stderr)
		files := regionFiles(t, "out")
		require.Equal(t, filepath.Join(dir, "main.go"), files["main.main"])
		require.Equal(t, filepath.Join(dir, "part/part.go"), files["part.Work"])
		if c.program == "." { // the same package
			counts[regexp.MustCompile(`[\d,]+ instructions`).FindString(r.stderr)] = true
		}
	}
	require.Len(t, counts, 1, "%v", counts)
	require.NotContains(t, counts, "")
}

// regionFiles returns the files of the regions of an archive, which exist.
func regionFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	a, err := trace.Open(dir)
	require.NoError(t, err)
	defer a.Close()
	files := map[string]string{}
	for _, r := range a.Definitions().Regions {
		if files[r.Name] = r.File; r.File != "" {
			require.FileExists(t, r.File, r.Name)
		}
	}
	return files
}
