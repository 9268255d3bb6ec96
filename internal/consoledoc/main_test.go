package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutputIsRenewed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	document := "# Page\n" +
		"<!-- run: echo first >state -->\n" +
		"$ echo no command outside of a block\n" +
		"```\n$ cat state\nold\n$ echo second >>state; exit 1\n$ seq 9\n1\n2\n…\n```\n" +
		"Text\n```go\nfunc main() {}\n```\n```\n$ cat state\n```\n"
	want := "# Page\n" +
		"<!-- run: echo first >state -->\n" +
		"$ echo no command outside of a block\n" +
		"```\n$ cat state\nfirst\n$ echo second >>state; exit 1\n$ seq 9\n1\n2\n…\n```\n" +
		"Text\n```go\nfunc main() {}\n```\n```\n$ cat state\nfirst\nsecond\n```\n"
	require.NoError(t, os.WriteFile(file, []byte(document), 0o644))
	dir := t.TempDir()
	shell := func(command string) (string, error) { return run(dir, command) }
	require.NoError(t, update(file, shell))
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(got))

	require.NoError(t, os.Remove(filepath.Join(dir, "state")))
	require.NoError(t, update(file, shell), "the same again")
	again, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, want, string(again))
}

func TestWhatFailsIsNotWritten(t *testing.T) {
	for name, document := range map[string]string{
		"command":        "```\n$ exit 2\n```\n",
		"hidden command": "<!-- run: exit 3 -->\n",
		"no such":        "```\n$ no-such-command\n```\n",
		"open block":     "```\n$ true\n",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "page.md")
			require.NoError(t, os.WriteFile(file, []byte(document), 0o644))
			require.Error(t, update(file, func(command string) (string, error) { return run(t.TempDir(), command) }))
			got, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, document, string(got))
		})
	}
}
