package overlay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	return name
}

// written writes an overlay and reads it again: contents by name.
func written(t *testing.T, o *Overlay) map[string]string {
	t.Helper()
	name, err := o.Write(t.TempDir())
	require.NoError(t, err)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	var overlay struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(text, &overlay))
	contents := map[string]string{}
	for at, by := range overlay.Replace {
		require.True(t, filepath.IsAbs(at), at)
		if by != "" {
			text, err := os.ReadFile(by)
			require.NoError(t, err)
			contents[at] = string(text)
		} else {
			contents[at] = "none"
		}
	}
	return contents
}

const source = "package p\n\nfunc f() {\n\ta()\n\tb()\n}\n\nfunc g() {\n\ta()\n}\n"

func TestPatch(t *testing.T) {
	root := t.TempDir()
	at := write(t, filepath.Join(root, "src", "p", "p.go"), source)
	o := New(root)
	require.NoError(t, o.Patch(
		Patch{File: "p/p.go", Within: "func f() {", Anchor: "\ta()\n", Where: Behind, Text: "\tx()\n"},
		Patch{File: "p/p.go", Within: "func f() {", Anchor: "\tx()\n", Where: Before, Text: "\ty()\n"},
		Patch{File: "p/p.go", Within: "func g() {", Anchor: "a", Where: Instead, Text: "z"},
	))
	o.Add("p/q.go", "package p\n")
	require.Equal(t, map[string]string{
		at:                                      "package p\n\nfunc f() {\n\ta()\n\ty()\n\tx()\n\tb()\n}\n\nfunc g() {\n\tz()\n}\n",
		filepath.Join(root, "src", "p", "q.go"): "package p\n",
	}, written(t, o))
	for _, p := range []Patch{
		{File: "p/p.go", Within: "func f() {", Anchor: "c()"},
		{File: "p/p.go", Within: "func f() {", Anchor: "()"},
		{File: "p/p.go", Within: "func h() {", Anchor: "a()"},
		{File: "p/none.go", Within: "func f() {", Anchor: "a()"},
	} {
		require.ErrorIs(t, o.Patch(p), ErrUnsupported)
	}
}

// What the user replaces stays replaced, and is what is patched.
func TestExtend(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	at := write(t, filepath.Join(root, "src", "p", "p.go"), source)
	write(t, filepath.Join(dir, "theirs.go"), "package p\n\nfunc f() {\n\ttheirs()\n}\n")
	file := write(t, filepath.Join(dir, "overlay.json"), `{"Replace": {"`+at+`": "theirs.go", "sub/../a.go": "overlay.json", "`+root+`/src/p/gone.go": ""}}`)
	o := New(root)
	require.NoError(t, o.Extend(file, dir))
	patch := Patch{File: "p/p.go", Within: "func f() {", Anchor: "theirs()", Where: Before, Text: "ours(); "}
	require.NoError(t, o.Patch(patch))
	patch.File = "p/gone.go"
	require.ErrorIs(t, o.Patch(patch), ErrUnsupported)
	got := written(t, o)
	require.Len(t, got, 3)
	require.Equal(t, "package p\n\nfunc f() {\n\tours(); theirs()\n}\n", got[at])
	require.Equal(t, "none", got[filepath.Join(root, "src", "p", "gone.go")])
	require.Contains(t, got[filepath.Join(dir, "a.go")], "Replace")

	require.Error(t, New(root).Extend(filepath.Join(dir, "none.json"), dir))
	require.ErrorContains(t, New(root).Extend(filepath.Join(dir, "theirs.go"), dir), "theirs.go")
}

// The date of a file depends on its content alone, and is not recent.
func TestDates(t *testing.T) {
	dates := map[string]int64{}
	for range 2 {
		for _, text := range []string{"a", "b", source} {
			name := filepath.Join(t.TempDir(), "f")
			require.NoError(t, writeDated(name, text))
			info, err := os.Stat(name)
			require.NoError(t, err)
			if known, ok := dates[text]; ok {
				require.Equal(t, known, info.ModTime().Unix())
			}
			dates[text] = info.ModTime().Unix()
		}
	}
	require.NotEqual(t, dates["a"], dates["b"])
	for _, d := range dates {
		require.Less(t, d, int64(1e9))
	}
}

func TestRecorderIsNotSeenByTheRaceDetector(t *testing.T) {
	root := t.TempDir()
	o := New(root)
	require.NoError(t, o.AddRecorder("p", fstest.MapFS{
		"a.go": {Data: []byte("package a\n\n// f does.\nfunc f() { g() }\n\n//go:noinline\nfunc g() {}\n\nfunc here() int\n")},
	}, true))
	require.Equal(t, "package a\n\nimport _ \"unsafe\"\n\n// f does.\n//go:norace\nfunc f() { g() }\n\n//go:noinline\n//go:norace\nfunc g() {}\n\n"+
		"//go:linkname here runtime.tracerec_._here\nfunc here() int\n", written(t, o)[filepath.Join(root, "src/p/a.go")])
}
