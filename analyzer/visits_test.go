package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
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
