package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tracedMain lets a program write its execution trace to the file that the environment names, from the begin of main to its end.
const tracedMain = `package main

import (
	"os"
	"runtime/trace"
)

func traced() func() {
	name := os.Getenv("PLANTED_TRACE")
	if name == "" {
		return func() {}
	}
	f, err := os.Create(name)
	if err == nil {
		err = trace.Start(f)
	}
	if err != nil {
		panic(err)
	}
	return func() { trace.Stop(); f.Close() }
}
`

// bothSources records a scenario and lets it write its execution trace in the same run, and returns what expert says of each.
func (x tools) bothSources(t *testing.T, program, scenario string) (sources [2]*answer) {
	dir := t.TempDir()
	inputs := [2]string{filepath.Join(dir, scenario+".dir"), filepath.Join(dir, scenario+".trace")}
	record := exec.Command(x.tracerec, "-o", inputs[0], program, scenario)
	record.Env = append(os.Environ(), "PLANTED_TRACE="+inputs[1])
	out, err := record.CombinedOutput()
	require.NoError(t, err, string(out))
	for i, input := range inputs {
		analyze := exec.Command(x.expert, "analyze", "--format", "json", "--top", "100000", input)
		analyze.Stderr = os.Stderr
		out, err := analyze.Output()
		require.NoError(t, err)
		sources[i] = new(answer)
		require.NoError(t, json.Unmarshal(out, sources[i]))
	}
	return sources
}

// waitsAt returns for how long goroutines waited for each other, at each place. What nobody ended is left out: the execution trace ends before the run does.
func (a *answer) waitsAt() map[place]int64 {
	times := map[place]int64{}
	for _, f := range a.Findings {
		if f.Metric == "external_wait" || f.Metric == "timer_wait" || slices.Contains(differ, f.Metric) {
			continue
		}
		for _, l := range f.Lines {
			if strings.HasSuffix(l.File, recordersOwn) {
				continue
			}
			times[place{filepath.Base(l.File), l.Line}] += l.Severity
		}
	}
	return times
}

// What differs and why: the recorder's own lock is seen by an execution trace only. A recording knows when data was written to a connection,
// an execution trace when the runtime, which looks now and then, made the reader ready.
const (
	recordersOwn = "shm/mutex.go"
	far          = 20 * noise // the difference of sources is some microseconds for each wait
	slack        = 1e6        // where waiting for a lock ends, and waking up begins, they do not agree
)

var differ = []string{"network", "late_peer"}

// What a program waits for is found in the same time at the same places, whether it is recorded or writes an execution trace, both in one run.
func TestSameRun(t *testing.T) {
	x := build(t)
	program := x.plainProgram(t)
	compared := 0
	for _, p := range readPlants(t) {
		if slices.Contains(noPlainForm, p.name) || p.name == "service" { // which is killed before the trace is written
			continue
		}
		both := x.bothSources(t, program, p.name)
		recorded, traced := both[0].waitsAt(), both[1].waitsAt()
		for at, a := range recorded {
			if b := traced[at]; max(a, b) > far {
				compared++
				t.Logf("%-14s %20s:%-4d %10d %10d us %+6.2f %%", p.name, at.File, at.Line, a/1e3, b/1e3, 100*float64(b-a)/float64(a))
				assert.InDelta(t, a, b, 0.05*float64(a)+slack, "%s: %v", p.name, at)
			}
			delete(traced, at)
		}
		for at, b := range traced {
			assert.Less(t, b, int64(far), "%s: %v: %d us in the execution trace only", p.name, at, b/1e3)
		}
		t.Logf("   %s", both[0].Verdict.Text)
		t.Logf("   %s", both[1].Verdict.Text)
	}
	require.GreaterOrEqual(t, compared, 50)
}
