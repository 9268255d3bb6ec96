package analyzer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/report"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name, trace, text string
		certain           bool
		metric, file      string
		line              int
	}{
		{"a lock", oneLock, "Waiting for the mutex first used at store.go:7 delays the run most: 45.0 % of its time (90 ns), held by main in main (lock at store.go:7).",
			false, "lock_competition", "store.go", 13}, // more than half of the path may be waiting that is not recorded
		{"a lock, and work", "\nprocess main cpu 1000\n" + oneLock, "Waiting for the mutex first used at store.go:7 delays the run most: 45.0 % of its " +
			"time (90 ns), held by main in main (lock at store.go:7).",
			true, "lock_competition", "store.go", 13},
		{"a reader that a writer waits for, and readers behind it", `
process main cpu 1000
rwmutex rw @store.go:1
location main
  0 enter scan @main.go:1
  0 lock rw shared @store.go:10
  0 leave
  80 unlock rw shared
  100 exit
location update
  0 begin update
  10 lock rw @store.go:20
  10 blocked
  81 leave
  82 unlock rw
  90 end
location get
  0 begin get
  10 lock rw shared @store.go:30
  10 blocked
  83 leave
  84 unlock rw shared
  90 end
`, "Waiting for the RWMutex first used at store.go:1 delays the run most: 70.0 % of its time (70 ns), held by main in scan (lock at store.go:10).",
			true, "rw_writer_wait", "store.go", 20},
		{"a writer, and readers behind it", `
process main cpu 1000
rwmutex rw @store.go:1
location main
  0 enter scan @main.go:1
  0 lock rw @store.go:10
  0 leave
  80 unlock rw
  100 exit
location get
  0 begin get
  20 lock rw shared @store.go:30
  20 blocked
  83 leave
  84 unlock rw shared
  90 end
`, "Waiting for the RWMutex first used at store.go:1 delays the run most: 60.0 % of its time (60 ns), for main, which held it or waited for it in scan (lock at store.go:10).",
			true, "rw_reader_wait", "store.go", 30},
		{"timers in many places", `
process main cpu 20 processors 2
channel jobs @queue.go:4
channel done @queue.go:5
location main
  0 running on 0
  0 enter main @main.go:1
  1 create w @main.go:2
  2 recv nil @poll.go:10
  2 blocked
  24 ready woken
  24 running on 0
  24 leave
  25 send jobs @queue.go:7
  25 leave
  25 recv done @queue.go:8
  25 blocked
  33 ready woken by w
  33 running on 0
  33 leave
  33 recv nil @poll.go:20
  33 blocked
  47 ready woken
  47 running on 0
  47 leave
  48 recv nil @poll.go:30
  48 blocked
  70 ready woken
  70 running on 0
  70 leave
  71 recv nil @poll.go:40
  71 blocked
  93 ready woken
  93 running on 0
  93 leave
  100 exit
location w
  2 begin worker by main
  2 running on 1
  3 recv jobs @queue.go:9
  3 blocked
  25 ready woken by main
  25 running on 1
  25 leave
  33 send done @queue.go:10
  33 leave
  34 end
`, "80.0 % of the critical path is waiting in many places for what no goroutine of the program does, such as timers, files or other programs, 22.0 % in recv at poll.go:10 alone. " +
			"Of all waiting for each other, that to receive from the channel first used at queue.go:4 delays the run most: 22.0 % of its time (22 ns), for main, which was mostly waiting for what no goroutine of the program does in recv at poll.go:10 then.",
			false, "external_wait", "poll.go", 10},
		{"a timer in one place, and work", `
process main cpu 45 processors 2
location main
  0 running on 0
  0 enter main @main.go:1
  0 recv nil @poll.go:10
  0 blocked
  44 ready woken
  44 running on 0
  44 leave
  44 recv nil @poll.go:20
  44 blocked
  55 ready woken
  55 running on 0
  55 leave
  55 enter crunch @crunch.go:1
  100 exit
  100 exit
`, "Waiting hardly delays the run; 45.0 % of the critical path is work in crunch at crunch.go:1.", true, "execution", "crunch.go", 1},
		{"a timer in one place", `
process main cpu 20 processors 2
channel jobs @queue.go:4
location main
  0 running on 0
  0 enter main @main.go:1
  1 create w @main.go:2
  2 recv nil @poll.go:10
  2 blocked
  24 ready woken
  24 running on 0
  24 leave
  25 send jobs @queue.go:7
  25 leave
  25 recv nil @poll.go:10
  25 blocked
  47 ready woken
  47 running on 0
  47 leave
  48 recv nil @poll.go:10
  48 blocked
  70 ready woken
  70 running on 0
  70 leave
  71 recv nil @poll.go:20
  71 blocked
  93 ready woken
  93 running on 0
  93 leave
  100 exit
location w
  2 begin worker by main
  2 running on 1
  3 recv jobs @queue.go:9
  3 blocked
  25 ready woken by main
  25 running on 1
  25 leave
  26 end
`, "Waiting that is recorded hardly delays the run; 66.0 % of the critical path is waiting in recv at poll.go:10 for what no goroutine of the program does: a timer, a signal or another program.",
			false, "external_wait", "poll.go", 10},
		{"a sender", `
channel jobs @queue.go:4
location main
  0 enter main @main.go:1
  0 create w @main.go:2
  10 recv jobs @queue.go:9
  11 blocked
  90 leave
  100 exit
location w
  0 begin worker by main
  5 enter load @load.go:3
  80 exit
  88 send jobs @queue.go:7
  89 leave
  90 end
`, "Waiting to receive from the channel first used at queue.go:4 delays the run most: 78.0 % of its time (78 ns), for worker, which was mostly in load " +
			"at load.go:3 then.", true, "late_sender", "queue.go", 9},
		{"a receiver without a processor", `
process main cpu 100 processors 2
channel out @main.go:4
location main
  0 running on 0
  0 enter main @main.go:1
  0 create f @main.go:2
  9 send out @main.go:5
  10 leave
  20 send out @main.go:5
  21 blocked
  91 ready woken by f
  92 running on 0
  92 leave
  100 exit
location f
  0 begin format by main
  0 running on 1
  1 recv out @format.go:3
  2 blocked
  10 ready woken by main
  90 running on 1
  90 leave
  91 recv out @format.go:3
  91 leave
  99 end
`, "Waiting to send to the channel first used at main.go:4 delays the run most: 71.0 % of its time (71 ns), for format, which was mostly ready to run " +
			"in recv at format.go:3 then.", true, "late_receiver", "main.go", 5},
		{"work or waiting", `
location main
  0 enter main @main.go:1
  1 enter sum @sum.go:8
  90 exit
  100 exit
`, "No waiting is recorded; 89.0 % of the critical path is in sum at sum.go:8, at work or waiting for something that is not recorded: instrument what it may wait for there to know more.",
			false, "", "sum.go", 8},
		{"work", `
process main cpu 100
location main
  0 enter main @main.go:1
  1 enter sum @sum.go:8
  90 exit
  100 exit
`, "No waiting was found; 89.0 % of the critical path is work in sum at sum.go:8.", true, "execution", "sum.go", 8},
		{"a service", `
mutex m @store.go:7
location main
  0 enter serve @main.go:1
  1000 exit
` + handlers, "Goroutines wait most for the mutex first used at store.go:7: handle[1] waited 400 ns in total, 13.4 % of all time, held by handle[0] in get " +
			"(lock at store.go:7). The root goroutine was in serve at main.go:1 nearly all the time, so the critical path does not tell what " +
			"this holds up: if it waits there for these goroutines, instrument that wait.", false, "lock_competition", "store.go", 7},
		{"a service that does not wait", `
location main
  0 enter serve @main.go:1
  1000 exit
location h1
  0 begin handle
  990 end
location h2
  0 begin handle
  990 end
`, "Waiting that is recorded hardly delays the run; the root goroutine was in serve at main.go:1 nearly all the time, at work or waiting for " +
			"something that is not recorded: instrument what it may wait for there to know more.", false, "", "main.go", 1},
		{"work or waiting, beside little waiting", littleWaiting, "Waiting that is recorded hardly delays the run; 73.0 % of the critical path is in put at put.go:1, at work or " +
			"waiting for something that is not recorded: instrument what it may wait for there to know more.", false, "", "put.go", 1},
		{"work, beside little waiting", "\nprocess main cpu 300\n" + littleWaiting, "Waiting hardly delays the run; 73.0 % of the critical path is work in put at put.go:1.",
			true, "execution", "put.go", 1},
		{"work in one place, beside half as much waiting or less", workThenWaiting(2), "45.0 % of the critical path is work in derive at key.go:5. Of all waiting, that to receive from the channel first used at main.go:9 delays the run most: " +
			"18.0 % of its time (18 ns), for worker, which was mostly in load at w.go:3 then.", true, "execution", "key.go", 5},
		{"work in one place, beside more than half as much waiting", workThenWaiting(12), "Waiting to receive from the channel first used at main.go:9 delays the run most: 18.0 % of its time (18 ns), for worker, which was mostly in load " +
			"at w.go:3 then.", true, "late_sender", "main.go", 5},
		{"outside all regions", "\nlocation main\n  0 create w @main.go:2\n  100 end\nlocation w\n  0 begin w by main\n  1 end\n", "No waiting is recorded; 100.0 % of the critical path is outside all regions: instrument what " +
			"main does there to know more.", false, "", "", 0},
		{"outside all regions of a program with states", "\nlocation main\n  0 running on 0\n  0 create w @main.go:2\n  100 end\nlocation w\n  0 begin w by main\n  0 running on 1\n  1 end\n",
			"No waiting was found; 100.0 % of the critical path is outside all regions, where main starts or ends the program.", true, "execution", "", 0},
		{"nobody who is recorded", "\nlocation main\n  0 enter main @main.go:1\n  9 exit\n  10 end\nlocation w\n  95 begin w\n  99 end\n",
			"No waiting is recorded; 85.9 % of the critical path is not recorded: instrument what runs then to learn more.", false, "", "", 0},
		{"nobody who is recorded, of a program with states", "\nlocation main\n  0 running on 0\n  0 enter main @main.go:1\n  9 exit\n  10 end\nlocation w\n  95 begin w\n  95 running on 0\n  99 end\n",
			"No waiting is recorded; 85.9 % of the critical path is not recorded, while no goroutine that is recorded was active.", false, "", "", 0},
		{"outside all regions of tests", "\nlocation main\n  0 running on 0\n  0 create w @main.go:2\n  100 end\nlocation w\n  0 begin testing.tRunner by main\n  0 running on 1\n  1 end\n",
			"No waiting was found; 100.0 % of the critical path is outside all regions, where main runs package testing, or starts or ends the program.", true, "execution", "", 0},
		{"work of which one has more", uneven(41), "No waiting was found; 98.0 % of the critical path is work in sum at sum.go:8. worker[0] worked 29 ns longer than those of worker ×2 that lived at the same time did on average: the work is not divided evenly.",
			true, "execution", "sum.go", 8},
		{"work of which one has little more", uneven(91), "No waiting was found; 98.0 % of the critical path is work in sum at sum.go:8.", true, "execution", "sum.go", 8},
		{"next to no work", `
location main
  0 running on 0
  0 enter main @main.go:1
  50 recv nil @main.go:3
  51 blocked
  9950 leave
  10000 exit
`, "The program's goroutines worked for only 100 ns in 10.0 µs; 99.0 % of the critical path is waiting in recv at main.go:3 for what no goroutine of the program does: a timer, a signal or another program.",
			false, "external_wait", "main.go", 3},
		{"a send that never ended", `
process main pid 1
exited 100 0
channel ch cap 0
location main
  0 running on 0
  0 enter main @main.go:1
  1 send ch @main.go:3
  2 blocked
`, "Waiting that is recorded hardly delays the run; 98.0 % of the critical path is waiting in send at main.go:3, which never ended.", false, "external_wait", "main.go", 3},
		{"a send that had not ended, in the trace of a program that may have gone on", `
process main pid 1
exited 100 -1
channel ch cap 0
location main
  0 running on 0
  0 enter main @main.go:1
  1 send ch @main.go:3
  2 blocked
`, "Waiting that is recorded hardly delays the run; 98.0 % of the critical path is waiting in send at main.go:3, which had not ended when the trace did.", false, "external_wait", "main.go", 3},
		{"a send that nobody is known to have received", `
channel ch cap 0
location main
  0 running on 0
  0 enter main @main.go:1
  1 send ch @main.go:3
  2 blocked
  95 leave
  100 exit
`, "Waiting that is recorded hardly delays the run; 93.0 % of the critical path is waiting in send at main.go:3 for what is not known.", false, "external_wait", "main.go", 3},
		{"one place in two call paths", `
process main cpu 300
location main
  0 enter retry @main.go:1
  1 sleep @pause.go:3
  31 leave
  31 enter again @main.go:2
  32 sleep @pause.go:3
  62 leave
  62 exit
  63 enter sum @sum.go:8
  99 exit
  100 exit
`, "No waiting for other recorded goroutines was found; 60.0 % of the critical path is sleep of main at pause.go:3.", true, "sleep", "pause.go", 3},
		{"two places where it sleeps", `
process main cpu 300
location main
  0 enter retry @main.go:1
  1 sleep @pause.go:3
  41 leave
  42 sleep @pause.go:9
  72 leave
  73 enter sum @sum.go:8
  99 exit
  100 exit
`, "No waiting for other recorded goroutines was found; 70.0 % of the critical path is sleep, most of it (40.0 %) in sleep of main at pause.go:3.", true, "sleep", "pause.go", 3},
		{"a timer", `
location main
  0 running on 0
  0 enter main @main.go:1
  1 recv nil @main.go:3
  2 blocked
  95 leave
  100 exit
`, "Waiting that is recorded hardly delays the run; 93.0 % of the critical path is waiting in recv at main.go:3 for what no goroutine of the program does: a timer, " +
			"a signal or another program.", false, "external_wait", "main.go", 3},
		{"more waiting that is not recorded", lateClose("1 recv nil @main.go:3\n  2 blocked", "leave", 80), "78.0 % of the critical path is waiting in recv at main.go:3 for something that is not recorded: instrument what ends that to know more. " +
			"Of the waiting that is recorded, that to receive from the channel first used at a.go:2 delays the run most: 12.0 % of its time (12 ns), " +
			"for worker, which was mostly in load at load.go:3 then.", false, "external_wait", "main.go", 3},
		{"less waiting that is not recorded", lateClose("1 recv nil @main.go:3\n  2 blocked", "leave", 20), "Waiting to receive from the channel first used at a.go:2 delays the run most: 72.0 % of its time (72 ns), " +
			"for worker, which was mostly in load at load.go:3 then.", true, "late_close", "main.go", 4},
		{"much more work", "\nprocess main cpu 200\n" + lateClose("1 enter sum @sum.go:8", "exit", 80), "79.0 % of the critical path is work in sum at sum.go:8. Of all waiting, that to receive from the channel first used at a.go:2 delays the run " +
			"most: 12.0 % of its time (12 ns), for worker, which was mostly in load at load.go:3 then.", true, "execution", "sum.go", 8},
		{"a worker that may have waited", `
waitgroup g @main.go:2
location main
  0 enter main @main.go:1
  0 create w @main.go:2
  0 create x @main.go:2
  0 create y @main.go:2
  95 wait g @main.go:3
  96 blocked
  99 leave
  100 exit
location w
  0 begin worker by main
  1 enter update @up.go:1
  96 exit
  98 done g 1
  98 end
location x
  0 begin worker by main
  1 enter update @up.go:1
  96 exit
  97 end
location y
  0 begin worker by main
  1 enter update @up.go:1
  96 exit
  97 end
`, "Waiting that is recorded hardly delays the run; the goroutine worker[0] was in update at up.go:1 nearly all the time, at work or waiting " +
			"for something that is not recorded: instrument what it may wait for there to know more.", false, "", "up.go", 1},
		{"holders in turn", turns("backup", "purge", "reindex"), "Waiting for the mutex first used at m.go:1 delays the run most: 83.0 % of its " +
			"time (83 ns), held in turn in backup (lock at backup.go:2, 34.9 %), purge (lock at purge.go:2, 32.5 %) and reindex (lock at reindex.go:2, 32.5 %).",
			true, "lock_competition", "main.go", 5},
		{"two holders in turn", turns("load", "load", "store"), "Waiting for the mutex first used at m.go:1 delays the run most: 83.0 % of its time (83 ns), held in turn " +
			"in load (lock at load.go:2, 67.5 %) and store (lock at store.go:2, 32.5 %).", true, "lock_competition", "main.go", 5},
		{"a holder in a library, and one that hardly matters", `
process main cpu 200
mutex m @db.go:1
location main
  0 enter main @main.go:1
  0 create w @main.go:2
  10 lock m @main.go:9
  11 blocked
  90 leave
  91 unlock m
  91 create r @main.go:3
  93 lock m @main.go:9
  94 blocked
  98 leave
  98 unlock m
  100 exit
location w
  0 begin writer by main
  1 enter put @main.go:5
  2 lock m @db.go:847
  3 leave
  5 enter Commit @tx.go:170
  85 exit
  90 unlock m
  92 exit
  92 end
location r
  91 begin reader by main
  92 lock m @get.go:3
  92 leave
  98 unlock m
  99 end
`, "Waiting for the mutex first used at db.go:1 delays the run most: 85.0 % of its time (85 ns), held by writer in put (lock at db.go:847), mostly in Commit " +
			"at tx.go:170 then.", true, "lock_competition", "main.go", 9},
		{"the same holder in several callers", turns("load", "load", "load"), "Waiting for the mutex first used at m.go:1 delays the run most: 83.0 % " +
			"of its time (83 ns), held in load (lock at load.go:2).", true, "lock_competition", "main.go", 5},
		{"input that is not recorded", `
location main
  0 enter main @main.go:1
  1 recv nil @main.go:3
  2 blocked
  95 leave
  100 exit
`, "Waiting that is recorded hardly delays the run; 93.0 % of the critical path is waiting in recv at main.go:3 for something that is not " +
			"recorded: instrument what ends that to know more.",
			false, "external_wait", "main.go", 3},
		{"a deadlock", `
mutex a
mutex b
location main
  0 enter main
  1 lock a
  1 leave
  10 lock b @m.go:2
  10 blocked
location w
  0 begin worker
  1 lock b
  1 leave
  11 lock a
  11 blocked
location x
  0 begin x
  100 end
`, "Deadlock: main and worker hold locks and wait for each other's.", true, "", "m.go", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := analyzeText(t, c.trace)
			v := e.Verdict
			require.Equal(t, c.text, strings.ReplaceAll(v.Text, "\u00a0", " "))
			require.Equal(t, []any{c.certain, c.metric, c.file, c.line}, []any{v.Certain, v.Metric, v.File, v.Line})
			if v.Metric != metric.ExternalWait && (len(e.Findings) == 0 || e.Metrics[e.Findings[0].Metric].Name != metric.ExternalWait) { // else it is about no finding
				require.Equal(t, c.certain && len(e.Findings) > 0 && v.Metric != "", certainFinding(t, e), "what the verdict is about is as certain as the verdict")
			}
		})
	}
}

// certainFinding says whether the first finding is certain in the JSON form.
func certainFinding(t *testing.T, e *report.Experiment) bool {
	var text bytes.Buffer
	require.NoError(t, report.JSON(&text, e))
	var said struct {
		Findings []struct{ Certain bool }
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &said))
	return len(said.Findings) > 0 && said.Findings[0].Certain
}

// littleWaiting is a program whose main is in one region most of the time, and waits for a lock for a twentieth of it.
const littleWaiting = `
mutex m @m.go:1
location main
  0 enter main @main.go:1
  5 enter put @put.go:1
  78 exit
  78 create w @main.go:2
  81 lock m @main.go:5
  82 blocked
  85 leave
  86 unlock m
  100 exit
location w
  78 begin worker by main
  79 lock m @w.go:2
  80 leave
  85 unlock m
  90 end
`

// workThenWaiting is a program in which main derives a key from a time to 47, waits for a worker for 18, and does something else in several places.
func workThenWaiting(from int) string {
	return fmt.Sprintf(`
process main cpu 200
channel ch cap 0 @main.go:9
location main
  0 enter main @main.go:1
  %d enter derive @key.go:5
  47 exit
  47 create w @main.go:3
  50 recv ch @main.go:5
  50 blocked
  68 leave
  68 enter render @main.go:20
  83 exit
  83 enter write @main.go:30
  98 exit
  100 exit
location w
  47 begin worker by main
  47 enter load @w.go:3
  68 exit
  68 send ch @w.go:4
  68 leave
  68 end
`, from)
}

// turns is a program in which main waits for a lock that three others hold in turn, each of a kind of its own, in the regions given.
func turns(a, b, c string) string {
	return fmt.Sprintf(`
process main cpu 200
mutex m @m.go:1
location main
  0 enter main @main.go:1
  0 create a @main.go:2
  4 lock m @main.go:5
  5 blocked
  34 leave
  34 unlock m
  34 create b @main.go:3
  36 lock m @main.go:5
  37 blocked
  64 leave
  64 unlock m
  64 create c @main.go:4
  66 lock m @main.go:5
  67 blocked
  94 leave
  95 unlock m
  100 exit
location a
  0 begin "GET /a" by main
  1 enter %[1]s @%[1]s.go:1
  1 lock m @%[1]s.go:2
  1 leave
  33 unlock m
  40 exit
  40 end
location b
  34 begin "GET /b" by main
  34 enter %[2]s @%[2]s.go:1
  35 lock m @%[2]s.go:2
  35 leave
  63 unlock m
  70 exit
  70 end
location c
  64 begin "GET /c" by main
  64 enter %[3]s @%[3]s.go:1
  65 lock m @%[3]s.go:2
  65 leave
  93 unlock m
  99 exit
  99 end
`, a, b, c)
}

const sender = `
process main cpu 1000
channel c @m.go:1
location main
  0 enter main @m.go:3
  0 create w @m.go:4
  10 recv c @m.go:10
  10 blocked
  91 leave
  100 exit
location w
  0 begin w by main
  90 send c @m.go:20
  90 leave
  92 end
`

// A receive that nobody recorded has sent to makes who was waited for on the channel uncertain; on another channel it does not.
func TestVerdictBesideStrangers(t *testing.T) {
	const warning = "values on channels whose sender or receiver was not found, beside others whose were: 1. It is not recorded, or a goroutine lost its processor " +
		"within an operation, and time stamps tell another order than what happened; who was waited for on these channels is not certain"
	whole := analyzeText(t, sender)
	require.True(t, whole.Verdict.Certain, whole.Verdict.Text)
	require.NotContains(t, whole.Warnings, warning)
	timer := strings.Replace(sender, "  100 exit\n", "  93 recv t @m.go:11\n  93 blocked\n  95 leave\n  100 exit\n", 1)
	other := analyzeText(t, strings.Replace(timer, "channel c", "channel t @m.go:2\nchannel c", 1))
	require.True(t, other.Verdict.Certain, other.Verdict.Text)
	require.NotContains(t, other.Warnings, warning)
	mixed := analyzeText(t, strings.Replace(timer, "recv t", "recv c", 1))
	require.Contains(t, mixed.Warnings, warning)
	require.False(t, mixed.Verdict.Certain)
	require.Equal(t, whole.Verdict.Metric, mixed.Verdict.Metric)
}

// lateClose is a program whose main is busy with something, from 1 to the given time, and then waits for a goroutine to close a channel at 93.
func lateClose(begin, end string, until int) string {
	return fmt.Sprintf(`
channel done @a.go:2
location main
  0 enter main @main.go:1
  %[1]s
  %[3]d %[2]s
  %[3]d create w @main.go:2
  %[4]d recv done @main.go:4
  %[5]d blocked
  95 leave closed
  100 exit
location w
  %[4]d begin worker by main
  %[4]d enter load @load.go:3
  93 close done @load.go:4
  93 leave
  93 exit
  94 end
`, begin, end, until, until+1, until+2)
}

// uneven is a program whose first worker works for 98 ns, and its second one until a time.
func uneven(until int) string {
	return fmt.Sprintf(`
process main cpu 300
location main
  0 enter main @main.go:1
  0 create w1 @a.go:1
  0 create w2 @a.go:1
  1 exit
  2 end
location w1
  0 begin worker by main
  1 enter sum @sum.go:8
  99 exit
  100 end
location w2
  0 begin worker by main
  1 enter sum @sum.go:8
  %d exit
  %d end
`, until, until+1)
}
