package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answer is what expert says of a recording, as far as it is judged here.
type answer struct {
	Verdict struct {
		Text    string `json:"text"`
		Certain bool   `json:"certain"`
		Metric  string `json:"metric"`
		Object  string `json:"object"`
		place
	} `json:"verdict"`
	Experiment struct {
		Focus int64 `json:"focus_ns"`
	} `json:"experiment"`
	CriticalPath map[string]int64 `json:"critical_path"`
	Findings     []struct {
		place
		Metric  string  `json:"metric"`
		Lines   []line  `json:"lines"`
		Causers []place `json:"causers"`
		Certain bool    `json:"certain"`
		Share   float64 `json:"share"`
		Object  *struct {
			Name string `json:"name"`
		} `json:"object"`
	} `json:"findings"`
}

type place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// line is a call path of a finding.
type line struct {
	place
	Callpath []string `json:"callpath"`
	Severity int64    `json:"severity_ns"`
}

// at says whether a place is one of lines.
func (p place) at(lines []place) bool {
	return slices.ContainsFunc(lines, func(l place) bool { return l.Line == p.Line && l.File == filepath.Base(p.File) })
}

// judgement is what became of one recording.
type judgement struct {
	first   bool // the planted cause comes first
	holds   bool // and is said to hold up most of the run
	certain bool // what comes first is said to be certain
	named   bool // its object has the planted name
	sums    bool // the parts of the critical path add up to the focus
	verdict string
}

// judge holds an answer against what was planted.
func (p *plant) judge(a *answer) judgement {
	j := judgement{certain: a.Verdict.Certain, verdict: a.Verdict.Text}
	if a.Verdict.Metric == "execution" && a.Verdict.at(p.works) { // that is what the waits come of
		j.certain = false
	}
	var sum int64
	for part, v := range a.CriticalPath {
		if strings.HasSuffix(part, "_ns") {
			sum += v
		}
	}
	j.sums = sum == a.Experiment.Focus && sum > 0
	if len(p.waits) == 0 || p.metric == "sleep" { // nobody waits for anybody in vain
		j.first, j.named = a.Verdict.Metric == p.metric, true
		j.holds = j.first
		return j
	}
	if len(a.Findings) == 0 || a.Findings[0].Metric != p.metric {
		return j
	}
	f := a.Findings[0]
	j.certain = j.certain || f.Certain
	j.first = f.at(p.waits)
	j.named = f.Object != nil && strings.Contains(f.Object.Name, p.object)
	if len(p.causes) > 0 && !slices.ContainsFunc(f.Causers, func(c place) bool { return c.at(p.causes) }) {
		j.first = false
	}
	j.holds = j.first && f.Share >= leastShare
	return j
}

// leastShare is the part of the run that a planted cause holds up at least, by construction, as finding says it.
const leastShare = 0.4

// tools are the programs under test, and where what they make is put.
type tools struct {
	dir, tracerec, expert string
}

var (
	all  = flag.Bool("all", false, "record all programs, for some minutes")
	only = flag.String("only", "", "record those only that match an expression")
)

func build(t *testing.T) tools {
	if !*all {
		t.Skip("make planted records all programs")
	}
	dir := t.TempDir()
	make := exec.Command("go", "build", "-o", dir+"/", "./cmd/tracerec", "./cmd/expert")
	make.Dir = "../.."
	out, err := make.CombinedOutput()
	require.NoError(t, err, string(out))
	return tools{dir, filepath.Join(dir, "tracerec"), filepath.Join(dir, "expert")}
}

// run records a scenario of a program and returns what expert says of it.
func (x tools) run(t *testing.T, program, scenario string) *answer {
	dir := filepath.Join(t.TempDir(), scenario)
	out, err := exec.Command(x.tracerec, "-o", dir, program, scenario).CombinedOutput()
	require.NoError(t, err, string(out))
	analyze := exec.Command(x.expert, "analyze", "--format", "json", dir)
	analyze.Stderr = os.Stderr
	out, err = analyze.Output()
	require.NoError(t, err)
	a := new(answer)
	require.NoError(t, json.Unmarshal(out, a))
	return a
}

// least is how many of the recorded scenarios must have their cause first.
const least = 38

func TestRecorded(t *testing.T) {
	x := build(t)
	plants := readPlants(t)
	program := x.program(t, plants, nil)
	first, holds, named := 0, 0, 0
	for _, p := range plants {
		a := x.run(t, program, p.name)
		j := p.judge(a)
		if j.first {
			first++
		}
		if j.holds {
			holds++
		}
		if j.named {
			named++
		}
		t.Logf("%-14s %-16s first %-5v holds %-5v certain %-5v named %-5v %s", p.name, p.metric, j.first, j.holds, j.certain, j.named, j.verdict)
		if !j.holds {
			t.Logf("  first: %s", a.summary())
		}
		assert.True(t, j.sums, "%s: the parts of the critical path add up to its length: %v, %d ns", p.name, a.CriticalPath, a.Experiment.Focus)
		assert.False(t, j.certain && !j.first, "%s: certain of something else: %s", p.name, j.verdict)
	}
	t.Logf("of %d: first %d, said to hold up most of the run %d, named %d", len(plants), first, holds, named)
	require.GreaterOrEqual(t, first, least)
}

// Three draws leave three tenths of go statements and operations unrecorded; two of them leave the planted wait and its causer alone.
func TestPartlyRecorded(t *testing.T) {
	x := build(t)
	plants := readPlants(t)
	var whole, first, wrong int
	for draw := range 3 {
		left := leaveOut(plants, uint64(draw), draw < 2)
		program := x.program(t, plants, left)
		for _, p := range plants {
			a := x.run(t, program, p.name)
			j, complete := p.judge(a), p.complete(left)
			if complete {
				whole++
			}
			switch {
			case j.first && complete:
				first++
			case !j.first && j.certain:
				wrong++
				t.Logf("draw %d: %s: certain of something else: %s: %s", draw, p.name, j.verdict, a.summary())
			case !j.first && complete:
				t.Logf("draw %d: %s (%s) is not first: %s: %s", draw, p.name, p.metric, j.verdict, a.summary())
			}
			assert.True(t, j.sums, "%s: the parts of the critical path add up to its length", p.name)
		}
	}
	t.Logf("%d runs; planted wait and causer recorded in %d, first in %d of these; certain of something else in %d", 3*len(plants), whole, first, wrong)
	require.GreaterOrEqual(t, 3*whole, 2*3*len(plants)-6) // of those in which goroutines wait
	require.Equal(t, whole, first)
	require.Zero(t, wrong)
}

// summary tells what came first, in a line.
func (a *answer) summary() string {
	s := ""
	for i, f := range a.Findings[:min(2, len(a.Findings))] {
		object := ""
		if f.Object != nil {
			object = f.Object.Name
		}
		s += fmt.Sprintf("%d. %s %.0f %% %s %s:%d causers %v; ", i+1, f.Metric, 100*f.Share, object, filepath.Base(f.File), f.Line, f.Causers)
	}
	return s
}
