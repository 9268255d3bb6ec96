package report

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// service is a program whose main waits for a signal all the time, while requests wait for a lock, which is not on the critical path.
func service(kind string) *Experiment {
	e := &Experiment{
		Metrics: []metric.Metric{{Name: metric.Time}, {Name: metric.LateSender, Parent: metric.Time, Kind: metric.WaitState}, {Name: metric.LockCompetition, Parent: metric.Time, Kind: metric.WaitState, Advice: "hold it shorter"}},
		Regions: []Region{{Name: "recv", File: "/a/main.go", Line: 9, Operation: true}, {Name: "lock", File: "/a/login.go", Line: 5, Operation: true}, {Name: "serve"}},
		Paths:   []CallPath{{-1, 0}, {-1, 2}, {1, 1}},
	}
	e.Findings = []Finding{
		{Line: Line{Metric: 1, Path: 0, Severity: 1000, Critical: 990, Instances: 1}},
		{Line: Line{Metric: 2, Path: 2, Severity: 850, Instances: 9}},
	}
	e.Requests = []Requests{{Name: "(all)", Count: 10, Mean: 100}, {Name: "GET /", Kind: kind, Count: 10, Mean: 100}}
	lock := Step{Metric: metric.LockCompetition, CallPath: []string{"serve", "lock"}, File: "/a/login.go", Line: 5}
	sleeps, runs := &Step{Metric: metric.Sleep, CallPath: []string{"audit"}}, &Step{Metric: metric.Execution, CallPath: []string{"hash"}}
	e.Requests[0].Parts = []LatencyPart{{Step: lock, Causer: sleeps, Mean: 60}, {Step: lock, Causer: runs, Mean: 20}, {Step: Step{Metric: metric.LockCompetition, File: "/a/login.go", Line: 6}, Mean: 20}}
	e.Locations, e.Groups = []Location{{Name: "main", Count: 1}}, []Group{{Name: "main", Creator: -1, Count: 1}}
	e.Header = Header{Time: 2000, Focus: 1000, Wall: 1000, Processes: 1, Goroutines: 1}
	return e
}

// TestRankServed: of a service, what its requests wait for comes first; of a program whose requests are tasks, what is on the critical path.
func TestRankServed(t *testing.T) {
	e := service("http")
	fill(e, make([][]Cell, 3), nil)
	e.RankServed()
	require.Equal(t, metric.LockCompetition, e.Metrics[e.Findings[0].Metric].Name)
	require.EqualValues(t, 800, e.Findings[0].Served)
	require.Zero(t, e.Findings[1].Served)
	require.Equal(t, HeldAcrossWait, e.Problem(&e.Findings[0]).Name)
	text := string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))
	require.Contains(t, text, "requests 1.00 µs\n 1                                                800 ns, 80.0 % of all requests")
	require.Contains(t, text, " 2                                           990 ns, 99.0 % of the critical path")

	e.Requests[0].Parts[0].Mean, e.Requests[0].Parts[1].Mean = 40, 40
	require.Nil(t, e.Problem(&e.Findings[0]), "the holder slept for half of it")
	e.Requests[0].Parts[1].Convoy = 40
	require.Nil(t, e.Problem(&e.Findings[0]), "half of the requests' waiting is in a convoy")
	e.Requests[0].Parts[0].Convoy = 1
	require.Equal(t, LockConvoy, e.Problem(&e.Findings[0]).Name)

	e.Requests[0].Parts = nil
	require.Nil(t, e.Problem(&e.Findings[0]), "a report that says what was served, but not with what")
	e.Requests = nil
	require.Nil(t, e.Problem(&e.Findings[0]))
	require.NotContains(t, string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) })), "of all requests")

	e = service("task")
	e.RankServed()
	require.Equal(t, metric.LateSender, e.Metrics[e.Findings[0].Metric].Name)
	require.Zero(t, e.Findings[1].Served)
	e = service("http")
	e.Findings = append(e.Findings, Finding{Line: Line{Metric: 2, Path: 2, Group: 1, Severity: 150, Instances: 1}})
	e.RankServed()
	require.Equal(t, []int64{680, 120, 0}, []int64{e.Findings[0].Served, e.Findings[1].Served, e.Findings[2].Served}, "goroutines of two groups wait there")
	e = service("http")
	e.Regions = append(e.Regions, Region{Name: "load", Func: "m.load"}, Region{Name: "lock", Func: "a/m.get", File: "/a/login.go", Line: 5, Operation: true})
	e.Paths = append(e.Paths, CallPath{-1, 3}, CallPath{3, 1}, CallPath{3, 4})
	e.Findings = append(e.Findings, Finding{Line: Line{Metric: 2, Path: 4, Severity: 7000, Instances: 1}}, Finding{Line: Line{Metric: 2, Path: 5, Severity: 50, Instances: 1}})
	e.Requests[0].Parts[2].Step = Step{Metric: metric.LockCompetition, CallPath: []string{"load", "m.get", "lock"}, File: "/a/login.go", Line: 5}
	e.RankServed()
	require.Equal(t, []int64{800, 200, 0, 0}, []int64{e.Findings[0].Served, e.Findings[1].Served, e.Findings[2].Served, e.Findings[3].Served},
		"others wait at the line of the requests, in another call path, and so do requests in a function that is no region")
	require.EqualValues(t, 5, e.Findings[1].Path)
	e = service("http")
	e.Requests[0].Parts[0].Mean, e.Requests[0].Parts[1].Mean = 0, 0
	e.RankServed()
	require.Equal(t, metric.LateSender, e.Metrics[e.Findings[0].Metric].Name, "no request waited for it")
}

// TestTestsServeBeside: tests that serve requests are about something else, unless these take half of the time.
func TestTestsServeBeside(t *testing.T) {
	e := service("http")
	e.Requests[1].Mean = 40
	require.True(t, e.Serves())
	e.Groups = append(e.Groups, Group{Name: "testing.tRunner", Creator: -1, Count: 1})
	require.False(t, e.Serves())
	e.Requests[1].Mean = 50
	require.True(t, e.Serves())
	e.Requests[1].Mean = 40
	e.Groups[len(e.Groups)-1].Name = "testing.(*B).run1.func1"
	require.False(t, e.Serves(), "a benchmark")
}

// TestFewRequests: of fewer than a hundred requests, the first sentence and the table say how long the slowest took, and it names kinds if there are several.
func TestFewRequests(t *testing.T) {
	for count, want := range map[int]string{40: "Half of 40 requests took 50 ns or less, the slowest 900 ns", 99: "Half of 99 requests took 50 ns or less, the slowest 900 ns",
		100: "Half of 100 requests took 50 ns or less, one in a hundred 800 ns or more"} {
		e := service("http")
		all := &e.Requests[0]
		all.Count, all.Max, all.Percentiles = count, 900, Percentiles{P50: 50, P95: 700, P99: 800}
		e.Requests[1].Count = count
		e.Judge()
		text := spaced(e.Verdict.Text)
		require.True(t, strings.HasPrefix(text, want), text)
		var table strings.Builder
		require.NoError(t, requestsTable(&table, e.Requests[:1], 40))
		require.Equal(t, count >= 100, strings.Contains(table.String(), "800 ns"))
		require.Contains(t, table.String(), "700 ns")

		e.Requests[1].Count = count / 2
		e.Requests = append(e.Requests, Requests{Name: "render", Kind: "task", Count: count - count/2}, Requests{Name: "worker", Kind: KindRound, Count: 7}, Requests{Name: "cut", Kind: "grpc", Cut: 1})
		e.Judge()
		require.Contains(t, spaced(e.Verdict.Text), fmt.Sprintf("Half of %d requests (%d http and %d task) took", count, count/2, count-count/2))
	}
}

// TestRequestsTable: requests of which none is whole have no latency, and all requests are without streams if there are some.
func TestRequestsTable(t *testing.T) {
	table := func(list ...Requests) string {
		var text strings.Builder
		require.NoError(t, requestsTable(&text, list, 40))
		return text.String()
	}
	all, cut := Requests{Name: "(all)", Count: 2, Max: 9, Percentiles: Percentiles{P50: 7}}, Requests{Name: "GET /", Kind: "http", Cut: 3}
	require.Contains(t, table(all, cut), "(all)\n")
	require.Regexp(t, `(?m)^ +0 +\S+ +– +– +– +– +3  GET /$`, table(all, cut))
	require.Contains(t, table(all, cut, Requests{Name: "GET /events", Kind: KindStream, Count: 1}), "(all but streams)\n")
}

// TestPathOfService: the critical path of a service that waits for what comes from outside is not shown; where it works it is.
func TestPathOfService(t *testing.T) {
	for external, shown := range map[int64]bool{899: true, 900: false} {
		e := service("http")
		e.Metrics = append(e.Metrics, metric.Metric{Name: metric.CriticalPath})
		require.NoError(t, e.Fill([][]Cell{nil, nil, nil, {{Value: 1000}}}, nil))
		e.Header.Focus, e.Split.External = 1000, external
		p := &page{e: e, top: 5}
		p.criticalPath()
		require.Equal(t, shown, strings.Contains(p.out.String(), "The critical path runs through"), p.out.String())
	}
}
