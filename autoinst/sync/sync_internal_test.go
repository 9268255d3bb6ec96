package sync

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/overlay"
)

// TestFitsOrRefuses: the patches fit the Go installation of the test, and what they make of it is Go. If any of their places is missing or
// there twice, nothing is patched, and the error names the file.
func TestFitsOrRefuses(t *testing.T) {
	var files []string
	patches := slices.Concat(patches, streamPatches)
	for _, p := range patches {
		if !slices.Contains(files, p.file) {
			files = append(files, p.file)
		}
	}
	root := t.TempDir()
	source := map[string]string{}
	write := func(name, text string) {
		at := filepath.Join(root, "src", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o777))
		require.NoError(t, os.WriteFile(at, []byte(text), 0o666))
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(runtime.GOROOT(), "src", name))
		require.NoError(t, err)
		source[name] = string(text)
		write(name, source[name])
	}
	o := overlay.New(root)
	require.NoError(t, Patch(o))
	made := t.TempDir()
	_, err := o.Write(made)
	require.NoError(t, err)
	patched, err := filepath.Glob(filepath.Join(made, "*.go"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(patched), len(files))
	for _, name := range patched {
		_, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
	}
	for _, p := range patches {
		text := source[p.file]
		begin := strings.Index(text, "\n"+p.within+"\n")
		at := begin + strings.Index(text[begin:], p.anchor)
		require.Greater(t, at, begin, "%+v", p)
		for _, changed := range []string{
			text[:at] + text[at+len(p.anchor):],
			text[:at] + p.anchor + p.anchor + text[at+len(p.anchor):],
			strings.Replace(text, p.within, p.within+" // changed", 1),
		} {
			write(p.file, changed)
			err := Patch(overlay.New(root))
			require.ErrorIs(t, err, overlay.ErrUnsupported, "%+v", p)
			require.ErrorContains(t, err, filepath.Join(root, "src", p.file))
		}
		write(p.file, text)
	}
}
