package analyzer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
	"tracerec/trace/wire"
)

// connected is a program whose main waits for the network from 2 to 90, while another goroutine runs until a time, and then waits for something in vain.
func connected(until, wait string) string {
	return `
process main cpu 90 processors 1
channel c @m.go:1
location main
  0 running on 0
  0 enter main @m.go:1
  1 create w @m.go:2
  2 ` + wait + `
  2 blocked
  90 ready woken
  90 running on 0
  90 leave
  100 exit
location w
  1 begin worker by main
  1 running on 0
  ` + until + ` ` + wait + `
  ` + until + ` blocked
`
}

// polling is a program whose main is in a system call from 2 to 90, while another goroutine runs until a time, and then waits for something in vain.
func polling(until string) string {
	return strings.NewReplacer("enter main @m.go:1", "enter poll @p.go:3", "2 network @m.go:3\n  2 blocked", "2 syscall", "90 ready woken\n  ", "", "\n  90 leave", "").Replace(
		connected(until, "network @m.go:3"))
}

// looking is a program whose main sleeps from 2 to 90, while another goroutine runs until a time, in a function, and then waits for something in vain.
func looking(until string) string {
	return strings.NewReplacer("2 network @m.go:3\n  2 blocked", "2 sleep @m.go:3", "90 ready woken\n  ", "", "1 running on 0\n", "1 running on 0\n  1 enter work @w.go:5\n",
		"  "+until+" network", "  "+until+" exit\n  "+until+" network").Replace(connected(until, "network @m.go:3"))
}

// Who sleeps while others work may look now and then whether they are done: that is said, and what to do about it.
func TestSleepBesideWork(t *testing.T) {
	const again = "2 sleep @m.go:3\n  30 leave\n  30 sleep @m.go:3\n  60 leave\n  60 sleep @m.go:3"
	for _, c := range []struct{ until, sleep, text string }{
		{"60", again, "88.0 % of the critical path is sleep of main at m.go:3; other goroutines of the program worked for 59 ns in the whole run, mostly in work at w.go:5."},
		{"20", "2 sleep @m.go:3", "88.0 % of the critical path is sleep of main at m.go:3."},
	} {
		e := analyzeText(t, strings.Replace(looking(c.until), "2 sleep @m.go:3", c.sleep, 1))
		require.Equal(t, "Waiting for others hardly delays the run; "+c.text, strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "))
		require.Equal(t, "sleep", e.Verdict.Metric)
		const list, advice = "Waiting on the critical path for timers: 88 ns sleep main main ▸ sleep m.go:3 ", "→ Replace a sleep that polls"
		require.Contains(t, page(t, e), list)
		require.Equal(t, c.sleep == again, strings.Contains(page(t, e), list+advice))
	}
}

// Who waits for the network while the program works may wait for the program itself; and that somebody waits in vain at a place does not say that all do.
func TestVerdictOfWaitingBesideWork(t *testing.T) {
	for _, c := range []struct{ name, trace, text string }{
		{"at work", connected("60", "network @m.go:3"), "88.0 % of the critical path is waiting for the network at m.go:3, and other goroutines of the program worked for 59 ns in the whole run: " +
			"the other end may be one of them."},
		{"idle", connected("20", "network @m.go:3"), "88.0 % of the critical path is waiting for the network at m.go:3."},
		{"a timer", connected("60", "recv c @m.go:3"), "88.0 % of the critical path is waiting in recv at m.go:3 for what is not recorded: a timer, a signal, another program, or what this one does by other means; " +
			"other goroutines of the program worked for 59 ns in the whole run."},
		{"a poller", polling("60"), "88.0 % of the critical path is in poll at p.go:3, in system calls, and other goroutines of the program worked for 59 ns in the whole run: it may have waited for these."},
		{"a poller beside little", polling("20"), "88.0 % of the critical path is in poll at p.go:3, in system calls."},
		{"a pipe", connected("20", "network @m.go:3"), "88.0 % of the critical path is waiting for a pipe, a terminal or the like at m.go:3."},
		{"a process", `
process main cpu 9 processors 1
location main
  0 running on 0
  0 enter main @m.go:1
  2 enter wait @exec.go:9(os/exec.(*Cmd).Wait)
  3 syscall
  95 running on 0
  96 exit
  100 exit
`, "92.0 % of the critical path is in wait at exec.go:9, waiting for another process to end."},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := analyzeText(t, c.trace)
			if c.name == "a pipe" { // which sources call so
				i := slices.IndexFunc(e.Regions, func(r report.Region) bool { return r.Name == wire.Network })
				e.Regions[i].Name = wire.Pipe
				e.Judge()
			}
			_, text, _ := strings.Cut(strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "), "; ")
			require.Equal(t, c.text, text)
		})
	}
}

// Who waits for the next signal, or for samples of a profile, is in a system call until the trace ends: the path does not end there, but with what the program did.
func TestBesideTheProgram(t *testing.T) {
	const trace = `
process main cpu 50 processors 1
location main
  0 running on 0
  0 enter main @m.go:1
  1 create l @m.go:2
  1 create w @m.go:3
  2 network @m.go:4
  2 blocked
location l
  1 begin loop by main @l.go:1(FUNCTION)
  1 running on 0
  2 syscall
  100 end
location w
  1 begin worker by main
  2 running on 0
  2 enter work @w.go:5
  60 sleep @w.go:6
  60 blocked
  80 ready woken
  80 running on 0
  80 leave
  90 network @w.go:7
  90 blocked
`
	const worked = "Waiting hardly delays the run; 68.0 % of the critical path is work in work at w.go:5."
	for function, text := range map[string]string{
		"os/signal.loop": worked, "runtime/pprof.profileWriter": worked,
		"main.loop": "Waiting that is recorded hardly delays the run; 98.0 % of the critical path is in loop at l.go:1, in system calls, " +
			"and other goroutines of the program worked for 70 ns in the whole run: it may have waited for these.",
	} {
		require.Equal(t, text, strings.ReplaceAll(analyzeText(t, strings.Replace(trace, "FUNCTION", function, 1)).Verdict.Text, "\u00a0", " "), function)
	}
}

// page is what is told of an experiment, on one line.
func page(t *testing.T, e *report.Experiment) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, report.Text(&text, e, report.TextOptions{Top: 5}))
	return strings.Join(strings.Fields(strings.ReplaceAll(text.String(), "\u00a0", " ")), " ")
}

// What waits for the network is said to: who sends may be in the same process. Who waits for a timer does so for what is not in the trace.
func TestNetworkIsNotOutside(t *testing.T) {
	network, timer := page(t, analyzeText(t, connected("20", "network @m.go:3"))), page(t, analyzeText(t, connected("20", "recv c @m.go:3")))
	const onPath = "12.0 % execution, 88.0 % waiting for "
	require.Contains(t, network, onPath+"the network.")
	require.Contains(t, network, "Waiting on the critical path for the network: 88 ns network main main ▸ network m.go:3")
	require.Contains(t, network, "worker (goroutine 2) has been in network at m.go:3 for the last 80 ns, for the network.")
	require.NotContains(t, network, "not in the trace")
	require.Contains(t, timer, onPath+"what is not in the trace.")
	require.Contains(t, timer, "Waiting on the critical path for something that is not recorded: 88 ns external_wait main main ▸ recv m.go:3")
	require.NotContains(t, timer, "for the network")
}

// Sleep or work that has most of the critical path, or sleep that has more of it than the waiting, comes first, unless those sleep there for whom is waited.
func TestVerdictOfSleepBesideWaiting(t *testing.T) {
	for _, c := range []struct {
		name, trace, text, metric string
	}{
		{"sleep in one place, beside less waiting", sleepThenWaiting(12), "35.0 % of the critical path is sleep of main at key.go:5. Of all waiting, that to receive from the channel first used at main.go:9 delays the run most: " +
			"18.0 % of its time (18 ns), for worker, which was mostly in load at w.go:3 then.", "sleep"},
		{"sleep in one place, beside more waiting", sleepThenWaiting(30), "Waiting to receive from the channel first used at main.go:9 delays the run most: 18.0 % of its time (18 ns), for worker, which was mostly in load " +
			"at w.go:3 then.", "late_sender"},
		{"sleep where those sleep who are waited for", strings.Replace(sleepThenWaiting(16), "enter load @w.go:3\n  68 exit", "sleep @key.go:5\n  68 leave", 1),
			"Waiting to receive from the channel first used at main.go:9 delays the run most: 18.0 % of its time (18 ns), for worker, which was mostly in sleep at key.go:5 then.", "late_sender"},
		{"sleep of those who are joined, before the first ones are done on average", `
process main cpu 200
waitgroup wg @main.go:3
location main
  0 enter main @main.go:1
  0 add wg 2
  0 create a @main.go:2
  0 create b @main.go:2
  1 wait wg @main.go:3
  1 blocked
  90 leave
  100 exit
location a
  0 begin worker by main
  20 done wg
  20 end
location b
  0 begin worker by main
  0 sleep @a.go:7
  65 leave
  65 enter sum @sum.go:8
  90 exit
  90 done wg
  90 end
`, "65.0 % of the critical path is sleep of worker[1] at a.go:7. Of all waiting, that for the WaitGroup first used at main.go:3 delays the run most: 35.0 % of its time (35 ns), " +
			"for worker[1], which was mostly in sum at sum.go:8 then.", "sleep"},
		{"most of the run at work in one place, beside a quarter of waiting", endedAt70(workThenWaiting(2)), "64.3 % of the critical path is work in derive at key.go:5. Of all waiting, that to receive from the channel first used at main.go:9 delays the run most: " +
			"25.7 % of its time (18 ns), for worker, which was mostly in load at w.go:3 then.", "execution"},
		{"half of the run at work in one place, beside a quarter of waiting", endedAt70(workThenWaiting(12)), "Waiting to receive from the channel first used at main.go:9 delays the run most: 25.7 % of its time (18 ns), for worker, which was mostly in load " +
			"at w.go:3 then.", "late_sender"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := analyzeText(t, c.trace).Verdict
			require.Equal(t, c.text, strings.ReplaceAll(v.Text, "\u00a0", " "))
			require.Equal(t, c.metric, v.Metric)
			require.True(t, v.Certain)
		})
	}
}

// If more than half of the critical path is sleep, that comes first, though work or waiting may have more than any place of sleep. What those sleep who are waited for is told of the waiting.
func TestVerdictOfManySleeps(t *testing.T) {
	const waited = " Of all waiting, that to receive from the channel first used at main.go:9 delays the run most: 18.0 % of its time (18 ns), for worker, which was mostly in load at w.go:3 then."
	slept := func(until ...int) string {
		text := "location main\n 0 enter main @main.go:1\n"
		for i, at := range until[1:] {
			text += fmt.Sprintf(" %d sleep @key.go:%d\n %d leave\n", until[i], i+5, at)
		}
		return text
	}
	const ended = " 100 exit\n"
	waits := func(until ...int) string {
		return "channel ch cap 0 @main.go:9\n" + slept(until...) + " 72 create w @main.go:3\n 72 recv ch @main.go:5\n 72 blocked\n 90 leave\n" + ended +
			"location w\n 72 begin worker by main\n 72 enter load @w.go:3\n 90 exit\n 90 send ch @w.go:4\n 90 leave\n 90 end\n"
	}
	for _, c := range []struct{ name, trace, text, metric string }{
		{"more than half", slept(0, 10, 31, 51) + " 51 enter sum @sum.go:8\n 100 exit\n" + ended,
			"No waiting for other recorded goroutines was found; 51.0 % of the critical path is sleep, the largest part (21.0 %) in sleep of main at key.go:6.", "sleep"},
		{"half", slept(0, 10, 30, 50) + " 50 enter sum @sum.go:8\n 100 exit\n" + ended, "No waiting was found; 50.0 % of the critical path is work in sum at sum.go:8.", "execution"},
		{"in many places, beside waiting", waits(0, 25, 49, 72),
			"72.0 % of the critical path is sleep, the largest part (25.0 %) in sleep of main at key.go:5." + waited, "sleep"},
		{"most of it in one place, beside waiting", waits(0, 45, 72), "45.0 % of the critical path is sleep of main at key.go:5." + waited, "sleep"},
	} {
		v := analyzeText(t, "process main cpu 200\n"+c.trace).Verdict
		require.Equal(t, c.text, strings.ReplaceAll(v.Text, "\u00a0", " "), c.name)
		require.Equal(t, c.metric, v.Metric, c.name)
	}
}

// sleepThenWaiting is the same program, in which main sleeps instead.
func sleepThenWaiting(from int) string {
	return strings.Replace(workThenWaiting(from), "enter derive @key.go:5\n  47 exit", "sleep @key.go:5\n  47 leave", 1)
}

// endedAt70 is the same program, without what it does from 68 on.
func endedAt70(trace string) string {
	return strings.Replace(trace, "  68 enter render @main.go:20\n  83 exit\n  83 enter write @main.go:30\n  98 exit\n  100 exit", "  70 exit", 1)
}
