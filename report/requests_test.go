package report_test

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/report"
)

// upTo returns 1, 2, … n.
func upTo(n int) (list []int64) {
	for i := range n {
		list = append(list, int64(i+1))
	}
	return list
}

// TestPercentiles: of a thousand requests, 16 more or less than half are as fast as the median by one standard deviation, which 95 % are within 1.96 of.
func TestPercentiles(t *testing.T) {
	p := report.PercentilesOf(upTo(1000))
	require.Equal(t, report.Percentiles{P50: 500, P50Low: 469, P50High: 531, P95: 950, P95Low: 936, P95High: 964, P99: 990, P99Low: 983, P99High: 997}, p)
	require.Zero(t, report.PercentilesOf(upTo(100)).P99High, "2 more than the 99th are not there")
	require.Equal(t, report.Percentiles{P50: 1, P50Low: 1, P95: 1, P95Low: 1, P99: 1, P99Low: 1}, report.PercentilesOf(upTo(1)))
}

// TestRequestNoise: what lies between two values, by chance, is what the lower may be more, and the higher less.
func TestRequestNoise(t *testing.T) {
	a, b := report.Quantity{Value: 100, Low: 90, High: 103}, report.Quantity{Value: 200, Low: 196, High: 300}
	require.Equal(t, 5.0, report.RequestNoise(a, b))
	require.Equal(t, 5.0, report.RequestNoise(b, a))
	require.True(t, math.IsNaN(report.RequestNoise(a, report.Quantity{Value: 200})))
}

// TestSlowTogether: waits at one place are one finding, even if something else has more than each of them.
func TestSlowTogether(t *testing.T) {
	lock := report.Step{Metric: "lock_competition", CallPath: []string{"handle", "lock"}, File: "a.go", Line: 3}
	part := func(s report.Step, causer string, excess int64) report.SlowPart {
		p := report.SlowPart{LatencyPart: report.LatencyPart{Step: s, Mean: excess}, Excess: excess}
		if causer != "" {
			p.Causer = &report.Step{Metric: "execution", CallPath: []string{causer}}
		}
		return p
	}
	r := report.Requests{Name: "GET /", Kind: "http", Count: 100, Slow: []report.SlowPart{
		part(report.Step{Metric: "system_call", CallPath: []string{"write"}}, "", 50), part(lock, "a", 20), part(lock, "b", 40),
	}}
	report.SortSlow(r.Slow)
	require.Equal(t, []int64{40, 20, 50}, []int64{r.Slow[0].Excess, r.Slow[1].Excess, r.Slow[2].Excess})
	f, is := r.Finding()
	require.True(t, is)
	require.Equal(t, "The slowest hundredth of GET / took 110\u00a0ns on average, 55\u00a0% of it waiting for a lock in handle ▸ lock (a.go:3), 67\u00a0% of that for b, running", f.Text)
	r.Count = 99
	f, _ = r.Finding()
	require.True(t, strings.HasPrefix(f.Text, "The slowest of GET / took 110\u00a0ns, 55\u00a0% of it waiting for a lock in "), f.Text)
	r.Count = 19
	_, is = r.Finding()
	require.False(t, is, "too few")
}

// TestUnlooked: where processors are busy, requests wait before anybody sees them.
func TestUnlooked(t *testing.T) {
	for _, c := range []struct {
		kind       string
		busy       int64
		processors int
		want       string
	}{
		{"http", 100, 2, "all processors were busy for 10.0 % of the run: requests"},
		{"http", 670, 1, "its processor was busy for 67.0 % of the run: requests"},
		{"http", 99, 2, ""}, {"task", 900, 2, ""},
	} {
		e := &report.Experiment{Sidecar: report.Sidecar{Requests: []report.Requests{{Name: "GET /", Kind: c.kind, Count: 100}}}}
		e.Header = report.Header{Wall: 1000, Processors: c.processors, Load: &report.Load{Busy: c.busy}}
		var out strings.Builder
		require.NoError(t, report.RequestsText(&out, e, 5))
		before, _, _ := strings.Cut(strings.ReplaceAll(out.String(), "\u00a0", " "), "\n")
		require.True(t, strings.HasPrefix(before, cmp.Or(c.want, "requests ")), before)
	}
}

// TestUsual: what requests spend most of their mean latency with, waits at one place being one.
func TestUsual(t *testing.T) {
	part := func(mean int64, what, path, causer string) report.LatencyPart {
		p := report.LatencyPart{Step: report.Step{Metric: what, CallPath: []string{path}}, Mean: mean}
		if causer != "" {
			p.Causer = &report.Step{Metric: "sleep", CallPath: []string{causer}}
		}
		return p
	}
	r := report.Requests{Name: "GET /", Kind: "http", Count: 100, Parts: []report.LatencyPart{
		part(50, "execution", "render", ""), part(40, "lock_competition", "login", "audit"), part(20, "lock_competition", "login", "renew"),
	}}
	f, is := r.Usual()
	require.True(t, is)
	require.Equal(t, "GET / took 110\u00a0ns on average, 55\u00a0% of it waiting for a lock in login, 67\u00a0% of that for audit, sleeping", f.Text)
	require.Equal(t, report.HeldAcrossWait, f.Problem)
	require.Zero(t, f.Excess)
	var out strings.Builder
	require.NoError(t, report.RequestsText(&out, &report.Experiment{Sidecar: report.Sidecar{Requests: []report.Requests{r}}}, 5))
	require.Contains(t, strings.Join(strings.Fields(out.String()), " "), "1. GET / took 110 ns on average, 55 % of it waiting for a lock in login, 67 % of that for audit, sleeping. → Lock held across a wait (held_across_wait).")

	r.Parts = r.Parts[:1]
	f, is = r.Usual()
	require.True(t, is)
	require.Equal(t, "GET / took 50\u00a0ns on average, 100\u00a0% of it running in render", f.Text)
	all := report.Requests{Count: 100, Parts: r.Parts}
	f, _ = all.Usual()
	require.Equal(t, "All requests took 50\u00a0ns on average, 100\u00a0% of it running in render", f.Text)
	r.Parts = nil
	for i := range 11 {
		r.Parts = append(r.Parts, part(10, "execution", string(rune('a'+i)), ""))
	}
	_, is = r.Usual()
	require.False(t, is, "nothing has a tenth")
	r.Parts = nil
	_, is = r.Usual()
	require.False(t, is)
}

// TestNameless: where a tenth of the requests or more have no name, that is said.
func TestNameless(t *testing.T) {
	for unnamed, said := range map[int]bool{0: false, 9: false, 10: true, 60: true} {
		var out strings.Builder
		e := &report.Experiment{Sidecar: report.Sidecar{Requests: []report.Requests{{Name: "(all)", Count: 100, Unnamed: unnamed}}}}
		require.NoError(t, report.RequestsText(&out, e, 5))
		require.Equal(t, said, strings.Contains(strings.Join(strings.Fields(out.String()), " "), "of 100 requests have no name, as nothing shows what handled them."), "%d: %s", unnamed, out.String())
	}
}

// TestRunningInServer: a function of a server that calls the program's own hardly runs itself, but it waits itself.
func TestRunningInServer(t *testing.T) {
	for _, c := range []struct {
		metric, function, want string
	}{
		{metric.Execution, "http.(*conn).serve", "running in http.(*conn).serve or what it called (server.go:9)"},
		{metric.Ready, "http.(*conn).serve", "waiting for a processor in http.(*conn).serve (server.go:9)"},
		{metric.Execution, "main.serve", "running in main.serve (server.go:9)"},
	} {
		p := report.LatencyPart{Step: report.Step{Metric: c.metric, CallPath: []string{c.function}, File: "/go/server.go", Line: 9}}
		require.Equal(t, c.want, p.Words())
	}
}
