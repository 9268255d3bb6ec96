package analyzer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// Of a join of two, of which one is done at 79 and one at 80, is said that they were done at about the same time; not if only the last one is known.
func TestToldJoin(t *testing.T) {
	const join = `
waitgroup wg
location main
  0 enter main @main.go:1
  0 add wg 2
  0 create a @main.go:2
  0 create b @main.go:2
  10 wait wg @main.go:3
  10 blocked
  80 leave
  100 exit
location a
  0 begin worker by main
  79 done wg
  79 end
location b
  0 begin worker by main
  80 done wg
  80 end
`
	const hardly, unknown = " On average, they were done hardly earlier.", " Whether others were done earlier is not known."
	told := strings.NewReplacer("waitgroup wg", "waits wg", "  0 add wg 2\n", "", "  79 done wg\n", "").Replace(join)
	for text, said := range map[string][2]string{join: {hardly, unknown}, told: {unknown, hardly}} {
		x := analyzeText(t, text)
		f := &x.Findings[0]
		require.True(t, strings.HasSuffix(x.Sentences().Finding(f), said[0]), text)
		require.NotContains(t, page(t, x), strings.TrimSpace(said[1]))
		require.Equal(t, said[0] == hardly, strings.HasPrefix(x.Advice(f), "Those that were waited for were hardly done earlier"), text)
	}
}

// What is said of a join of two, one of which is done at 20, the other one at 80, at 50 on average, depends on what that did from then on, and when the join began.
func TestToldLateJoin(t *testing.T) {
	const join = `
waitgroup wg
channel ch @main.go:9
location main
  0 enter main @main.go:1
  0 add wg 2
  0 create a @main.go:2
  0 create b @main.go:2
  10 wait wg @main.go:3
  10 blocked
  80 leave
  100 exit
location a
  0 begin worker by main
  20 done wg
  20 enter answer @main.go:7
  75 send ch @main.go:8
  75 leave
  76 exit
  76 end
location b
  0 begin worker by main
  80 done wg
  80 end
`
	const shared, waited, slept = "Look at what the last one did. If it had more to do of the same work", "The last one was itself waiting for most of that time", "The last one was asleep for most of that time"
	for _, x := range []struct {
		old, changed, said, advice string
	}{
		{"", "", " Of that, 30 ns was after the time at which they were done on average.", shared},
		{"  10 wait wg @main.go:3\n  10 blocked", "  60 wait wg @main.go:3\n  60 blocked", " On average, they were done before it began.", shared},
		{"  80 done wg", "  60 recv ch @main.go:6\n  60 blocked\n  75 leave\n  80 done wg", " Of that, 30 ns was after the time at which they were done on average.", shared},
		{"  80 done wg", "  55 recv ch @main.go:6\n  55 blocked\n  75 leave\n  80 done wg", " Of that, 30 ns was after the time at which they were done on average.", waited},
		{"  80 done wg", "  55 sleep @main.go:6\n  75 leave\n  80 done wg", " Of that, 30 ns was after the time at which they were done on average.", slept},
		{"  80 done wg", "  62 sleep @main.go:6\n  75 leave\n  80 done wg", " Of that, 30 ns was after the time at which they were done on average.", shared},
	} {
		e := analyzeText(t, strings.Replace(join, x.old, x.changed, 1))
		f := &e.Findings[slices.IndexFunc(e.Findings, func(f report.Finding) bool { return f.Object.Type == "WaitGroup" })]
		require.True(t, strings.HasSuffix(strings.ReplaceAll(e.Sentences().Finding(f), "\u00a0", " "), x.said), e.Sentences().Finding(f))
		require.True(t, strings.HasPrefix(e.Advice(f), x.advice), e.Advice(f))
	}
}

// Two who wait for each other in turn, one for 80 and one for 20 each time, are both told as those who were waited for, also if they did the same.
func TestInTurn(t *testing.T) {
	var root, other strings.Builder
	for t := 0; t < 400; t += 100 {
		fmt.Fprintf(&root, " %d recv turn @main.go:5\n %[1]d blocked\n %[2]d leave\n %[2]d enter burn @main.go:9\n %[3]d exit\n %[3]d send turn @main.go:6\n %[3]d leave\n", t, t+80, t+100)
		fmt.Fprintf(&other, " %d enter burn @main.go:9\n %[2]d exit\n %[2]d send turn @b.go:6\n %[2]d leave\n %[2]d recv turn @b.go:5\n %[2]d blocked\n %[3]d leave\n", t, t+80, t+100)
	}
	x := analyzeText(t, "channel turn @main.go:1\nlocation main\n 0 enter main @main.go:1\n 0 create w @main.go:2\n"+root.String()+" 400 exit\nlocation w\n 0 begin worker by main\n"+other.String()+" 400 end\n")
	require.Contains(t, strings.ReplaceAll(x.Verdict.Text, "\u00a0", " "), " of its time (380 ns), 80.0 % of it for worker, the rest for main, mostly in burn at main.go:9 then.")
}

// Of those who wait for a Once each lets another one go on, so it is not known of them all that they ran the function; only who was at it while they waited is known.
func TestToldOnce(t *testing.T) {
	x := analyzeText(t, `
process main cpu 300
waits for_main
waits for_a
waits for_b
location main
  0 enter main @main.go:1
  0 create r @main.go:2
  0 create a @main.go:2
  0 create b @main.go:2
  1 wait for_main @main.go:3
  1 blocked
  93 leave
  100 exit
location r
  0 begin worker by main
  0 enter load @load.go:5
  90 exit
  90 enter once @main.go:9
  90 done for_a
  90 exit
  90 end
location a
  0 begin worker by main
  1 once for_a @main.go:9
  1 blocked
  91 leave
  91 enter once @main.go:9
  91 done for_b
  91 exit
  91 end
location b
  0 begin worker by main
  1 once for_b @main.go:9
  1 blocked
  92 leave
  92 done for_main
  92 end
`)
	require.Equal(t, "once_wait", x.Metrics[x.Findings[0].Metric].Name)
	require.Contains(t, strings.ReplaceAll(x.Verdict.Text, "\u00a0", " "), " for worker[0], which was mostly in load at load.go:5 then.")
	require.Contains(t, strings.ReplaceAll(x.Sentences().Finding(&x.Findings[0]), "\u00a0", " "), "for worker ×2 (of 3), which ran it or waited for it, too, in once at main.go:9.")
}

// Who waits in a library for its goroutine that reads what comes by a connection is told by what the program calls, and advised as one who waits for the network, or for the other end if that is known.
func TestToldAnswer(t *testing.T) {
	const text = `
process main cpu 300
channel ch @transport.go:9(net/http.(*persistConn).readLoop)
location main
  0 running
  0 enter main @main.go:1(main.main)
  0 create r @main.go:2
  10 enter http.(*Client).do @client.go:1(net/http.(*Client).do)
  10 recv ch @transport.go:5(net/http.(*persistConn).roundTrip)
  10 blocked
  90 leave
  91 exit
  100 exit
location r
  0 begin readLoop by main @transport.go:1(net/http.(*persistConn).readLoop)
  0 running
  0 network @transport.go:3(net/http.(*persistConn).Read)
  0 blocked
  85 leave
  90 send ch @transport.go:8(net/http.(*persistConn).readLoop)
  90 leave
  91 end
`
	for _, x := range []struct{ old, changed, verdict, advice string }{
		{"", "", "Waiting in http.(*Client).do delays the run most", "Look at who is at the other end"},
		{"@client.go:1(net/http.(*Client).do)", "@get.go:1(main.get)", "Waiting to receive from the channel first used at transport.go:9 delays the run most", "Look at who is at the other end"},
		{"(net/http.(*persistConn).roundTrip)", "(main.get)", "Waiting to receive from the channel first used at transport.go:9 delays the run most", "Look at who is at the other end"},
		{"(net/http.(*persistConn).roundTrip)", "(net/http.(*Client).do)", "Waiting to receive from the channel first used at transport.go:9 delays the run most", "Look at who is at the other end"},
		{"  0 network @transport.go:3(net/http.(*persistConn).Read)\n  0 blocked\n  85 leave\n", "", "Waiting in http.(*Client).do delays the run most", "Look at what the sender did"},
	} {
		e := analyzeText(t, strings.Replace(text, x.old, x.changed, 1))
		require.True(t, strings.HasPrefix(strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "), x.verdict), e.Verdict.Text)
		require.True(t, strings.HasPrefix(e.Advice(&e.Findings[0]), x.advice), e.Advice(&e.Findings[0]))
	}
}

// Two waits of net/http for a connection that another client gives back, while one goroutine had begun a connection, are for a place: there may be no more. If two had, they are not.
func TestToldConnections(t *testing.T) {
	const dial, wait = "http.(*Transport).startDialConnForLocked.func1", "  %d recv conn @transport.go:5(net/http.(*Transport).getConn)\n  %[1]d blocked\n  %d leave\n"
	for _, known := range []string{"pool_exhausted", ""} {
		text := "process main cpu 400\nchannel conn @transport.go:4(net/http.(*Transport).getConn)\nlocation main\n  0 running\n  0 enter main @main.go:1\n  0 create d @main.go:2\n  0 create e @main.go:2\n  0 create r @main.go:2\n" +
			"  10 enter http.(*Client).do @client.go:1(net/http.(*Client).do)\n" + fmt.Sprintf(wait, 10, 90) + fmt.Sprintf(wait, 100, 190) + "  191 exit\n  200 exit\nlocation d\n  0 begin " + dial + " by main\n  1 end\n" +
			"location r\n  0 begin other by main\n  90 send conn @transport.go:8\n  90 leave\n  190 send conn @transport.go:8\n  190 leave\n  191 end\nlocation e\n  0 begin another by main\n  1 end\n"
		if known == "" {
			text = strings.Replace(text, "begin another", "begin "+dial, 1)
		}
		e, name := analyzeText(t, text), ""
		if p := e.Problem(&e.Findings[0]); p != nil {
			name = p.Name
		}
		require.Equal(t, known, name)
	}
}

// Where no waiting is on the critical path, the longest waits are told, but those of net/http for something to do in a line each, if there are others.
func TestToldLongest(t *testing.T) {
	text := `
channel req
channel ch
location main
  0 enter main @main.go:1
  0 create s @main.go:2
  0 create w @main.go:3
  100 send ch @main.go:4
  100 leave
  900 send req @main.go:5
  900 leave
  1000 exit
location s
  0 begin writeLoop by main @transport.go:1(net/http.(*persistConn).writeLoop)
  0 recv req @transport.go:2(net/http.(*persistConn).writeLoop)
  0 blocked
  900 leave
  901 end
location w
  0 begin worker by main
  0 recv ch @main.go:9
  0 blocked
  100 leave
  101 end
`
	require.Contains(t, page(t, analyzeText(t, text)), "longest waits in total. 1 Late sender 100 ns,")
	require.Contains(t, page(t, analyzeText(t, text)), "little or no time on the critical path: 900 ns late_sender writeLoop recv transport.go:2 ")
	alone, _, _ := strings.Cut(strings.Replace(text, "  0 create w @main.go:3\n  100 send ch @main.go:4\n  100 leave\n", "", 1), "location w")
	require.Contains(t, page(t, analyzeText(t, alone)), "longest waits in total. 1 Late sender 900 ns,")
}

// If one of them worked until then, and the other one slept, it is not said that to share their work gains little.
func TestToldUnevenJoin(t *testing.T) {
	const join = `
waitgroup wg
location main
  0 running on 0
  0 enter main @main.go:1
  0 add wg 2
  0 create a @main.go:2
  0 create b @main.go:2
  10 wait wg @main.go:3
  10 blocked
  80 ready by b
  80 running on 0
  80 leave
  100 exit
location a
  0 begin worker by main
  0 running on 1
  79 done wg
  79 end
location b
  0 begin worker by main
  0 running on 2
  1 sleep @main.go:8
  1 blocked
  78 ready
  78 running on 2
  78 leave
  80 done wg
  80 end
`
	for text, said := range map[string]string{join: "give the others a part of it", strings.Replace(join, "  0 running on 1\n", "  0 running on 1\n  2 sleep @main.go:8\n  2 blocked\n  78 ready\n  78 running on 1\n  78 leave\n", 1): "gains little"} {
		x := analyzeText(t, text)
		f := &x.Findings[slices.IndexFunc(x.Findings, func(f report.Finding) bool { return x.Metrics[f.Metric].Name == "join_wait" })]
		require.True(t, strings.HasSuffix(x.Sentences().Finding(f), " On average, they were done hardly earlier."))
		require.Contains(t, x.Advice(f), said)
	}
}

// Of goroutines of which only the last one is known to be joined, it is said how long it lived, if the others lived for half as long or less on average, and so is in the
// first sentence if it slept.
func TestLived(t *testing.T) {
	const join = `
waits wg
location main
  0 enter main @main.go:1
  0 create a @main.go:2
  0 create b @main.go:2
  10 wait wg @main.go:3
  10 blocked
  80 leave
  100 exit
location a
  0 begin worker by main
  ENDED end
location b
  0 begin worker by main
  5 sleep @main.go:7
  79 leave
  80 done wg
  80 end
`
	const unknown, lived = " Whether others were done earlier is not known.", " worker[1] lived for 80 ns, the other one of worker ×2 for ENDED ns on average."
	for ended, said := range map[string]string{"20": lived, "40": lived, "41": unknown} {
		x := analyzeText(t, strings.ReplaceAll(join, "ENDED", ended))
		said = strings.ReplaceAll(said, "ENDED", ended)
		finding := strings.ReplaceAll(x.Sentences().Finding(&x.Findings[0]), "\u00a0", " ")
		require.True(t, strings.HasSuffix(finding, said), finding)
		require.Equal(t, said != unknown, strings.HasSuffix(strings.ReplaceAll(x.Verdict.Text, "\u00a0", " "), "is sleep of worker[1] at main.go:7."+said), x.Verdict.Text)
	}
}
