package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// runs is how often each program is recorded in either way.
const runs = 5

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

// What is planted far above the noise is as long, for the length of the run, whether the runtime records it or the rewritten program: within 5 % for each
// call path, in the median of five runs. Where who comes first is chance, so that runs of one way differ by more than that, the median of either way
// is among the runs of the other.
func TestBothWays(t *testing.T) {
	x := build(t)
	ways := map[string]string{"runtime": x.plainProgram(t), "rewritten": x.plainProgram(t, "--rewrite")}
	compared := 0
	for _, p := range readPlants(t) {
		if slices.Contains(noPlainForm, p.name) || len(p.waits) == 0 {
			continue
		}
		times := map[string]map[string][]int64{"runtime": {}, "rewritten": {}}
		for range runs {
			for way, program := range ways {
				for path, v := range p.waitsOf(x.run(t, program, p.name)) {
					times[way][path] = append(times[way][path], v)
				}
			}
		}
		for path, a := range times["runtime"] {
			b := times["rewritten"][path]
			one, other := median(a), median(b)
			t.Logf("%-14s %-16s %-50s %5.1f %% %5.1f %% %+.1f %%", p.name, p.metric, path, float64(one)/1e4, float64(other)/1e4, 100*float64(other-one)/float64(one))
			if len(a) == runs && one > noise {
				compared++
				if len(b) == runs && max(spread(a), spread(b)) > 0.05 {
					assert.True(t, a[0] <= other && other <= a[runs-1] && b[0] <= one && one <= b[runs-1], "%s: %s: %v %v", p.name, path, a, b)
					continue
				}
				assert.InEpsilon(t, one, other, 0.05, "%s: %s", p.name, path)
			}
		}
	}
	require.GreaterOrEqual(t, compared, 30)
}

// noise is how much longer waits are by chance, in a run of some hundred milliseconds: what is compared is twenty times as long.
const noise = 20 * 5000

// spread is by how much sorted runs differ, the first and the last left out.
func spread(sorted []int64) float64 {
	return float64(sorted[runs-2]-sorted[1]) / float64(sorted[runs/2])
}

func median(list []int64) int64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}
