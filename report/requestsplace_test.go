package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// served are the functions of net/http with which the call paths of its handlers begin.
var served = []string{"http.(*conn).serve", "http.serverHandler.ServeHTTP", "http.(*ServeMux).ServeHTTP", "http.HandlerFunc.ServeHTTP"}

// stepIn returns what was done in functions that net/http calls, so many of which lead to the innermost one of the program.
func stepIn(name string, own int, calls ...string) Step {
	return Step{Metric: name, CallPath: append(append([]string{}, served...), calls...), File: "/src/a.go", Line: 9, Own: len(served) + own}
}

// TestShortened: of a call path, those functions stay that tell most.
func TestShortened(t *testing.T) {
	for _, c := range []struct {
		want string
		Step
	}{
		{"main.get ▸ rate.(*Limiter).Wait ▸ … ▸ select (a.go:9)", stepIn(metric.ExternalWait, 1, "main.get", "rate.(*Limiter).Wait", "rate.(*Limiter).wait", "select")},
		{"main.get ▸ errgroup.(*Group).Wait ▸ wait (a.go:9)", stepIn(metric.JoinWait, 1, "main.get", "errgroup.(*Group).Wait", "wait")},
		{"… ▸ main.pay ▸ main.try ▸ http.(*Client).Do ▸ … ▸ select (a.go:9)", stepIn(metric.LateSender, 3, "main.get", "main.pay", "main.try", "http.(*Client).Do", "http.send", "select")},
		{"… ▸ main.get ▸ http.Get ▸ … ▸ select (a.go:9)", stepIn(metric.LateSender, 3, "main.logged.func1", "http.HandlerFunc.ServeHTTP", "main.get", "http.Get", "http.send", "select")},
		{"… ▸ io.Copy ▸ main.write ▸ os.(*File).Sync ▸ … ▸ fsync (a.go:9)", stepIn(metric.SystemCall, 3, "main.get", "io.Copy", "main.write", "os.(*File).Sync", "poll.(*FD).Fsync", "fsync")},
		{"main.get ▸ lock (a.go:9)", stepIn(metric.LockCompetition, 1, "main.get", "lock")},
		{"main.get (a.go:9)", stepIn(metric.Sleep, 1, "main.get", "sleep")},
		{"main.get ▸ main.render (a.go:9)", stepIn(metric.Sleep, 2, "main.get", "main.render", "sleep")},
		{"main.get (a.go:9)", stepIn(metric.Execution, 1, "main.get")},
		{"http.HandlerFunc.ServeHTTP ▸ send (a.go:9)", Step{Metric: metric.LateReceiver, CallPath: append(append([]string{}, served...), "send"), File: "/src/a.go", Line: 9}},
		{"main.get ▸ http.Get ▸ select", Step{Metric: metric.LateSender, CallPath: []string{"main.get", "http.Get", "select"}, Own: 1}},
		{"main.get ▸ select", Step{Metric: metric.LateSender, CallPath: []string{"main.get", "select"}, Own: 1}},
		{"select", Step{Metric: metric.LateSender, CallPath: []string{"select"}}},
	} {
		require.Equal(t, c.want, c.Step.where())
	}
}

// TestCalledBySeveral: what several functions wait for at one place is one finding, which names them.
func TestCalledBySeveral(t *testing.T) {
	wait := func(mean, excess int64, calls ...string) SlowPart {
		return SlowPart{LatencyPart: LatencyPart{Step: stepIn(metric.ExternalWait, len(calls), append(calls, "rate.(*Limiter).Wait", "rate.(*Limiter).wait", "select")...), Mean: mean}, Excess: excess}
	}
	sleep := func(mean int64, handler string) SlowPart {
		return SlowPart{LatencyPart: LatencyPart{Step: stepIn(metric.Sleep, 2, handler, "main.render", "sleep"), Mean: mean}, Excess: mean}
	}
	runs := SlowPart{LatencyPart: LatencyPart{Step: stepIn(metric.Execution, 2, "main.get", "main.render"), Mean: 60}, Excess: 60}
	const limiter = "waiting for what no goroutine does, such as a timer in … ▸ rate.(*Limiter).Wait ▸ … ▸ select (a.go:9), called by "
	for _, c := range []struct {
		want string
		slow []SlowPart
	}{
		{"took 200 ns on average, 70 % of it " + limiter + "main.get (57 %) and main.sell (43 %)", []SlowPart{wait(80, 80, "main.get"), wait(60, 60, "main.sell"), runs}},
		{"took 200 ns on average, 70 % of it " + limiter + "main.b (43 %), main.c (29 %) and 2 others", []SlowPart{wait(20, 20, "main.a"), wait(60, 60, "main.b"), wait(40, 40, "main.c"), wait(20, 20, "main.d"), runs}},
		{"took 160 ns on average, 62 % of it waiting for what no goroutine does, such as a timer in … ▸ main.slow ▸ rate.(*Limiter).Wait ▸ … ▸ select (a.go:9), called by main.get (80 %) and main.sell (20 %)",
			[]SlowPart{wait(80, 80, "main.get", "main.slow"), wait(20, 20, "main.sell", "main.slow"), runs}},
		{"took 140 ns on average, 57 % of it sleeping in … ▸ main.render (a.go:9), called by main.get (50 %) and main.sell (50 %)", []SlowPart{sleep(40, "main.get"), sleep(40, "main.sell"), runs}},
		{"took 100 ns on average, 60 % of it running in main.get ▸ main.render (a.go:9)", []SlowPart{sleep(20, "main.get"), sleep(20, "main.sell"), runs}},
	} {
		r := Requests{Count: 100, Slow: c.slow}
		SortSlow(r.Slow)
		f, is := r.Finding()
		require.True(t, is)
		require.Equal(t, "The slowest hundredth of all requests "+c.want, spaced(f.Text))
		for _, s := range r.Slow {
			r.Parts = append(r.Parts, s.LatencyPart)
		}
		f, is = r.Usual()
		require.True(t, is)
		require.Equal(t, "All requests "+c.want, spaced(f.Text))
	}
	r := Requests{Count: 100, Slow: []SlowPart{wait(85, 20, "main.get"), wait(80, -15, "main.sell")}}
	_, is := r.Finding()
	require.False(t, is, "they wait as long as others, in other functions")
	r.Slow = []SlowPart{sleep(90, "main.get"), wait(75, -80, "main.get")}
	_, is = r.Finding()
	require.False(t, is, "they are not slower than others")
}

// TestMostFirst: what most of the time at a place was waited for is told first, and then what makes requests slow.
func TestMostFirst(t *testing.T) {
	part := func(mean, excess int64, causer Step) SlowPart {
		p := SlowPart{LatencyPart: LatencyPart{Step: stepIn(metric.LateReceiver, 1, "main.log", "send"), Mean: mean}, Excess: excess}
		p.Causer = &causer
		return p
	}
	sleep, sync := Step{Metric: metric.Sleep, CallPath: []string{"main.write"}}, Step{Metric: metric.SystemCall, CallPath: []string{"main.write", "os.(*File).Sync"}, Own: 1}
	said := func(slow ...SlowPart) string {
		r := Requests{Count: 100, Slow: slow}
		SortSlow(r.Slow)
		f, is := r.Finding()
		require.True(t, is)
		_, text, _ := strings.Cut(spaced(f.Text), "main.log ▸ send (a.go:9)")
		return text
	}
	const slept, more = ", 80 % of that for main.write, sleeping", "; what is more than usual was mostly spent waiting for main.write ▸ os.(*File).Sync, system calls"
	require.Equal(t, slept+more, said(part(120, 10, sleep), part(30, 25, sync)))
	require.Equal(t, slept, said(part(120, 25, sleep), part(30, 25, sync)), "half of what is more is not most")
	require.Equal(t, slept, said(part(120, 60, sleep), part(30, 25, sync)))
}

// TestTimeout: a timer of package context is told as what it is for.
func TestTimeout(t *testing.T) {
	wait := stepIn(metric.LateClose, 1, "main.try", "http.(*Client).Do", "http.send", "select")
	timer := Step{Metric: metric.Sleep, CallPath: []string{"context.WithDeadlineCause.func2", "timer"}}
	const there = "waiting for a channel to be closed in main.try ▸ http.(*Client).Do ▸ … ▸ select (a.go:9)"
	p := SlowPart{LatencyPart: LatencyPart{Step: wait, Causer: &timer, Mean: 30}, Excess: 30}
	require.Equal(t, there+", until a timeout of its context ran out", p.Words())
	r := Requests{Count: 100, Slow: []SlowPart{p}}
	other := p
	other.Causer, other.Mean = &Step{Metric: metric.Sleep, CallPath: []string{"main.cancel", "timer"}}, 10
	require.Equal(t, there+", for main.cancel ▸ timer, sleeping", other.Words())
	r.Slow = append(r.Slow, other)
	f, is := r.Finding()
	require.True(t, is)
	require.Equal(t, "The slowest hundredth of all requests took 40 ns on average, 100 % of it "+there+", 75 % of that until a timeout of its context ran out", spaced(f.Text))
	require.Equal(t, TimerBound, f.Problem)
	timer.Metric, timer.CallPath = metric.Execution, timer.CallPath[:1]
	require.Equal(t, there+", for context.WithDeadlineCause.func2, running", p.Words())
}

// TestWakingUp: that requests are ready to run is due to too few processors only if these were busy.
func TestWakingUp(t *testing.T) {
	for _, c := range []struct {
		name          string
		mean          int64
		load          *Load
		told, lacking bool
	}{
		{"it is not known", 121e3, nil, true, true},
		{"processors were idle", 121e3, &Load{}, false, false},
		{"for long", 2e6, &Load{}, true, false},
		{"they were busy for half of it", 121e3, &Load{Lacking: 121e3}, true, true},
		{"they were busy for less", 121e3, &Load{Lacking: 120e3}, false, false},
	} {
		r := Requests{Name: "main.get", Kind: "http", Count: 2, Parts: []LatencyPart{{Step: stepIn(metric.Ready, 1, "main.get", "rlock"), Mean: c.mean}}}
		e := &Experiment{Sidecar: Sidecar{Requests: []Requests{{Name: "(all)", Count: 200}, r}}}
		e.Header.Load = c.load
		var out strings.Builder
		require.NoError(t, RequestsText(&out, e, 5))
		require.Equal(t, c.told, strings.Contains(out.String(), "% of it waiting for a processor"), c.name)
		require.Equal(t, c.lacking, strings.Contains(out.String(), "(too_few_processors)"), c.name)
	}
	for load, want := range map[*Load]string{
		nil: "do nothing that the others do not. All requests took 200 µs on average, 60 % of it waiting for a processor in main.get ▸ rlock (a.go:9).",
		{}:  "do nothing that the others do not.",
	} {
		e := &Experiment{Sidecar: Sidecar{Requests: []Requests{{Name: "(all)", Count: 200}, {Name: "main.get", Kind: "http", Count: 200}}}}
		e.Requests[0].Parts = []LatencyPart{{Step: stepIn(metric.Ready, 1, "main.get", "rlock"), Mean: 120e3}, {Step: stepIn(metric.Execution, 1, "main.get"), Mean: 80e3}}
		e.Header.Load = load
		v, is := (&page{e: e}).service()
		require.True(t, is)
		require.True(t, strings.HasSuffix(spaced(v.Text), want), v.Text)
	}
}
