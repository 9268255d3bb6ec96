package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/metric/spec"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/report/composite"
	"tracerec/report/inputs"
	"tracerec/trace/tracetext"
)

var updateCounters = flag.Bool("update-counters", false, "rewrite the reports of the browser tests")

// Programs of the browser tests: traces, and the reports made of them, of the first with a specification.
const (
	countedInput = "../../report/web/ui/e2e/testdata/counters"
	waitingInput = "../../report/web/ui/e2e/testdata/waits"
	servingInput = "../../report/web/ui/e2e/testdata/requests"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

// TestCountersReportIsCurrent: the report of the browser tests is what its trace and specification give.
func TestCountersReportIsCurrent(t *testing.T) {
	e := analyzed(t, countedInput)
	e.Header.Frequency = 2_000_000_000
	s, err := spec.Load(countedInput + ".spec")
	require.NoError(t, err)
	require.NoError(t, composite.DeriveExperiment(e, s))
	require.NoError(t, analyzer.FindProperties(e, patterns.Properties()))
	current(t, e, countedInput)
}

// TestWaitsReportIsCurrent: so is the other one, which has all that findings can say.
func TestWaitsReportIsCurrent(t *testing.T) {
	e := analyzed(t, waitingInput)
	f := &e.Findings[1]
	suspected := slices.DeleteFunc(e.Sentences().StillWaiting(), func(w report.StillWaiting) bool { return w.Idle })
	require.Equal(t, []bool{true, true, true, true, true, true}, []bool{len(f.Lines) > 1, len(f.Onward) > 0, len(f.Counted) > 0, e.Ready() != nil,
		len(suspected) > 0, e.Sentences().Idle() != ""})
	current(t, e, waitingInput)
}

// TestRequestsReportIsCurrent: so is that of a service, which begins long after the trace and has a known problem.
func TestRequestsReportIsCurrent(t *testing.T) {
	e := analyzed(t, servingInput)
	require.Equal(t, "held_across_wait", e.Problem(&e.Findings[0]).Name)
	require.Len(t, e.Requests, 3)
	require.EqualValues(t, 1_000_000_000, e.Header.Begin)
	current(t, e, servingInput)
}

// analyzed analyzes a trace of the browser tests.
func analyzed(t *testing.T, input string) *report.Experiment {
	t.Helper()
	a, err := tracetext.Open(filepath.Base(input), readFile(t, input+".txt"))
	require.NoError(t, err)
	f := &requests.Finder{}
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait, Queued: f.Queued})
	require.NoError(t, err)
	require.NoError(t, f.Find(a, e))
	return e
}

// current requires that a report of the browser tests is an experiment.
func current(t *testing.T, e *report.Experiment, input string) {
	t.Helper()
	c, err := e.Report("test")
	require.NoError(t, err)
	var got bytes.Buffer
	require.NoError(t, c.Write(&got))
	if *updateCounters {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, err = z.Write(got.Bytes())
		require.NoError(t, err)
		require.NoError(t, z.Close())
		require.NoError(t, os.WriteFile(input+".cubex.gz", packed.Bytes(), 0o644))
	}
	in, err := inputs.Cube(input + ".cubex.gz")
	require.NoError(t, err)
	defer in.Close()
	kept, err := report.Read(in)
	require.NoError(t, err)
	again, err := kept.Report("test")
	require.NoError(t, err)
	var want bytes.Buffer
	require.NoError(t, again.Write(&want))
	require.Equal(t, want.String(), got.String(), "run go test ./cmd/expert -run ReportIsCurrent -update-counters")
}

func write(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "report.cubex")
	require.NoError(t, os.WriteFile(name, content, 0o644))
	return name
}

// TestSpec derives a trace by a specification, in text, JSON and a report, and the report again by another.
func TestSpec(t *testing.T) {
	dir := archive(t, readFile(t, countedInput+".txt"))
	file := filepath.Join(t.TempDir(), "x.cubex")
	status, text, stderr := expert("analyze", dir, "--spec", countedInput+".spec", "-o", file)
	require.Equal(t, 0, status, stderr)
	for _, want := range []string{"~CYCLES ", "unaccounted", "Ratios", "IPC", "Poor cache utilisation in solve at solve.go:10: 28.0 % of 3.10 M loads", "STALL_FP: fp_stall was not measured"} {
		require.Contains(t, text, want)
	}
	status, again, _ := expert("analyze", file)
	require.Equal(t, 0, status)
	require.Equal(t, text, again, "the report says the same as the trace")

	// The ratios of the text, of JSON and of the cube's own expressions are the same.
	status, text, _ = expert("analyze", file, "--format", "json")
	require.Equal(t, 0, status)
	var doc struct {
		Ratios []struct {
			Name      string
			Value     *float64
			Callpaths []struct {
				Callpath []string
				Value    float64
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	require.Len(t, doc.Ratios, 3)
	for _, r := range doc.Ratios {
		var table struct {
			Columns []struct{ Total *float64 }
			Rows    []struct {
				Callpath []string
				Values   map[string]*float64
			}
		}
		status, text, stderr = expert("stat", file, "--metrics", r.Name, "--callpaths", "--format", "json")
		require.Equal(t, 0, status, stderr)
		require.NoError(t, json.Unmarshal([]byte(text), &table))
		require.Equal(t, r.Value, table.Columns[0].Total, r.Name)
		want, got := map[string]float64{}, map[string]float64{}
		for _, p := range r.Callpaths {
			if p.Value != 0 {
				want[strings.Join(p.Callpath, "/")] = p.Value
			}
		}
		for _, row := range table.Rows {
			require.NotNil(t, row.Values[r.Name], "rows without a value are left out")
			got[strings.Join(row.Callpath, "/")] = *row.Values[r.Name]
		}
		require.NotEmpty(t, want)
		require.Equal(t, want, got, r.Name)
	}

	for _, command := range []string{"analyze", "stat"} {
		status, text, stderr = expert(command, file, "--spec", "papi")
		require.Equal(t, 0, status, stderr)
		require.NotContains(t, text, "STALL_FP", "derived again by another specification")
	}
	status, text, stderr = expert("stat", file, "--spec", "papi", "--metrics", "ACCESSES")
	require.Equal(t, 2, status, text)
	require.Contains(t, stderr, "ACCESSES")

	bad := filepath.Join(t.TempDir(), "bad.spec")
	require.NoError(t, os.WriteFile(bad, []byte("compose A = \n"), 0o644))
	oneLine(t, []string{"analyze", dir, "--spec", bad}, "--spec: "+bad+":2:1:")
	oneLine(t, []string{"analyze", dir, "--spec", "nothing"}, "nothing", "papi")
}

// TestDerivedReports: reports with hierarchies and ratios go through every command that takes reports.
func TestDerivedReports(t *testing.T) {
	one := countedInput + ".cubex.gz"
	out := filepath.Join(t.TempDir(), "out.cubex")
	for _, args := range [][]string{
		{"dump", one, "--metrics", "IPC"}, {"calltree", one, "--metric", "MISS_RATE"}, {"stat", one, "--metrics", "CYCLES,IPC", "--per-location"},
		{"diff", one, one, "-o", out}, {"mean", one, one, "-o", out}, {"merge", one, one, "-o", out}, {"cut", one, "--root", "run", "-o", out},
		{"export", one, "--to", "csv", "-o", filepath.Join(t.TempDir(), "x.csv")}, {"export", one, "--to", "html", "-o", filepath.Join(t.TempDir(), "x.html")},
	} {
		status, text, stderr := expert(args...)
		require.Equal(t, 0, status, "%v: %s", args, stderr)
		require.NotContains(t, text, "NaN", args)
		if args[0] == "mean" { // merging derives again
			status, text, stderr = expert("stat", out, "--metrics", "CYCLES,IPC")
			require.Equal(t, 0, status, stderr)
			_, want, _ := expert("stat", one, "--metrics", "CYCLES,IPC")
			require.Equal(t, want, text, "%s of equal reports", args[0])
		}
	}
	// What the counters say is said of a mean as well, in text, JSON and the page.
	require.Equal(t, 0, first(expert("mean", one, one, "-o", out)))
	_, text, _ := expert("analyze", out)
	require.Contains(t, text, "28.0 % of 3.10 M loads miss\n    the data cache")
	require.Contains(t, text, "page-faults: 10, and at most 10 more, attribution uncertain")
	require.Contains(t, text, "MISS_RATE                 2.2–2.3 %")
	require.Contains(t, text, "This is the mean of 2 runs")
	require.Equal(t, 1, strings.Count(text, "Where the time goes"))
	_, text, _ = expert("analyze", out, "--format", "json")
	require.Contains(t, text, `"ratios": [`)
	status, text, stderr := expert("check", one, "--max", "STALL=100%", "--max", "IPC=4", "--max", "MISS_RATE@solve=0.5")
	require.Equal(t, 0, status, text+stderr)
	status, text, _ = expert("check", one, "--max", "MISS_RATE@solve=0.2")
	require.Equal(t, 1, status, text)
}

func first(status int, _, _ string) int { return status }
