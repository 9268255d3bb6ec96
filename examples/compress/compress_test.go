package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// tree makes files of very different sizes, so that workers finish out of order.
func tree(t *testing.T, files int) (root string, contents map[string]string) {
	t.Helper()
	root, contents = t.TempDir(), make(map[string]string)
	for i := range files {
		name := filepath.Join(fmt.Sprintf("dir%d", i%3), fmt.Sprintf("file%02d", i))
		contents[name] = strings.Repeat(fmt.Sprintf("line of file %d\n", i), (i*7919)%4001)
		path := filepath.Join(root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(contents[name]), 0o644))
	}
	return root, contents
}

func TestFilesComeOutCompleteAndInOrder(t *testing.T) {
	root, contents := tree(t, 60)
	for _, queue := range []int{0, 1, 16} {
		out := filepath.Join(t.TempDir(), "out.gz")
		var said bytes.Buffer
		require.NoError(t, run([]string{"-o", out, "-workers", "5", "-queue", fmt.Sprint(queue), root}, &said))
		require.Contains(t, said.String(), "60 files")

		f, err := os.Open(out)
		require.NoError(t, err)
		defer f.Close()
		names, got := members(t, f)
		require.IsIncreasing(t, names)
		require.Equal(t, contents, got)
	}
}

// members reads a file of gzip members one by one.
func members(t *testing.T, r io.Reader) (names []string, contents map[string]string) {
	t.Helper()
	contents = make(map[string]string)
	in := bufio.NewReader(r)
	z, err := gzip.NewReader(in)
	for err == nil {
		z.Multistream(false)
		data, e := io.ReadAll(z)
		require.NoError(t, e)
		names = append(names, z.Name)
		contents[z.Name] = string(data)
		err = z.Reset(in)
	}
	require.ErrorIs(t, err, io.EOF)
	return names, contents
}

func TestUnreadableFileIsAnError(t *testing.T) {
	root, _ := tree(t, 10)
	paths, err := list(root)
	require.NoError(t, err)
	paths[4] = filepath.Join(root, "gone")
	p := &pipeline{root: root, workers: 2, queue: 1, level: 6}
	_, err = p.run(paths, io.Discard)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestBadUsage(t *testing.T) {
	require.Error(t, run([]string{"-level", "99", t.TempDir()}, io.Discard))
	require.Error(t, run([]string{filepath.Join(t.TempDir(), "none")}, io.Discard))
}

func TestVerifyFindsDamage(t *testing.T) {
	p, err := newPacker(6)
	require.NoError(t, err)
	content := []byte(strings.Repeat("some text ", 100))
	data, err := p.compress("name", content)
	require.NoError(t, err)
	require.NoError(t, p.verify(data, content))
	require.ErrorContains(t, p.verify(data, append(content, 'x')), "differs")
	data[len(data)/2] ^= 0x10
	require.Error(t, p.verify(data, content))
}
