package analyzer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/naive"
	"tracerec/internal/naive/random"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

// onward returns the findings about whose causers the engine says something that the oracle says of no cause.
func onward(a *trace.Archive, x *report.Experiment, want *naive.Result) (lines []string) {
	causes := map[string]map[naive.Onward]int64{}
	for k, v := range want.Onward {
		cause := k.Cause
		k.Cause = ""
		if causes[cause] == nil {
			causes[cause] = map[naive.Onward]int64{}
		}
		causes[cause][k] = v
	}
	oracle := map[string]int{}
	for _, c := range causes {
		oracle[fmt.Sprint(c)]++
	}
	t := translate(a, x)
	for i, f := range x.Findings[:min(5, len(x.Findings))] {
		if f.Awaited == 0 {
			continue
		}
		c := map[naive.Onward]int64{{Group: -1}: f.Awaited}
		for _, o := range f.Onward {
			c[naive.Onward{Path: t.paths[o.Path], Group: t.group(o.Group)}] += o.Time
		}
		if oracle[fmt.Sprint(c)]--; oracle[fmt.Sprint(c)] < 0 {
			lines = append(lines, fmt.Sprintf("onward of finding %d: engine %v, oracle has only %v", i, c, causes))
		}
	}
	return lines
}

// The stages of a pipeline: main waits for the writer from 10 to 90, which waits itself until 60 and works for 10 more before it writes.
// The path goes on from the writer to the reader at 60. While main waits, the writer is on the path for 30 ns.
func TestOnward(t *testing.T) {
	a, err := tracetext.Open("trace", `
channel out
channel in
location main
  0 enter main
  0 create writer
  0 create reader
  10 recv out @a.go:1
  12 blocked
  92 leave
  100 exit
  100 end
location writer
  0 begin writer by main
  20 recv in @b.go:1
  21 blocked
  62 leave
  62 enter write
  90 exit
  90 send out @b.go:2
  91 leave
  95 end
location reader
  0 begin reader by main
  60 send in @c.go:1
  61 leave
  65 end
`)
	require.NoError(t, err)
	e := analyze(t, a, 2)
	f := find(t, e, "recv@a.go:1")
	require.EqualValues(t, 80, f.Awaited)
	require.EqualValues(t, 30, f.Critical)
	require.Len(t, f.Onward, 1)
	o := f.Onward[0]
	require.Equal(t, []string{"recv"}, e.CallPath(o.Path))
	require.Equal(t, "reader", e.Groups[o.Group].Name)
	require.EqualValues(t, 40, o.Time) // the rest, from 10 to 20, it was at work off the path
	g := find(t, e, "recv@b.go:1")
	require.EqualValues(t, 40, g.Awaited)
	require.Empty(t, g.Onward, "the reader waited for nobody")
}

// find returns the finding with a line at an operation.
func find(t *testing.T, e *report.Experiment, operation string) *report.Finding {
	t.Helper()
	i := slices.IndexFunc(e.Findings, func(f report.Finding) bool {
		r := e.Regions[e.Paths[f.Path].Region]
		return fmt.Sprintf("%s@%s:%d", r.Name, r.File, r.Line) == operation
	})
	require.GreaterOrEqual(t, i, 0)
	return &e.Findings[i]
}

// What the causers did on the path and what they waited for is never longer than they were waited for.
func TestOnwardIsPartOfTheTimeAwaited(t *testing.T) {
	told := 0
	for seed := range seeds(700) { // waits for the network are not awaited, and among the first
		a, err := tracetext.Open("random", random.Trace(seed))
		require.NoError(t, err)
		e := analyze(t, a, 2)
		for i, f := range e.Findings[:min(5, len(e.Findings))] {
			rest := f.Awaited - f.Critical
			for _, o := range f.Onward {
				require.Positive(t, o.Time)
				rest -= o.Time
			}
			require.GreaterOrEqual(t, rest, int64(0), "seed %d, finding %d", seed, i)
			told += len(f.Onward)
		}
	}
	require.Greater(t, told, int(seeds(450)/12), "findings whose causers waited")
}
