package algebra

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// TestRequestChanges: requests are compared with those of the same name and kind, and not by names that only those have that waited.
func TestRequestChanges(t *testing.T) {
	run := func(p99 int64, unnamed int) []report.Requests {
		p := func(n int64) report.Percentiles { return report.Percentiles{P99: n * p99} }
		return []report.Requests{{Name: "(all)", Count: 10, Percentiles: p(1)}, {Name: "get", Kind: "http2", Count: 3, Percentiles: p(2)}, {Name: "get", Kind: "http", Count: 4, Percentiles: p(3)},
			{Name: "(unnamed http)", Kind: "http", Count: max(unnamed, 1), Percentiles: p(4), Unnamed: unnamed}, {Name: "put", Kind: "http3", Percentiles: p(1)}}
	}
	b := run(2e9, 0)
	b[1], b[2] = b[2], b[1]
	p99 := func(list []RequestChange) (got [][2]float64) {
		for _, c := range list {
			if c.Quantity == "p99" {
				got = append(got, [2]float64{c.A, c.B})
			}
		}
		return got
	}
	require.Equal(t, [][2]float64{{1, 2}, {2, 4}, {3, 6}, {4, 8}}, p99(RequestChanges(run(1e9, 0), b)), "none of put has ended")
	require.Equal(t, [][2]float64{{1, 2}, {2, 4}}, p99(RequestChanges(run(1e9, 5), b)), "some of http have no name")
}

// TestLatencies: what requests took comes before how long the service was left to run, and is not said to be more than what runs differ by.
func TestLatencies(t *testing.T) {
	change := func(quantity string, a, b, noise float64) RequestChange {
		return RequestChange{"(all)", quantity, Change{A: a, B: b, Noise: noise}}
	}
	x := &Changes{A: "a", B: "b", WallA: []float64{3e9}, WallB: []float64{3e9},
		Requests: []RequestChange{change("p50", .001, .0012, .0001), change("p95", .008, .007, .002), change("p99", .060, .009, .004)}}
	text := func() string {
		var b strings.Builder
		require.NoError(t, x.Text(&b, TextOptions{Top: 5}))
		return strings.ReplaceAll(b.String(), "\u00a0", " ")
	}
	require.Regexp(t, "^One in a hundred requests took 60.0 ms or more in a, and 9.00 ms or more in b; "+
		"but half of all requests took 1.00 ms or more in a, and 1.20 ms or more in b.\nb takes exactly as long", text())
	require.Contains(t, text(), "p50 of (all): higher, by more than requests of a run vary (±100 µs)\n")
	require.Contains(t, text(), "p95 of (all): within what chance does\n")
	require.Contains(t, text(), "p99 of (all): lower, by more than requests of a run vary (±4.00 ms)\nRuns of the same program may differ by more")
	require.Less(t, strings.Index(text(), "Latency of requests"), strings.Index(text(), "Whole program"))
	x.Requests[2].Noise = math.NaN()
	require.Regexp(t, "^Half of all requests took 1.00 ms or more in a, and 1.20 ms or more in b.\n", text())
	x.Requests[0].Noise = math.NaN()
	require.Regexp(t, "^One in twenty requests took 8.00 ms or more in a, and 7.00 ms or more in b, which is within what chance does.\n", text())
	x.Requests = nil
	require.Regexp(t, "^b takes exactly as long", text())
}

// TestLatenciesLead: of a service, the first sentence is on the percentile that changed most beyond chance, and on one that changed in the other direction; how long it
// was left to run is not compared.
func TestLatenciesLead(t *testing.T) {
	x := &Changes{A: "a", B: "b", WallA: []float64{1e9}, WallB: []float64{2e9}, Serve: true}
	for want, p := range map[string][3]Change{
		"One in twenty requests took 21.0 ms or more in a, and 210 µs or more in b.": {
			{A: .002, B: .001, Noise: .0001}, {A: .021, B: .00021, Noise: .001}, {A: .0212, B: .0211, Noise: .001}},
		"One in a hundred requests took 8.00 ms or more in a, and 9.00 ms or more in b, which is within what chance does.": {
			{A: .002, B: .0021, Noise: .001}, {A: .004, B: .005, Noise: .002}, {A: .008, B: .009, Noise: .01}},
		"Half of all requests took 2.00 ms or more in a, and 1.00 ms or more in b; but one in a hundred requests took 20.0 ms or more in a, and 30.0 ms or more in b.": {
			{A: .002, B: .001, Noise: .0001}, {A: .004, B: .003, Noise: .0001}, {A: .020, B: .030, Noise: .001}},
		"Half of all requests took 1.00 ms or more in a, and 2.00 ms or more in b.": {
			{A: .001, B: .002, Noise: .0001}, {A: .004, B: .005, Noise: math.NaN()}, {A: .020, B: .001, Noise: math.NaN()}},
	} {
		x.Requests = []RequestChange{{"(all)", "p50", p[0]}, {"(all)", "p95", p[1]}, {"(all)", "p99", p[2]}}
		lead := x.Lead()
		require.Len(t, lead, 1)
		require.Equal(t, want, strings.ReplaceAll(lead[0], "\u00a0", " "))
	}
	x.Requests = nil
	require.Regexp(t, "^b takes 2 times as long as a", strings.ReplaceAll(x.Lead()[0], "\u00a0", " "))
}
