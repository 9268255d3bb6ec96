//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/autoinst/exact"
	"tracerec/campaign"
	"tracerec/metric/spec"
	"tracerec/recorder"
	"tracerec/report/composite"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// storesSpec is a specification for it: no run can watch more than two of its variables.
const storesSpec = `compose STORES = A + B + C
measure A = "mem:main.a/8:w"
measure B = "mem:main.b/8:w"
measure C = "mem:main.c/8:w"
ratio A_TO_C [unit="stores to a for each to c" low=0 high=10 least=1] = A / C
`

// watchedProgram builds the program and writes the specification, or skips the test where nothing can be watched.
func watchedProgram(t *testing.T) (counted, specFile string) {
	t.Helper()
	counted = program(t, "counted")
	if err := recorder.Countable([]string{"mem:main.a/8:w"}, counted); err != nil {
		t.Skip("no watchpoints here: ", err)
	}
	specFile = filepath.Join(t.TempDir(), "stores.spec")
	require.NoError(t, os.WriteFile(specFile, []byte(storesSpec), 0o666))
	return counted, specFile
}

// merged opens the report of a campaign.
func merged(t *testing.T, dir string) *cube.Cube {
	t.Helper()
	c, err := cube.Open(filepath.Join(dir, "campaign.cubex"))
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func totalOf(t *testing.T, c *cube.Cube, name string) int64 {
	t.Helper()
	m := c.Metric(name)
	require.NotNil(t, m, name)
	v, err := m.Total()
	require.NoError(t, err)
	return v.Int64()
}

func cubeAttr(list []cube.Attr, key string) string {
	for _, a := range list {
		if a.Key == key {
			return a.Value
		}
	}
	return ""
}

func readRecord(t *testing.T, dir string) (r campaign.Record) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "campaign.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	return r
}

// Three variables are more than one run can watch: the composition, and the ratio of counters that no run had both of, are
// of two runs together.
func TestCampaign(t *testing.T) {
	program, specFile := watchedProgram(t)
	dir := filepath.Join(t.TempDir(), "c")
	r := record(t, "campaign", "-o", dir, "--spec", specFile, program)
	require.Equal(t, 0, r.status, r.stderr)
	require.Equal(t, "stored\nstored\n", r.stdout, "what the program prints goes through, in all runs")
	require.Contains(t, r.stderr, "2 sets planned: 3 events need 2 counters, one each in a set")
	require.Contains(t, r.stderr, "2 runs of 2 sets merged into "+dir+"/campaign.cubex")
	require.NotContains(t, r.stderr, "do not agree")

	c := merged(t, dir)
	all := c.Metric("STORES")
	require.Equal(t, "STORES", all.Title, "complete")
	for name, truth := range map[string]int64{"A": 500, "B": 200, "C": 300} {
		require.LessOrEqual(t, totalOf(t, c, name), truth, name)
	}
	require.GreaterOrEqual(t, totalOf(t, c, "STORES"), int64(1000), "what is uncertain included")
	require.LessOrEqual(t, totalOf(t, c, "STORES")-totalOf(t, c, "STORES_uncertain"), int64(1000))
	require.Equal(t, "true", cubeAttr(c.Metric("A_TO_C").Attrs, query.RatioAttr))

	rec := readRecord(t, dir)
	require.Len(t, rec.Sets, 2)
	require.Equal(t, "campaign.cubex", rec.Report)
	for _, run := range rec.Runs {
		require.Zero(t, run.Status)
		clean(t, filepath.Join(dir, run.Trace))
		one, err := cube.Open(filepath.Join(dir, run.Report))
		require.NoError(t, err)
		require.Equal(t, "~STORES", one.Metric("STORES").Title, "no run has all")
		specs, err := spec.Choose(spec.CPU{}, specFile)
		require.NoError(t, err)
		again, err := composite.Derive(one, specs...)
		require.NoError(t, err)
		require.Equal(t, hierarchies(t, one), hierarchies(t, again.Cube), "the analysis of one run derives the same")
		one.Close()
	}
}

// hierarchies lists the metrics that are made of counters: name, title, parent, and total.
func hierarchies(t *testing.T, c *cube.Cube) (list []string) {
	t.Helper()
	for _, m := range c.AllMetrics() {
		if cubeAttr(m.Attrs, query.HierarchyAttr) == "" || m.Ghost || m.Kind.Derived() {
			continue
		}
		parent := ""
		if m.Parent != nil {
			parent = m.Parent.Name
		}
		list = append(list, fmt.Sprintf("%s %q below %q: %d", m.Name, m.Title, parent, totalOf(t, c, m.Name)))
	}
	require.NotEmpty(t, list)
	return list
}

// What is not available is left out, told, and noted in the report.
func TestCampaignMissing(t *testing.T) {
	program, specFile := watchedProgram(t)
	dir := filepath.Join(t.TempDir(), "c")
	r := record(t, "campaign", "-o", dir, "--spec", specFile, "--repeat", "2", "-c", "mem:main.a/8:w,no-such-event", "-c", "mem:main.nothing/8:w", "-c", "task-clock", program)
	require.Equal(t, 0, r.status, r.stderr)
	require.Contains(t, r.stderr, "2 counters left out: no-such-event: ")
	require.Contains(t, r.stderr, "has no variable main.nothing")
	require.Contains(t, r.stderr, "4 runs of 2 sets merged")
	c := merged(t, dir)
	require.Equal(t, "~STORES", c.Metric("STORES").Title)
	require.Contains(t, cubeAttr(c.Attrs, "counters not available"), "no-such-event: ")
	require.Equal(t, "task-clock", cubeAttr(c.Attrs, "counters in no hierarchy"))
	require.Len(t, readRecord(t, dir).Missing, 2)
	require.FileExists(t, filepath.Join(dir, "set1-2.cubex"))

	r = record(t, "campaign", "-o", dir, "-c", "no-such-event", program)
	require.Equal(t, 2, r.status)
	require.Contains(t, r.stderr, "no counter is available here: no-such-event")
	require.FileExists(t, filepath.Join(dir, "campaign.cubex"), "nothing was done")
}

func TestCampaignFailures(t *testing.T) {
	program, specFile := watchedProgram(t)
	base := t.TempDir()
	measure := func(dir, bad string) result {
		return record(t, "campaign", "-o", filepath.Join(base, dir), "--spec", specFile, "-c", "mem:main.a/8:w,mem:main.b/8:w", "-c", "mem:main.c/8:w", program,
			filepath.Join(base, dir+".runs"), bad)
	}
	r := measure("second", "2")
	require.Equal(t, 1, r.status, r.stderr)
	require.Contains(t, r.stderr, "run 2, set2: left out: the program ended with status 3")
	c := merged(t, filepath.Join(base, "second"))
	require.Equal(t, "~STORES", c.Metric("STORES").Title, "C is lacking")
	require.NotNil(t, c.Metric("A"))
	require.Equal(t, "run 2, set2: the program ended with status 3", cubeAttr(c.Attrs, "runs left out"))
	require.FileExists(t, filepath.Join(base, "second", "set2.cubex"), "kept")

	r = measure("all", "0")
	require.Equal(t, 3, r.status, r.stderr)
	require.Equal(t, "STORES", merged(t, filepath.Join(base, "all")).Metric("STORES").Title, "that is how it ends")

	// An older campaign is kept, anything else left alone.
	require.NoError(t, os.Remove(filepath.Join(base, "all.runs")))
	r = measure("all", "9")
	require.Equal(t, 0, r.status, r.stderr)
	require.Regexp(t, `the older \S.*/all is now \S.*/all-\d{8}-\d{6}`, r.stderr)
	older, err := filepath.Glob(filepath.Join(base, "all-*", "campaign.cubex"))
	require.NoError(t, err)
	require.Len(t, older, 1)
	require.NoError(t, os.MkdirAll(filepath.Join(base, "mine", "work"), 0o777))
	r = measure("mine", "9")
	require.Equal(t, 2, r.status)
	require.Contains(t, r.stderr, "mine: exists and is not the directory of a campaign; choose another name")
}

func TestCampaignUse(t *testing.T) {
	counted := program(t, "counted")
	dir := filepath.Join(t.TempDir(), "c")
	for _, c := range []struct {
		args   []string
		status int
		stderr string
	}{
		{nil, 2, "no program to record"},
		{[]string{"--repeat", "0", counted}, 2, "--repeat 0: must be at least 1"},
		{[]string{"--spec", "nonsense", counted}, 2, "--spec: specification nonsense: no such file"},
		{[]string{"-c", ",", counted}, 2, `-c ",": no counters`},
		{[]string{"-c", "task-clock,task-clock", counted}, 2, "task-clock is in it twice"},
		{[]string{"-o", "", "-c", "task-clock", counted}, 2, "the name of the directory is empty"},
		{[]string{"./no-such-program"}, 127, "./no-such-program: no such file or directory"},
		{[]string{"-n", "-c", "task-clock", counted}, 0, "set 1, set1: task-clock"},
	} {
		args := append([]string{"campaign", "-o", dir}, c.args...)
		r := record(t, args...)
		require.Equal(t, c.status, r.status, r.stderr)
		require.Contains(t, r.stderr, c.stderr)
		require.NoDirExists(t, dir)
	}
}

// A dry run says so if a set does not fit, and lists little of what is left out.
func TestCampaignDry(t *testing.T) {
	program, _ := watchedProgram(t)
	require.False(t, exact.Built(program))
	dir := filepath.Join(t.TempDir(), "c")
	r := record(t, "campaign", "-n", "-o", dir, "-c", "mem:main.a/8:w,mem:main.b/8:w,mem:main.c/8:w", "-c", "task-clock", program)
	require.Equal(t, 1, r.status, r.stderr)
	require.Contains(t, r.stderr, "set 1, set1: cannot be measured: 3 watchpoints, but one run has at most 2")
	require.NotContains(t, r.stderr, "set 2, set2: cannot")
	require.NoDirExists(t, dir)
}

// Whoever interrupts a campaign gets what was measured until then.
func TestCampaignInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "c")
	cmd := tracerec("campaign", "-o", dir, "-c", "task-clock", "-c", "page-faults", "sh", "-c",
		`"$0" exit 0; if [ -e "$1/set1.cubex" ]; then kill -INT $$; fi`, program(t, "subject"), dir)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 130, cmd.ProcessState.ExitCode(), "%s", out)
	require.Contains(t, string(out), "interrupted: no more runs; what this run measured is kept in "+dir+"/set2.trace")
	require.Contains(t, string(out), "1 run of 2 sets merged")
	require.NotNil(t, merged(t, dir).Metric("task-clock"))
	require.Equal(t, "interrupted", readRecord(t, dir).Runs[1].Error)
}
