package analyzer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// queueing is a program of 1000 ns: three goroutines are started at once, each begins when the one before it ends. They are ready for
// 100, 400 and 700 ns, and run for 300 each; main runs for the first 100 ns and then waits for them.
const queueing = `
waitgroup wg
location main
  0 enter main
  0 add wg 3
  0 create a @a.go:2
  0 create b @a.go:2
  0 create c @a.go:2
  100 wait wg @a.go:3
  101 blocked
  1000 leave
  1000 exit
location a
  100 begin worker by main
  400 done wg
  400 end
location b
  400 begin worker by main
  700 done wg
  700 end
location c
  700 begin worker by main
  1000 done wg
  1000 end
`

// handing is a program of 1000 ns that hands something on and never has two goroutines at work: what is sent from 90 ns on is received
// at 500, and the answer that is sent from 590 on is received at 950.
const handing = `
channel there
channel back
location main
  0 enter main
  0 create w @a.go:2
  90 send there @a.go:3
  100 leave
  101 recv back @a.go:4
  102 blocked
  950 leave
  1000 exit
location w
  10 begin worker by main
  20 recv there @a.go:5
  21 blocked
  500 leave
  590 send back @a.go:6
  600 leave
  600 end
`

func TestReady(t *testing.T) {
	const claim = "Goroutines were ready to run but had no processor for 38.7 % of all time: 1.2 of them on average. The program had 1 processor " +
		"and used "
	for _, c := range []struct {
		name, process, trace, text string
		used                       float64
		advice                     string
	}{
		{"one processor, always busy", "process main cpu 1000 processors 1", queueing, claim + "1.0 of it.", 1, "Less work or more processors"},
		{"one processor, in a rush, or shared with others", "process main cpu 600 processors 1", queueing, claim + "0.6 of it.", 0.6, "If many goroutines become ready at once"},
		{name: "two processors, half idle", process: "process main cpu 1000 processors 2", trace: queueing},
		{name: "more used than there are", process: "process main cpu 1500 processors 1", trace: queueing},
		{name: "of an older archive", process: "process main cpu 1000", trace: queueing},
		{name: "processor time unknown", process: "process main processors 1", trace: queueing},
		{name: "several processes", process: "process main cpu 1000 processors 1", trace: queueing +
			"process child parent main start 10 cpu 900 processors 1\nlocation d\n  10 enter main\n  900 exit\n"},
		{name: "waking takes long", process: "process main cpu 240 processors 2", trace: handing},
		{name: "waking takes long, one processor", process: "process main cpu 240 processors 1", trace: handing},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := analyzeText(t, c.process+"\n"+c.trace)
			var out, page bytes.Buffer
			require.NoError(t, report.JSON(&out, x))
			require.NoError(t, report.Text(&page, x, report.TextOptions{}))
			var j struct{ Ready *report.Ready }
			require.NoError(t, json.Unmarshal(out.Bytes(), &j))
			if c.text == "" {
				require.Nil(t, x.Ready())
				require.Nil(t, j.Ready)
				require.NotContains(t, page.String(), "had no processor")
				return
			}
			r := j.Ready
			require.NotNil(t, r)
			require.Equal(t, report.Ready{Share: 1200. / 3100, Mean: 1.2, Processors: 1, Used: c.used, Text: c.text, Advice: r.Advice}, *r)
			require.True(t, strings.HasPrefix(r.Advice, c.advice), r.Advice)
			require.Contains(t, strings.Join(strings.Fields(page.String()), " "), c.text+" → "+c.advice)
		})
	}
}

// TestWakingIsNoShortage: what looks like a shortage by its share and its mean is none where processors were idle.
func TestWakingIsNoShortage(t *testing.T) {
	x := analyzeText(t, "process main cpu 240 processors 2\n"+handing)
	require.EqualValues(t, (500-90)+(950-590), x.Total(x.MetricIndex("wakeup")))
	require.EqualValues(t, 10, x.Total(x.MetricIndex("start_latency")))
	require.EqualValues(t, 1000+600, x.Header.Time)
	require.Nil(t, x.Ready())
}

// told is a program of 1000 ns like queueing, of which it is told when its goroutines run.
const told = `
waitgroup wg
location main
  0 running on 0
  0 enter main
  0 add wg 3
  0 create a @a.go:2
  0 create b @a.go:2
  0 create c @a.go:2
  100 wait wg @a.go:3
  101 blocked
  1000 ready woken by c
  1000 running on 0
  1000 leave
  1000 exit
location a
  100 begin worker by main
  100 running on 0
  200 ready preempted
  500 running on 0
  700 done wg
  700 end
location b
  200 begin worker by main
  200 running on 0
  500 done wg
  500 end
location c
  700 begin worker by main
  700 running on 0
  1000 done wg
  1000 end
`

// TestReadySeveralTimes: two goroutines share a processor in turns, of which the recording tells as one time of running and one of being ready.
func TestReadySeveralTimes(t *testing.T) {
	x := analyzeText(t, `process main cpu 400000 processors 1
location a
  0 running on 0
  0 enter main
  200000 ready preempted by a
  400000 running on 0
  400000 exit
location b
  0 begin worker by a
  0 running on 0
  200000 ready preempted by b
  400000 running on 0
  400000 end
`)
	require.Equal(t, &report.Load{Running: 400_000, Busy: 400_000, Lacking: 400_000}, x.Header.Load)
}

// TestReadyMeasured: where it is told what goroutines did when, it counts what they did while processors were busy. Here goroutines are ready for 100
// and 300, 200, and 700 ns.
func TestReadyMeasured(t *testing.T) {
	const claim = "Goroutines were ready to run but had no processor for 40.6 % of all time: 1.3 of them on average while its processor was busy, which was " +
		"100.0 % of the run."
	for _, c := range []struct{ name, process, trace, text, advice string }{
		{"always busy", "process main cpu 1000 processors 1", told, claim, "Less work or more processors"},
		{"a rush", "process main cpu 1000 processors 1", strings.Replace(told, "  1000 exit", "  1000 sleep\n  9000 leave\n  9000 exit", 1),
			"Goroutines were ready to run but had no processor for 11.6 % of all time: 1.3 of them on average while its processor was busy, which was 11.0 % of the run.",
			"Less work or more processors"},
		{name: "a rush that is soon over", process: "process main cpu 1000 processors 1", trace: strings.Replace(told, "  1000 exit", "  1000 sleep\n  21000 leave\n  21000 exit", 1)},
		{"shared with others", "process main cpu 100 processors 1", told, claim, // who had 0.9 processors, for 1.3 goroutines
			"Other programs took the rest"},
		{"shared with others, and many are ready", "process main cpu 600 processors 1", told, claim, // 0.4
			"Less work or more processors"},
		{name: "two processors, half idle", process: "process main cpu 1000 processors 2", trace: told},
		{name: "number of processors unknown", process: "process main cpu 1000", trace: told},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := analyzeText(t, c.process+"\n"+c.trace)
			require.True(t, x.Header.States)
			r := x.Ready()
			if c.text == "" {
				require.Nil(t, r)
				return
			}
			require.NotNil(t, r)
			require.Equal(t, c.text, strings.ReplaceAll(r.Text, "\u00a0", " "))
			require.True(t, strings.HasPrefix(r.Advice, c.advice), r.Advice)
		})
	}
}

// Goroutines that help the garbage collector are not all on processors: most of them wait for it. So other programs did not have what they seem to have used more than there is.
func TestHelpersDoNotAllRun(t *testing.T) {
	text := "process main cpu 1000 processors 1\nlocation main\n 0 running on 0\n 0 enter main\n"
	for i := range 5 {
		text += fmt.Sprintf(" 0 create w%d @a.go:2\n", i)
	}
	text += " 1000 exit\n"
	for i := range 5 {
		text += fmt.Sprintf("location w%d\n 0 begin worker by main\n 0 running on 0\n 0 enter build\n 0 assist\n 1000 exit\n 1000 end\n", i)
	}
	x := analyzeText(t, text)
	require.EqualValues(t, 1000, x.Header.Load.Running)
	require.NotContains(t, page(t, x), "other programs had the processors")
}
