package inputs

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShortNames(t *testing.T) {
	require.Equal(t, []string{"a", "b"}, ShortNames([]string{"/x/a/scout.cubex", "/x/b/scout.cubex"}))
	require.Equal(t, []string{"a/1", "b/2"}, ShortNames([]string{"d/a/1.cubex", "d/b/2.cubex"}))
	require.Equal(t, []string{"report", "report"}, ShortNames([]string{"report.cubex", "report.cubex"}))
}

func TestStat(t *testing.T) {
	dir := t.TempDir()
	require.True(t, IsDir(dir))
	_, err := Stat("")
	require.ErrorContains(t, err, "the name of the input is empty")
	_, err = Stat(filepath.Join(dir, "none"))
	require.ErrorContains(t, err, "there is no such file or directory")
	_, err = Stat("/dev/null")
	require.ErrorContains(t, err, "neither a directory nor a file")
}

// TestForeign: what is no report is called what it is.
func TestForeign(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	const neither = "neither a report, nor a Go execution trace, nor the anchor of an OTF2 archive"
	const packed = "a file compressed with gzip, which has no report in it"
	for text, want := range map[string]string{
		"go 1.26 trace\x00": "file: a Go execution trace", "\x03\x01OTF2\x00": "file: the anchor of an OTF2 archive", "": "file: it is empty",
		"hello": "file: " + neither, "<html></html>": "file: " + neither, strings.Repeat("hello ", 500): "file: " + neither, strings.Repeat("\x00", 2000): "file: " + neither,
		compressed("hello"): "file: " + packed, compressed(""): "file: " + packed,
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		_, err := Cube(file)
		require.ErrorContains(t, err, want)
	}
}

// compressed compresses a text with gzip.
func compressed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	w.Close()
	return b.String()
}

// TestStdin: what comes from a stream can be read several times, in any order, and leaves nothing behind.
func TestStdin(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	before := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = before }()
	go func() {
		w.WriteString("<cube ")
		w.Close()
	}()
	for range 2 {
		in, done, err := Open(Stdin)
		require.NoError(t, err)
		text, err := io.ReadAll(in)
		require.NoError(t, err)
		require.Equal(t, "<cube ", string(text))
		done()
	}
	_, err = Cube(Stdin)
	require.ErrorContains(t, err, "standard input: ")
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}
