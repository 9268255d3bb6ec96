package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/trace/wire"
)

func TestSentences(t *testing.T) {
	e := hydro()
	var text strings.Builder
	require.NoError(t, Text(&text, e, TextOptions{Top: 1000}))
	words := func(s string) string { return strings.Join(strings.Fields(strings.ReplaceAll(s, nbsp, " ")), " ") }
	page := words(text.String())
	s := e.Sentences()
	f := &e.Findings[0]
	require.Contains(t, page, words(s.Finding(f)), "the text report says the same")
	c := Causer{Group: f.Group, Locations: f.Locations}
	require.Equal(t, "worker ×7 (of 8)", words(s.Causer(&c)))
	c.Mattering = 2
	require.Equal(t, "worker ×2 (of 8)", words(s.Causer(&c)), "as the sentence counts")
	require.Equal(t, 2, e.jsonCausers([]Causer{c})[0].Mattering)
	require.Equal(t, 7, e.jsonCausers([]Causer{{Group: f.Group, Locations: f.Locations}})[0].Mattering)
	for _, w := range s.StillWaiting() {
		require.Contains(t, page, words(w.Text))
	}
	lead := words(strings.Join(s.Lead(), " "))
	require.Contains(t, lead, "goroutines existed for")
	require.True(t, strings.HasPrefix(lead, "Waiting to receive from Halo.left (8 channels) delays the run most: "), lead)
	require.Equal(t, "The program ran for 0 ns. Its 0 goroutines existed for 0 ns in total.",
		words(strings.Join(new(Experiment).Sentences().Lead(), " ")))
}

// TestSmallShares: who had less than a hundredth of a finding's waiting is not named.
func TestSmallShares(t *testing.T) {
	for share, want := range map[int64]string{
		60 * ms: "98.4 % of it for worker[3], which was in sweep at ppm.go:88; 1.6 % of it for worker ×3 (of 8), which was in lock at dt.go:33.",
		30 * ms: "99.2 % of it for worker[3], which was in sweep at ppm.go:88.",
		1:       ", for worker[3], which was in sweep at ppm.go:88.",
	} {
		e := hydro()
		f := &e.Findings[0]
		f.Causers[0].Severity, f.Causers[1].Severity = f.Severity-share, share
		text := spaced(e.Sentences().Finding(f))
		require.True(t, strings.HasSuffix(text, want), text)
		f.Causers = append(f.Causers, Causer{0, -1, 0, []uint32{0}, 0}, Causer{-1, -1, 0, nil, 0})
		require.Equal(t, text, spaced(e.Sentences().Finding(f)), "there are others, who had nothing")
	}
}

// The least number, which what is no number becomes.
func TestSecondsOfAnything(t *testing.T) {
	require.Equal(t, "−9,223,372,037 s", seconds(math.MinInt64))
	require.Equal(t, "−9,223,372,036,854,775,808", grouped(math.MinInt64))
	require.Equal(t, "9,223,372,037 s", seconds(math.MaxInt64))
}

func TestCounts(t *testing.T) {
	require.Equal(t, []string{"1 mutex", "4 mutexes", "2 channels", "1,000 passes"},
		[]string{count(1, "mutex"), count(4, "mutex"), count(2, "channel"), count(1000, "pass")})
}

func TestOperationNames(t *testing.T) {
	require.Equal(t, []string{sendName, recvName, selectName, condWaitName, sleepName}, []string{wire.SendBegin.String(), wire.RecvBegin.String(),
		wire.SelectBegin.String(), wire.CondBegin.String(), wire.SleepBegin.String()})
}

// TestReadyMost: if goroutines on the critical path were ready to run most of the time, in many places, the first sentence says so, and what kept them if that is known.
func TestReadyMost(t *testing.T) {
	e := hydro()
	e.Judge()
	require.NotContains(t, spaced(e.Verdict.Text), "ready to run")
	e.Split.Runnable, e.Split.Execution = 700*ms, 503*ms
	e.Judge()
	require.Contains(t, spaced(e.Verdict.Text), "For 54.6 % of the critical path, goroutines were ready to run, but did not run yet. Of all waiting, that ")
	require.Equal(t, "wakeup", e.Verdict.Metric) // there are no other metrics of it where states are not recorded
	e.Header.States = true
	e.Judge()
	require.Equal(t, "ready", e.Verdict.Metric)
	e.Header.CPUTime, e.Header.Load = 600*ms, &Load{Running: 800 * ms}
	e.Judge()
	require.Contains(t, spaced(e.Verdict.Text), "did not run yet; those that ran had a real processor for only 75.0 % of that time, as other programs took the rest; 100.0 % of the work is in sweep at ppm.go:88. Of")
	e.Header.CPUTime = 700 * ms
	e.Judge()
	require.NotContains(t, e.Verdict.Text, "other programs")
	e.Findings[0].Critical = 40 * ms
	e.Judge()
	require.Equal(t, "For 54.6 % of the critical path, goroutines were ready to run, but did not run yet; 100.0 % of the work is in sweep at ppm.go:88.", spaced(e.Verdict.Text))
}

// TestAside: who is waited for at a channel all the time, and never waits for those, limits the run; their waiting does not delay it.
func TestAside(t *testing.T) {
	const waited = "worker ×7 (of 8) waited to receive from Halo.left (8 channels) for worker[3], which was mostly in sweep at ppm.go:88 then."
	for _, c := range []struct {
		taken  int64 // of 1,400 waits
		metric string
		others int64 // what others than worker[3] were waited for
		aside  bool
	}{
		{69, metric.LateSender, 60 * ms, true},
		{70, metric.LateSender, 60 * ms, false}, // one in 20 led the path on
		{0, metric.LateReceiver, 60 * ms, true},
		{0, metric.FullBuffer, 60 * ms, true},
		{0, metric.CondWait, 60 * ms, false}, // who waits for a condition has no part in a pipeline
		{0, metric.LateSender, 400 * ms, false},
	} {
		e := hydro()
		f := &e.Findings[0]
		e.Metrics[f.Metric].Name, e.Operations[0].Taken = c.metric, c.taken
		f.Causers[0].Severity, f.Causers[1].Severity = f.Severity-c.others, c.others
		f.Causers[1].Group = 0
		e.Judge()
		said := spaced(e.Verdict.Text)
		if !c.aside {
			require.Contains(t, said, "delays the run most: 38.3 % of its time (491 ms), ", "%v", c)
			continue
		}
		require.Equal(t, "For 38.3 % of the run (491 ms), "+waited, said, "%v", c)
		f.Critical, f.Meanwhile[0].Time = 650*ms, 489*ms
		e.Judge()
		require.Equal(t, "What limits the run is worker[3]: for 50.7 % of it (650 ms), "+waited, spaced(e.Verdict.Text), "%v", c)
		e.Split.Runnable, e.Split.Execution = 700*ms, 503*ms
		e.Judge()
		require.Equal(t, "For 54.6 % of the critical path, goroutines were ready to run, but did not run yet. For 50.7 % of the run (650 ms), "+waited, spaced(e.Verdict.Text))
	}
}

// TestFull: where all processors were busy nearly all the time, no waiting is said to delay the run, but where most of the work is.
func TestFull(t *testing.T) {
	const full, work = " busy for 90.0 % of the run, so that with less waiting it would hardly take less time; ", "% of the work is in sweep at ppm.go:88."
	judged := func(change func(h *Header)) Verdict {
		e := hydro()
		e.Header.States, e.Header.Wall, e.Header.Processors, e.Header.Load = true, 1280*ms, 2, &Load{Busy: 1152 * ms}
		change(&e.Header)
		e.MarkExecution()
		e.Judge()
		e.Verdict.Text = spaced(e.Verdict.Text)
		return e.Verdict
	}
	for n, who := range map[int]string{2: "Both processors were", 8: "All 8 processors were"} {
		v := judged(func(h *Header) { h.Processors = n })
		require.True(t, strings.HasPrefix(v.Text, who+full), v.Text)
		require.True(t, strings.HasSuffix(v.Text, work), v.Text)
		require.Equal(t, [3]any{"execution", "/src/hydro/ppm.go", 88}, [3]any{v.Metric, v.File, v.Line})
	}
	robbed := judged(func(h *Header) { h.Load.Running, h.CPUTime = 2000*ms, 1000*ms }).Text
	require.Contains(t, robbed, "Both processors were busy for 90.0 % of the run, but goroutines had them for only 50.0 % of the time for which they ran, as other programs took the rest; ")
	require.NotContains(t, robbed, "less waiting")
	require.Contains(t, judged(func(h *Header) { h.Load.Running, h.CPUTime = 2000*ms, 1600*ms }).Text, full)
	for name, change := range map[string]func(*Header){
		"they were not":    func(h *Header) { h.Load.Busy-- },
		"it is not known":  func(h *Header) { h.Load = nil },
		"there is but one": func(h *Header) { h.Processors = 1 },
		"of a goroutine":   func(h *Header) { h.Of = "worker[3]" },
	} {
		v := judged(change)
		require.NotContains(t, v.Text, "busy for", name)
		require.Contains(t, v.Text, "Halo.left", name)
	}
}

// TestNothingToChange: a wait that has no part of the critical path needs no advice, unless what goroutines did is not known.
func TestNothingToChange(t *testing.T) {
	const advice = "→ Send earlier"
	for _, c := range []struct {
		name     string
		critical int64
		states   bool
		advised  bool
	}{
		{"nothing", 0, true, false},
		{"it has a part", 491 * ms, true, true},
		{"it may have waited for something else", 0, false, true},
	} {
		e := hydro()
		e.Findings = e.Findings[:1]
		f := &e.Findings[0]
		f.Critical, e.Header.States, e.Header.CPUTime = c.critical, c.states, 0
		e.MarkExecution()
		e.Judge()
		var out strings.Builder
		require.NoError(t, Text(&out, e, TextOptions{}))
		require.Equal(t, c.advised, strings.Contains(out.String(), advice), "%s: %s", c.name, out.String())
	}
}

// TestBeyond: waiting for nobody is only said to be that where all is recorded in which goroutines waited.
func TestBeyond(t *testing.T) {
	operation, region := Region{Name: "recv", Operation: true}, Region{Name: "work"}
	for _, c := range []struct {
		said            string
		cut             bool
		inside, outside int64 // of operations
	}{
		{"for what no goroutine of the program does, such as timers, files or other programs", false, 60, 40},
		{"in system calls or for something that is not recorded", false, 40, 60},
		{"for something that is not recorded", true, 60, 40},
	} {
		e := &Experiment{Regions: []Region{operation, region}, Paths: []CallPath{{Parent: -1}, {Parent: -1, Region: 1}}}
		e.Header, e.Split.External = Header{States: true, Cut: c.cut}, c.inside+c.outside
		e.Operations = []OperationSplit{{Path: 0, External: c.inside}, {Path: 1, External: c.outside}}
		require.Equal(t, c.said, (&page{e: e}).beyond())
	}
}

// TestIdleness: who has nothing to do does not delay the run, which is serial then; the first sentence says so, alone or behind work that has more.
func TestIdleness(t *testing.T) {
	e := hydro()
	f := &e.Findings[0]
	e.Judge()
	delays, waiting := spaced(e.Verdict.Text), e.Metrics[f.Metric].Name
	require.Regexp(t, "^Waiting .* delays the run most: ", delays)
	_, because, _ := strings.Cut(delays, "), ")
	for name, what := range idleness {
		e.Metrics[f.Metric].Name = name
		e.Judge()
		require.Contains(t, spaced(e.Verdict.Text), fmt.Sprintf("For %s of its time (%s), the run %s: ", spaced(percent(f.Critical, e.Header.Focus)), spaced(seconds(f.Critical)), what))
		require.True(t, strings.HasSuffix(spaced(e.Verdict.Text), " waited "+because), "%q, %q", e.Verdict.Text, because)
		require.NotContains(t, e.Verdict.Text, "delays")
		require.Equal(t, name, e.Verdict.Metric)
	}
	e.Metrics[f.Metric].Name = waiting
	e.Judge()
	require.Equal(t, delays, spaced(e.Verdict.Text))
}

// spaced returns a sentence with ordinary spaces.
func spaced(s string) string { return strings.ReplaceAll(s, nbsp, " ") }

// TestSleepSentence: of several sleeps, the first sentence says how much the longest has; of the race detector's, what it is.
func TestSleepSentence(t *testing.T) {
	said := func(all int64, r Region) string {
		e := &Experiment{Regions: []Region{r}, Paths: []CallPath{{Parent: -1}}, Locations: []Location{{Name: "main", Count: 1}}}
		e.Header, e.Split.Sleep = Header{Focus: 100 * ms, Wall: 100 * ms}, all
		return spaced(newPage(e, TextOptions{}).work(spending{share{path: 0, value: 40 * ms, most: 40 * ms}, sleeping, 40 * ms}).Text)
	}
	slept := Region{Name: sleepName, File: "/src/a.go", Line: 7, Operation: true}
	require.Contains(t, said(40*ms, slept), "40.0 % of the critical path is sleep of main at a.go:7.")
	require.Contains(t, said(70*ms, slept), "70.0 % of the critical path is sleep, most of it (40.0 %) in sleep of main at a.go:7.")
	require.Contains(t, said(90*ms, slept), "90.0 % of the critical path is sleep, the largest part (40.0 %) in sleep of main at a.go:7.")
	require.Contains(t, said(40*ms, Region{Name: wire.LastSleep, Operation: true}), "40.0 % of the critical path is the time for which the race detector sleeps before the program exits (")
}

// TestOwnLock: no timer, signal or other program releases a lock.
func TestOwnLock(t *testing.T) {
	e := &Experiment{Regions: []Region{{Name: lockName, Operation: true}, {Name: recvName, Operation: true}}, Paths: []CallPath{{Parent: -1}, {Parent: -1, Region: 1}},
		Metrics: []metric.Metric{{Name: metric.ExternalWait}}}
	e.Header.States = true
	p := &page{e: e}
	for path, want := range []string{"for a lock that no other goroutine is known to hold", "for what no goroutine of the program does"} {
		f := &Finding{Line: Line{Path: uint32(path), Causers: []Causer{{Group: -1, Path: -1, Severity: 5}}, Severity: 5}}
		require.Equal(t, want, p.because(f))
		require.Contains(t, p.causers(f), want)
	}
}

// TestUnended: of a wait that had not ended when the trace did it is not known for whom it was, however it began, unless it is the smaller part.
func TestUnended(t *testing.T) {
	e := &Experiment{Regions: []Region{{Name: recvName, Operation: true}}, Paths: []CallPath{{Parent: -1}, {Parent: -1}},
		Locations: []Location{{Group: 0, Count: 1}, {Group: 1, Count: 1}}, Metrics: []metric.Metric{{Name: metric.ExternalWait}}}
	e.Header.States, e.Header.Span, e.Groups = true, 100, []Group{{Name: "main"}, {Name: "w"}}
	said := func(n NeverEnded) string {
		e.NeverEnded = []NeverEnded{n}
		return spaced((&page{e: e}).causers(&Finding{Line: Line{Causers: []Causer{{Group: -1, Path: -1, Severity: 10}}, Severity: 10}}))
	}
	require.Equal(t, "for what had not come when the trace ended.", said(NeverEnded{Since: 94}))
	outside := "for what no goroutine of the program does (a timer, a signal or another program)."
	require.Equal(t, outside, said(NeverEnded{Since: 95}))
	require.Equal(t, outside, said(NeverEnded{Location: 1}))
	require.Equal(t, outside, said(NeverEnded{Path: 1}))
	e.Regions[0].Name = selectName
	e.NeverEnded = []NeverEnded{{Since: 94}}
	require.Equal(t, int64(6), e.unended(&Finding{}))
	require.Zero(t, e.unended(&Finding{Object: Object{Type: "channel"}})) // a select that has not ended is on no object
}

// TestBrief: in few lines is what makes all waiting longer, and no finding of which package testing is the reason and which does not matter.
func TestBrief(t *testing.T) {
	e := hydro()
	brief := func() string {
		return spaced(string(render(t, func(w io.Writer) error { return Brief(w, e, TextOptions{}) })))
	}
	first, second := &e.Findings[0], &e.Findings[1]
	title := func(f *Finding) string { return "1 " + e.Metrics[f.Metric].Title }
	require.Contains(t, words(brief()), title(first))
	own := e.Regions[e.Paths[first.Path].Region]
	e.Regions[e.Paths[first.Path].Region].Func, e.Regions[e.Paths[first.Path].Region].Operation = "testing.(*T).Run", true
	require.Contains(t, words(brief()), title(first))
	first.Critical = e.Header.Focus/100 - 1
	require.Contains(t, words(brief()), title(second))
	require.NotContains(t, words(brief()), "had no processor")
	e.Regions[e.Paths[first.Path].Region] = own
	e.Header.States, e.Header.Processors, e.Header.CPUTime = true, 4, e.Header.Wall
	e.Header.Load = &Load{Busy: e.Header.Wall / 2, Lacking: e.Header.Time / 2}
	require.Contains(t, words(brief()), "Goroutines were ready to run but had no processor for 50.0 % of all time")
	e.Verdict.Metric = metric.Ready
	require.NotContains(t, words(brief()), "had no processor", "it is the verdict")
}

func words(s string) string { return strings.Join(strings.Fields(s), " ") }
