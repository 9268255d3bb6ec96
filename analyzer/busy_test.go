package analyzer_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// pool is a program in which main gives pieces of work to two workers, one each after a long and then a short wait. Each works from
// taking its first piece on, for so long at a time.
func pool(work int) string {
	var main, workers [3]strings.Builder
	fmt.Fprintf(&main[0], "channel jobs @pool.go:3\nlocation main\n 0 enter main\n 0 create w1 @a.go:1\n 0 create w2 @a.go:1\n")
	for i := range 8 {
		begin, end := 2+i/2*1000+i%2, 4+i/2*1000+i%2
		if i >= 2 {
			begin = 6 + (i/2-1)*1000 + i%2*10
			if i%2 == 1 {
				begin = end - 1
			}
			fmt.Fprintf(&main[0], " %d send jobs @pool.go:9\n %d blocked\n %d leave\n", begin, begin, end)
		} else {
			fmt.Fprintf(&main[0], " %d send jobs @pool.go:9\n %d leave\n", begin+1, end)
		}
	}
	fmt.Fprintf(&main[0], " 4000 exit\n")
	for w := range 2 {
		fmt.Fprintf(&workers[w], "location w%d\n 0 begin worker by main\n", w+1)
		for i := range 4 {
			at := i*1000 + w
			if done := 4 + (i-1)*1000 + w + work; i > 0 && done < at+3 { // it waits for its next piece
				fmt.Fprintf(&workers[w], " %d recv jobs @pool.go:20\n %d blocked\n %d leave\n", done, done, at+4)
			} else {
				fmt.Fprintf(&workers[w], " %d recv jobs @pool.go:20\n %d leave\n", at+3, at+4)
			}
			fmt.Fprintf(&workers[w], " %d enter task @pool.go:30\n %d exit\n", at+4, at+4+min(work, 998))
		}
		fmt.Fprintf(&workers[w], " 4010 end\n")
	}
	return main[0].String() + workers[0].String() + workers[1].String()
}

func TestAllWorkersAreBusy(t *testing.T) {
	x := analyzeText(t, pool(998))
	f := x.Findings[0]
	require.Equal(t, "late_receiver", x.Metrics[f.Metric].Name)
	require.Equal(t, report.Busy{Workers: 2}, f.Busy)
	require.Contains(t, f.Advice, "All who take the work were busy")
	require.Contains(t, x.Verdict.Text, "both workers were busy, and 74.9\u00a0% of the critical path is what they do, mostly in task")
	require.True(t, x.Verdict.Certain)
	require.True(t, certainFinding(t, x))
}

// The same with workers that mostly have nothing to do.
func TestIdleWorkersAreNotBusy(t *testing.T) {
	for _, f := range analyzeText(t, pool(400)).Findings {
		require.Equal(t, report.Busy{}, f.Busy)
		require.Empty(t, f.Advice)
	}
}

// Waits for a condition have advice of their own for that, although metrics that other programs have stand before theirs in the list of patterns.
func TestAllWhoSignalAreBusy(t *testing.T) {
	text := "cond c\nlocation main\n 0 enter main\n 0 create w0 @a.go:1\n 0 create w1 @a.go:1\n"
	for i := range 8 {
		text += fmt.Sprintf(" %d condwait c @a.go:10\n %d blocked\n %d leave\n", 10+100*i, 10+100*i, 101+100*i)
	}
	text += " 810 exit\n"
	for w := range 2 {
		text += fmt.Sprintf("location w%d\n 0 begin worker by main\n 0 enter task @a.go:20\n", w)
		for i := range 4 {
			text += fmt.Sprintf(" %d signal c @a.go:22\n", 100*(2*i+w+1))
		}
		text += " 820 exit\n 820 end\n"
	}
	x := analyzeText(t, text)
	f := x.Findings[0]
	require.Equal(t, "cond_wait", x.Metrics[f.Metric].Name)
	require.Equal(t, report.Busy{Workers: 2}, report.Busy{Workers: f.Busy.Workers})
	require.Contains(t, f.Advice, "an earlier signal")
}

// Workers that wait for the network are as busy as any.
func TestWorkersInTheNetworkAreBusy(t *testing.T) {
	text := regexp.MustCompile(`(\d+) enter task @pool.go:30\n (\d+) exit`).ReplaceAllString(pool(998), "$1 network @pool.go:30\n $1 blocked\n $2 leave")
	text = strings.ReplaceAll(text, " 0 begin worker by main\n", " 0 begin worker by main\n 0 running on 1\n")
	x := analyzeText(t, strings.Replace(text, " 0 enter main\n", " 0 running on 0\n 0 enter main\n", 1))
	require.Positive(t, x.Total(x.MetricIndex("network")))
	require.Equal(t, report.Busy{Workers: 2}, x.Findings[0].Busy)
}

// Goroutines that bring one result each are no pool, whatever their number: nobody waits for more of them. Those that never get rid of theirs were not busy then.
func TestOneResultEachIsNoPool(t *testing.T) {
	text := "channel first cap 0 @a.go:1\nlocation main\n 0 enter main\n"
	for i := range 6 {
		text += fmt.Sprintf(" 0 create w%d @a.go:2\n", i)
	}
	for i := range 2 { // the others leak
		text += fmt.Sprintf(" %d recv first @a.go:9\n %d blocked\n %d leave\n", 10+400*i, 11+400*i, 400+400*i)
	}
	text += " 900 exit\n"
	for i := range 6 {
		at := min(390+400*i, 810)
		text += fmt.Sprintf("location w%d\n 1 begin query by main\n 2 enter work @a.go:5\n %d exit\n %d send first @a.go:6\n", i, at, at+1)
		if i < 2 {
			text += fmt.Sprintf(" %d leave\n %d end\n", 400+400*i, 401+400*i)
		} else {
			text += fmt.Sprintf(" %d blocked\n", at+2)
		}
	}
	x := analyzeText(t, text)
	require.NotEmpty(t, x.Findings)
	for _, f := range x.Findings {
		require.Equal(t, report.Busy{}, f.Busy)
	}
	require.Len(t, x.NeverEnded, 4)
	for _, w := range x.Warnings {
		require.NotContains(t, w, "not in the trace")
	}
}

// TestBesideWhatStillWaits: the warning of waiting for what is not in the trace leaves out what never ended, which is told by itself, and says so if there is any.
func TestBesideWhatStillWaits(t *testing.T) {
	const text = "location main\n 0 enter main\n 0 create w @a.go:1\n 10 select @a.go:5\n 10 blocked\n 510 leave\n 1000 exit\nlocation w\n 0 begin worker by main\n 500 select @a.go:7\n 500 blocked\n"
	const warning = "25 % of all time was waiting for something that is not in the trace (external_wait)"
	require.Contains(t, analyzeText(t, text).Warnings, warning+", beside that of goroutines that were still waiting when the trace ended")
	require.Contains(t, analyzeText(t, text+" 1000 leave\n 1000 end\n").Warnings, strings.Replace(warning, "25", "50", 1))
}

// TestTimersAreKnown: waits for the channels of timers are told as such, on the critical path and at the end, and are nothing that the trace lacks.
func TestTimersAreKnown(t *testing.T) {
	const text = `
timer tick cap 1 @a.go:20
timer hour cap 1 @a.go:40
channel out cap 0 @a.go:8
location main
 0 enter main @a.go:1
 0 create p @a.go:3
 0 create j @a.go:4
 0 recv out @a.go:8
 1 blocked
 402 leave
 403 recv out @a.go:8
 404 blocked
 802 leave
 1000 exit
location p
 0 begin produce by main
 1 enter produce @a.go:19
 1 select @a.go:20
 400 chose tick received
 401 send out @a.go:22
 402 leave
 403 select @a.go:20
 800 chose tick received
 801 send out @a.go:22
 802 leave
 803 end
location j
 0 begin janitor by main
 1 enter janitor @a.go:39
 2 recv hour @a.go:40
 2 blocked
`
	x := analyzeText(t, text)
	require.Empty(t, x.Warnings)
	require.Equal(t, report.TimerBound, x.Problem(&x.Findings[0]).Name)
	require.Contains(t, strings.Join(strings.Fields(x.Verdict.Text), " "), "for produce, which was mostly waiting for a timer in select at a.go:20 then")
	require.Equal(t, "timer first used at a.go:40", x.NeverEnded[0].Object)
	var out strings.Builder
	require.NoError(t, report.Text(&out, x, report.TextOptions{}))
	said := strings.Join(strings.Fields(out.String()), " ")
	require.Contains(t, said, "Waiting on the critical path for timers: 796 ns timer_wait produce produce ▸ select a.go:20")
	require.Contains(t, said, "Waiting for timers that had not run down when the trace ended: janitor in recv at a.go:40.")
	require.Contains(t, said, "79.6 % waiting for timers.")
	require.NotContains(t, said, "not in the trace")

	unknown := analyzeText(t, strings.ReplaceAll(text, "timer ", "channel "))
	require.NotEmpty(t, unknown.Warnings)
	require.Nil(t, unknown.Problem(&unknown.Findings[0]))
	require.NotContains(t, unknown.Verdict.Text, "timer")
}

// TestSelectAwaitsTimer: a select that never ended and that a timer will end is told as such, with how long it is so, and not with those that may have been forgotten, as others are.
func TestSelectAwaitsTimer(t *testing.T) {
	const text = "location main\n 0 enter main\n 0 create j @a.go:1\n 1000 exit\nlocation j\n 0 begin janitor by main\n 5 select @a.go:40\n 5 blocked%s\n"
	said := func(text string) (never []report.NeverEnded, said string) {
		x := analyzeText(t, text)
		var out strings.Builder
		require.NoError(t, report.Text(&out, x, report.TextOptions{}))
		return x.NeverEnded, strings.Join(strings.Fields(out.String()), " ")
	}
	never, timed := said(fmt.Sprintf(text, " timer"))
	require.Equal(t, "timer of one of its cases", never[0].Object)
	require.Equal(t, int64(5), never[0].Since)
	require.Contains(t, timed, "Waiting for timers that had not run down when the trace ended: janitor in select at a.go:40.")
	require.NotContains(t, timed, "still waiting")
	require.NotContains(t, timed, "not in the trace")
	_, forgotten := said(fmt.Sprintf(text, ""))
	require.Contains(t, forgotten, "janitor (goroutine 2) has been in select at a.go:40 for the last 995 ns, for the channels of its cases.")
	_, again := said(fmt.Sprintf(text, " timer\n 10 chose nil received\n 20 select @a.go:41\n 20 blocked"))
	require.Contains(t, again, "janitor (goroutine 2) has been in select at a.go:41 for the last 980 ns, for the channels of its cases.", "the one before was ended by it")
	_, crashed := said("exited 1000 2\n" + fmt.Sprintf(text, " timer"))
	require.Contains(t, crashed, "janitor (goroutine 2) has been in select at a.go:40 for the last 995 ns, for the timer of one of its cases.")
}

// Goroutines that put something into a channel before they work and take it out behind use it as a semaphore.
// Neighbours that hand each other something over a buffer have no semaphore, whoever is late.
func TestBufferIsNoSemaphore(t *testing.T) {
	x := analyzeText(t, `
channel link cap 1 @link.go:3
location main
  0 enter main
  0 create w1 @a.go:1
  0 create w2 @a.go:1
  1000 exit
location w1
  0 begin worker by main
  1 send link @link.go:5
  2 leave
  3 send link @link.go:5
  4 blocked
  601 leave
  900 end
location w2
  0 begin worker by main
  600 recv link @link.go:7
  601 leave
  700 recv link @link.go:7
  701 leave
  702 recv link @link.go:7
  703 blocked
  900 end
`)
	require.NotEmpty(t, x.Findings)
	for _, f := range x.Findings {
		require.Equal(t, report.Busy{}, f.Busy)
	}
}

func TestPlacesOfSemaphoreAreTaken(t *testing.T) {
	x := analyzeText(t, `
channel sem cap 1 @sem.go:3
location main
  0 enter main
  0 create w1 @a.go:1
  0 create w2 @a.go:1
  0 create w3 @a.go:1
  1000 exit
location w1
  0 begin worker by main
  1 send sem @sem.go:5
  2 leave
  500 recv sem @sem.go:7
  501 leave
  502 end
location w2
  0 begin worker by main
  2 send sem @sem.go:5
  3 blocked
  502 leave
  900 recv sem @sem.go:7
  901 leave
  902 end
location w3
  0 begin worker by main
  3 send sem @sem.go:5
  4 blocked
  902 leave
  950 recv sem @sem.go:7
  951 leave
  952 end
`)
	f := x.Findings[0]
	require.Equal(t, "full_buffer", x.Metrics[f.Metric].Name)
	require.Equal(t, report.Busy{Places: 1}, f.Busy)
	require.Equal(t, report.PoolExhausted, x.Problem(&f).Name)
	require.Contains(t, x.Advice(&f), "the size of the channel")
	require.NotContains(t, x.Advice(&f), "gains nothing")
}

// handed is a program that takes one of two places before it starts each of six goroutines, which give it back when they are done, or is done by main if that takes it itself again.
// If it starts them all before, they are workers that take one piece of work each.
func handed(before bool) string {
	var main, workers strings.Builder
	main.WriteString("channel sem cap 2 @sem.go:3\nlocation main\n 0 enter main\n")
	start := func(n, at int) {
		fmt.Fprintf(&main, " %d create w%d @sem.go:6\n", at, n)
		fmt.Fprintf(&workers, "location w%d\n %d begin worker by main\n %d enter work @sem.go:8\n %d exit\n %d recv sem @sem.go:7\n %d leave\n %d end\n",
			n, at+1, at+1, 100*(n+1), 100*(n+1), 100*(n+1)+1, 100*(n+1)+2)
	}
	for n := range 6 {
		if before {
			start(n, 0)
		}
	}
	for n := range 6 {
		at := 10 + n
		if n > 1 {
			at = 100*(n-1) + 1
			fmt.Fprintf(&main, " %d send sem @sem.go:5\n %d blocked\n %d leave\n", at-80, at-80, at)
		} else {
			fmt.Fprintf(&main, " %d send sem @sem.go:5\n %d leave\n", at, at)
		}
		if !before {
			start(n, at)
		}
	}
	return main.String() + " 1000 exit\n" + workers.String()
}

// TestPlacesAreHandedOn: who starts goroutines takes a place for each, and they give it back. Workers who are there before, and take one piece of work each, have none, nor have goroutines that somebody else started, or that take several.
func TestPlacesAreHandedOn(t *testing.T) {
	semaphore := handed(false)
	others := strings.Replace(strings.ReplaceAll(semaphore, "by main", "by other"), "location w0", "location other\n 0 begin other by main\n 1000 end\nlocation w0", 1)
	for _, c := range []struct {
		name, text string
		places     int
	}{
		{"handed on", semaphore, 2}, {"workers", handed(true), 0},
		{"of others", strings.Replace(regexp.MustCompile(` \d+ create w\d @sem.go:6\n`).ReplaceAllString(others, ""), " 0 enter main\n", " 0 enter main\n 0 create other @sem.go:1\n", 1), 0},
		{"several", regexp.MustCompile(`(\d+) end`).ReplaceAllString(semaphore, "$1 recv sem @sem.go:7\n $1 blocked\n $1 end"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := analyzeText(t, c.text)
			f := x.Findings[0]
			require.Equal(t, "full_buffer", x.Metrics[f.Metric].Name)
			require.Equal(t, c.places, f.Busy.Places)
			require.Equal(t, c.places > 0, strings.Contains(x.Advice(&f), "the size of the channel"))
		})
	}
}

// returning is a program whose goroutines take what lies in a channel with room for so many, in turn, so often each; each keeps it for 100 ns, and then sends so often.
func returning(goroutines, turns, room int, sends func(turn int) int) string {
	var main strings.Builder
	fmt.Fprintf(&main, "channel free cap %d @p.go:1\nlocation main\n 0 enter main\n", room)
	workers, ready := make([]strings.Builder, goroutines), make([]int, goroutines)
	for w := range workers {
		fmt.Fprintf(&main, " 0 create w%d @p.go:2\n", w)
		fmt.Fprintf(&workers[w], "location w%d\n 0 begin worker by main\n", w)
	}
	main.WriteString(" 1 send free @p.go:3\n 2 leave\n 2000 exit\n")
	for turn := range turns * goroutines {
		w, now := turn%goroutines, 100*(turn+1)
		if turn == w {
			ready[w] = 2
		}
		fmt.Fprintf(&workers[w], " %d recv free @p.go:4\n", ready[w])
		if now > ready[w]+1 {
			fmt.Fprintf(&workers[w], " %d blocked\n", ready[w])
		}
		fmt.Fprintf(&workers[w], " %d leave\n", now)
		for i := range sends(turn) {
			fmt.Fprintf(&workers[w], " %d send free @p.go:5\n %d leave\n", now+98+i, now+98+i)
		}
		ready[w] = now + 101
	}
	for w := range workers {
		fmt.Fprintf(&workers[w], " 1000 end\n")
		main.WriteString(workers[w].String())
	}
	return main.String()
}

// TestNothingLeft: goroutines that take what they give back wait for one another because there is too little of it; not if they send more often than they take, as
// who finds more work does, or if nothing lies in the channel.
func TestNothingLeft(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"given back", returning(3, 2, 1, func(int) int { return 1 }), true},
		{"more room than things", returning(3, 2, 9, func(int) int { return 1 }), true},
		{"nothing lies in it", returning(3, 2, 0, func(int) int { return 1 }), false},
		{"new work", returning(3, 2, 9, func(turn int) int { return []int{2, 1, 0, 1, 1, 0}[turn] }), false},
		{"once by each of many", returning(8, 1, 1, func(int) int { return 1 }), true},
		{"once by each of a few, as what is handed round", returning(7, 1, 1, func(int) int { return 1 }), false},
	} {
		x := analyzeText(t, c.text)
		i := slices.IndexFunc(x.Findings, func(f report.Finding) bool { return x.Metrics[f.Metric].Name == "late_sender" })
		require.GreaterOrEqual(t, i, 0, c.name)
		f := &x.Findings[i]
		require.Equal(t, c.want, f.Busy == report.Busy{Taken: true}, c.name)
		known := x.Problem(f)
		require.Equal(t, c.want, known != nil && known.Name == report.PoolExhausted, c.name)
		require.Equal(t, c.want, strings.Contains(x.Advice(f), "Then raise the limit"), c.name)
	}
}

// Goroutines that sleep, and then bring something, are no pool that is too small: nobody gives them work. Those are who take it from others, and sleep over it.
func TestBringersWhoSleepAreNoPool(t *testing.T) {
	bringers := func(take string) *report.Experiment {
		text := "mutex m\nchannel out cap 0 @a.go:1\nchannel jobs cap 9 @a.go:2\nlocation main\n 0 enter main\n"
		for w := range 2 {
			text += fmt.Sprintf(" 0 create w%d @a.go:3\n", w)
		}
		if take != "" {
			text += strings.Repeat(" 0 send jobs @a.go:4\n 0 leave\n", 8)
		}
		for i := range 8 {
			begin := 31 + 50*i - 30*(i%2) // to wait for the second one for most of the time, on whose sleep the critical path is
			text += fmt.Sprintf(" %d recv out @a.go:9\n %d blocked\n %d leave\n", begin, begin, 50+50*i)
		}
		text += " 410 exit\n"
		for w := range 2 {
			text += fmt.Sprintf("location w%d\n 0 begin poll by main\n", w)
			for i := range 4 {
				text += fmt.Sprintf("%s %[2]d sleep @a.go:5\n %[3]d leave\n %[3]d send out @a.go:6\n %[3]d leave\n", strings.ReplaceAll(take, "T", fmt.Sprint(100*i)), 100*i, 100*i+50*(w+1))
			}
			text += " 401 end\n"
		}
		return analyzeText(t, text)
	}
	x := bringers("")
	require.Equal(t, "late_sender", x.Metrics[x.Findings[0].Metric].Name)
	require.Equal(t, report.Busy{}, x.Findings[0].Busy)
	require.Equal(t, report.TimerBound, x.Problem(&x.Findings[0]).Name)
	require.NotContains(t, x.Verdict.Text, "busy")
	require.Equal(t, report.Busy{Workers: 2}, bringers(" T recv jobs @a.go:4\n T leave\n").Findings[0].Busy)
	require.Equal(t, report.Busy{Workers: 2}, bringers(" T lock m @a.go:4\n T leave\n T unlock m\n").Findings[0].Busy)
}

// Where most of those who bring something are done early, nobody says how many workers were busy: it was 3 on average, 8 until 200, and one from then on.
func TestThoseThatAreDoneAreNotBusy(t *testing.T) {
	for _, early := range []int{200, 800} {
		text := "channel c\nlocation main\n 0 enter main\n"
		for w := range 8 {
			text += fmt.Sprintf(" 0 create w%d @a.go:1\n", w)
		}
		for i := range 8 {
			text += fmt.Sprintf(" %d recv c @a.go:10\n %d blocked\n %d leave\n", 10+20*i, 10+20*i, 25+20*i)
		}
		for i := range 8 {
			text += fmt.Sprintf(" %d recv c @a.go:10\n %d blocked\n %d leave\n", 200+70*i, 200+70*i, 265+70*i)
		}
		text += " 810 exit\n"
		for w := range 8 {
			text += fmt.Sprintf("location w%d\n 0 begin mapper by main\n 0 enter task @a.go:20\n %d send c @a.go:22\n %d leave\n", w, 24+20*w, 25+20*w)
			end := early
			if w == 0 {
				end = 800
				for i := range 8 {
					text += fmt.Sprintf(" %d send c @a.go:22\n %d leave\n", 264+70*i, 265+70*i)
				}
			}
			text += fmt.Sprintf(" %d exit\n %d end\n", end, end)
		}
		f := analyzeText(t, text).Findings[0]
		if early == 200 {
			require.Equal(t, report.Busy{}, f.Busy)
		} else {
			require.Equal(t, report.Busy{Workers: 8}, f.Busy)
		}
	}
}
