package analyzer_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/report"
)

// late is a program of 100 ns whose main receives from 1 to 90 and blocks at 2. What it waits for is sent at 5, if at all: then it waits for
// 4 ns for the sender and is ready to run for 85.
func late(send string) string {
	return `
channel c @m.go:1
location main
  0 enter main @m.go:1
  0 create w @m.go:2
  1 recv c @m.go:3
  2 blocked
  90 leave
  100 exit
location w
  0 begin worker by main
  5 ` + send + `
  7 end
`
}

// What is ready to run does not wait for anything that is not recorded; what looks alike does.
func TestVerdictOfWakeUp(t *testing.T) {
	const (
		least = "Waiting hardly delays the run; 85.0 % of the critical path is wake-up in recv at m.go:3: ready to run, but "
		sent  = "send c @w.go:2\n  6 leave"
	)
	for _, c := range []struct {
		name, trace, text, metric string
		certain                   bool
		split                     report.Split
		at                        report.OperationSplit
	}{
		{"released", "process main cpu 300" + late(sent), least + "not running yet.", "wakeup", true,
			report.Split{Execution: 10 + 5, Runnable: 85}, report.OperationSplit{Runnable: 85, Taken: 1}},
		{"released, and who ran is not known", late(sent), "Waiting that is recorded hardly delays the run; 85.0 % of the critical path is wake-up in recv at m.go:3: ready " +
			"to run, but not running yet.", "wakeup", false, report.Split{Execution: 10 + 5, Runnable: 85}, report.OperationSplit{Runnable: 85, Taken: 1}},
		{"released, without a processor", "process main cpu 90 processors 1" + late(sent), least + "without a processor.", "wakeup", true,
			report.Split{Execution: 10 + 5, Runnable: 85}, report.OperationSplit{Runnable: 85, Taken: 1}},
		{"by nobody", "process main cpu 300" + late("enter work @w.go:2\n  6 exit"), "Waiting that is recorded hardly delays the run; 88.0 % of the critical path is waiting in recv at m.go:3 " +
			"for something that is not recorded: instrument what ends that to know more.", "external_wait", false,
			report.Split{Execution: 10 + 2, External: 88}, report.OperationSplit{Execution: 1, External: 88}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := analyzeText(t, "\n"+c.trace)
			require.Equal(t, c.text, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "))
			require.Equal(t, report.Verdict{Text: e.Verdict.Text, Certain: c.certain, Metric: c.metric, File: "m.go", Line: 3}, e.Verdict)
			require.Equal(t, c.split, e.Split)
			c.at.Path = e.Operations[0].Path
			require.Equal(t, []report.OperationSplit{c.at}, e.Operations)
		})
	}
}

// timed is a server whose main waits in one select for what is not recorded: until 90 ns after its start for a tick, until 190 for the end. Another
// goroutine waits from 90 on.
const timed = `
process main start 1000
channel tick @m.go:1
channel done @m.go:2
channel idle @m.go:6
location main
  1000 enter serve @m.go:3
  1001 select @m.go:4
  1090 chose tick received
  1091 select @m.go:4
  1094 overhead 3
  1190 chose done closed
  1200 exit
location h
  1000 begin handle
  1200 end
location i
  1000 begin handle
  1090 recv idle @m.go:5
  1090 blocked
`

// One place is one row, with what was waited there and not with all that the path was there; times count from the start of the trace.
func TestVerdictOfSelect(t *testing.T) {
	e := analyzeText(t, timed)
	require.Equal(t, "Waiting that is recorded hardly delays the run; the root goroutine was in select at m.go:4 nearly all the time, waiting for something that is not "+
		"recorded: instrument what ends that to know more.", strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "))
	require.Equal(t, report.Verdict{Text: e.Verdict.Text, Metric: "external_wait", File: "m.go", Line: 4}, e.Verdict)
	var out bytes.Buffer
	require.NoError(t, report.Text(&out, e, report.TextOptions{}))
	text := strings.Join(strings.Fields(out.String()), " ")
	require.Contains(t, text, "Waiting on the critical path for something that is not recorded: 185 ns external_wait main serve ▸ select m.go:4 The critical path runs") // 188 less recording
	require.Contains(t, text, "has been in recv at m.go:5 for the last 110 ns,")
	require.Contains(t, text, "the longest began 1.09 µs after the start of the trace: handle[1] in recv")
	require.EqualValues(t, 1090, e.NeverEnded[0].Since)
}

// Who gives up a processor is not short of one: main asks in a loop whether another goroutine is done, and is ready to run most of the time.
func TestVerdictOfYields(t *testing.T) {
	program := func(causes ...string) string {
		text := "process main cpu 100 processors 1\nlocation main\n 0 running on 0\n 0 create w @a.go:1\n 0 enter main @m.go:1(main.main)\n 2 enter poll @m.go:7(main.poll)\n"
		at := 5
		for _, c := range causes {
			text += fmt.Sprintf(" %d ready %s\n %d running on 0\n", at, c, at+40)
			at += 45
		}
		return text + " 99 exit\n 100 exit\nlocation w\n 5 begin worker by main\n 5 running on 0\n 45 ready preempted\n 50 running on 0\n 90 end\n"
	}
	const of = "of the critical path is in poll at m.go:7, ready to run"
	for _, c := range []struct {
		first, second, metric, text string
		yielded                     int64
	}{
		{"yielded", "yielded", "yielded", "80.0 % " + of + " after it gave up its processor by itself (runtime.Gosched).", 80},
		{"preempted", "preempted", "ready", "80.0 % " + of + ", but without a processor.", 0},
		{"returned", "woken", "ready", "80.0 % " + of + ", but without a processor.", 0},
	} {
		e := analyzeText(t, program(c.first, c.second))
		require.Equal(t, "No waiting was found; "+c.text, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "))
		require.Equal(t, c.metric, e.Verdict.Metric)
		require.EqualValues(t, 80, e.Split.Runnable)
		require.Equal(t, report.OperationSplit{Path: e.Operations[0].Path, Runnable: 80, Yielded: c.yielded}, e.Operations[0])
		require.EqualValues(t, 80+5, e.Total(e.MetricIndex(metric.Ready))) // with what is within it, and that of w
	}
	e := analyzeText(t, program("yielded", "preempted"))
	require.Equal(t, report.OperationSplit{Path: e.Operations[0].Path, Runnable: 80, Yielded: 40}, e.Operations[0])
}

// Where goroutines had no processor, it is said if those that ran helped the garbage collector: here for 5 of 17 ns.
func TestVerdictOfHelp(t *testing.T) {
	e := analyzeText(t, "process main cpu 100 processors 1\nlocation main\n 0 running on 0\n 0 enter main @m.go:1(main.main)\n 2 enter poll @m.go:7(main.poll)\n 5 ready preempted\n 45 running on 0\n"+
		" 50 assist\n 55 ready preempted\n 95 running on 0\n 99 exit\n 100 exit\nlocation w\n 5 begin worker by main\n 5 running on 0\n 45 ready preempted\n 55 running on 0\n 95 end\n")
	require.Contains(t, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "),
		"in poll at m.go:7, ready to run, but without a processor; there, 29.4 % of the time at work goes into helping the garbage collector, or waiting for it.")
}

// If the last one that is joined had no processor for longer than the others were done before, that comes first, though it is what the join waited for: b is ready until 600, and a done at 20.
func TestVerdictOfJoinWithoutProcessor(t *testing.T) {
	e := analyzeText(t, `process main cpu 1000 processors 1
waitgroup wg
location main
  0 running on 0
  0 enter main @m.go:1
  0 add wg 2
  0 create a @m.go:2
  0 create b @m.go:2
  0 create c @m.go:3
  5 wait wg @m.go:4
  5 blocked
  1000 ready by b
  1000 running on 0
  1000 leave
  1001 exit
location a
  0 begin worker by main
  0 enter task @m.go:7
  0 ready woken by main
  5 running on 0
  20 done wg
  20 exit
  20 end
location b
  0 begin worker by main
  0 enter task @m.go:7
  0 ready woken by main
  600 running on 0
  1000 done wg
  1000 exit
  1000 end
location c
  0 begin other by main
  0 ready woken by main
  20 running on 0
  600 end
`)
	require.Contains(t, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "), " % of the critical path is in task at m.go:7, ready to run, but without a processor. Of all waiting, that in wait at m.go:4 delays the run most: 49.0 % of its time")
}

// Who was started and does not run yet is not at work.
func TestVerdictOfStart(t *testing.T) {
	for _, c := range []struct{ states, waiting, text, metric string }{
		{"", "is recorded", "started, but not running yet.", "start_latency"},
		{"running on 0", "was found", "ready to run, but without a processor.", "ready"},
	} {
		state := func(at int) string {
			if c.states == "" {
				return ""
			}
			return fmt.Sprintf(" %d %s\n", at, c.states)
		}
		e := analyzeText(t, "process main cpu 100 processors 1\nlocation main\n"+state(0)+" 0 enter main @m.go:1\n 5 create w @m.go:2\n 98 exit\n 98 end\n"+
			"location w\n 85 begin worker by main @m.go:5\n"+state(85)+" 100 end\n")
		require.EqualValues(t, 80, e.Split.Runnable)
		require.Contains(t, e.Operations, report.OperationSplit{Path: e.Operations[0].Path, Group: e.Operations[0].Group, Runnable: 80})
		require.Equal(t, "No waiting "+c.waiting+"; 80.0 % of the critical path is in worker at m.go:5, "+c.text, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "))
		require.Equal(t, c.metric, e.Verdict.Metric)
	}
}

// What a goroutine that did not run did outside of operations is told by what its scheduler says, if nearly all of it is one thing.
func TestVerdictOfStates(t *testing.T) {
	for _, c := range []struct {
		first, second int // until when it is in a system call, and then waits for something that is not recorded
		text, metric  string
	}{
		{85, 85, "in system calls.", "system_call"},
		{85, 88, "in system calls.", "system_call"},
		{45, 85, "in system calls or waiting for something that is not recorded.", "system_call"},
		{5, 85, "waiting for something that is not recorded.", "unrecorded_wait"},
	} {
		e := analyzeText(t, fmt.Sprintf("process main cpu 20 processors 1\nlocation main\n 0 running on 0\n 0 enter write @m.go:1\n 5 syscall\n %d parked\n %d ready woken\n %d running on 0\n 98 exit\n 100 end\n",
			c.first, c.second, c.second))
		require.Contains(t, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "), " % of the critical path is in write at m.go:1, "+c.text)
		require.Equal(t, c.metric, e.Verdict.Metric)
	}
}

// Of what was done while events were lost nothing is said but that; what looks alike, and was recorded, is work.
func TestVerdictOfLoss(t *testing.T) {
	const trace = `
process main cpu 100 processors 1
location main
  0 running on 0
  0 enter main @main.go:1
  10 enter solve @s.go:2
  90 EVENT
  95 exit
  100 exit
`
	for _, c := range []struct {
		event, text, metric string
		certain             bool
		split               report.Split
	}{
		{"lost 6 0", "No waiting is recorded; 80.0 % of the critical path is in solve at s.go:2, where events were lost: it is not known what main did there.",
			"events_lost", false, report.Split{Execution: 20, NotRecorded: 80}},
		{"sample n 1", "No waiting was found; 85.0 % of the critical path is work in solve at s.go:2.", "execution", true, report.Split{Execution: 100}},
	} {
		e := analyzeText(t, strings.Replace(strings.Replace(trace, "EVENT", c.event, 1), "\nlocation", "\nmetric n\nlocation", 1))
		require.Equal(t, report.Verdict{Text: e.Verdict.Text, Certain: c.certain, Metric: c.metric, File: "s.go", Line: 2}, e.Verdict)
		require.Equal(t, c.text, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "))
		require.Equal(t, c.split, e.Split)
	}
}

// The first sentence says which function of the program calls the library in which the critical path is.
func TestVerdictOfLibrary(t *testing.T) {
	for caller, said := range map[string]string{"/src/app/main.go": " (called by main.fetch)", "/mod/example.org/fetch@v1.0.0/fetch.go": ""} {
		e := analyzeText(t, "location main\n  0 enter main.fetch @"+caller+":1(main.fetch)\n  5 sleep @/mod/example.org/backoff@v1.0.0/backoff.go:7(example.org/backoff.Wait)\n  95 leave\n  100 exit\n")
		require.Contains(t, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "), "sleep of main at backoff.go:7"+said+".")
	}
}
