package build

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/given"
	"tracerec/autoinst/regions"
)

// TestDeps: functions of a module in the module cache are regions if --deps names it, also from a workspace. Files stay what they are.
func TestDeps(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles packages for a runtime of their own")
	}
	own, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	module := regexp.MustCompile(`github.com/rivo/uniseg v\S+`).FindString(string(own))
	sums, err := os.ReadFile("../../go.sum")
	require.NoError(t, err)
	for _, form := range []struct {
		module string            // its directory
		files  map[string]string // beside those of the module
	}{{".", nil}, {"m", map[string]string{"go.work": "go 1.25\n\nuse ./m\n\nreplace example.org/other v1.0.0 => ./other\n",
		"other/go.mod": "module example.org/other\n", "other/other.go": "package other\n\nfunc Other() { println(\"other\") }\n",
		"m/b.go": "package main\n\nimport \"example.org/other\"\n\nfunc init() { other.Other() }\n"}}} {
		dir, texts := t.TempDir(), maps.Clone(form.files)
		requires, says := "", "3\n"
		if texts == nil {
			texts = map[string]string{}
		} else {
			requires, says = "\nrequire example.org/other v1.0.0\n", "other\n3\n"
		}
		maps.Copy(texts, map[string]string{
			form.module + "/go.mod": "module example.org/deps\n\ngo 1.18\n\nrequire " + module + "\n" + requires,
			form.module + "/go.sum": string(sums),
			form.module + "/a.go":   "package main\n\nimport \"github.com/rivo/uniseg\"\n\nfunc main() { println(uniseg.StringWidth(\"abc\")) }\n",
		})
		for name, text := range texts {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
		}
		program := filepath.Join(dir, "program")
		b, err := New("build", []string{"-C", filepath.Join(dir, form.module), "-o", program, "."}, regions.Options{Deps: []string{"github.com/rivo/...", "fmt", "b"}})
		defer b.Close()
		require.NoError(t, err)
		require.Equal(t, "--deps fmt, b: nothing of this name is in the modules that these packages depend on", b.Warning)
		require.Len(t, b.Regions(), 2)
		require.Equal(t, "github.com/rivo/uniseg", b.Regions()[1].Package)
		require.Positive(t, b.Regions()[1].Regions)
		status, err := b.Run(nil, given.Orders{}, os.Stdout, os.Stderr)
		require.NoError(t, err)
		require.Zero(t, status)
		out, err := exec.Command(program).CombinedOutput()
		require.NoError(t, err)
		require.Equal(t, says, string(out))
		for name, text := range texts {
			is, err := os.ReadFile(filepath.Join(dir, name))
			require.NoError(t, err)
			require.Equal(t, text, string(is))
		}
	}
}

// TestModuleWithoutFile: a module that is without go.mod gets one.
func TestModuleWithoutFile(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n"), 0o666))
	for range 2 {
		link, err := linkedModule("example.org/a@v1.0.0", dir)
		require.NoError(t, err)
		require.NotContains(t, link, "@")
		text, err := os.ReadFile(filepath.Join(link, "go.mod"))
		require.NoError(t, err)
		require.Equal(t, "module example.org/a\n", string(text))
		text, err = os.ReadFile(filepath.Join(link, "a.go"))
		require.NoError(t, err)
		require.Equal(t, "package a\n", string(text))
		sub, err := os.Stat(filepath.Join(link, "sub"))
		require.NoError(t, err)
		require.True(t, sub.IsDir())
		require.NoFileExists(t, filepath.Join(dir, "go.mod"))
	}
}
