package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestLocks: it is told that locks are taken very often, and where most are: at one place, however it is called.
func TestLocks(t *testing.T) {
	e := &Experiment{
		Metrics: []metric.Metric{{Name: metric.Time, Unit: metric.Nanoseconds}, {Name: metric.Acquisitions, Unit: metric.Count}},
		Regions: []Region{
			{Name: "main.a", Func: "main.a"}, {Name: "main.b", Func: "main.b"},
			{Name: "lock", Func: "main.(*box).get", File: "/src/box.go", Line: 7, Operation: true}, {Name: "lock", Func: "main.b", File: "/src/b.go", Line: 9, Operation: true},
		},
		Paths:     []CallPath{{-1, 0}, {0, 2}, {-1, 1}, {2, 2}, {2, 3}},
		Locations: []Location{{Name: "main", Count: 1}},
	}
	e.Groups, e.Header.Wall = []Group{{Name: "main", Count: 1}}, 2e9
	require.NoError(t, e.Fill([][]Cell{{{Path: 0, Value: 1000}}, {{Path: 1, Value: 1_000_000}, {Path: 3, Value: 1_100_000}, {Path: 4, Value: 1_300_000}}}, nil))
	require.Equal(t, "Locks are taken 1.7 million times a second, 61.8 % of that in main.(*box).get ▸ lock (box.go:7). Even where nobody waits for them, that takes time, and several times as much when it is recorded.", strings.ReplaceAll(e.locks(), nbsp, " "))
	e.Header.Wall = 4e9
	require.Empty(t, e.locks())
}
