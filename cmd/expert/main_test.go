package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"tracerec/internal/cubetest"
	"tracerec/internal/naive/scenario"
	"tracerec/internal/readable"
	"tracerec/internal/testkit"
	"tracerec/report/cube"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

// expert runs a command line in this process.
func expert(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = execute(args, &out, &errs)
	return status, out.String(), errs.String()
}

// oneLine requires that a command line failed with a message of one line.
func oneLine(t *testing.T, args []string, contains ...string) {
	t.Helper()
	status, stdout, stderr := expert(args...)
	require.Equal(t, 2, status, stderr)
	require.Empty(t, stdout)
	require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	require.True(t, strings.HasPrefix(stderr, "expert: "), stderr)
	for _, c := range contains {
		require.Contains(t, stderr, c)
	}
}

// lockTrace is a program whose main holds a lock for 90 µs while a worker wants it.
const lockTrace = `
channel ch cap 0
mutex m
location main
  0 enter run @main.go:5
  0 create worker @main.go:9
  1000 lock m @main.go:11
  2000 leave
  90000 unlock m
  91000 recv ch @main.go:14
  91500 blocked
  99000 leave
  99500 exit
  100000 end
location worker
  500 begin worker by main
  10000 lock m @work.go:21
  11000 blocked
  91000 leave
  92000 unlock m
  98000 send ch @work.go:30
  98500 leave
  99000 end
`

// archive writes a scenario as a trace directory and returns its name.
func archive(t *testing.T, text string) string {
	t.Helper()
	segment, err := tracetext.Parse(text)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "trace.dir")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, trace.SegmentName(0)), segment, 0o644))
	return dir
}

func TestAnalyze(t *testing.T) {
	dir := archive(t, lockTrace)
	status, text, stderr := expert("analyze", dir)
	require.Equal(t, 0, status, stderr)
	require.Empty(t, stderr)
	require.Contains(t, text, "Lock competition")
	require.Contains(t, text, "worker waited 80.0 µs in lock at work.go:21, for main")
	require.NotContains(t, text, "\x1b")

	status, text, _ = expert("analyze", dir, "--format", "json")
	require.Equal(t, 0, status)
	var doc struct {
		Findings []struct {
			Metric   string
			Severity int64 `json:"severity_ns"`
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	require.NotEmpty(t, doc.Findings)
	require.Equal(t, "lock_competition", doc.Findings[0].Metric)
	require.Equal(t, int64(80_000), doc.Findings[0].Severity)
}

// The limit on memory changes nothing in the result.
func TestMemory(t *testing.T) {
	t.Cleanup(func() { debug.SetMemoryLimit(math.MaxInt64) })
	dir := archive(t, lockTrace)
	for _, command := range []string{"analyze", "dump"} {
		_, want, _ := expert(command, dir)
		status, got, stderr := expert(command, dir, "--memory", "1G")
		require.Equal(t, 0, status, stderr)
		require.Equal(t, want, got)
		require.Equal(t, int64(3<<28), debug.SetMemoryLimit(-1)) // the rest is for what does not lie on the heap
		debug.SetMemoryLimit(math.MaxInt64)
	}
	oneLine(t, []string{"analyze", dir, "--memory", "much"}, "--memory", "not a size")
	oneLine(t, []string{"analyze", dir, "--memory", "1M"}, "--memory 1M is too little", "--memory 128M is enough")
	oneLine(t, []string{"export", dir, "--to", "otf2", "-o", filepath.Join(t.TempDir(), "x.otf2"), "--memory", "1M"}, "--memory 1M is too little", "--memory 128M is enough")
	oneLine(t, []string{"requests", dir, "--goroutine", "1", "--memory", "1M"}, "goroutines and", "events: --memory 128M is enough")
}

func TestDump(t *testing.T) {
	dir := archive(t, lockTrace)
	status, text, stderr := expert("dump", dir)
	require.Equal(t, 0, status, stderr)
	require.True(t, strings.HasPrefix(text, "metric,callpath,file,line,location,value,unit\n"), text)
	require.Contains(t, text, "lock_competition,lock,work.go,21,worker,80000,ns\n")
	status, text, _ = expert("dump", dir, "--format", "json")
	require.Equal(t, 0, status)
	require.True(t, json.Valid([]byte(text)))
}

// A damaged archive is analyzed as far as it can be read, and the report says what is missing.
func TestDamagedArchive(t *testing.T) {
	dir := archive(t, lockTrace)
	file := filepath.Join(dir, trace.SegmentName(0))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	analyzed := 0
	for at := 0; at < len(whole); at += 10 / testkit.Cases(10) {
		require.NoError(t, os.WriteFile(file, whole[:at], 0o644))
		status, text, stderr := expert("analyze", dir)
		if status == 2 {
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			require.Contains(t, stderr, dir)
			continue
		}
		require.Equal(t, 0, status)
		require.Contains(t, text, "! ", "cut at %d", at)
		analyzed++
	}
	require.Positive(t, analyzed)
}

// A flipped bit is noticed: the input is refused in one line, or analyzed with a warning.
func TestFlippedBits(t *testing.T) {
	dir := archive(t, lockTrace)
	file := filepath.Join(dir, trace.SegmentName(0))
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for at := 0; at < len(whole); at += 10 / testkit.Cases(10) {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1 << (at % 8)
		require.NoError(t, os.WriteFile(file, damaged, 0o644))
		status, text, stderr := expert("analyze", dir)
		if status == 2 {
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			continue
		}
		require.Contains(t, text, "! ", "byte %d", at)
	}
}

func TestNothingRecorded(t *testing.T) {
	oneLine(t, []string{"analyze", archive(t, "")}, "no events recorded", "tracerec run")
}

func TestUnfinishedRecording(t *testing.T) {
	dir := archive(t, lockTrace)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "session"), []byte("x"), 0o644))
	status, text, stderr := expert("analyze", dir)
	require.Equal(t, 0, status, stderr)
	require.Contains(t, strings.Join(strings.Fields(text), " "), ": unfinished recording;", "there may be a line break")
}

// A recorder that was killed early leaves an archive without events, or none.
func TestUnfinishedWithoutEvents(t *testing.T) {
	dir := archive(t, "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "session"), []byte("x"), 0o644))
	for range 2 {
		oneLine(t, []string{"analyze", dir}, "unfinished recording; complete it with tracerec recover "+readable.Argument(dir))
		require.NoError(t, os.Truncate(filepath.Join(dir, trace.SegmentName(0)), 0))
	}
}

func TestArguments(t *testing.T) {
	dir := archive(t, lockTrace)
	oneLine(t, []string{"analyze"}, "no INPUT")
	oneLine(t, []string{"analyze", dir, dir}, "one INPUT at a time, not 2")
	oneLine(t, []string{"dump", ""}, "is empty")
	for _, top := range []string{"0", "-5", "x", "-99999999999999999999999"} {
		oneLine(t, []string{"analyze", "--top", top, dir}, "not a number from 1 on")
	}
	status, _, _ := expert("analyze", "--top", "99999999999999999999999", dir)
	require.Zero(t, status)
	for _, command := range []string{"analyze", "dump", "patterns"} {
		_, help, _ := expert(command, "--help")
		for line := range strings.Lines(help) {
			require.LessOrEqual(t, len([]rune(line)), 81, line)
		}
	}
	_, help, _ := expert("export", "--help")
	for _, format := range []string{"pprof", "perfetto", "otf2", "csv", "html", "cubex"} {
		require.Contains(t, help, "\n  "+format+" ")
	}
}

func TestInputs(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
		return name
	}
	empty := filepath.Join(dir, "empty")
	require.NoError(t, os.Mkdir(empty, 0o755))
	oneLine(t, []string{"analyze", filepath.Join(dir, "none")}, "none", "no such file")
	oneLine(t, []string{"analyze", "\x1b[31mnone"}, "\ufffd[31mnone") // nothing that a terminal obeys
	oneLine(t, []string{"analyze", empty}, empty)
	oneLine(t, []string{"analyze", file("a.trace", "go 1.26 trace\x00\x00\x00…")}, "a.trace: damaged at about byte 17: ", ": nothing before that is complete, so there is nothing to analyze")
	oneLine(t, []string{"dump", file("traces.otf2", "\x03BOTF2\x00\x03\x02")}, "traces.otf2: offset 9: the anchor file is cut")
	oneLine(t, []string{"analyze", file("b", "hello")}, "b: neither a report, nor a Go execution trace, nor the anchor of an OTF2 archive")
	oneLine(t, []string{"analyze", file("c", "")}, "c: it is empty")
	oneLine(t, []string{"analyze", os.DevNull}, "neither a directory nor a file")
}

func TestUsage(t *testing.T) {
	oneLine(t, []string{"analyze"})
	oneLine(t, []string{"analyze", ".", "--format", "xml"}, "xml", "neither text nor json")
	oneLine(t, []string{"analyze", ".", "--top", "0"}, `"0" for "--top"`)
	oneLine(t, []string{"analyze", ".", "--goroutine", "x"}, `"x" for "--goroutine" flag: not a whole number from 0 on`)
	oneLine(t, []string{"analyse", "."}, "analyse")
	oneLine(t, []string{"dump", ".", "--format", "text"}, "neither csv, json nor tsv")
	oneLine(t, []string{"patterns", "lock"}, "lock_competition")
	oneLine(t, []string{"patterns", "nonsense"}, "no metric")
	for _, help := range [][]string{{}, {"--help"}, {"version"}, {"--version"}} {
		status, out, stderr := expert(help...)
		require.Equal(t, 0, status, stderr)
		require.Contains(t, out, "expert")
	}
}

func TestPatterns(t *testing.T) {
	status, out, _ := expert("patterns")
	require.Equal(t, 0, status)
	require.Regexp(t, `(?m)^time +Time\n`, out)
	require.Regexp(t, `(?m)^    late_sender +Late sender\n`, out)
	status, out, _ = expert("patterns", "late_sender")
	require.Equal(t, 0, status)
	for _, part := range []string{"Late sender (late_sender, wait state, ns)", "part of communication", "Computed as", "What to do"} {
		require.Contains(t, out, part)
	}
	for name, part := range map[string]string{"UTILISATION": "Share of the call path's time", "FAULTS": "Page faults", "~FAULTS": "Page faults",
		"lock_competition_on_critical_path": "count each moment once", "CYCLES": "Processor cycles", "page-faults": "tracerec counters page-faults", "mem:main.x/8:w": "debug register"} {
		status, text, _ := expert("patterns", name)
		require.Equal(t, 0, status, name)
		require.Contains(t, text, part)
		out += text
	}
	for _, line := range strings.Split(out, "\n") {
		require.LessOrEqual(t, len([]rune(line)), 80)
	}
}

// Every scenario there is can be shown, and nothing passes the 80th column.
func TestScenarios(t *testing.T) {
	all, err := scenario.Load("../../testdata/traces")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	for _, s := range all {
		dir := archive(t, s.Trace)
		for _, args := range [][]string{{"analyze", dir}, {"analyze", dir, "--format", "json"}, {"dump", dir}, {"dump", dir, "--format=json"}} {
			status, out, stderr := expert(args...)
			require.Equal(t, 0, status, "%s: %s", s.Name, stderr)
			if len(args) == 2 {
				for _, line := range strings.Split(out, "\n") {
					require.LessOrEqual(t, len([]rune(line)), 80, "%s: %s", s.Name, line)
				}
			}
			if *show == s.Name && len(args) == 2 {
				t.Log("\n" + out)
			}
		}
		sameFromReport(t, dir)
	}
}

var show = flag.String("show", "", "log what expert prints about this scenario")

// sameFromReport requires that a report says what its trace says, and is the same when it is made again.
func sameFromReport(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.cubex")
	for _, args := range [][]string{{"analyze"}, {"analyze", "--format", "json"}, {"dump"}} {
		args = append(args, flags...)
		status, want, warned := expert(append(args, dir)...)
		require.Equal(t, 0, status, warned)
		if args[0] == "analyze" {
			status, again, stderr := expert(append(args, dir, "-o", file)...)
			require.Equal(t, 0, status, stderr)
			require.Equal(t, want, again)
			require.Equal(t, "expert: wrote "+file+"\n", stderr)
		}
		status, got, stderr := expert(append(args, file)...)
		require.Equal(t, 0, status, stderr)
		require.Equal(t, strings.ReplaceAll(warned, dir, file), stderr)
		require.Equal(t, want, got)
	}
	first, err := os.ReadFile(file)
	require.NoError(t, err)
	again := filepath.Join(t.TempDir(), "again.cubex")
	status, _, stderr := expert(append([]string{"analyze", file, "-o", again}, flags...)...)
	require.Equal(t, 0, status, stderr)
	second, err := os.ReadFile(again)
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, second))
	return file
}

func TestReport(t *testing.T) {
	dir := archive(t, lockTrace)
	file := sameFromReport(t, dir)
	c, err := cube.Open(file)
	require.NoError(t, err)
	defer c.Close()
	require.Contains(t, c.Attrs, cube.Attr{Key: "trace", Value: dir})
	total, err := c.Metric("lock_competition").Total()
	require.NoError(t, err)
	require.Equal(t, int64(80_000), total.Int64())

	in, err := openReport(newRoot(), file)
	require.NoError(t, err)
	require.Equal(t, dir, in.Experiment.Origin.Trace)
	require.Empty(t, in.Trace, "a report alone leads nowhere")
	require.Equal(t, "worker", in.Experiment.Locations[1].Name)
	require.NoError(t, in.Close())
	in, err = openReport(newRoot(), dir)
	require.NoError(t, err)
	require.Equal(t, dir, in.Trace)
	require.NoError(t, in.Close())
}

// A report whose explanations are damaged is refused by name and place.
func TestDamagedReport(t *testing.T) {
	dir := archive(t, lockTrace)
	file := sameFromReport(t, dir)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	damaged := bytes.Replace(whole, []byte(`"causer":0`), []byte(`"causer":9`), 1)
	require.NotEqual(t, whole, damaged)
	require.NoError(t, os.WriteFile(file, damaged, 0o644))
	oneLine(t, []string{"analyze", file}, file+": expert.json: offset ", "location 9 of 2")
}

func TestLocations(t *testing.T) {
	var text strings.Builder
	text.WriteString("mutex m\nlocation main\n  0 enter run\n")
	for i := range 9 {
		fmt.Fprintf(&text, "  %d create w%d\n", i+1, i)
	}
	text.WriteString("  1000 leave\n  1000 end\n")
	for i := range 9 {
		fmt.Fprintf(&text, "location w%d\n  100 begin worker by main\n  110 lock m @w.go:1\n  111 blocked\n  %d leave\n  %d unlock m\n  990 end\n", i, 200+50*i, 240+50*i)
	}
	dir := archive(t, text.String())
	sameFromReport(t, dir, "--locations", "2")
	status, out, stderr := expert("analyze", dir, "--locations", "2")
	require.Equal(t, 0, status, stderr)
	require.Contains(t, out, "! 10 goroutines are too many to be shown one by one; added up are worker ×9")
	oneLine(t, []string{"analyze", dir, "--locations", "0"}, "not a number from 1 on")

	const many = 4200 // more than the analyzer tells apart by itself
	text.Reset()
	text.WriteString("location main\n  0 enter run\n  10 exit\n  10 end\n")
	for i := range many {
		fmt.Fprintf(&text, "location w%d\n  %d enter work\n  %d exit\n", i, i, i+5)
	}
	dir = archive(t, text.String())
	for n, want := range map[string]int{"100": 2, "10000": many + 1} {
		in, err := openReport(parsed(t, "--locations", n), dir)
		require.NoError(t, err)
		require.Len(t, in.Experiment.Locations, want)
		require.NoError(t, in.Close())
	}
}

// parsed returns a command with its flags set.
func parsed(t *testing.T, flags ...string) *cobra.Command {
	cmd := newAnalyze()
	require.NoError(t, cmd.ParseFlags(flags))
	return cmd
}

// A report that cannot be written leaves nothing behind and takes nothing away.
func TestOutput(t *testing.T) {
	dir := archive(t, lockTrace)
	oneLine(t, []string{"analyze", dir, "-o", ""}, "name of the output is empty")
	oneLine(t, []string{"analyze", dir, "-o", filepath.Join(t.TempDir(), "none", "x.cubex")}, "no such file")
	folder := filepath.Join(t.TempDir(), "folder")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "sub"), 0o755))
	oneLine(t, []string{"analyze", dir, "-o", folder}, "folder")
	left, err := os.ReadDir(filepath.Dir(folder))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

// Reports of other tools are explained as far as their metrics go, and damaged ones are refused.
func TestForeignReport(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other.cubex")
	require.NoError(t, cubetest.Synthetic(3, 4, 5, 1).Save(file))
	require.Contains(t, run(t, "analyze", file), "This report has no metric that all time is counted in")
	oneLine(t, []string{"analyze", file, "-o", file + ".new"}, "other.cubex", "-o writes the report of a trace")
	oneLine(t, []string{"analyze", file, "--spec", "opteron"}, "other.cubex", "--spec needs a trace")
	in, err := openReport(newRoot(), file)
	require.NoError(t, err)
	require.Nil(t, in.Experiment)
	require.Nil(t, in.Stat)
	require.NoError(t, in.Close())
	stat := filepath.Join(filepath.Dir(file), "trace.stat")
	require.NoError(t, os.WriteFile(stat, []byte("PatternName Count\nmetric1 3\n"), 0o644))
	in, err = openReport(newRoot(), file)
	require.NoError(t, err)
	require.Equal(t, uint64(3), in.Stat.Pattern("metric1").Count)
	require.NoError(t, in.Close())
	require.NoError(t, os.WriteFile(stat, []byte("PatternName Count\nmetric1 x\n"), 0o644))
	in, err = openReport(newRoot(), file)
	require.NoError(t, err)
	require.Contains(t, in.Cube.Problems[0], "trace.stat: offset 18")
	require.NoError(t, in.Close())

	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, whole[:len(whole)/2], 0o644))
	oneLine(t, []string{"analyze", file}, "other.cubex", "offset")
}
