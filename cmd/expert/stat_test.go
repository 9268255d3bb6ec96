package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// run runs a command that must succeed without a word of trouble.
func run(t *testing.T, args ...string) string {
	t.Helper()
	status, stdout, stderr := expert(args...)
	require.Equal(t, 0, status, stderr)
	require.Empty(t, stderr)
	return stdout
}

func TestStat(t *testing.T) {
	dir := archive(t, lockTrace)
	text := run(t, "stat", dir)
	require.Contains(t, text, "(whole program)")
	require.Regexp(t, `(?m)80\.0 µs .* lock  work\.go:21$`, text)
	require.Contains(t, run(t, "stat", dir, "-m", "lock_competition,visits", "--percent"), "100.0 %")
	require.Contains(t, run(t, "stat", dir, "--format", "csv", "-m", "lock_competition,visits", "--per-location", "--region", "^lock$"),
		"region,file,line,location,lock_competition,visits\nlock,work.go,21,worker,80000,1\n")
	require.Contains(t, run(t, "stat", dir, "--format", "tsv", "-m", "time", "--callpaths", "--inclusive"), "run > lock\tmain.go\t11\t1000\n")
	require.True(t, json.Valid([]byte(run(t, "stat", dir, "--format", "json"))))
	require.Contains(t, run(t, "stat", dir, "-t", "1"), "more rows")

	oneLine(t, []string{"stat", dir, "-m", "nonsense"}, `no metric "nonsense"`)
	oneLine(t, []string{"stat", dir, "--region", "("}, "--region")
	oneLine(t, []string{"stat", dir, "--region", "nothing"}, `no region matches "nothing"`)
	oneLine(t, []string{"dump", dir, "-c", "nothing"}, `no call path matches "nothing"`)
	oneLine(t, []string{"stat", dir, "--inclusive", "--exclusive"}, "exclude each other")
	oneLine(t, []string{"stat", dir, "--format", "xml"}, "neither text, json, csv nor tsv")
}

// A report file says the same as the trace that it was made from.
func TestStatOfReport(t *testing.T) {
	dir := archive(t, lockTrace)
	file := filepath.Join(t.TempDir(), "report.cubex")
	run(t, "export", dir, "--to", "cubex", "-o", file)
	for _, args := range [][]string{{"stat"}, {"stat", "--format", "json"}, {"calltree"}, {"dump"}, {"dump", "--incl", "--zero", "--format", "json"}} {
		want := run(t, append([]string{args[0], dir}, args[1:]...)...)
		require.Equal(t, want, run(t, append([]string{args[0], file}, args[1:]...)...))
	}
}

func TestCallTree(t *testing.T) {
	dir := archive(t, lockTrace)
	require.Regexp(t, `(?m)^ *8\.00 µs +4\.\d %  8\.00 µs +recv  main\.go:14$`, run(t, "calltree", dir))
	require.Regexp(t, `(?m)^ *80\.0 µs +100\.0 % +80\.0 µs +lock  most on worker$`, run(t, "calltree", dir, "-m", "lock_competition", "-i", "--annotate", "location"))
	require.NotContains(t, run(t, "calltree", dir, "-t", "10%"), "recv")
	require.Contains(t, run(t, "calltree", dir, "--format", "csv"), "callpath,depth,file,line,total,share,own,unit\n")
	oneLine(t, []string{"calltree", dir, "-m", "*"}, "one metric at a time")
	oneLine(t, []string{"calltree", dir, "-t", "101"}, "--threshold", "per cent")
	oneLine(t, []string{"calltree", dir, "--annotate", "x"}, "neither source, location nor none")
}

func TestDumpOptions(t *testing.T) {
	dir := archive(t, lockTrace)
	require.Equal(t, "metric\tcallpath\tfile\tline\tlocation\tvalue\tunit\nlock_competition\tlock\twork.go\t21\tworker\t80000\tns\n",
		run(t, "dump", dir, "-m", "lock_competition", "--format", "tsv"))
	require.Contains(t, run(t, "dump", dir, "-m", "time", "--self=false", "--incl", "-c", "^run$"), "time,run,main.go,5,main,99500,ns\n")
	require.Contains(t, run(t, "dump", dir, "-m", "late_sender", "--zero"), "late_sender,run,main.go,5,main,0,ns\n")
	oneLine(t, []string{"dump", dir, "--incl", "--excl"}, "exclude each other")
	oneLine(t, []string{"dump", dir, "-c", "["}, "--callpath")
}

// Reports of other tools come in the hierarchy that they want to be shown in, or as they are stored.
func TestStatOfScout(t *testing.T) {
	file := "../../../shared/data/oracle/partdiff2/scout.cubex"
	if _, err := os.Stat(file); err != nil {
		t.Skip("the shared reports of Scalasca are not here")
	}
	require.Contains(t, run(t, "stat", file), "MPI_Sendrecv")
	shown := run(t, "dump", file, "-m", "mpi")
	require.Contains(t, shown, "mpi,partdiff > main > ")
	oneLine(t, []string{"dump", file, "--stored", "-m", "mpi"}, `no metric "mpi"`)
	oneLine(t, []string{"export", file, "--to", "perfetto", "-o", filepath.Join(t.TempDir(), "x")}, "a report, which has no trace in it", "give the trace directory")
}

func TestExport(t *testing.T) {
	dir, out := archive(t, lockTrace), t.TempDir()
	file := func(format string, input string, more ...string) []byte {
		name := filepath.Join(out, format)
		run(t, append([]string{"export", input, "--to", format, "-o", name}, more...)...)
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		return b
	}
	require.Equal(t, run(t, "dump", dir), string(file("csv", dir)))
	require.NotEmpty(t, file("cubex", dir))
	require.Contains(t, string(file("html", dir)), "<html")
	unpacked := func(packed []byte) string {
		r, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		return string(b)
	}
	profile := unpacked(file("pprof", dir, "-m", "time,lock_competition"))
	require.Contains(t, profile, "lock_competition")
	require.NotContains(t, profile, "late_sender")
	require.Contains(t, unpacked(file("perfetto", dir)), "Lock competition")
	follow := func() { // where the report says that its trace is, is told but not opened
		oneLine(t, []string{"export", filepath.Join(out, "cubex"), "--to", "perfetto", "-o", filepath.Join(out, "x")}, "give the trace directory, which it says was "+dir)
	}
	follow()
	archive := filepath.Join(out, "a.otf2")
	run(t, "export", dir, "--to", "otf2", "-o", archive)
	again := filepath.Join(out, "b.otf2")
	run(t, "export", archive, "--to", "otf2", "-o", again)
	visits := func(of string) string { return run(t, "stat", of, "-m", "visits", "--format", "csv") }
	require.Contains(t, visits(again), "lock,")
	require.Equal(t, visits(archive), visits(again))
	waits := func(of, metric string) string {
		return regexp.MustCompile(`(?m)^lock,.*`).FindString(run(t, "stat", of, "-m", metric, "--format", "csv"))
	}
	require.Contains(t, waits(dir, "lock_competition"), ",80000")
	require.Equal(t, waits(dir, "lock_competition"), waits(again, "pthread_lock_contention_mutex_lock"), "who waits for whom follows from the archive, too")
	oneLine(t, []string{"export", dir, "--to", "otf2", "-o", again}, "b.otf2: exists already")
	oneLine(t, []string{"export", dir, "--to", "otf2", "-o", "x"}, "x: the name of an anchor file has to end in .otf2")
	oneLine(t, []string{"export", dir, "--to", "otf2", "-o", "-"}, "-: the name of an anchor file has to end in .otf2")
	oneLine(t, []string{"export", filepath.Join(out, "cubex"), "--to", "otf2", "-o", filepath.Join(out, "x.otf2")}, "give the trace directory, which it says was "+dir)

	left, err := filepath.Glob(filepath.Join(out, ".*"))
	require.NoError(t, err)
	require.Empty(t, left)
	oneLine(t, []string{"export", dir, "-o", filepath.Join(out, "x")}, "--to is missing: pprof, perfetto, otf2, csv, html or cubex")
	oneLine(t, []string{"export", dir, "--to", "csv"}, "-o is missing")
	oneLine(t, []string{"export", dir, "--to", "html", "-o", "x", "-m", "time"}, "--metrics does not go with --to html")
	require.Equal(t, run(t, "dump", dir), run(t, "export", dir, "--to", "csv", "-o", "-"))
	oneLine(t, []string{"export", dir, "--to", "svg", "-o", "x"}, "neither pprof, perfetto, otf2, csv, html nor cubex")
	oneLine(t, []string{"export", dir, "--to", "csv", "-o", filepath.Join(out, "none", "x")}, "no such file")
	require.NoError(t, os.RemoveAll(dir))
	follow()
}

// A dump can be read back.
func TestDumpIsCSV(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(run(t, "dump", archive(t, lockTrace)))).ReadAll()
	require.NoError(t, err)
	require.Greater(t, len(records), 10)
}

func TestHelpFits(t *testing.T) {
	for _, command := range []string{"stat", "calltree", "dump", "export"} {
		for line := range strings.Lines(run(t, command, "--help")) {
			require.LessOrEqual(t, len([]rune(line)), 81, line)
		}
	}
}

// TestNumbersOfADamagedTrace: who is shown nothing but numbers is told that they are not of all that was recorded, be they of a trace or of its report.
func TestNumbersOfADamagedTrace(t *testing.T) {
	dir := archive(t, lockTrace)
	segments, err := filepath.Glob(filepath.Join(dir, "segment-*"))
	require.NoError(t, err)
	require.Len(t, segments, 1)
	content, err := os.ReadFile(segments[0])
	require.NoError(t, err)
	commands := [][]string{{"stat"}, {"dump"}, {"calltree", "-m", "time"}, {"check", "--max", "time=1h"}, {"diff", dir}}
	for _, args := range commands {
		_, _, stderr := expert(append(args, dir)...)
		require.Empty(t, stderr)
	}
	require.NoError(t, os.WriteFile(segments[0], content[:len(content)-1], 0o644))
	file := filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr := expert("analyze", dir, "-o", file)
	require.Equal(t, 0, status, stderr)
	for _, args := range commands {
		for _, input := range []string{dir, file} {
			status, _, stderr := expert(append(args, input)...)
			require.Equal(t, 0, status, stderr)
			require.Regexp(t, `(?m)^expert: .*`+regexp.QuoteMeta(segments[0])+`: offset \d+: truncated`, stderr, args)
			require.Contains(t, stderr, input)
		}
	}
}
