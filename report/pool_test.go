package report

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestPoolOf: workers are no pool that is too small if they mostly wait for a rate limiter or a timer, as more of them would wait for the same pace, nor if all processors are busy.
func TestPoolOf(t *testing.T) {
	for _, c := range []struct {
		name, function, want string
		external             int64 // of the path in the select: waiting for what comes from outside
		busy                 int64 // processors
	}{
		{"a rate limiter", "golang.org/x/time/rate.(*Limiter).wait", TimerBound, 0, 0},
		{"a timer", "example.org/call.wait", TimerBound, 980, 0},
		{"at work", "example.org/call.wait", PoolTooSmall, 0, 799},
		{"at work, as all processors", "example.org/call.wait", TooFewProcessors, 0, 800},
	} {
		f, want := c.function, c.want
		e := &Experiment{}
		e.Metrics = []metric.Metric{{Name: metric.Time}, {Name: metric.LateReceiver, Parent: metric.Time, Kind: metric.WaitState, Advice: "receive earlier"}, {Name: metric.CriticalPath}}
		e.Regions = []Region{{Name: "main.call"}, {Name: "select", Operation: true, Func: f, File: "/rate.go", Line: 286}, {Name: "send", Operation: true}}
		e.Paths = []CallPath{{-1, 0}, {0, 1}, {-1, 2}}
		e.Locations, e.Groups = []Location{{Name: "main", Count: 1}, {Name: "call[0]", Group: 1, Count: 1}}, []Group{{Name: "main", Creator: -1, Count: 1}, {Name: "call", Creator: -1, Count: 2}}
		e.Header = Header{Time: 3000, Focus: 1000, Wall: 1000, States: true, Load: &Load{Busy: c.busy}}
		e.Operations = []OperationSplit{{Path: 1, Group: 1, External: c.external, Execution: 990 - c.external}}
		wait := Line{Metric: 1, Path: 2, Severity: 900, Critical: 300, Instances: 9, Causers: []Causer{{Group: 1, Path: 0}}}
		e.Findings = []Finding{{Line: wait, Lines: []Line{wait}, Busy: Busy{Workers: 2}, Awaited: 800, Advice: "use more of them"}}
		require.NoError(t, e.Fill([][]Cell{nil, nil, {{Path: 1, Location: 1, Value: 990}}}, nil))
		require.Equal(t, want, e.Problem(&e.Findings[0]).Name, c.name)
		require.Equal(t, want == PoolTooSmall, e.Advice(&e.Findings[0]) == "use more of them")
		_, is := (&page{e: e}).pool()
		require.Equal(t, want == PoolTooSmall, is)
	}
}

// TestBusySentence: who was busy, or how many were at most.
func TestBusySentence(t *testing.T) {
	for want, b := range map[string]Busy{
		"": {}, " Both workers were busy.": {Workers: 2}, " All\u00a08 workers were busy.": {Workers: 8},
		" No more than\u00a03 of the\u00a016 workers were busy at once for 99\u00a0% of the time in which any was.": {Of: 16, AtOnce: 3}, " No more than one of the\u00a04 workers was busy at once for 99\u00a0% of the time in which any was.": {Of: 4, AtOnce: 1},
	} {
		require.Equal(t, want, b.sentence())
	}
}
