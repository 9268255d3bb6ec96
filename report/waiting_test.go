package report

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// stuck is a program that ends with its goroutines waiting: two for each other's lock, three for a channel.
func stuck() *Experiment {
	lock := func(location uint32, holder int32) NeverEnded {
		return NeverEnded{Path: 0, Location: location, Since: 5e6, Object: "mutex first used at /src/app/main.go:9", Holder: holder, HolderPath: 0}
	}
	e := &Experiment{
		Regions: []Region{{Name: "lock", File: "/src/app/main.go", Line: 12, Operation: true}, {Name: "recv", File: "/src/app/main.go", Line: 20, Operation: true}},
		Paths:   []CallPath{{Parent: -1, Region: 0}, {Parent: -1, Region: 1}},
		Locations: []Location{{Name: "main", GoID: 1, Count: 1}, {Name: "(goroutine)", Group: 1, GoID: 7, Count: 1},
			{Name: "worker[0]", Group: 2, GoID: 8, Count: 1}, {Name: "worker[1]", Group: 2, GoID: 9, Count: 1}, {Name: "worker[2]", Group: 2, GoID: 10, Count: 1}},
	}
	e.Header = Header{Program: "stuck", Wall: 1e9, Focus: 1e9, Time: 5e9, Processes: 1, Goroutines: 5, Events: 20, Exit: 2}
	e.Groups = []Group{{Name: "main", Creator: -1, Count: 1}, {Name: "(goroutine)", Creator: -1, Count: 1}, {Name: "worker", Creator: -1, Count: 3}}
	e.NeverEnded = []NeverEnded{lock(0, 1), lock(1, 0)}
	for l := range uint32(3) {
		e.NeverEnded = append(e.NeverEnded, NeverEnded{Path: 1, Location: 2 + l, Since: 6e6, Object: "channel first used at /src/app/main.go:20, capacity 0", Holder: 0, HolderPath: 0})
	}
	return e
}

func TestStillWaiting(t *testing.T) {
	text := string(render(t, func(w io.Writer) error { return Text(w, stuck(), TextOptions{}) }))
	require.Contains(t, text, "main, unnamed (not started by instrument.Go)")
	require.Contains(t, text, "! Deadlock: main and goroutine 7 hold locks and wait for each other's.")
	told := stuck()
	told.Judge()
	text = string(render(t, func(w io.Writer) error { return Text(w, told, TextOptions{}) }))
	require.Equal(t, 1, strings.Count(text, "Deadlock: "), "it is the verdict")
	require.Less(t, strings.Index(text, "Deadlock"), strings.Index(text, "Where the time goes"))
	require.Contains(t, text, `  main (goroutine 1) has been in lock at main.go:12 for the last 995 ms, for the
  mutex first used at main.go:9, held by goroutine 7, which had acquired it in
  lock at main.go:12.
`)
	require.Contains(t, text, "  goroutine 7 has been in lock at main.go:12")
	require.Contains(t, text, `  worker ×3 have been in recv at main.go:20 for the last 994 ms, for the channel
  first used at main.go:20, capacity 0.
`, "nobody holds a channel")

	text = string(render(t, func(w io.Writer) error { return Brief(w, stuck(), TextOptions{}) }))
	require.Contains(t, strings.Join(strings.Fields(text), " "), "! 5 goroutines were still waiting when the trace ended: main and goroutine 7 in lock at main.go:12, worker ×3 in recv at main.go:20.")

	for name, want := range map[string]string{"recv": "for a nil channel, which never becomes ready", "select {}": "which never ends", "IO wait": "for something that is not in the trace"} {
		alone := stuck()
		alone.Regions[1].Name, alone.NeverEnded = name, []NeverEnded{{Path: 1, Location: 1, Since: 5e6, Holder: -1, HolderPath: -1}}
		require.Contains(t, strings.ReplaceAll(alone.Sentences().StillWaiting()[0].Text, nbsp, " "), "for the last 995 ms, "+want+".")
	}

	e := stuck()
	e.NeverEnded[1].Holder = 2 // who waits for a channel, not for a lock
	require.NotContains(t, string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) })), "Deadlock")
}

// TestOffers: who offers a value in a select, as he did each time before, waits for someone to take it: he is not idle.
func TestOffers(t *testing.T) {
	e := stuck()
	e.NeverEnded, e.Header.Exit, e.Regions[1].Name = e.NeverEnded[2:], 0, selectName
	e.Metrics = []metric.Metric{{Name: metric.Visits, Unit: metric.Count}, {Name: metric.Messages, Unit: metric.Count}}
	for sent, idle := range map[int64]bool{5: true, 6: false} {
		fill(e, [][]Cell{{{Path: 1, Location: 2, Value: 7}, {Path: 1, Location: 3, Value: 1}, {Path: 1, Location: 4, Value: 1}}, {{Path: 1, Location: 2, Value: sent}}}, nil)
		text := string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))
		require.Equal(t, idle, strings.Contains(text, "Idle when the trace ended, as before: worker ×3 in select at main.go:20."), text)
		require.Equal(t, !idle, strings.Contains(text, "! 3 goroutines were still waiting"), text)
	}
}

// TestIdle: goroutines that wait for their next piece of work as before are told in one line behind the findings, unless the program crashed.
func TestIdle(t *testing.T) {
	e := stuck()
	e.NeverEnded = e.NeverEnded[2:]
	e.Metrics = []metric.Metric{{Name: "visits", Unit: metric.Count}}
	visits := []Cell{{Path: 1, Location: 2, Value: 7}, {Path: 1, Location: 3, Value: 1}, {Path: 1, Location: 4, Value: 1}}
	fill(e, [][]Cell{visits}, nil)
	text := func() string {
		return string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))
	}
	require.Contains(t, text(), "Still waiting when", "it crashed")
	e.Header.Exit = 0
	require.NotContains(t, text(), "till waiting when")
	require.Contains(t, text(), "Idle when the trace ended, as before: worker ×3 in recv at main.go:20.")
	require.Less(t, strings.Index(text(), "No wait states"), strings.Index(text(), "Idle when"))
	for i := range e.NeverEnded {
		e.NeverEnded[i].Object = "timer first used at main.go:20"
	}
	require.Contains(t, strings.Join(strings.Fields(text()), " "), "Waiting for timers that had not run down when the trace ended: worker ×3 in recv at main.go:20.")
	e.Header.Exit = 2
	require.Contains(t, text(), "Still waiting when", "it crashed: they may have been stopped")
	e.Header.Exit = 0
	for i := range e.NeverEnded {
		e.NeverEnded[i].Object = "channel"
	}
	visits[0].Value = 1
	fill(e, [][]Cell{visits}, nil)
	require.Contains(t, text(), "! 3 goroutines were still waiting", "each received for the first time")
	e.Groups[2].Name = "http.(*connReader).backgroundRead"
	require.NotContains(t, text(), "! ", "they wait for what comes from outside")
	e.Groups[2].Name = "signal.NotifyContext.func1"
	require.NotContains(t, text(), "! ", "signals do")
	e.Groups[2].Name, e.Regions[1].Func = "http.(*conn).serve", "net/http/pprof.sleep"
	require.NotContains(t, text(), "! ", "of a profile of the program")
	e.Groups[2].Name, e.Regions[1].Name, e.Regions[1].Func = "http.(*conn).serve", "network", ""
	require.NotContains(t, text(), "! ", "between two requests")
	e.Paths[1].Parent = 0
	require.Contains(t, text(), "! 3 goroutines were still waiting", "in a request")
	e.Paths[1].Parent = -1
	e.Groups[2].Name, e.Regions[1].Name, visits[0].Value = "worker", "network", 7
	for i := range e.NeverEnded {
		e.NeverEnded[i].Object = ""
	}
	fill(e, [][]Cell{visits}, nil)
	require.Contains(t, text(), "! 3 goroutines were still waiting", "the program has ended")
	e.Header.Exit = -1
	require.Contains(t, text(), "Idle when the trace ended, as before: worker ×3 in network", "data came before")
	e.Locations[2].GoID = 1
	require.Contains(t, text(), "! 3 goroutines were still waiting", "main among them")
	e.Locations[2].GoID, visits[0].Value = 0, 1
	fill(e, [][]Cell{visits}, nil)
	require.Contains(t, text(), "! 3 goroutines were still waiting")
	e.Regions[1].Name, e.Header.Exit = "recv", 0
	e.Groups[2].Name, e.Regions[1].Name = "worker", "accept"
	require.NotContains(t, text(), "! ")
	require.Contains(t, text(), "Waiting for connections when the trace ended: worker ×3 in accept at main.go:20.")
	e.Regions[1].Name = "recv"
	for i := range e.NeverEnded {
		e.NeverEnded[i].Object = "signal channel"
	}
	require.NotContains(t, text(), "! ")
	require.Contains(t, text(), "Waiting for signals when the trace ended: worker ×3 in recv at main.go:20.")
	e.Regions[1].Name = "accept"
	for i := range e.NeverEnded {
		e.NeverEnded[i].Object = ""
	}
	e.Header.Exit = 2
	require.Contains(t, text(), "worker ×3 have been in accept at main.go:20 for the last 994 ms, for\n  connections.", "it crashed")
	e.Regions[1].Name, e.Header.Exit = "recv", 0
	e.Requests = []Requests{{Count: 1}, {Kind: "http", Count: 1}}
	e.Header.Span = 9e6
	for longest, want := range map[int64]bool{3e6: false, 3e6 - 1: true} {
		e.Requests[0].Max = longest
		require.Equal(t, want, strings.Contains(text(), "! 3 goroutines"), "others took %d ns", longest)
	}
	e.NeverEnded = []NeverEnded{{Path: 1, Location: 0, Since: 0, Object: "channel that the trace does not name", Holder: -1, HolderPath: -1}}
	require.Contains(t, text(), "Idle when the trace ended, as before: main in recv", "it waits for the end of the service")
	e.Requests[1].Kind = "task"
	require.Contains(t, text(), "! 1 goroutine was still waiting", "it is none")
	require.NotContains(t, text(), "signal")
	e.Groups = append(e.Groups, Group{Name: "signal.loop", Creator: -1})
	require.Contains(t, text(), "for\n  the channel that the trace does not name: perhaps for a signal, as the program\n  asks for some.")
	e.Requests[1].Kind = "http"
	e.Regions[1].Name = "lock"
	require.Contains(t, text(), "! 1 goroutine was still waiting", "for a lock")
}

// TestThroughout: who waits during all of an execution trace, whose program goes on, is told in one sentence; not so who waits for a lock, nor where others who were started since wait, too.
func TestThroughout(t *testing.T) {
	e := stuck()
	e.Header.Exit, e.Header.Begin = -1, 100
	e.Groups = append(e.Groups, Group{Name: "worker", Creator: 1, Count: 2})
	e.Metrics = []metric.Metric{{Name: "visits", Unit: metric.Count}}
	fill(e, [][]Cell{{}}, nil)
	e.NeverEnded = []NeverEnded{{Path: 1, Location: 0, Since: 100, Object: "channel that the trace does not name", Holder: -1, HolderPath: -1}}
	for l := range uint32(3) {
		e.NeverEnded = append(e.NeverEnded, NeverEnded{Path: 1, Location: 2 + l, Since: 100, Object: "channel that the trace does not name", Holder: -1, HolderPath: -1})
	}
	text := func() string {
		return strings.Join(strings.Fields(string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))), " ")
	}
	const all = "4 goroutines waited throughout the trace, as idle goroutines do, and leaked ones: worker ×3 and main in recv at main.go:20."
	require.Contains(t, text(), all)
	require.NotContains(t, text(), "till waiting when")

	last := &e.NeverEnded[3]
	last.Since = 101
	require.Contains(t, text(), "! 3 goroutines were still waiting", "one of them did something else first, and never received")
	e.Locations[4].Group = 3
	require.Contains(t, text(), "! 3 goroutines were still waiting", "a third one came")
	require.Contains(t, text(), "worker ×3 (of 5) have been in recv at main.go:20, 2 of them since the trace began, for the channel that the trace does not name. waiting")
	e.Locations[4].Group, last.Since = 2, 100
	e.Regions[1].Name = "rlock"
	require.Contains(t, text(), "! 4 goroutines were still waiting", "for a lock")
	e.Regions[1].Name, e.Header.Exit = "recv", 0
	require.Contains(t, text(), "! 4 goroutines were still waiting", "the program has ended")
}

// TestMuchLost: from a hundredth of lost events on, that comes first.
func TestMuchLost(t *testing.T) {
	e := hydro()
	text := func() string { return string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) })) }
	e.Lost = Lost{Events: 99, EventsShare: 0.0099, TimeShare: 0.5}
	require.NotContains(t, text(), "are missing")
	e.Lost = Lost{Events: 41_000, EventsShare: 0.41, TimeShare: 0.12}
	lines := strings.Split(text(), "\n")
	require.Equal(t, "! 41 % of the events and at least 12 % of the goroutines' time are missing:", lines[2])
}

// TestRunning: execution is called so where the program used that much processor time.
func TestRunning(t *testing.T) {
	e := hydro()
	text := func() string {
		e.MarkExecution()
		return string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))
	}
	all := e.Total(e.MetricIndex("execution"))
	e.Header.CPUTime = (all*95 + 99) / 100
	require.True(t, strings.Contains(text(), "  Execution  ") && e.executionKnown())
	require.NotContains(t, text(), "Running or")
	e.Header.CPUTime = all / 2
	require.Contains(t, text(), "  Running or not recorded  ")
	require.Contains(t, text(), "at most 50.0 % of it can have been running")
	require.False(t, e.executionKnown())
	e.Header.CPUTime = 0
	require.Contains(t, text(), "so it is unknown how much of it was")
}

// TestTimedOut: where go test's timeout ended the tests, the first sentence is about the test that was waiting, and what it had started, not about who waits for tests by design.
func TestTimedOut(t *testing.T) {
	hung := func() *Experiment {
		e := stuck()
		e.Regions = append(e.Regions, Region{Name: "recv", Func: "testing.(*T).Run", File: "/go/testing.go", Line: 7, Operation: true}, Region{Name: "TestPush", File: "/src/app/a_test.go", Line: 3},
			Region{Name: "TestPop", File: "/src/app/a_test.go", Line: 30})
		e.Paths = []CallPath{{-1, 2}, {-1, 3}, {1, 1}, {1, 0}, {-1, 1}, {-1, 4}, {5, 2}} // main's recv; TestPush, its recv, its go; recv; TestPop, its wait for its turn
		e.Locations = []Location{{Name: "main", GoID: 1, Count: 1}, {Name: "TestPush", Group: 1, GoID: 7, Count: 1}, {Name: "worker[0]", Group: 2, GoID: 8, Count: 1},
			{Name: "janitor", Group: 3, GoID: 9, Count: 1}, {Name: "TestPop", Group: 1, GoID: 10, Count: 1}}
		e.Groups = []Group{{Name: "main", Creator: -1, Count: 1}, {Name: "TestP*", Begun: "testing.tRunner", Creator: -1, Count: 2}, {Name: "worker", Creator: 3, Count: 1},
			{Name: "janitor", Creator: 6, Count: 1}, {Name: timeout, Creator: -1, Count: 1}}
		e.NeverEnded = nil
		for l, path := range []uint32{0, 2, 4, 4, 6} {
			e.NeverEnded = append(e.NeverEnded, NeverEnded{Path: path, Location: uint32(l), Since: int64(5+l) * ms, Object: "channel c", Holder: -1, HolderPath: -1})
		}
		return e
	}
	judged := func(e *Experiment) string {
		e.Judge()
		return spaced(e.Verdict.Text)
	}
	e := hung()
	require.Equal(t, "The tests took too long, so go test ended them. TestPush (goroutine 7) has been in recv at main.go:20 for the last 994 ms, for the channel c. "+
		"worker[0] (goroutine 8) has been in recv at main.go:20 for the last 993 ms, for the channel c.", judged(e), "the janitor is not known to be of that test")
	require.Equal(t, 20, e.Verdict.Line)
	waits := e.Sentences().StillWaiting()
	require.EqualValues(t, []uint32{1, 2, 3}, waits[0].Locations, "at one place")
	require.EqualValues(t, []uint32{0, 4}, waits[len(waits)-1].Locations, "that is by design")
	for what, change := range map[string]func(e *Experiment){
		"a panic":                    func(e *Experiment) { e.Groups[4].Name = "worker" },
		"it ended":                   func(e *Experiment) { e.Header.Exit = 1 },
		"the test was not waiting":   func(e *Experiment) { e.NeverEnded = slices.Delete(e.NeverEnded, 1, 2) },
		"the test waits for its own": func(e *Experiment) { e.NeverEnded[1].Path = 6 },
		"no test":                    func(e *Experiment) { e.Groups[1].Begun = "" },
	} {
		e := hung()
		change(e)
		require.NotContains(t, judged(e), "took too long", what)
	}
}
