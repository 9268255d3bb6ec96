package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/trace/tracetext"
)

// TestVisits: what goroutines begin with is visited once by each. If it is a region, too, it is visited as often as it is entered.
func TestVisits(t *testing.T) {
	const text = `
location main
 0 enter main
 0 create w
 0 create x
 0 create p
 100 exit
location w
 1 begin "main.work" by main @m.go:3(main.work)
 2 enter main.work @m.go:3(main.work)
 3 enter main.work @m.go:3(main.work)
 4 exit
 90 exit
 90 end
location x
 1 begin "main.work" by main @m.go:3(main.work)
 5 enter main.work @m.go:3(main.work)
 80 exit
 80 end
location p
 1 begin "main.plain" by main
 70 end
`
	require.NotContains(t, strings.Join(compare(t, text), "\n"), "visits") // what else there is in it, the other engine knows by name only
	e, visits := analyzeText(t, text), map[string]int64{}
	for i := range e.Metrics {
		if e.Metrics[i].Name != metric.Visits {
			continue
		}
		for _, c := range e.Cells(i) {
			visits[e.Regions[e.Paths[c.Path].Region].Name] += c.Value
		}
	}
	require.Equal(t, map[string]int64{"main": 1, "main.work": 3, "main.plain": 1, "(goroutine)": 1, "create": 3}, visits)
}

// TestTooShort: the time of functions whose visits are not recorded is that of who called them, and the verdict says so.
func TestTooShort(t *testing.T) {
	const begin, rest = "process main processors 2\n", `
location main
 0 running on 0
 0 enter main @m.go:1(main.main)
 0 enter main.large @m.go:3(main.large)
 900000 exit
 1000000 exit
`
	require.Equal(t, "No waiting was found; 90.0 % of the critical path is work in main.large at m.go:3.", verdictOf(t, begin+rest))
	require.Equal(t, "No waiting was found; 90.0 % of the critical path is work in main.large at m.go:3 (with what it calls that was too short to record).",
		verdictOf(t, begin+"warning \"visits of main.tiny that were too short and too many to record\" 70000\n"+rest))
}

func verdictOf(t *testing.T, text string) string {
	a, err := tracetext.Open("text", text)
	require.NoError(t, err)
	return strings.ReplaceAll(analyze(t, a, 2).Verdict.Text, "\u00a0", " ")
}
