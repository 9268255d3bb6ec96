package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every report there is is explained, in text and JSON; with -short, as under the race detector, all but the largest, which have most
// of the time.
func TestAnalyzeAllReports(t *testing.T) {
	explained := 0
	for _, dir := range []string{"cube", "oracle"} {
		root := filepath.Join("..", "..", "..", "shared", "data", dir)
		if _, err := os.Stat(root); err != nil {
			t.Skip("the reports of other tools are not beside the project: ", err)
		}
		require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
			require.NoError(t, err)
			if ext := filepath.Ext(file); d.IsDir() || ext != ".cubex" && ext != ".cube" {
				return nil
			}
			if info, err := d.Info(); err != nil || testing.Short() && info.Size() > 1<<19 {
				return err
			}
			status, text, stderr := expert("analyze", file)
			require.Zero(t, status, "%s: %s", file, stderr)
			require.Empty(t, stderr, file)
			lines := strings.Split(text, "\n")
			require.Empty(t, lines[1], file)
			require.NotEmpty(t, lines[2], "%s: no verdict", file)
			status, text, stderr = expert("analyze", file, "--format", "json")
			require.Zero(t, status, "%s: %s", file, stderr)
			require.True(t, json.Valid([]byte(text)), file)
			explained++
			return nil
		}))
	}
	t.Logf("%d reports explained", explained)
	require.Greater(t, explained, 10)
}
