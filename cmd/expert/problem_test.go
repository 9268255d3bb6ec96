package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// heldTrace is a program whose main waits for a lock from 10 to 90 µs. Meanwhile the worker that holds it does what is in between.
const heldTrace = `
mutex m
location main
  0 enter run @main.go:5
  0 create worker @main.go:9
  10000 lock m @main.go:11
  10000 blocked
  90000 leave
  91000 unlock m
  100000 exit
  100000 end
location worker
  500 begin worker by main
  1000 lock m @work.go:21
  1000 leave
  DOING
  90000 unlock m
  95000 end
`

// stagesTrace is a program whose main waits to send from 10 to 90 µs, as the worker does what is in between before it receives.
const stagesTrace = `
channel ch cap 0
location main
  0 enter run @main.go:5
  0 create worker @main.go:9
  10000 SEND ch @main.go:11
  10000 blocked
  90000 leave
  100000 exit
  100000 end
location worker
  500 begin worker by main
  DOING
  90000 RECV ch @work.go:30
  90000 leave
  95000 end
`

// TestProblems: what findings are known as, in the text, as JSON and by its advice; and what looks similar and is not.
func TestProblems(t *testing.T) {
	const worksShortly = "2000 sleep @work.go:25\n  41000 leave\n  41000 enter compute @work.go:26\n  89000 exit"
	const works, sleeps = "2000 enter compute @work.go:25\n  89000 exit", "2000 sleep @work.go:25\n  89000 leave"
	stated := strings.NewReplacer("0 enter run", "0 running on 0\n  0 enter run", "worker by main", "worker by main\n  500 running on 1").Replace(heldTrace)
	const polls, triesOnce = "2000 select @work.go:25\n  50001 chose none 1024\n  50001 enter compute @work.go:26\n  89000 exit", "2000 select @work.go:25\n  2100 chose none\n  2500 select @work.go:25\n  2600 chose none\n  2700 enter compute @work.go:26\n  89000 exit"
	const triesLock = "1500 lock other @work.go:25\n  30000 leave failed\n  30100 lock other @work.go:25\n  60000 leave failed\n  60100 lock other @work.go:25\n  80000 leave\n  80001 unlock other"
	forward, backward := strings.NewReplacer("SEND", "send", "RECV", "recv"), strings.NewReplacer("SEND", "recv", "RECV", "send")
	twice := strings.NewReplacer("  90000 leave\n  100000 exit", "  90000 leave\n  90500 SEND ch @main.go:11\n  90500 blocked\n  92000 leave\n  100000 exit",
		"  95000 end", "  92000 RECV ch @work.go:30\n  92000 leave\n  95000 end")
	for _, c := range []struct{ name, text, want string }{
		{"the holder sleeps", strings.Replace(heldTrace, "DOING", sleeps, 1), "held_across_wait"},
		{"the holder is at work for most of the run", strings.Replace(stated, "DOING", works, 1), "serial_section"},
		{"the holder is at work for less than half of it", strings.Replace(stated, "DOING", worksShortly, 1), ""},
		{"nobody knows whether the holder is at work", strings.Replace(heldTrace, "DOING", works, 1), ""},
		{"the receiver is at work", strings.Replace(forward.Replace(twice.Replace(stagesTrace)), "DOING", works, 1), "back_pressure"},
		{"the receiver of one value is at work", strings.Replace(forward.Replace(stagesTrace), "DOING", works, 1), ""},
		{"the receiver of one value sleeps", strings.Replace(forward.Replace(stagesTrace), "DOING", sleeps, 1), "timer_bound"},
		{"the sender is at work", strings.Replace(backward.Replace(stagesTrace), "DOING", works, 1), ""},
		{"the sender polls", strings.Replace(backward.Replace(stagesTrace), "DOING", polls, 1), "busy_wait"}, // from 10 to 50.001 µs, for more than half of the wait
		{"the sender polls for half of the wait", strings.Replace(backward.Replace(stagesTrace), "DOING", strings.ReplaceAll(polls, "50001", "50000"), 1), ""},
		{"the sender tries now and then", strings.Replace(backward.Replace(stagesTrace), "DOING", triesOnce, 1), ""},
		{"the sender tries to get a lock", "mutex other\n" + strings.Replace(backward.Replace(stagesTrace), "DOING", triesLock, 1), "busy_wait"},
		{"the receiver polls, and sets the pace", strings.Replace(forward.Replace(twice.Replace(stagesTrace)), "DOING", strings.ReplaceAll(polls, "50001", "60000"), 1), "busy_wait"},
		{"the holder polls", strings.Replace(stated, "DOING", polls, 1), "busy_wait"},
		{"the sender sleeps", strings.Replace(backward.Replace(stagesTrace), "DOING", sleeps, 1), "timer_bound"},
	} {
		dir := archive(t, c.text)
		status, stdout, stderr := expert("analyze", dir, "--format", "json")
		require.Zero(t, status, stderr)
		var got struct {
			Findings []struct{ Problem, Advice string }
		}
		require.NoError(t, json.Unmarshal([]byte(stdout), &got))
		require.NotEmpty(t, got.Findings, c.name)
		require.Equal(t, c.want, got.Findings[0].Problem, c.name)
		status, text, stderr := expert("analyze", dir)
		require.Zero(t, status, stderr)
		require.Equal(t, c.want != "", strings.Contains(text, "Known as: "), text)
		if c.want == "" {
			continue
		}
		require.Contains(t, strings.Join(strings.Fields(text), " "), "("+c.want+").")
		status, explained, stderr := expert("patterns", c.want)
		require.Zero(t, status, stderr)
		require.Contains(t, strings.Join(strings.Fields(explained), " "), got.Findings[0].Advice)
	}
}

// TestBusyWait: what those did who are waited for and poll.
func TestBusyWait(t *testing.T) {
	text := strings.NewReplacer("SEND", "recv", "RECV", "send", "DOING", "2000 select @work.go:25\n  70000 chose none 1024").Replace(stagesTrace)
	status, stdout, stderr := expert("analyze", archive(t, text))
	require.Zero(t, status, stderr)
	got := strings.Join(strings.Fields(stdout), " ")
	require.Contains(t, got, "for worker, which was mostly polling in select at work.go:25 then.")
	require.Contains(t, got, "meanwhile 75.0 % select work.go:25, polling 25.0 % worker") // 60 of 80 µs
	require.Contains(t, got, "1,024 tries failed, one every 66 ns on average.")           // 68 µs
}

// TestCollector: helping the garbage collector is told from a twentieth of what goroutines work on, however many others are idle.
func TestCollector(t *testing.T) {
	const idle = "location idle%[1]d\n  0 begin idle by main\n  0 running on 2\n  0 recv nothing @i.go:1\n  0 blocked\n"
	for until, want := range map[string]string{"16000": "for 11.0 µs: 5.5 % of their time at work.", "14000": ""} { // 11 or 9 µs of 200
		for _, idlers := range []int{0, 20} {
			text := "channel nothing\nlocation main\n  0 running on 0\n  0 create w @a.go:1\n  0 enter main\n  100000 exit\n" +
				"location w\n  0 begin worker by main\n  0 running on 1\n  0 enter work\n  5000 assist\n  " + until + " running on 1\n"
			for i := range idlers {
				text += fmt.Sprintf(idle, i)
			}
			status, text, stderr := expert("analyze", archive(t, text))
			require.Zero(t, status, stderr)
			text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "\u00a0", " ")
			require.Equal(t, want != "", strings.Contains(text, "had to help the garbage collector"), text)
			require.Contains(t, text, want)
			require.Contains(t, text, "work in main.")
		}
	}
}

// TestCollectorOnPath: how much of the work on the critical path is for the garbage collector is told from a tenth on.
func TestCollectorOnPath(t *testing.T) {
	for until, want := range map[string]string{"65000": "work in main, where 60.0 % of the time at work goes into helping the garbage collector, or waiting for it.", "14900": "work in main."} { // 60 or 9.9 µs of 100
		status, text, stderr := expert("analyze", archive(t, "location main\n  0 running on 0\n  0 enter main\n  5000 assist\n  "+until+" running on 0\n  100000 exit\n"))
		require.Zero(t, status, stderr)
		require.Contains(t, strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "\u00a0", " "), "100.0 % of the critical path is "+want)
	}
}
