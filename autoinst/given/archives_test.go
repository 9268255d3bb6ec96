package given

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArchives: archives come to their places, and messages name these; of a recording that made none there is what was said.
func TestArchives(t *testing.T) {
	dir, output := t.TempDir(), t.TempDir()
	for i, p := range []report{
		{Package: "example.com/b", Archive: recording + "1", Said: []string{recording + "1: INCOMPLETE"}},
		{Package: "example.com/a", Benchmark: "Sum", Archive: recording + "2"},
		{Package: "example.com/c", Archive: recording + "3", Said: []string{recording + "3: no space"}},
	} {
		p.Archive = filepath.Join(output, p.Archive)
		for i := range p.Said {
			p.Said[i] = filepath.Join(output, p.Said[i])
		}
		if i < 2 {
			require.NoError(t, os.Mkdir(p.Archive, 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(p.Archive, "segment"), nil, 0o666))
		}
		require.NoError(t, writeJSON(filepath.Join(dir, "report-"+p.Package[len(p.Package)-1:]+".json"), &p))
	}
	list, err := Archives(dir, output)
	require.NoError(t, err)
	require.Equal(t, []Recorded{
		{Package: "example.com/a", Benchmark: "Sum", Dir: filepath.Join("example.com", "a", "Sum")},
		{Package: "example.com/b", Dir: filepath.Join("example.com", "b"), Said: []string{filepath.Join(output, "example.com", "b") + ": INCOMPLETE"}},
		{Package: "example.com/c", Said: []string{filepath.Join(output, recording+"3") + ": no space"}},
	}, list)
	for _, name := range []string{"a/Sum", "b"} {
		require.FileExists(t, filepath.Join(output, "example.com", name, "segment"))
	}
	left, err := filepath.Glob(filepath.Join(output, recording+"*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestArchivesOfOtherReports: what cannot be read is named, and is in the way of none of the others.
func TestArchivesOfOtherReports(t *testing.T) {
	dir, output := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "report-a.json"), []byte(`{"pack`), 0o666))
	left := filepath.Join(output, recording+"report-a")
	require.NoError(t, os.Mkdir(left, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "report-c.json"), nil, 0o666)) // killed before anything was recorded
	require.NoError(t, writeJSON(filepath.Join(dir, "report-b.json"), &report{Package: "example.com/b", Archive: filepath.Join(output, recording+"b")}))
	list, err := Archives(dir, output)
	require.ErrorContains(t, err, left+": it is not known of which tests this recording is: ")
	require.ErrorContains(t, err, "report-c.json: ")
	require.Equal(t, []Recorded{{Package: "example.com/b"}}, list)
}
