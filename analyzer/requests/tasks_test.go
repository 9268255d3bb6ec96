package requests_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace/tracetext"
)

// tasks returns all requests of a trace, each with its parts in the order of time.
func tasks(t *testing.T, text string, name string) (list []*report.RequestPath) {
	for n := 1; ; n++ {
		a, err := tracetext.Open("trace", text)
		require.NoError(t, err)
		f := &requests.Finder{Selection: requests.Selection{Request: name + ":" + string(rune('0'+n))}}
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait, Queued: f.Queued})
		require.NoError(t, err)
		if f.Find(a, e) != nil {
			return list
		}
		list = append(list, f.Path)
	}
}

// steps says in short what a request did, in order.
func steps(p *report.RequestPath) (what []string, ns []int64) {
	var list []report.LatencyPart
	for i := range p.Steps {
		list = append(list, p.Steps[i].LatencyPart)
	}
	return parts(list), times(list)
}

// handed is where goroutine main begins tasks, which are left at once.
func handed(begins ...string) string {
	var b strings.Builder
	for _, x := range begins {
		at, number, _ := strings.Cut(x, " ")
		b.WriteString("  " + at + " enter job @m.go:5(runtime/trace.NewTask)\n  " + at + " taskleft " + number + "\n  " + at + " exit\n")
	}
	return b.String()
}

// look compares the tasks of a trace with what they should be made of.
func look(t *testing.T, text string, want ...string) {
	var got []string
	for _, p := range tasks(t, text, "job") {
		what, ns := steps(p)
		sum := int64(0)
		for i := range what {
			what[i] = fmt.Sprint(ns[i], " ", what[i])
			sum += ns[i]
		}
		require.Equal(t, p.Latency, sum)
		got = append(got, fmt.Sprintf("g%d %d–%d: ", p.Goroutine, p.Begin, p.Begin+p.Latency)+strings.Join(what, ", "))
	}
	require.Equal(t, want, got)
}

// TestTaskInQueue: main begins three tasks for one worker. The first one comes at the end of a wait; the others are in the queue while the worker is busy. As in execution traces, what
// did not wait is not told. By hand.
func TestTaskInQueue(t *testing.T) {
	look(t, `
channel jobs
location main
  0 create worker
`+handed("100 1")+`
  120 send jobs @m.go:6(main.main)
  120 leave
`+handed("130 2", "150 3", "155 4")+`
  999 end
location worker
  0 begin work by main
  10 recv jobs @w.go:3(main.work)
  10 blocked
  125 leave
  130 sleep @w.go:8(main.serve)
  230 leave
  240 taskend 1
  250 sleep @w.go:8(main.serve)
  350 leave
  350 taskend 2
  360 sleep @w.go:8(main.serve)
  460 leave
  470 taskend 3
  990 end
`,
		"g2 100–240: 20 execution (goroutine), 5 wakeup recv, 5 execution work, 100 sleep sleep, 10 execution work",
		"g2 130–350: 100 late_receiver recv < sleep sleep, 10 late_receiver recv < execution work, 10 execution work, 100 sleep sleep",
		"g2 150–470: 80 late_receiver recv < sleep sleep, 20 late_receiver recv < execution work, 100 late_receiver recv < sleep sleep, 10 execution work, 100 sleep sleep, 10 execution work")
}

// TestTaskInPipeline: what main begins goes through a goroutine that works for 100 each, to one that ends it. The second task waits until the first one is through. By hand.
func TestTaskInPipeline(t *testing.T) {
	look(t, `
channel parsed
channel stored
location main
  0 create parser
  1 create storer
`+handed("50 1")+`
  60 send parsed @m.go:6(main.main)
  60 leave
`+handed("70 2")+`
  999 end
location parser
  0 begin parse by main
  10 recv parsed @p.go:3(main.parse)
  10 blocked
  60 leave
  60 sleep @p.go:4(main.parse)
  160 leave
  160 send stored @p.go:5(main.parse)
  160 leave
  160 sleep @p.go:4(main.parse)
  260 leave
  260 send stored @p.go:5(main.parse)
  260 leave
  990 end
location storer
  1 begin store by main
  10 recv stored @s.go:3(main.store)
  10 blocked
  160 leave
  170 taskend 1
  170 recv stored @s.go:3(main.store)
  170 blocked
  260 leave
  275 taskend 2
  990 end
`,
		"g3 50–170: 10 execution (goroutine), 100 sleep sleep, 10 execution store",
		"g3 70–275: 90 late_receiver recv < sleep sleep, 100 sleep sleep, 15 execution store")
}

// TestTaskInBatch: a goroutine gathers what two others begin until a timer says that it writes them, and ends them all. By hand.
func TestTaskInBatch(t *testing.T) {
	look(t, `
channel records
timer tick
location main
  0 create batcher
  1 create other
`+handed("50 1")+`
  60 send records @m.go:6(main.main)
  60 leave
  70 sleep @m.go:9(main.main)
  900 leave
  999 end
location other
  1 begin other by main
`+handed("80 2")+`
  90 send records @o.go:6(main.other)
  90 leave
  990 end
location batcher
  0 begin batch by main
  10 select @b.go:3(main.batch)
  10 blocked
  60 chose records received
  65 select @b.go:3(main.batch)
  65 blocked
  90 chose records received
  95 select @b.go:3(main.batch)
  95 blocked timer
  200 chose tick received
  200 sleep @b.go:8(main.flush)
  300 leave
  310 taskend 1
  315 taskend 2
  990 end
`,
		"g3 50–310: 10 execution (goroutine), 5 execution batch, 25 timer_wait select, 5 execution batch, 105 timer_wait select, 100 sleep sleep, 10 execution batch",
		"g3 80–315: 10 execution other, 5 execution batch, 105 timer_wait select, 100 sleep sleep, 15 execution batch")
}

// TestTaskOfSender: who begins a task waits until somebody takes it; who takes it is busy with another one before. By hand.
func TestTaskOfSender(t *testing.T) {
	look(t, `
channel jobs
location main
  0 create worker
`+handed("100 1")+`
  120 send jobs @m.go:6(main.main)
  120 leave
`+handed("130 2")+`
  140 send jobs @m.go:6(main.main)
  140 blocked
  250 leave
  999 end
location worker
  0 begin work by main
  10 recv jobs @w.go:3(main.work)
  10 blocked
  120 leave
  120 sleep @w.go:8(main.serve)
  230 leave
  240 taskend 1
  250 recv jobs @w.go:3(main.work)
  250 leave
  250 sleep @w.go:8(main.serve)
  350 leave
  350 taskend 2
  990 end
`,
		"g2 100–240: 20 execution (goroutine), 110 sleep sleep, 10 execution work",
		"g2 130–350: 10 execution (goroutine), 90 late_receiver send < sleep sleep, 20 late_receiver send < execution work, 100 sleep sleep")
}

// TestTaskOfItsOwnGoroutine: one is created for the task; it is not known who started another one; and a task that has ended in the same goroutine, but
// outside of its region, is what that did. A task within another request is none of its own. By hand.
func TestTaskOfItsOwnGoroutine(t *testing.T) {
	look(t, `
location main
`+handed("100 1")+`
  150 create one
`+handed("200 2")+`
  300 enter job @m.go:5(runtime/trace.NewTask)
  310 taskleft 3
  310 exit
  320 sleep @m.go:7(main.main)
  400 leave
  410 taskend 3
  500 enter job @m.go:5(runtime/trace.NewTask)
  510 enter f @m.go:8(main.f)
  520 enter part @m.go:9(runtime/trace.NewTask)
  530 taskleft 4
  530 taskend 4
  530 exit
  540 taskleft 5 1
  540 exit 1
  560 taskend 5
  700 enter job @m.go:5(runtime/trace.NewTask)
  710 taskend 99
  750 exit
  999 end
location one
  160 begin one by main
  170 sleep @w.go:8(main.one)
  270 leave
  280 taskend 1
  290 end
location late
  280 begin late
  285 taskend 2
  290 end
`,
		"g2 0–180: 50 execution (goroutine), 10 ready one, 10 execution one, 100 sleep sleep, 10 execution one",
		"g3 100–185: 80 unrecorded_wait ?, 5 execution late",
		"g1 200–310: 10 execution job, 10 execution (goroutine), 80 sleep sleep, 10 execution (goroutine)",
		"g1 400–460: 10 execution job, 10 execution f, 10 execution part, 10 execution f, 20 execution (goroutine)",
		"g1 600–650: 50 execution job")
}

// TestTaskNotEnded: such a task is cut, also if it began before a part of a trace.
func TestTaskNotEnded(t *testing.T) {
	r := of(t, "location main\n"+handed("10 1", "20 2")+" 30 taskend 2\n  60 end\n").Requests
	require.Equal(t, [3]int64{1, 1, 10}, [3]int64{int64(r[0].Count), int64(r[0].Cut), r[0].Max})
	a, err := tracetext.Open("trace", "location main\n"+handed("0 1", "20 2")+" 25 taskend 1\n 30 taskend 2\n  60 end\n")
	require.NoError(t, err)
	f := requests.Finder{Part: true}
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait, Queued: f.Queued})
	require.NoError(t, err)
	require.NoError(t, f.Find(a, e))
	require.Equal(t, [3]int64{1, 1, 10}, [3]int64{int64(e.Requests[0].Count), int64(e.Requests[0].Cut), e.Requests[0].Max})
}
