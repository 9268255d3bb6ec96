package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
)

// TestRecognise: chains that are known problems, and beside each one what looks similar and is none.
func TestRecognise(t *testing.T) {
	chain := func(steps ...any) (list []did) {
		for _, s := range steps {
			switch s := s.(type) {
			case string:
				list = append(list, did{metric: s, path: []string{fmt.Sprint("goroutine", len(list))}})
			case []string:
				list = append(list, did{metric: s[0], path: s[1:]})
			}
		}
		return list
	}
	for _, c := range []struct {
		name, want string
		chain      []did
	}{
		{"the pool of database/sql has no connection left", PoolExhausted, chain([]string{metric.LateSender, "query", "sql.(*DB).QueryContext", "sql.(*DB).conn", "select"}, metric.Network)},
		{"making a connection waits for the network", "", chain([]string{metric.Network, "query", "sql.(*DB).QueryContext", "sql.(*DB).conn", "driver.Open", "network"})},
		{"the database is slow", "", chain([]string{metric.Network, "query", "sql.(*DB).QueryContext", "driver.read", "network"})},
		{"making a connection runs", "", chain([]string{metric.Execution, "query", "sql.(*DB).conn"})},
		{"the pool of go-redis has no connection left", PoolExhausted, chain([]string{metric.LateSender, "get", "internal.(*FastSemaphore).Acquire", "select"}, metric.Network)},
		{"who serves a request waits for another one that does, and sleeps", "", chain([]string{metric.LateSender, "http.(*conn).serve", "get", "select"}, []string{metric.Sleep, "http.(*conn).serve", "use", "sleep"})},
		{"who serves a request waits for one in the background, who sleeps", TimerBound, chain([]string{metric.LateSender, "http.(*conn).serve", "get", "select"}, []string{metric.Sleep, "main.refresh", "sleep"})},
		{"workers wait for each other, and one sleeps", TimerBound, chain([]string{metric.LateSender, "worker", "recv"}, []string{metric.Sleep, "worker", "sleep"})},
		{"a semaphore has no place left", PoolExhausted, chain([]string{metric.LateSender, "fetch", "semaphore.(*Weighted).Acquire", "select"}, metric.Execution)},
		{"a rate limiter has no place left", TimerBound, chain(metric.LateReceiver, []string{metric.ExternalWait, "fetch", "rate.(*Limiter).wait", "select"})},
		{"the next stage waits for a timer of its own", BackPressure, chain(metric.LateReceiver, []string{metric.ExternalWait, "fetch", "select"})},
		{"a worker waits for a place", PoolExhausted, chain(metric.LateSender, []string{metric.LateReceiver, "errgroup.(*Group).Go", "send"})},
		{"a reader waits for a writer that waits for a long reader", ReaderBehindWriter, chain(metric.ReaderWait, metric.WriterWait, metric.Sleep)},
		{"a reader waits for a writer that is at work", "", chain(metric.ReaderWait, metric.Execution)},
		{"a writer waits for readers that are at work", "", chain(metric.WriterWait, metric.Execution)},
		{"the holder waits for the network", HeldAcrossWait, chain(metric.LockCompetition, metric.Network)},
		{"the holder of a reader's lock sleeps", HeldAcrossWait, chain(metric.WriterWait, metric.Sleep)},
		{"the holder writes to a file", HeldAcrossWait, chain(metric.LockCompetition, metric.SystemCall)},
		{"the holder of the lock that the holder waits for sleeps", HeldAcrossWait, chain(metric.LockCompetition, metric.LockCompetition, metric.Sleep)},
		{"the one before in the queue waited for the same lock", "", chain(metric.LockCompetition, metric.LockCompetition)},
		{"the holder is at work", "", chain(metric.LockCompetition, metric.Execution)},
		{"nobody knows who held the lock", "", chain(metric.LockCompetition)},
		{"the next stage is slower", BackPressure, chain(metric.FullBuffer, metric.Execution)},
		{"the stage after the next one is slower", BackPressure, chain(metric.LateReceiver, metric.FullBuffer, metric.Execution)},
		{"a channel counts places", "", chain([]string{metric.LateReceiver, "fetch", "send"}, []string{metric.Execution, "fetch"})},
		{"the stage before is slower", "", chain(metric.LateSender, metric.Execution)},
		{"who was to send sleeps", TimerBound, chain(metric.LateSender, metric.Sleep)},
		{"who was to send waits for a timer", TimerBound, chain(metric.LateSender, metric.TimerWait)},
		{"the holder waits for a timer", HeldAcrossWait, chain(metric.LockCompetition, metric.TimerWait)},
		{"it waits for a timer itself", "", chain(metric.TimerWait)},
		{"it sleeps itself", "", chain(metric.Sleep)},
		{"it has to help the collector", GCPressure, chain(metric.GCAssist)},
		{"it is stopped", "", chain(metric.Stopped)},
		{"it is ready to run", TooFewProcessors, chain(metric.Ready)},
		{"it wakes up", "", chain(metric.Wakeup)},
		{"it runs", "", chain(metric.Execution)},
	} {
		require.Equal(t, c.want, recognise(c.chain), c.name)
	}
}

// TestProblems: each has all texts, and is found by its name.
func TestProblems(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Problems() {
		require.False(t, seen[m.Name], m.Name)
		seen[m.Name] = true
		require.NotNil(t, problem(m.Name))
		require.Equal(t, metric.Problem, m.Kind)
		for _, text := range []string{m.Title, m.Description, m.Formula, m.Advice} {
			require.NotEmpty(t, text, m.Name)
		}
		var out bytes.Buffer
		require.NoError(t, DescribeMetric(&out, m))
		require.Contains(t, out.String(), m.Title+" ("+m.Name+", known problem)")
	}
	require.Nil(t, problem(""))
}

// TestHerd: those whom a condition wakes wait for its lock, at least twice for each time that somebody is woken; not if others wait most, or one is woken each time.
func TestHerd(t *testing.T) {
	metrics := []metric.Metric{{Name: metric.Time}, {Name: metric.LockCompetition, Parent: metric.Time, Kind: metric.WaitState}, {Name: metric.Visits}}
	regions := []Region{{Name: "take"}, {Name: "condwait", Operation: true}, {Name: "lock", Operation: true}, {Name: "broadcast", Operation: true}, {Name: "signal", Operation: true}}
	paths := []CallPath{{-1, 0}, {0, 1}, {1, 2}, {0, 2}, {0, 3}, {0, 4}} // 2 is the lock of the condition, 3 the lock itself
	for _, c := range []struct {
		name              string
		path              uint32
		waits             uint64
		broadcasts, wakes int64 // wakes: signals
		other             int64 // waiting at the lock itself
		want              bool
	}{
		{"eight for each", 2, 80, 10, 0, 0, true},
		{"two for each", 2, 80, 30, 10, 999, true},
		{"fewer than two for each", 2, 79, 30, 10, 0, false},
		{"others wait as long", 2, 80, 10, 0, 1000, false},
		{"nobody was woken", 2, 80, 0, 0, 0, false},
		{"a lock without condition", 3, 80, 10, 0, 0, false},
	} {
		e := &Experiment{Metrics: metrics, Regions: regions, Paths: paths}
		e.Locations, e.Groups = []Location{{}}, []Group{{Creator: -1}}
		require.NoError(t, e.Fill([][]Cell{nil, {{Path: c.path, Value: 1000 + c.other}}, {{Path: 4, Value: c.broadcasts}, {Path: 5, Value: c.wakes}}}, nil))
		first := Line{Metric: 1, Path: c.path, Severity: 1000, Instances: c.waits}
		f := Finding{Line: first, Lines: []Line{first, {Metric: 1, Path: 3, Severity: c.other}}}
		f.Severity += c.other
		require.Equal(t, c.want, e.herd(&f), c.name)
	}
}

// TestOneValue: who waits until one value is taken, such as the signal to stop, is not held up by a slower stage; who sends several is.
func TestOneValue(t *testing.T) {
	metrics := []metric.Metric{{Name: metric.Time}, {Name: metric.LateReceiver, Parent: metric.Time, Kind: metric.WaitState}, {Name: metric.Sleep}}
	regions := []Region{{Name: "stop"}, {Name: "send", Operation: true}, {Name: "poll"}, {Name: "sleep", Operation: true}}
	for waits, want := range map[uint64]string{1: TimerBound, 2: BackPressure} {
		e := &Experiment{Metrics: metrics, Regions: regions, Paths: []CallPath{{-1, 0}, {0, 1}, {-1, 2}, {2, 3}}}
		f := Finding{Line: Line{Metric: 1, Path: 1, Severity: 1000, Critical: 600, Instances: waits, Causers: []Causer{{Path: 2}}}, Awaited: 1000, Meanwhile: []PathTime{{3, 600}}}
		e.Header, e.Findings = Header{Time: 1000, Focus: 1000, Wall: 1000}, []Finding{f}
		require.Equal(t, want, e.Problem(&e.Findings[0]).Name, waits)
	}
}

// TestPlacesOfBusyProcessors: where who has the places works and all processors are busy, more places do not help.
func TestPlacesOfBusyProcessors(t *testing.T) {
	metrics := []metric.Metric{{Name: metric.Time}, {Name: metric.LateReceiver, Parent: metric.Time, Kind: metric.WaitState, Advice: "receive earlier"}, {Name: metric.Sleep}}
	regions := []Region{{Name: "run"}, {Name: "send", Operation: true, Func: "golang.org/x/sync/errgroup.(*Group).Go"}, {Name: "work"}, {Name: "sleep", Operation: true}}
	for _, c := range []struct {
		want  string
		busy  int64
		holds []PathTime
		taken bool
	}{
		{TooFewProcessors, 800, []PathTime{{2, 600}}, true}, {PoolExhausted, 799, []PathTime{{2, 600}}, true}, {PoolExhausted, 800, []PathTime{{3, 600}}, true},
		{TooFewProcessors, 800, nil, true}, {TooFewProcessors, 800, nil, false}, {PoolExhausted, 799, nil, false},
	} {
		f := Finding{Line: Line{Metric: 1, Path: 1, Severity: 1000, Critical: 600, Causers: []Causer{{Path: 2}}}, Awaited: 1000, Meanwhile: c.holds, Busy: Busy{Taken: c.taken}}
		e := &Experiment{Metrics: metrics, Regions: regions, Paths: []CallPath{{-1, 0}, {0, 1}, {0, 2}, {0, 3}}}
		e.Header, e.Findings = Header{Time: 1000, Focus: 1000, Wall: 1000, Load: &Load{Busy: c.busy}}, []Finding{f}
		require.Equal(t, c.want, e.Problem(&e.Findings[0]).Name, "%+v", c)
	}
}

// TestHeldAcrossSystemCalls: who has a lock while it is in system calls is not at work, even if the lock is taken again and again.
func TestHeldAcrossSystemCalls(t *testing.T) {
	metrics := []metric.Metric{{Name: metric.Time}, {Name: metric.LockCompetition, Parent: metric.Time, Kind: metric.WaitState}, {Name: metric.SystemCall, Parent: metric.Time},
		{Name: metric.UnrecordedWait, Parent: metric.Time}, {Name: metric.CriticalPath}}
	regions := []Region{{Name: "commit"}, {Name: "lock", Operation: true}}
	for _, c := range []struct {
		want, doing            string
		calls, unknown, onPath int64
	}{
		{HeldAcrossWait, "in system calls", 900, 0, 900},
		{LockConvoy, "waiting for something that is not recorded", 0, 900, 900},
		{LockConvoy, "", 300, 0, 300},
	} {
		e := &Experiment{Metrics: metrics, Regions: regions, Paths: []CallPath{{-1, 0}, {0, 1}}}
		e.Locations, e.Groups = []Location{{}}, []Group{{Creator: -1}}
		e.Operations = []OperationSplit{{Path: 0, External: c.onPath}}
		require.NoError(t, e.Fill([][]Cell{nil, nil, {{Path: 0, Value: c.calls}}, {{Path: 0, Value: c.unknown}}, {{Path: 0, Value: 1000}}}, nil))
		f := Finding{Line: Line{Metric: 1, Path: 1, Severity: 1000, Critical: 1000, Instances: 100, Causers: []Causer{{Path: 1}}}, Awaited: 1000, Meanwhile: []PathTime{{0, 1000}}, Convoy: 900}
		e.Header, e.Findings = Header{Time: 3000, Focus: 3000, Wall: 3000}, []Finding{f}
		require.Equal(t, c.want, e.Problem(&e.Findings[0]).Name, c.doing)
		require.Equal(t, c.doing, (&page{e: e}).idling(0))
	}
}

// TestFindingProblem: a finding is named by what most of the waiting was for, and only if that is known.
func TestFindingProblem(t *testing.T) {
	metrics := []metric.Metric{{Name: metric.Time}, {Name: metric.LockCompetition, Parent: metric.Time, Kind: metric.WaitState, Advice: "hold it shorter"},
		{Name: metric.LateSender, Parent: metric.Time, Kind: metric.WaitState}}
	regions := []Region{{Name: "run"}, {Name: "lock", Operation: true}, {Name: "sleep", Operation: true}, {Name: "refresh"}, {Name: "recv", Operation: true}}
	paths := []CallPath{{-1, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}}
	e := func(f Finding) *Experiment {
		f.Line = Line{Metric: 1, Path: 1, Severity: 1000, Critical: f.Critical, Causers: []Causer{{Path: 3}}}
		other := Finding{Line: Line{Metric: 2, Path: 4, Severity: 900}}
		x := &Experiment{Sidecar: Sidecar{Groups: []Group{{}}}, Metrics: metrics, Regions: regions, Paths: paths}
		x.Header, x.Findings = Header{Time: 1000, Focus: 1000}, []Finding{f, other}
		x.Operations = []OperationSplit{{Path: 0, Runnable: 600}, {Path: 4, External: 600}}
		return x
	}
	at := func(path uint32, time int64) []PathTime { return []PathTime{{path, time}} }
	for _, c := range []struct {
		name, want string
		f          Finding
	}{
		{"the holder sleeps", HeldAcrossWait, Finding{Line: Line{Critical: 600}, Awaited: 1000, Meanwhile: at(2, 600)}},
		{"the holder sleeps for less than half", "", Finding{Line: Line{Critical: 600}, Awaited: 1000, Meanwhile: at(2, 500)}},
		{"the holder is at work for half of the run", SerialSection, Finding{Line: Line{Critical: 500}, Awaited: 900, Meanwhile: at(3, 500)}},
		{"it waits for what is not recorded, or to run, in a place that is no operation", "", Finding{Line: Line{Critical: 600}, Awaited: 900, Meanwhile: at(0, 600)}},
		{"it receives from somebody who is not recorded", "", Finding{Line: Line{Critical: 600}, Awaited: 900, Meanwhile: at(4, 600)}},
		{"the holder is at work, for less than that", "", Finding{Line: Line{Critical: 499}, Awaited: 900, Meanwhile: at(3, 499)}},
		{"the holder waits for a value", HeldAcrossWait, Finding{Awaited: 1000, Onward: []Onward{{PathTime{4, 700}, 0}}}},
		{"the holder waits in a place of which nothing is found", "", Finding{Awaited: 1000, Onward: []Onward{{PathTime{1, 700}, 0}}}},
		{"those who released it slept, before they waited for it themselves", HeldAcrossWait, Finding{Line: Line{Critical: 300}, Awaited: 1000, Meanwhile: at(2, 200), Onward: []Onward{{PathTime{1, 700}, 0}}}},
		{"less than half of that is known", "", Finding{Line: Line{Critical: 300}, Awaited: 1000, Meanwhile: at(2, 150), Onward: []Onward{{PathTime{1, 700}, 0}}}},
		{"nearly all of the time those who released it waited for it themselves", "", Finding{Line: Line{Critical: 300}, Awaited: 1000, Meanwhile: at(2, 200), Onward: []Onward{{PathTime{1, 760}, 0}}}},
		{"those who released it worked for half of the run, before they waited for it themselves", SerialSection, Finding{Line: Line{Critical: 500}, Awaited: 4000, Meanwhile: at(3, 500), Onward: []Onward{{PathTime{1, 2500}, 0}}}},
		{"they worked, but most of the time they slept", HeldAcrossWait, Finding{Line: Line{Critical: 1000}, Awaited: 4000, Meanwhile: at(3, 900), Onward: []Onward{{PathTime{4, 2500}, 0}}}},
		{"nothing is known", "", Finding{Awaited: 1000}},
		{"nothing is known but that the queue did not end", LockConvoy, Finding{Awaited: 1000, Convoy: 501}},
		{"it did for half of the time", "", Finding{Awaited: 1000, Convoy: 500}},
		{"all who released it had waited for it, and slept then", HeldAcrossWait, Finding{Line: Line{Critical: 300}, Awaited: 1000, Convoy: 501, Meanwhile: at(2, 200), Onward: []Onward{{PathTime{1, 760}, 0}}}},
		{"they worked, for less than half of the run", LockConvoy, Finding{Line: Line{Critical: 300}, Awaited: 1000, Convoy: 501, Meanwhile: at(3, 200), Onward: []Onward{{PathTime{1, 760}, 0}}}},
		{"they worked, for half of the run", SerialSection, Finding{Line: Line{Critical: 500}, Awaited: 4000, Convoy: 501, Meanwhile: at(3, 500), Onward: []Onward{{PathTime{1, 3400}, 0}}}},
		{"others wait for their turn", HeadOfLine, Finding{HeadOfLine: 501}},
		{"others wait for their turn for half of the time", "", Finding{HeadOfLine: 500}},
		{"all workers are busy", PoolTooSmall, Finding{Busy: Busy{Workers: 4}}},
		{"all places are taken", PoolExhausted, Finding{Busy: Busy{Places: 4}}},
	} {
		x := e(c.f)
		got := ""
		if known := x.Problem(&x.Findings[0]); known != nil {
			got = known.Name
			require.Equal(t, known.Advice, x.Advice(&x.Findings[0]))
		} else {
			require.Equal(t, "hold it shorter", x.Advice(&x.Findings[0]))
		}
		require.Equal(t, c.want, got, c.name)
		require.Equal(t, c.want == HeadOfLine, strings.Contains(x.Findings[0].inTurn(), "50.1\u00a0% of that time, one was not ready"), c.name)
	}
}

// TestCollecting: where the garbage collector has processors that goroutines are ready for, that is said; not if system calls or other processes may have had them.
func TestCollecting(t *testing.T) {
	metrics := []metric.Metric{{Name: metric.Time}, {Name: metric.GCAssist, Parent: metric.Time}, {Name: metric.SystemCall, Parent: metric.Time}}
	for _, c := range []struct {
		name          string
		cpu, running  int64
		assist, calls int64
		processes     int
		want          int64
	}{
		{"the collector has most", 2400, 700, 200, 0, 1, 1700},
		{"a quarter", 2000, 1500, 200, 0, 1, 500},
		{"less than a quarter", 2004, 1504, 200, 0, 1, 0},
		{"goroutines never helped", 2400, 700, 9, 0, 1, 0},
		{"they were in system calls", 2400, 700, 200, 1200, 1, 0},
		{"it may have been another process", 2400, 700, 200, 0, 2, 0},
		{"the program hardly began", 480, 140, 200, 0, 1, 0},
		{"it did something", 700, 200, 200, 0, 1, 500},
	} {
		const unit = 100_000 // ns
		c.cpu, c.running, c.assist, c.calls, c.want = unit*c.cpu, unit*c.running, unit*c.assist, unit*c.calls, unit*c.want
		e := &Experiment{Metrics: metrics}
		e.Regions, e.Paths = []Region{{Name: "work"}}, []CallPath{{-1, 0}}
		e.Locations, e.Groups = []Location{{}}, []Group{{Creator: -1}}
		e.Header = Header{States: true, Processes: c.processes, CPUTime: c.cpu, Wall: 1000 * unit, Time: 2000 * unit, Load: &Load{Running: c.running}}
		require.NoError(t, e.Fill([][]Cell{nil, {{Value: c.assist}}, {{Value: c.calls}}}, nil))
		require.Equal(t, c.want, e.collecting(), c.name)
		text, _ := e.Collector()
		require.Equal(t, c.want > 0 || 20*c.assist >= 2000*unit, text != "", c.name)
		require.Equal(t, c.want > 0, bytes.Contains([]byte(text), []byte("runtime's own")), text)
		p := &page{e: e}
		require.Equal(t, c.want > 0, p.collected() != "", c.name)
	}
}

// TestHelpersWaited: goroutines that had to help the garbage collector, and those that ran, are no more than processors, or some of them waited: that is no time at work.
func TestHelpersWaited(t *testing.T) {
	const had = "oroutines had to help the garbage collector, or to wait for it, for "
	for _, c := range []struct {
		processors  int
		text, there string
	}{
		{2, "G" + had + "1.50 s: 75.0 % of their time at work.", "75.0 % of the time at work goes into helping the garbage collector, or waiting for it"}, // 2 s of 2
		{1, "G" + had + "1.50 s in total, 1.5 of them at once on average.", "g" + had + "1.50 s"},
		{0, "G" + had + "1.50 s: 75.0 % of their time at work.", "75.0 % of the time at work goes into helping the garbage collector, or waiting for it"},
	} {
		e := &Experiment{Metrics: []metric.Metric{{Name: metric.Time}, {Name: metric.GCAssist, Parent: metric.Time}, {Name: metric.Execution, Parent: metric.Time}}}
		e.Regions, e.Paths = []Region{{Name: "work"}}, []CallPath{{-1, 0}}
		e.Locations, e.Groups = []Location{{}}, []Group{{Creator: -1}}
		e.Header = Header{States: true, Wall: 1000 * ms, Time: 9000 * ms, Processors: c.processors}
		require.NoError(t, e.Fill([][]Cell{nil, {{Value: 1500 * ms}}, {{Value: 500 * ms}}}, nil))
		e.MarkExecution()
		text, _ := e.Collector()
		require.Equal(t, c.text, spaced(text))
		require.Equal(t, c.there, spaced((&page{e: e}).helping(spending{})))
	}
}

// TestRequestsHelped: of a service it is said what requests had to do for the garbage collector, from a tenth of their time on, from a quarter on in the first sentence.
func TestRequestsHelped(t *testing.T) {
	for _, c := range []struct {
		helped int64 // of 100
		text   string
		first  bool
	}{
		{9, "", false},
		{10, "Requests had to help the garbage collector, or to wait for it, for 200 ms: 10.0 % of the time that they took.", false},
		{24, "Requests had to help the garbage collector, or to wait for it, for 480 ms: 24.0 % of the time that they took.", false},
		{25, "Requests had to help the garbage collector, or to wait for it, for 500 ms: 25.0 % of the time that they took.", true},
	} {
		part := func(name string, ns int64) LatencyPart {
			return LatencyPart{Step: Step{Metric: name, CallPath: []string{"handle"}}, Mean: ns * ms}
		}
		e := &Experiment{Metrics: []metric.Metric{{Name: metric.Time}, {Name: metric.GCAssist, Parent: metric.Time}, {Name: metric.Execution, Parent: metric.Time}}}
		e.Regions, e.Paths = []Region{{Name: "work"}}, []CallPath{{-1, 0}}
		e.Locations, e.Groups = []Location{{}}, []Group{{Creator: -1}}
		e.Header = Header{States: true, Wall: 1000 * ms, Time: 9000 * ms, Processors: 2}
		require.NoError(t, e.Fill([][]Cell{nil, {{Value: 1500 * ms}}, {{Value: 500 * ms}}}, nil)) // most of it in the background
		e.Requests = []Requests{{Name: "(all)", Count: 20, Mean: 100 * ms, Parts: []LatencyPart{part(metric.Execution, 100-c.helped), part(metric.GCAssist, c.helped-1), part(metric.GCAssist, 1)}},
			{Name: "GET /", Kind: "http", Count: 20, Mean: 100 * ms}}
		text, _ := e.Collector()
		require.Equal(t, c.text, spaced(text))
		v, _ := (&page{e: e}).service()
		require.Equal(t, c.first, strings.Contains(spaced(v.Text), fmt.Sprintf("; %d.0 %% of their time went into helping the garbage collector, or waiting for it", c.helped)), v.Text)
	}
}

// TestPathOf: an operation in a function that is no region has that function before it.
func TestPathOf(t *testing.T) {
	e := &Experiment{}
	e.Regions = []Region{{Name: "main.main", Func: "main.main"}, {Name: "send", Operation: true, Func: "golang.org/x/sync/errgroup.(*Group).Go"}, {Name: "recv", Operation: true, Func: "main.main"}}
	e.Paths = []CallPath{{-1, 0}, {0, 1}, {0, 2}, {-1, 1}}
	require.Equal(t, []string{"main.main", "errgroup.(*Group).Go", "send"}, e.pathOf(1))
	require.Equal(t, []string{"main.main", "recv"}, e.pathOf(2))
	require.Equal(t, []string{"errgroup.(*Group).Go", "send"}, e.pathOf(3))
	require.Equal(t, []string{"main.main"}, e.pathOf(0))
	require.True(t, (&did{metric.FullBuffer, e.pathOf(1)}).forPlace())
}
