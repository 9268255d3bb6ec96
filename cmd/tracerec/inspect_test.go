package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/tracetext"
)

const scenario = `channel ch cap 3
metric depth unit items
args ./app -x
warning lost 3
exited 900 1
location w1
  0 begin worker
  5 enter solve @file.go:12(main.solve)
  10 send ch @a.go:10   12 blocked   30 leave
  35 sample depth 7
  40 exit   50 end
location w2
  0 begin worker by w1
  15 recv ch @a.go:11   20 blocked   31 leave
  60 end
`

// archiveOf writes the archive that the text describes.
func archiveOf(t *testing.T, text string) string {
	t.Helper()
	segment, err := tracetext.Parse(text)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, trace.SegmentName(0)), segment, 0o644))
	return dir
}

func TestInfo(t *testing.T) {
	dir := archiveOf(t, scenario)
	r := inside("info", dir)
	require.Equal(t, 0, r.status, r.stderr)
	for _, want := range []string{"complete", "13 events of 2 goroutines", "./app -x", "exit status 1", "lost: 3", "1 object"} {
		require.Contains(t, r.stdout, want)
	}
}

func TestDumpText(t *testing.T) {
	dir := archiveOf(t, scenario)
	whole := inside("dump", dir)
	require.Equal(t, 0, whole.status, whole.stderr)
	again := inside("dump", archiveOf(t, whole.stdout))
	require.Equal(t, whole, again, "the text describes the archive")

	one := inside("dump", "--location", "g2", dir)
	require.Equal(t, 0, one.status)
	require.True(t, strings.HasSuffix(whole.stdout, one.stdout), one.stdout)
	require.Contains(t, one.stdout, "15 recv")
	require.NotContains(t, one.stdout, "solve")

	r := inside("dump", "--location", "g3", dir)
	require.Equal(t, result{2, "", "tracerec: no location g3: there are g1 to g2\n"}, r)
	require.Equal(t, 2, inside("dump", "--format", "xml", dir).status)
}

func TestDumpJSON(t *testing.T) {
	dir := archiveOf(t, scenario)
	r := inside("dump", "--format", "json", dir)
	require.Equal(t, 0, r.status, r.stderr)
	var events []tracetext.JSONEvent
	last := int64(0)
	for line := range strings.Lines(r.stdout) {
		var e tracetext.JSONEvent
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		require.LessOrEqual(t, last, e.Time)
		last = e.Time
		events = append(events, e)
	}
	require.Len(t, events, 13)
	solve := events[2]
	require.Equal(t, "enter solve main.solve file.go 12 g1", strings.Join([]string{solve.Kind, solve.Name, solve.Func, solve.File,
		"12", solve.Location}, " "))
	require.Equal(t, 12, solve.Line)
	require.Equal(t, "g1", events[1].Other)
	require.Equal(t, "send", events[3].Kind)
	require.Zero(t, *events[3].Object)
	require.Contains(t, r.stdout, `"kind":"leave","outcome":"ok"`)
	require.Contains(t, r.stdout, `"kind":"sample","name":"depth","value":7`)

	only := inside("dump", "--format", "json", "--location", "g1", dir)
	require.Equal(t, 8, lines(only.stdout))
}

func TestInputThatIsNoArchive(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	require.NoError(t, os.Mkdir(other, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(other, trace.SegmentName(0)), []byte("#!/bin/sh\necho something else\n"), 0o644))
	for _, input := range []string{dir, other, filepath.Join(dir, "absent"), filepath.Join(other, trace.SegmentName(0))} {
		for _, command := range []string{"info", "dump", "check", "recover"} {
			r := inside(command, input)
			require.Equal(t, 2, r.status, command)
			require.Empty(t, r.stdout)
			require.Equal(t, 1, lines(r.stderr), r.stderr)
			require.Contains(t, r.stderr, input)
		}
	}
}

func TestCheckListsProblems(t *testing.T) {
	dir := archiveOf(t, "location w1\n  0 enter a  5 enter b  10 exit 5\nlocation w2\n  5 leave\n")
	r := inside("check", dir)
	require.Equal(t, 2, r.status)
	require.Contains(t, r.stdout, "segment-000.trc: offset ")
	require.Contains(t, r.stderr, "problem")
	require.Equal(t, 1, lines(r.stderr), r.stderr)
}

// TestHelpWidth: help fits into a terminal.
func TestHelpWidth(t *testing.T) {
	for _, command := range []string{"", "run", "info", "dump", "check", "recover", "counters", "version"} {
		r := inside(strings.Fields(command + " --help")...)
		require.Equal(t, 0, r.status)
		for line := range strings.Lines(r.stdout) {
			require.LessOrEqual(t, len([]rune(line)), 81, line)
		}
	}
	require.Regexp(t, `^tracerec \S+`, inside("version").stdout)
}

func TestArguments(t *testing.T) {
	for _, command := range []string{"info", "dump", "check", "recover"} {
		require.Equal(t, result{2, "", "tracerec: no DIR; give the trace directory that was recorded, for instance trace.dir\n"}, inside(command))
		require.Equal(t, 2, inside(command, "").status)
		require.Equal(t, result{2, "", "tracerec: one DIR at a time, not 2\n"}, inside(command, "a", "b"))
	}
}

// TestOutputThatFails: a full disk is told once, and a reader that has enough is no failure.
func TestOutputThatFails(t *testing.T) {
	dir := archiveOf(t, scenario)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	var stderr strings.Builder
	for _, args := range [][]string{{"dump", dir}, {"info", dir}, {"check", dir}, {"version"}, {"--version"}} {
		stderr.Reset()
		cmd := tracerec(args...)
		cmd.Stdout, cmd.Stderr = full, &stderr
		require.Error(t, cmd.Run(), args)
		require.Equal(t, 2, cmd.ProcessState.ExitCode())
		require.Equal(t, 1, lines(stderr.String()), stderr.String())
	}

	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	defer w.Close()
	stderr.Reset()
	cmd := tracerec("dump", dir)
	cmd.Stdout, cmd.Stderr = w, &stderr
	require.NoError(t, cmd.Run(), stderr.String())
	require.Empty(t, stderr.String())
}
