package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runs is how often each program is recorded in either way, and many how often where that differs from run to run.
const (
	runs = 5
	many = 45
)

// waitsOf returns the time that was waited so at each call path of the planted waits, in parts per million of the run: where the machine does more
// than this, runs take longer, and waits with them.
func (p *plant) waitsOf(a *answer) map[string]int64 {
	times := map[string]int64{}
	for _, f := range a.Findings {
		for _, l := range f.Lines {
			if f.Metric == p.metric && l.at(p.waits) {
				times[filepath.Base(l.File)+":"+strings.Join(l.Callpath, " > ")] += l.Severity * 1e6 / a.Experiment.Focus
			}
		}
	}
	return times
}

// durations are the sorted times that were waited at a call path in several runs.
type durations []int64

func (d durations) median() int64 { return d[len(d)/2] }

// quartiles are the bounds of the middle half.
func (d durations) quartiles() (int64, int64) { return d[len(d)/4], d[len(d)-1-len(d)/4] }

// varies tells whether the runs but the shortest and the longest differ by more than 5 %.
func (d durations) varies() bool {
	return float64(d[len(d)-2]-d[1]) > 0.05*float64(d.median())
}

// bothWays are the times at each call path where the program waits in all runs, as the runtime recorded it and as the rewritten program did, with a
// median far above the noise.
type bothWays map[string][2]durations

// recordBothWays runs p n times in turns, as two programs.
func (x tools) recordBothWays(t *testing.T, p *plant, programs [2]string, n int) bothWays {
	times := [2]map[string]durations{{}, {}}
	for range n {
		for way, program := range programs {
			for path, v := range p.waitsOf(x.run(t, program, p.name)) {
				times[way][path] = append(times[way][path], v)
			}
		}
	}
	both := bothWays{}
	for path, a := range times[0] {
		b := times[1][path]
		slices.Sort(a)
		slices.Sort(b)
		if len(a) == n && a.median() > noise {
			require.Len(t, b, n, "%s: %s", p.name, path)
			both[path] = [2]durations{a, b}
		}
	}
	return both
}

func (b bothWays) vary() bool {
	for _, ways := range b {
		if ways[0].varies() || ways[1].varies() {
			return true
		}
	}
	return false
}

// What is planted far above the noise is as long, for the length of the run, whether the runtime records it or the rewritten program: within 5 % for each
// call path, in the median of five runs. Where who comes first is chance, so that runs of one way differ by more than that, there are many runs, and the
// median of either way lies in the middle half of the other's.
func TestBothWays(t *testing.T) {
	x := build(t)
	programs := [2]string{x.plainProgram(t), x.plainProgram(t, "--rewrite")}
	compared := 0
	for _, p := range readPlants(t) {
		if slices.Contains(noPlainForm, p.name) || len(p.waits) == 0 {
			continue
		}
		both := x.recordBothWays(t, p, programs, runs)
		if both.vary() {
			both = x.recordBothWays(t, p, programs, many)
		}
		for path, ways := range both {
			compared++
			one, other := ways[0].median(), ways[1].median()
			t.Logf("%-14s %-16s %-50s %5.1f %% %5.1f %% %+.1f %% in %d runs", p.name, p.metric, path, float64(one)/1e4, float64(other)/1e4, 100*float64(other-one)/float64(one), len(ways[0]))
			if len(ways[0]) == runs {
				assert.InEpsilon(t, one, other, 0.05, "%s: %s", p.name, path)
				continue
			}
			from, to := ways[1].quartiles()
			assert.True(t, from <= one && one <= to, "%s: %s: %d, %v", p.name, path, one, ways[1])
			from, to = ways[0].quartiles()
			assert.True(t, from <= other && other <= to, "%s: %s: %d, %v", p.name, path, other, ways[0])
		}
	}
	require.GreaterOrEqual(t, compared, 30)
}

// noise is how much longer waits are by chance, in a run of some hundred milliseconds: what is compared is twenty times as long.
const noise = 20 * 5000
