// Package examples_test records the examples with tracerec, analyzes the traces with expert, and holds the
// result against what was planted in them.
package examples_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// binary returns the file of a command of ours or of an example.
func binary(t *testing.T, name string) string {
	t.Helper()
	if name == "tracerec" || name == "expert" {
		return testkit.Build(t, nil, "tracerec/cmd/"+name)
	}
	return testkit.Build(t, nil, "./"+name)
}

// attempt is a [require.TestingT] that notes what is wrong.
type attempt struct{ wrong strings.Builder }

func (a *attempt) Errorf(format string, args ...any) { fmt.Fprintf(&a.wrong, format, args...) }

func (a *attempt) FailNow() { runtime.Goexit() }

// undisturbed runs a check of measured times again, many times, if it finds something wrong: what else runs on the machine may disturb
// most runs, while what an analysis does wrong it does in all.
func undisturbed(t *testing.T, check func(t require.TestingT)) {
	t.Helper()
	const most = 50
	for try := 1; ; try++ {
		var a attempt
		var done sync.WaitGroup
		done.Go(func() { check(&a) })
		done.Wait()
		if a.wrong.Len() == 0 {
			return
		}
		if t.Logf("run %d of %d: %s", try, most, &a.wrong); try == most {
			t.FailNow()
		}
	}
}

// analysis is what expert says about a trace.
type analysis struct {
	Experiment struct {
		Lost uint64 `json:"lost_events"`
	} `json:"experiment"`
	Metrics []struct {
		Name  string `json:"name"`
		Total int64  `json:"total"`
	} `json:"metrics"`
	Verdict struct {
		Text string `json:"text"`
	} `json:"verdict"`
	Findings []finding `json:"findings"`
	Warnings []string  `json:"warnings"`

	rows []row // of expert dump
}

type place struct {
	CallPath []string `json:"callpath"`
	File     string   `json:"file"`
	Line     int      `json:"line"`
}

type finding struct {
	line
	Object *struct {
		Name string `json:"name"`
		Type string `json:"type"`
	} `json:"object"`
	Lines  []line `json:"lines"`
	Advice string `json:"advice"`
}

// line is what a finding says of one place of waiting.
type line struct {
	Metric string `json:"metric"`
	place
	Severity  int64    `json:"severity_ns"`
	Critical  int64    `json:"critical_ns"`
	Locations []string `json:"locations"`
	Causers   []struct {
		place
		Severity  int64    `json:"severity_ns"`
		Locations []string `json:"locations"`
	} `json:"causers"`
}

// lines are the places of waiting of all findings.
func (a *analysis) lines() (all []line) {
	for _, f := range a.Findings {
		all = append(all, f.Lines...)
	}
	return all
}

type row struct {
	Metric string `json:"metric"`
	place
	Location string `json:"location"`
	Value    int64  `json:"value"`
}

// record runs one of the examples under tracerec, puts what it prints into truth as JSON unless that is
// nil, and analyzes the trace.
func record(t *testing.T, truth any, program string, args ...string) *analysis {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("no recording on ", runtime.GOOS)
	}
	dir := filepath.Join(t.TempDir(), "trace.dir")
	out := execute(t, "tracerec", slices.Concat([]string{"-o", dir, "--", binary(t, program)}, args)...)
	if truth != nil {
		require.NoError(t, json.Unmarshal(out, truth))
	}
	a := new(analysis)
	require.NoError(t, json.Unmarshal(execute(t, "expert", "analyze", "--format", "json", dir), a))
	require.NoError(t, json.Unmarshal(execute(t, "expert", "dump", "--format", "json", dir), &a.rows))
	require.Zero(t, a.Experiment.Lost)
	return a
}

// execute runs a built program to a successful end and returns its output.
func execute(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(binary(t, program), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s %v\n%s%s", program, args, &stdout, &stderr)
	return stdout.Bytes()
}

// value sums a metric over all call paths that lead through region, or all there are if that is empty.
func (a *analysis) value(metric, region string) (sum int64) {
	for _, r := range a.rows {
		if r.Metric == metric && (region == "" || slices.Contains(r.CallPath, region)) {
			sum += r.Value
		}
	}
	return sum
}

// caused sums what findings of a metric, waiting somewhere below region, charge to causers somewhere below causer.
func (a *analysis) caused(metric, region, causer string) (sum int64) {
	for _, f := range a.lines() {
		if f.Metric != metric || !slices.Contains(f.CallPath, region) {
			continue
		}
		for _, c := range f.Causers {
			if slices.Contains(c.CallPath, causer) {
				sum += c.Severity
			}
		}
	}
	return sum
}

// same sums what is charged to causers somewhere below causer for the wait that f is about: of the same kind
// at the same place in the program.
func (a *analysis) same(f finding, causer string) (sum int64) {
	for _, g := range a.lines() {
		if g.Metric == f.Metric && g.File == f.File && g.Line == f.Line {
			for _, c := range g.Causers {
				if slices.Contains(c.CallPath, causer) {
					sum += c.Severity
				}
			}
		}
	}
	return sum
}
