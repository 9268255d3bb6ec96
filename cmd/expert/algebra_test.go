package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
	"tracerec/trace/wire"
)

// lockReports writes reports of runs in which the lock is held for so many microseconds.
func lockReports(t *testing.T, held ...int) []string {
	t.Helper()
	dir := t.TempDir()
	var files []string
	for i, us := range held {
		text := strings.ReplaceAll(strings.ReplaceAll(lockTrace, " 90000 unlock", fmt.Sprintf(" %d unlock", 1000*us)), " 91000 leave", fmt.Sprintf(" %d leave", 1000*us+1000))
		file := filepath.Join(dir, fmt.Sprintf("run%d.cubex", i+1))
		status, _, stderr := expert("analyze", archive(t, text), "-o", file)
		require.Zero(t, status, stderr)
		files = append(files, file)
	}
	return files
}

// Names that a report cannot carry as they are differ neither from those of its trace, nor between metrics and runs of one result.
func TestNamesBeyondXML(t *testing.T) {
	dir := archive(t, strings.ReplaceAll(lockTrace, "enter run", `enter "a\x01\xff"`))
	file, out := filepath.Join(t.TempDir(), "report.cubex"), filepath.Join(t.TempDir(), "result.cubex")
	for _, args := range [][]string{{"analyze", dir, "-o", file}, {"diff", dir, file}, {"mean", dir, file, "-o", out}, {"merge", dir, file, "-o", out}, {"cmp", dir, file}} {
		status, stdout, stderr := expert(args...)
		require.Zero(t, status, "%s\n%s%s", args, stdout, stderr)
	}
}

// A full disk is no equality.
func TestCmpOutputThatFails(t *testing.T) {
	files := lockReports(t, 90, 50)
	for _, args := range [][]string{{"cmp", files[0], files[1]}, {"version"}} {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		defer full.Close()
		var stderr strings.Builder
		require.Equal(t, 2, execute(args, full, &stderr))
		require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
	}
}

func TestDiff(t *testing.T) {
	files := lockReports(t, 90, 50)
	out := filepath.Join(t.TempDir(), "difference.cubex")
	status, stdout, stderr := expert("diff", files[0], files[1], "-o", out)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "run1")
	require.Contains(t, stdout, "−40.0 µs")
	require.Contains(t, stdout, "Lock competition in lock (work.go:21)")
	require.Contains(t, stdout, "cannot be known from single runs")
	require.NotContains(t, stdout, "\t")

	status, stdout, stderr = expert("diff", files[0], files[1], "--format", "json")
	require.Zero(t, status, stderr)
	var x struct {
		A, B  string
		Calls []struct {
			Metric string
			Path   []string
			A, B   float64
			Delta  float64
			Noise  *float64
			Beyond *bool `json:"beyond_noise"`
			Unit   string
			File   string
			Line   int
		}
		Notes []string
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &x))
	require.Equal(t, "run1", x.A)
	found := false
	for _, c := range x.Calls {
		if c.Metric == "lock_competition" {
			found = true
			require.Equal(t, []string{"lock"}, c.Path)
			require.Equal(t, -40000.0, c.Delta)
			require.Equal(t, "ns", c.Unit)
			require.Nil(t, c.Beyond)
		}
	}
	require.True(t, found, stdout)

	// The file has the sign of the words, and so has all that shows the file.
	status, stdout, stderr = expert("dump", out, "--format", "csv")
	require.Zero(t, status, stderr)
	require.Regexp(t, `(?m)^lock_competition,.*,-40000\b`, stdout)
	status, stdout, stderr = expert("stat", out, "-m", "lock_competition")
	require.Zero(t, status, stderr)
	require.Regexp(t, `^Difference run2 − run1\n(.*\n)+ *−40\.0 µs +lock `, stdout)

	status, _, stderr = expert("diff", out, files[0])
	require.Zero(t, status, stderr, "a difference is a report")
}

func TestMeanAndNoise(t *testing.T) {
	files := lockReports(t, 80, 82, 84, 40, 42, 44)
	dir := t.TempDir()
	slow, fast := filepath.Join(dir, "slow.cubex"), filepath.Join(dir, "fast.cubex")
	for out, in := range map[string][]string{slow: files[:3], fast: files[3:]} {
		status, stdout, stderr := expert(append([]string{"mean", "-o", out}, in...)...)
		require.Zero(t, status, stderr)
		require.Contains(t, stdout, "3 runs: run")
		require.Regexp(t, `72\.0 µs +70\.0 µs +74\.0 µs +2\.00 µs +±4\.97 µs +Lock competition|32\.0 µs +30\.0 µs +34\.0 µs +2\.00 µs +±4\.97 µs +Lock`,
			stdout, "t(2)·2 µs/√3")
	}
	explained := run(t, "analyze", slow)
	require.Contains(t, explained, "Of all wait states, Lock competition in lock costs most: ")
	require.Contains(t, explained, "This is the mean of 3 runs: ")
	require.Regexp(t, `(?m)^ 1  Lock competition in lock +[0-9.]+ % of all time\n    72\.0 µs of waiting in lock`, explained)
	require.Contains(t, run(t, "analyze", slow, "--format", "json"), `"noise_ns": 4969,`)
	status, stdout, stderr := expert("diff", slow, fast)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "The largest change that is more than noise: ")
	difference := filepath.Join(dir, "difference.cubex")
	require.Equal(t, stdout, run(t, "diff", slow, fast, "-o", difference))
	require.Equal(t, stdout, run(t, "analyze", difference, "--top", "10"))
	require.Regexp(t, `−40.0 µs +72.0 µs +32.0 µs +−55\.6 % +±4\.53 µs +Lock competition in lock`, stdout, "t(4)·2 µs·√(2/3)")

	other := filepath.Join(dir, "other.cubex")
	status, stdout, stderr = expert("merge", "-o", other, files[2], files[0], files[1], "--format", "json")
	require.Zero(t, status, stderr)
	var x struct {
		Runs    []string
		Metrics []struct {
			Metric         string
			Runs           int
			Mean, Min, Max *float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &x))
	require.Equal(t, []string{"run1", "run2", "run3"}, x.Runs)
	require.Equal(t, "wall", x.Metrics[0].Metric)
	require.Equal(t, 1e-4, *x.Metrics[0].Mean)
	status, stdout, stderr = expert("cmp", slow, other)
	require.Zero(t, status, stderr+stdout)
	status, stdout, _ = expert("cmp", slow, fast)
	require.Equal(t, 1, status)
	require.Contains(t, stdout, "metric time, call path lock (work.go:21), worker worker: 73000 in slow, 33000 in fast")
}

func TestCut(t *testing.T) {
	files := lockReports(t, 90)
	out := filepath.Join(t.TempDir(), "cut.cubex")
	status, _, stderr := expert("cut", files[0], "--prune", "run/lock", "-o", out)
	require.Zero(t, status, stderr)
	status, stdout, _ := expert("cmp", files[0], out)
	require.Equal(t, 1, status)
	require.Contains(t, stdout, "call path run/lock (main.go:11) is only in ")
	status, _, stderr = expert("cut", out, "--root", "run", "-o", filepath.Join(t.TempDir(), "again.cubex"))
	require.Zero(t, status, stderr)

	oneLine(t, []string{"cut", files[0], "--root", "nowhere", "-o", out}, files[0]+`: no call path "nowhere"`)
	oneLine(t, []string{"cut", files[0], "--root", "locks", "-o", out}, "; it has lock")
	oneLine(t, []string{"cut", files[0], "-o", out}, "nothing to cut")
	oneLine(t, []string{"cut", files[0], "--root", "run"}, "output")
}

// Runs on the simulator repeat exactly: more of them say nothing new.
func TestDiffOfSimulated(t *testing.T) {
	diff := func(vendor string) string {
		var dirs []string
		for i := range uint64(2) {
			dir := filepath.Join(t.TempDir(), "run")
			w, err := trace.Create(dir, trace.Options{Resolution: 1})
			require.NoError(t, err)
			p, err := w.AddProcess(trace.ProcessInfo{PID: 1, Args: []string{"x"}, Clock: "virtual", Frequency: 1e9, Processor: trace.Processor{Vendor: vendor}})
			require.NoError(t, err)
			at := trace.Stamp{Ticks: 1000 + i, Mono: int64(1000 + i), Wall: int64(1000 + i)}
			require.NoError(t, p.Clock(at))
			require.NoError(t, p.Define(wire.Def{Type: wire.DefRegion, ID: 1, Name: "work"}))
			words := []uint64{wire.Head(wire.Time, 0, 0), 0, wire.Head(wire.Enter, 1, 100), wire.Head(wire.Exit, 0, 800+i)}
			require.NoError(t, p.Chunk(trace.RawChunk{Location: 1, GoID: 1, Words: words}))
			require.NoError(t, p.Exited(0, at))
			require.NoError(t, w.Close())
			dirs = append(dirs, dir)
		}
		status, stdout, stderr := expert("diff", dirs[0], dirs[1])
		require.Zero(t, status, stderr)
		return stdout
	}
	require.NotContains(t, diff("other"), "on the simulator")
	repeatable := diff("simulator")
	require.NotContains(t, repeatable, "record each several times")
	require.Contains(t, repeatable, "Both ran on the simulator, where every run repeats exactly")
}

// What a report of several runs lacks is said.
func TestMeanSaysWhatIsOfOneRun(t *testing.T) {
	files := lockReports(t, 90, 50)
	status, _, stderr := expert("mean", files[0], files[1], "-o", filepath.Join(t.TempDir(), "mean.cubex"))
	require.Zero(t, status, stderr)
	require.NotContains(t, stderr, "expert.json", "which users need not know")
	require.Contains(t, stderr, "it has no findings, and no counts during waits or on the critical path; the reports of the runs have them")
}

func TestAlgebraUse(t *testing.T) {
	files := lockReports(t, 90)
	oneLine(t, []string{"diff", files[0]}, "1 report; give two")
	oneLine(t, []string{"mean", files[0], "-o", "x"}, "give two or more")
	oneLine(t, []string{"cmp", files[0], "/nowhere"}, "/nowhere")
	dir := t.TempDir()
	damaged := filepath.Join(dir, "damaged.cubex")
	content, err := os.ReadFile(files[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(damaged, content[:len(content)/2], 0o644))
	oneLine(t, []string{"diff", files[0], damaged}, "damaged.cubex")
}
