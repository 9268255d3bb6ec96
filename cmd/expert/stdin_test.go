package main

import (
	"bytes"
	"os"
	exectrace "runtime/trace"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/report/inputs"
)

// giveStdin makes standard input a pipe that holds the text.
func giveStdin(t *testing.T, text []byte) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	go func() {
		w.Write(text)
		w.Close()
	}()
	setStdin(t, r)
}

func setStdin(t *testing.T, f *os.File) {
	t.Helper()
	before := os.Stdin
	os.Stdin = f
	t.Cleanup(func() { f.Close(); os.Stdin = before })
}

// What commands print of a report is the same if it comes from standard input.
func TestStandardInput(t *testing.T) {
	testkit.NeedDescriptors(t, 256) // commands in this process keep reports open
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Chdir(t.TempDir())
	const file = "standard input.cubex"
	status, _, stderr := expert("analyze", archive(t, lockTrace), "-o", file)
	require.Equal(t, 0, status, stderr)
	sameFromStdin(t, file)
	status, _, stderr = expert("mean", file, file, "-o", "mean") // has no findings of its own
	require.Equal(t, 0, status, stderr)
	require.NoError(t, os.Rename("mean", file))
	sameFromStdin(t, file)
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

// sameFromStdin compares what commands print of a file with what they print of it as standard input, @.
func sameFromStdin(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	run := func(command, input string) []string {
		args := strings.Fields(command)
		for i, a := range args {
			switch a {
			case "@":
				args[i] = input
			case "FILE":
				args[i] = file
			}
		}
		status, stdout, stderr := expert(args...)
		require.Zero(t, status, "%s: %s", command, stderr)
		return []string{strings.ReplaceAll(stdout, ".cubex", ""), strings.ReplaceAll(stderr, ".cubex", "")}
	}
	for _, command := range []string{
		"analyze @", "analyze --format json @", "dump @", "stat @", "calltree @", "metrics @", "cmp @ FILE", "cmp FILE @", "cmp @ @",
		"diff FILE @", "check @ --max lock_competition=200%", "check FILE --baseline @ --tolerance 10% --max lock_competition",
		"cut @ --root run -o -", "remap @ --define n=1 -o -", "export @ --to csv -o -", "export @ --to cubex -o -",
	} {
		want := run(command, file)
		giveStdin(t, text)
		require.Equal(t, want, run(command, inputs.Stdin), command)
	}
}

func TestBadStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("-", []byte("<cube "), 0o644)) // is not meant
	for text, message := range map[string]string{
		"":                  "standard input: it is empty",
		"nothing of ours":   "standard input: neither a report, nor a Go execution trace",
		"go 1.26 trace\x00": "standard input: cut at byte 14: nothing before that is complete",
	} {
		giveStdin(t, []byte(text))
		oneLine(t, []string{"analyze", "-"}, message)
	}
	d, err := os.Open(".")
	require.NoError(t, err)
	setStdin(t, d)
	oneLine(t, []string{"analyze", "-"}, "standard input: is a directory; give its name")
	oneLine(t, []string{"export", "-", "--to", "perfetto", "-o", "x"}, "standard input: is a directory; give its name")

	closed, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, closed.Close())
	setStdin(t, closed)
	oneLine(t, []string{"stat", "-"}, "standard input: ")
}

// A specification is read like a report.
func TestSpecificationFromStandardInput(t *testing.T) {
	giveStdin(t, []byte("<metrics><metric><uniq_name>a</uniq_name></metric></metrics>"))
	text, err := inputs.Remapping("-")
	require.NoError(t, err)
	require.Equal(t, "<metrics><metric><uniq_name>a</uniq_name></metric></metrics>", text)
	again, err := inputs.Remapping("-")
	require.NoError(t, err)
	require.Equal(t, text, again, "it is kept")
}

// TestExecutionTrace: a Go execution trace is an input like a trace directory, also from standard input.
func TestExecutionTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	var text bytes.Buffer
	if err := exectrace.Start(&text); err != nil {
		t.Skip("the tests are traced themselves: ", err)
	}
	time.Sleep(1)
	exectrace.Stop()
	require.NoError(t, os.WriteFile("app.trace", text.Bytes(), 0o644))
	for _, command := range []string{"analyze --format json", "analyze", "stat", "calltree", "metrics", "check --max lock_competition=200%", "export --to perfetto -o -"} {
		args := strings.Fields(command)
		status, want, stderr := expert(append(slices.Clone(args), "app.trace")...)
		require.Zero(t, status, "%s: %s", command, stderr)
		giveStdin(t, text.Bytes())
		status, got, stderr := expert(append(args, "-")...)
		require.Zero(t, status, "%s: %s", command, stderr)
		require.Equal(t, want, strings.Replace(got, "standard input\n", "app.trace\n", 1), command)
	}
}
