package build

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/regions"
)

// TestDeps: functions of a module in the module cache are regions if --deps names it. go.mod stays what it is.
func TestDeps(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages for a runtime of their own")
	}
	own, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	module := regexp.MustCompile(`github.com/rivo/uniseg v\S+`).FindString(string(own))
	sums, err := os.ReadFile("../../go.sum")
	require.NoError(t, err)
	dir := t.TempDir()
	texts := map[string]string{
		"go.mod": "module example.org/deps\n\ngo 1.18\n\nrequire " + module + "\n",
		"go.sum": string(sums),
		"a.go":   "package main\n\nimport \"github.com/rivo/uniseg\"\n\nfunc main() { println(uniseg.StringWidth(\"abc\")) }\n",
	}
	for name, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	program := filepath.Join(dir, "program")
	b, err := New("build", []string{"-C", dir, "-o", program, "."}, regions.Options{Deps: []string{"github.com/rivo/..."}})
	defer b.Close()
	require.NoError(t, err)
	require.Len(t, b.Regions(), 2)
	require.Equal(t, "github.com/rivo/uniseg", b.Regions()[1].Package)
	require.Positive(t, b.Regions()[1].Regions)
	status, err := b.Run(nil, Orders{}, os.Stdout, os.Stderr)
	require.NoError(t, err)
	require.Zero(t, status)
	out, err := exec.Command(program).CombinedOutput()
	require.NoError(t, err)
	require.Equal(t, "3\n", string(out))
	for name, text := range texts {
		is, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, text, string(is))
	}
}
