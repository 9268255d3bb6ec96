package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		name, trace, text string
		certain           bool
		metric, file      string
		line              int
	}{
		{"a lock", oneLock, "Waiting for the mutex first used at store.go:7 holds the run up most: 45.0 % of its time (90 ns), held by main in main at store.go:7.",
			false, "lock_competition", "store.go", 13}, // more than half of the path may be waiting that is not recorded
		{"a lock, and work", "\nprocess main cpu 1000\n" + oneLock, "Waiting for the mutex first used at store.go:7 holds the run up most: 45.0 % of its " +
			"time (90 ns), held by main in main at store.go:7.",
			true, "lock_competition", "store.go", 13},
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
`, "Waiting to receive from the channel first used at queue.go:4 holds the run up most: 78.0 % of its time (78 ns), for worker, which was mostly in load " +
			"at load.go:3 then.", true, "late_sender", "queue.go", 9},
		{"work or waiting", `
location main
  0 enter main @main.go:1
  1 enter sum @sum.go:8
  90 exit
  100 exit
`, "No waiting was found; 89.0 % of the critical path is in sum at sum.go:8, at work or waiting for something that is not recorded: instrument what it may wait for there to know more.",
			false, "execution", "sum.go", 8},
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
location h1
  0 begin handle
  100 enter get @store.go:6
  100 lock m @store.go:7
  101 leave
  600 unlock m
  900 exit
  990 end
location h2
  0 begin handle
  200 enter get @store.go:6
  200 lock m @store.go:7
  201 blocked
  600 leave
  610 unlock m
  900 exit
  990 end
`, "What goroutines wait for most is the mutex first used at store.go:7: handle[1] waited 400 ns in sum, 13.4 % of all time, held by handle[0] in get " +
			"at store.go:7. The root goroutine was in serve at main.go:1 nearly all the time, as in a service, so the critical path does not tell what " +
			"this holds up.", false, "lock_competition", "store.go", 7},
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
`, "Waiting that is recorded hardly holds the run up; the root goroutine was in serve at main.go:1 nearly all the time, at work or waiting for " +
			"something that is not recorded: instrument what it may wait for there to know more.", false, "", "main.go", 1},
		{"input that is not recorded", `
location main
  0 enter main @main.go:1
  1 recv nil @main.go:3
  2 blocked
  95 leave
  100 exit
`, "Waiting hardly holds the run up; 94.0 % of the critical path is waiting in recv at main.go:3 for something that is not " +
			"recorded: instrument what ends that to know more.",
			false, "external_wait", "main.go", 3},
		{"a deadlock", `
mutex a
mutex b
location main
  0 enter main
  1 lock a
  1 leave
  10 lock b
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
`, "Deadlock: main and worker hold locks and wait for each other's.", true, "", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := analyzeText(t, c.trace).Verdict
			require.Equal(t, c.text, strings.ReplaceAll(v.Text, "\u00a0", " "))
			require.Equal(t, []any{c.certain, c.metric, c.file, c.line}, []any{v.Certain, v.Metric, v.File, v.Line})
		})
	}
}
