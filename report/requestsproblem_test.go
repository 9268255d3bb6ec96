package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestSlowProblem: what slow requests wait for is named if most of the waiting at that place is for it.
func TestSlowProblem(t *testing.T) {
	part := func(mean int64, causer string) SlowPart {
		p := SlowPart{LatencyPart: LatencyPart{Step: Step{Metric: metric.LockCompetition, CallPath: []string{"handle", "lock"}}, Mean: mean}, Excess: mean}
		p.Causer = &Step{Metric: causer, CallPath: []string{"renew"}}
		return p
	}
	queued := func(p SlowPart, convoy int64) SlowPart {
		p.Convoy = convoy
		return p
	}
	for _, c := range []struct {
		name, want string
		slow       []SlowPart
	}{
		{"the holder waits for the network", HeldAcrossWait, []SlowPart{part(100, metric.Network)}},
		{"most of it", HeldAcrossWait, []SlowPart{part(60, metric.Network), part(50, metric.Execution)}},
		{"less than half of it", "", []SlowPart{part(50, metric.Network), part(49, metric.Execution), part(10, metric.Ready)}},
		{"the holder is at work", "", []SlowPart{part(100, metric.Execution)}},
		{"most of it in a convoy", LockConvoy, []SlowPart{queued(part(50, metric.Execution), 50), queued(part(40, metric.Wakeup), 1), part(10, metric.Ready)}},
		{"half of it in one", "", []SlowPart{queued(part(100, metric.Execution), 50)}},
		{"in one in which whoever gets the lock waits for a processor", LockConvoy, []SlowPart{queued(part(60, metric.Ready), 60), queued(part(40, metric.Execution), 10)}},
		{"whoever has the lock waits for a processor", TooFewProcessors, []SlowPart{queued(part(60, metric.Ready), 50), part(40, metric.Execution)}},
		{"in one whose holders wait for the network", HeldAcrossWait, []SlowPart{queued(part(100, metric.Network), 100)}},
		{"in one whose holders wait for this and that", HeldAcrossWait, []SlowPart{queued(part(45, metric.Network), 45), queued(part(40, metric.Sleep), 40), part(15, metric.Execution)}},
		{"in one of whose holders most are at work", LockConvoy, []SlowPart{queued(part(45, metric.Network), 45), queued(part(55, metric.Execution), 40)}},
	} {
		r := Requests{Name: "GET /", Kind: "http", Count: 100, Slow: c.slow}
		f, is := r.Finding()
		require.True(t, is, c.name)
		require.Equal(t, c.want, f.Problem, c.name)
		var out strings.Builder
		require.NoError(t, RequestsText(&out, &Experiment{Sidecar: Sidecar{Requests: []Requests{{Name: "(all)", Count: 100}, r}}}, 5))
		require.Equal(t, c.want == HeldAcrossWait, strings.Contains(out.String(), "→ Lock held across a wait (held_across_wait)."), out.String())
		require.Equal(t, c.want == LockConvoy, strings.Contains(out.String(), "→ Lock convoy: a queue that does not end (lock_convoy)."), out.String())
		inQueue := strings.Contains(strings.Join(strings.Fields(out.String()), " "), "; most of that wait is in a queue that does not end (lock_convoy).")
		require.Equal(t, strings.HasPrefix(c.name, "in one whose holders wait"), inQueue, out.String())
		for i := range r.Slow {
			r.Parts = append(r.Parts, r.Slow[i].LatencyPart)
		}
		f, is = r.Usual()
		require.True(t, is, c.name)
		require.Equal(t, c.want, f.Problem, c.name)
	}
	r := Requests{Name: "GET /", Kind: "http", Count: 100, Slow: []SlowPart{part(100, metric.Network)}}
	r.Slow[0].Via = []Step{{Metric: metric.LateSender, CallPath: []string{"query", "sql.(*DB).conn", "select"}}}
	f, _ := r.Finding()
	require.Equal(t, PoolExhausted, f.Problem, "the wait on the way is for a connection")
}

// TestToldOnce: what all requests wait for is not told again of those of one name that wait for it at the same place, but of those that wait elsewhere, or for something else.
func TestToldOnce(t *testing.T) {
	of := func(name, kind, path, causer string) Requests {
		p := SlowPart{LatencyPart: LatencyPart{Step: Step{Metric: metric.LockCompetition, CallPath: []string{path, "lock"}}, Mean: 100}, Excess: 100}
		p.Causer = &Step{Metric: causer, CallPath: []string{"renew"}}
		return Requests{Name: name, Kind: kind, Count: 100, Slow: []SlowPart{p}}
	}
	all := of("(all)", "", "handle", metric.Network)
	all.Count = 400
	told := findingsOf([]Requests{all, of("GET /same", "http", "handle", metric.Sleep), of("GET /other", "http", "show", metric.Network), of("GET /busy", "http", "handle", metric.Execution)})
	var names []string
	for _, f := range told {
		names = append(names, f.Request)
	}
	require.Equal(t, []string{"(all)", "GET /other", "GET /busy"}, names)
}

// TestOneName: where nearly all requests have one name, what is said of all is not said, and what is said of a few others only if they took their part of the time.
func TestOneName(t *testing.T) {
	for _, c := range []struct {
		all, few int
		mean     int64 // of the few
		want     []string
	}{
		{1000, 10, 99, []string{"GET /"}},
		{1000, 10, 100, []string{"GET /", "GET /health"}},
		{1000, 11, 90, []string{"(all)", "GET /"}},
		{2000, 20, 1, []string{"GET /", "GET /health"}}, // they are no few
	} {
		of := func(name, kind, path string, count int, mean int64) Requests {
			return Requests{Name: name, Kind: kind, Count: count, Mean: mean, Slow: []SlowPart{{LatencyPart: LatencyPart{Step: Step{Metric: metric.Sleep, CallPath: []string{path}}, Mean: mean}, Excess: mean}},
				Parts: []LatencyPart{{Step: Step{Metric: metric.Sleep, CallPath: []string{path}}, Mean: mean}}}
		}
		list := []Requests{of("(all)", "", "show", c.all, 100), of("GET /", "http", "show", c.all-c.few, 100), of("GET /health", "http", "health", c.few, c.mean)}
		var names []string
		for _, f := range findingsOf(list) {
			names = append(names, f.Request)
		}
		require.Equal(t, c.want, names, c)
		var out strings.Builder
		require.NoError(t, RequestsText(&out, &Experiment{Sidecar: Sidecar{Requests: list}}, 5))
		require.Equal(t, c.want[0] == "(all)", strings.Contains(out.String(), "\n(all): "), c)
	}
}

// TestToldTogether: parts that differ only in what is left out of their call paths are one row, and one share of what is waited for at their place.
func TestToldTogether(t *testing.T) {
	part := func(mean int64, causer, by string) SlowPart {
		p := SlowPart{LatencyPart: LatencyPart{Step: Step{Metric: metric.LockCompetition, CallPath: []string{"handle", "lock"}}, Mean: mean}, Excess: mean}
		p.Causer = &Step{Metric: metric.Execution, CallPath: []string{"renew", "save", by, causer}, Own: 1}
		return p
	}
	r := Requests{Name: "GET /", Kind: "http", Count: 100, Mean: 100, Slow: []SlowPart{part(40, "call", ""), part(35, "write", "flush"), part(25, "write", "copy")}}
	r.Parts = []LatencyPart{part(48, "call", "").LatencyPart, part(30, "write", "copy").LatencyPart, part(22, "write", "flush").LatencyPart}
	var out strings.Builder
	require.NoError(t, RequestsText(&out, &Experiment{Sidecar: Sidecar{Requests: []Requests{r}}}, 5))
	_, table, _ := strings.Cut(out.String(), "slowest 1 %\n")
	require.Equal(t, ""+
		"52 ns  52.0 %        60 ns  waiting for a lock in handle ▸ lock, for renew ▸ save ▸ … ▸ write, running\n"+
		"48 ns  48.0 %        40 ns  waiting for a lock in handle ▸ lock, for renew ▸ save ▸ … ▸ call, running\n", table)
	SortSlow(r.Slow)
	f, _ := r.Finding()
	require.Contains(t, spaced(f.Text), "lock in handle ▸ lock, 60 % of that for renew ▸ save ▸ … ▸ write, running")
	f, _ = r.Usual()
	require.Contains(t, spaced(f.Text), "lock in handle ▸ lock, 52 % of that for renew ▸ save ▸ … ▸ write, running")
}

// TestNamesOfRequests: in a report names have the room that the numbers leave, and no more.
func TestNamesOfRequests(t *testing.T) {
	page := func(latency int64) []string {
		name := "example.(*service).events"
		list := []Requests{{Name: "(all)", Count: 1}, {Name: name, Kind: "http", Count: 1}, {Name: name, Kind: KindStream, Count: 1}}
		for i := range list {
			list[i].P50, list[i].Max, list[i].Rate = latency, latency, 1
		}
		e := &Experiment{}
		e.Requests = list
		var out strings.Builder
		require.NoError(t, Text(&out, e, TextOptions{Top: 5}))
		_, table, _ := strings.Cut(out.String(), "name\n")
		return strings.Split(table, "\n")[1:3]
	}
	narrow := page(5)
	require.True(t, strings.HasSuffix(narrow[0], "  example.(*service).events"), narrow[0])
	require.True(t, strings.HasSuffix(narrow[1], "  example.(*service).events, stream"), narrow[1])
	for _, line := range page(123456789e9) {
		require.LessOrEqual(t, width(line), pageWidth)
	}
	require.Equal(t, pageWidth, width(page(123456789e9)[1]))
	require.Contains(t, page(123456789e9)[1], "…")
}
