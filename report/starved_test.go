package report

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// starving is an experiment whose first finding waited 1,000 to receive, for a sender that the critical path was on for all that time: it was ready to run for so much of that, and ran for the rest.
// Goroutines were ready to run for 1,200 in all.
func starving(t *testing.T, ready int64) *Experiment {
	metrics := []metric.Metric{{Name: metric.Time}, {Name: metric.Execution, Parent: metric.Time}, {Name: metric.LateSender, Parent: metric.Time, Kind: metric.WaitState, Advice: "send earlier"},
		{Name: metric.Ready, Parent: metric.Time}, {Name: metric.CriticalPath}}
	regions := []Region{{Name: "take"}, {Name: "recv", Operation: true}, {Name: "make", File: "a.go", Line: 3}, {Name: "send", Operation: true, File: "a.go", Line: 5}}
	e := &Experiment{Metrics: metrics, Regions: regions, Paths: []CallPath{{-1, 0}, {0, 1}, {-1, 2}, {2, 3}}}
	e.Groups = []Group{{Name: "main", Creator: -1, Count: 1}, {Name: "maker", Creator: -1, Count: 1}}
	e.Locations = []Location{{0, 0, "main", 1, 1, 0, false}, {0, 1, "maker", 18, 1, 1, false}}
	require.NoError(t, e.Fill([][]Cell{nil, {{Path: 2, Location: 1, Value: 600}}, {{Path: 1, Value: 1000}}, {{Path: 3, Location: 1, Value: 1200}}, {{Path: 3, Location: 1, Value: 1000}}}, nil))
	f := Finding{Line: Line{Metric: 2, Path: 1, Severity: 1000, Critical: 1000, Instances: 100, Locations: []uint32{0}, Causers: []Causer{{1, 3, 1000, []uint32{1}, 0}}}, Awaited: 1000, Meanwhile: []PathTime{{3, 1000}}}
	e.Operations = []OperationSplit{{Path: 1, Taken: 100}, {Path: 3, Group: 1, Runnable: ready, Execution: 1000 - ready}}
	e.Split = Split{Runnable: ready, Execution: 1000 - ready}
	e.Header = Header{Time: 2000, Focus: 1000, Wall: 1000, Span: 1000, Processors: 1, CPUTime: 1000, States: true, Load: &Load{Running: 1000}}
	e.Findings = []Finding{f}
	return e
}

// TestStarved: if those who were waited for were ready to run most of the time, they did not come late. Whether processors were lacking is known by how many were ready to run.
func TestStarved(t *testing.T) {
	const advice = "Less work or more processors help"
	for _, c := range []struct {
		name       string
		ready      int64
		processors int
		busy       int64
		text       string
		advice     string
	}{
		{"the only processor was busy", 600, 1, 900, "The only processor was busy for 90.0 % of the run, so that with less waiting it would hardly take less time; ", advice},
		{"both were", 600, 2, 900, "Both processors were busy for 90.0 % of the run, so that with less waiting it would hardly take less time; ", advice},
		{"it was not, or in system calls", 600, 1, 0, "For 60.0 % of the critical path, goroutines were ready to run, but had no processor; 100.0 % of the work is in make at a.go:3.", advice},
		{"there are more than would be needed", 600, 2, 0, "delays the run most: 100.0 % of its time", "could have gone on"},
		{"the sender was ready to run for half of the time", 500, 1, 0, "delays the run most: 100.0 % of its time", "send earlier"},
		{"the sender worked for most of the time", 300, 1, 0, "delays the run most: 100.0 % of its time", "send earlier"},
	} {
		e := starving(t, c.ready)
		e.Header.Processors, e.Header.Load.Busy, e.Header.Load.Lacking = c.processors, c.busy, c.busy
		e.Judge()
		require.Contains(t, spaced(e.Verdict.Text), c.text, c.name)
		require.Contains(t, e.Advice(&e.Findings[0]), c.advice, c.name)
	}
}

// TestMostlyReady: it is not said that somebody was mostly ready to run who was for less than half of the time in which he was waited for.
func TestMostlyReady(t *testing.T) {
	for awaited, want := range map[int64]bool{1999: true, 2000: false} {
		e := starving(t, 1000)
		e.Split, e.Findings[0].Awaited = Split{Execution: 1000}, awaited
		e.Judge()
		require.Equal(t, want, strings.Contains(spaced(e.Verdict.Text), "mostly ready to run"), e.Verdict.Text)
	}
}

// TestLessShared: where other programs had processors that would not have been enough, nobody is told to raise GOMAXPROCS.
func TestLessShared(t *testing.T) {
	e := starving(t, 600)
	e.Header.Load = &Load{Running: 1000, Busy: 900, Lacking: 900}
	require.Contains(t, e.Ready().Advice, "Raise GOMAXPROCS")
	e.Header.CPUTime = 700
	require.NotContains(t, e.Ready().Advice, "GOMAXPROCS")
	require.Contains(t, e.Ready().Advice, "not shared")
}

// TestOneQueue: requests that wait for places behind others that wait there, too, are told so once, and what those wait for in the end who have the places: if it is a processor, more places do not help.
func TestOneQueue(t *testing.T) {
	step := func(m, name string) Step {
		return Step{Metric: m, CallPath: []string{"serve", name}, File: "a.go", Line: 28}
	}
	for last, want := range map[string]string{metric.Ready: TooFewProcessors, metric.Execution: ""} {
		causer := step(last, "work")
		p := LatencyPart{Step: step(metric.FullBuffer, "enter"), Via: []Step{step(metric.FullBuffer, "enter"), step(metric.LateReceiver, "leave"), step(metric.LateReceiver, "leave")}, Causer: &causer, Mean: 100}
		p.Via[1].CallPath = []string{"other", "leave"}
		p.Via[2].CallPath = []string{"other", "leave"}
		require.Equal(t, "waiting for room in a channel in serve ▸ enter (a.go:28), for other ▸ leave (a.go:28), waiting for a receiver, for serve ▸ work (a.go:28), "+phrase(last),
			spaced(p.Words()))
		chain := p.chain()
		require.Equal(t, want, recognise(chain))
		chain[1].path = []string{"serve", "semaphore.(*Weighted).Acquire", "select"}
		require.Equal(t, cmp.Or(want, PoolExhausted), recognise(chain))
	}
}

// TestLetGo: who waits for a signal, and lets others go on when it has come, did not come late.
func TestLetGo(t *testing.T) {
	e := starving(t, 0)
	require.Equal(t, "send earlier", e.Advice(&e.Findings[0]))
	e.Findings = append(e.Findings, Finding{Line: Line{Metric: 2, Path: 3}, Object: Object{Type: "signal channel"}})
	require.Contains(t, e.Advice(&e.Findings[0]), "waited for a signal")
}
