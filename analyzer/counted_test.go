package analyzer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive"
	"tracerec/internal/naive/random"
	"tracerec/report"
	"tracerec/trace/tracetext"
)

// finding translates a finding.
func (t *translation) finding(f *report.Finding) {
	out := naive.Finding{Lines: map[naive.Line]int64{}, Critical: f.Critical, Counted: t.counts(f.Counted)}
	for _, l := range f.Lines {
		out.Lines[naive.Line{Metric: t.x.Metrics[l.Metric].Name, Path: t.paths[l.Path], Group: t.group(l.Group)}] += l.Severity
	}
	t.out.Findings = append(t.out.Findings, out)
}

func (t *translation) counts(list []report.Count) map[string]naive.Count {
	out := map[string]naive.Count{}
	for _, c := range list {
		count := naive.Count{AtLeast: c.AtLeast, Open: c.AtMost == nil}
		if c.AtMost != nil {
			count.AtMost = *c.AtMost
		}
		out[t.x.Metrics[c.Metric].Name] = count
	}
	return out
}

// countedDifferences lists the first findings that the oracle does not have.
func countedDifferences(got, want *naive.Result) (lines []string) {
	var all []string
	for _, f := range want.Findings {
		all = append(all, fmt.Sprint(f))
	}
	for _, f := range got.Findings[:min(5, len(got.Findings))] {
		if text := fmt.Sprint(f); !slices.Contains(all, text) {
			lines = append(lines, fmt.Sprintf("finding: engine %s, oracle %q", text, all))
		}
	}
	return lines
}

// counted analyzes a trace and returns what the first finding and the whole critical path counted.
func counted(t *testing.T, text string) (finding, path map[string]naive.Count) {
	a, err := tracetext.Open("trace", text)
	require.NoError(t, err)
	r := result(a, analyze(t, a, 2))
	return r.Findings[0].Counted, r.PathCounts
}

// While main waits from 10 to 70, the sender counts 100 certainly, as much as 30 in a stretch that began before, and less than 7 in one
// after which it is on another thread. What the process counted may have been anybody's.
func TestCounted(t *testing.T) {
	finding, path := counted(t, `
counterset cycles faults go:heap
channel ch
location main
  0 enter main
  0 create w
  10 recv ch @a.go:1
  12 blocked
  72 leave
  100 exit
  100 end
location w
  0 begin w by main
  5 counters 256 1000 10 50
  5 enter prepare
  40 counters 256 1030 10 50
  40 exit
  40 enter pack
  60 counters 256 1130 10 58
  60 exit
  65 counters 512 5 0 58 7 0 0
  70 send ch @b.go:1
  73 leave
  80 end
`)
	require.Equal(t, map[string]naive.Count{"cycles": {AtLeast: 100, AtMost: 137}, "faults": {}, "go:heap": {AtMost: 8}}, finding)
	require.Equal(t, map[string]naive.Count{"cycles": {AtLeast: 130, AtMost: 137}, "faults": {}, "go:heap": {AtMost: 8}}, path)
}

// A stretch of which nothing is known leaves the bound open; a counter without samples in the waiting is not told of.
func TestCountedOpen(t *testing.T) {
	text := `
counterset cycles
mutex m
location main
  0 enter main
  0 create w
  1 lock m @a.go:1
  2 leave
%s
  50 unlock m
  60 exit
  90 end
location w
  0 begin w by main
  10 lock m @b.go:1
  11 blocked
  51 leave
  52 unlock m
  60 end
`
	finding, path := counted(t, fmt.Sprintf(text, " 20 counters 256 5\n 30 counters 256 9\n 40 counters 512 2"))
	require.Equal(t, map[string]naive.Count{"cycles": {AtLeast: 4, Open: true}}, finding)
	require.Equal(t, finding, path)
	finding, path = counted(t, fmt.Sprintf(text, " 20 counters 256 5"))
	require.Empty(t, finding)
	require.Empty(t, path)
}

// The random traces that are compared with the oracle have certain and uncertain counts, in findings too.
func TestCountedIsTold(t *testing.T) {
	certain, bounded, open := 0, 0, 0
	for seed := uint64(0); seed < 400 && min(certain, bounded, open) == 0; seed++ {
		a, err := tracetext.Open("random", random.Trace(seed))
		require.NoError(t, err)
		for _, f := range analyze(t, a, 2).Findings {
			for _, c := range f.Counted {
				switch {
				case c.AtMost == nil:
					open++
				case c.AtLeast > 0:
					certain++
				default:
					bounded++
				}
			}
		}
	}
	require.NotZero(t, certain)
	require.NotZero(t, bounded)
	require.NotZero(t, open)
}
