package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestPaced: workers that mostly wait for a rate limiter are no pool that is too small: more of them would wait for the same pace.
func TestPaced(t *testing.T) {
	for f, want := range map[string]string{"golang.org/x/time/rate.(*Limiter).wait": TimerBound, "example.org/call.wait": PoolTooSmall} {
		e := &Experiment{}
		e.Metrics = []metric.Metric{{Name: metric.Time}, {Name: metric.LateReceiver, Parent: metric.Time, Kind: metric.WaitState, Advice: "receive earlier"}, {Name: metric.CriticalPath}}
		e.Regions = []Region{{Name: "main.call"}, {Name: "select", Operation: true, Func: f, File: "/rate.go", Line: 286}, {Name: "send", Operation: true}}
		e.Paths = []CallPath{{-1, 0}, {0, 1}, {-1, 2}}
		e.Locations, e.Groups = []Location{{Name: "main", Count: 1}, {Name: "call[0]", Group: 1, Count: 1}}, []Group{{Name: "main", Creator: -1, Count: 1}, {Name: "call", Creator: -1, Count: 2}}
		e.Header = Header{Time: 3000, Focus: 1000, Wall: 1000, States: true}
		wait := Line{Metric: 1, Path: 2, Severity: 900, Critical: 300, Instances: 9, Causers: []Causer{{Group: 1, Path: 0}}}
		e.Findings = []Finding{{Line: wait, Lines: []Line{wait}, Busy: Busy{Workers: 2}, Awaited: 800, Advice: "use more of them"}}
		require.NoError(t, e.Fill([][]Cell{nil, nil, {{Path: 1, Location: 1, Value: 990}}}, nil))
		require.Equal(t, want, e.Problem(&e.Findings[0]).Name)
		require.Equal(t, want == PoolTooSmall, e.Advice(&e.Findings[0]) == "use more of them")
		_, is := (&page{e: e}).pool()
		require.Equal(t, want == PoolTooSmall, is)
	}
}
