package requests_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/tracetext"
)

// found returns the requests of an archive.
func found(t testing.TB, a *trace.Archive) *report.Experiment {
	f := new(requests.Finder)
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait, Queued: f.Queued})
	require.NoError(t, err)
	f.Find(a, e)
	return e
}

// of returns the requests of an archive in text form.
func of(t testing.TB, text string) *report.Experiment {
	a, err := tracetext.Open("trace", text)
	require.NoError(t, err, text)
	return found(t, a)
}

// named returns the class of a name.
func named(t testing.TB, r *report.Experiment, name string) report.Requests {
	for _, c := range r.Requests {
		if c.Name == name {
			return c
		}
	}
	require.Fail(t, "no such requests", "%s in %+v", name, r.Requests)
	return report.Requests{}
}

// parts lists parts in short: metric, the last of the call path and, of waits for others, the same of the causer.
func parts(list []report.LatencyPart) (short []string) {
	last := func(path []string) string {
		if len(path) == 0 {
			return "?"
		}
		return path[len(path)-1]
	}
	for _, p := range list {
		s := p.Metric + " " + last(p.CallPath)
		if p.Causer != nil {
			s += " < " + p.Causer.Metric + " " + last(p.Causer.CallPath)
		}
		short = append(short, s)
	}
	return short
}

// times lists the lengths of parts.
func times(list []report.LatencyPart) (ns []int64) {
	for _, p := range list {
		ns = append(ns, p.Mean)
	}
	return ns
}

// TestTask: a task that waits for a lock whose holder sleeps, and for goroutines that it started; by hand.
func TestTask(t *testing.T) {
	r := of(t, `
mutex mu
waitgroup wg
location main
  0 create server
  0 create refresher
  1000 end
location refresher
  0 begin refresh by main
  10 lock mu
  10 leave
  20 sleep @r.go:7(main.refresh)
  120 leave
  140 unlock mu
  500 end
location server
  0 begin serve by main
  50 enter "GET /a" @s.go:3(runtime/trace.NewTask)
  60 lock mu @s.go:5(main.a)
  60 blocked
  150 leave
  160 unlock mu
  170 add wg 1
  180 create child
  200 wait wg @s.go:9(main.a)
  200 blocked
  310 leave
  330 exit
  500 enter "GET /b" @s.go:3(runtime/trace.NewTask)
  510 exit
  510 enter "GET /b" @s.go:3(runtime/trace.NewTask)
  530 exit
  900 enter "GET /b" @s.go:3(runtime/trace.NewTask)
location child
  190 begin fetch by server
  190 enter fetch @f.go:2(main.fetch)
  210 sleep @f.go:4(main.fetch)
  290 leave
  300 done wg
  320 end
`)
	require.Equal(t, []string{"(all)", "GET /a", "GET /b"}, []string{r.Requests[0].Name, r.Requests[1].Name, r.Requests[2].Name})
	a, b, all := r.Requests[1], r.Requests[2], r.Requests[0]
	require.Equal(t, [5]int64{280, 280, 280, 280, 280}, [5]int64{a.Mean, a.P50, a.P95, a.P99, a.Max})
	// 50–60 runs, 60–140 waits: to 120 for the sleep, to 140 for what runs; 140–150 wakes up; 150–200 runs, 200–300 waits: 200–210 for what runs, to 290 for the
	// sleep, to 300 for what runs; 300–310 wakes up; 310–330 runs.
	require.Equal(t, []string{
		"execution GET /a", "join_wait wait < sleep sleep", "lock_competition lock < sleep sleep", "join_wait wait < execution fetch",
		"lock_competition lock < execution refresh", "wakeup lock", "wakeup wait",
	}, parts(a.Parts))
	require.Equal(t, []int64{80, 80, 60, 20, 20, 10, 10}, times(a.Parts))
	require.Equal(t, "s.go", a.Parts[1].File)
	require.Equal(t, 9, a.Parts[1].Line)
	require.Equal(t, []string{"fetch", "sleep"}, a.Parts[1].Causer.CallPath)
	require.Equal(t, [4]int{2, 1, 0, 3}, [4]int{b.Count, b.Cut, b.Unnamed, all.Count})
	require.Equal(t, [3]int64{10, 20, 20}, [3]int64{b.P50, b.P95, b.Max})
	require.InDelta(t, 3/1000e-9, all.Rate, 1e-6)
}

// TestYielded: who gave up its processor is not short of one, also as one for whom a request waits; by hand.
func TestYielded(t *testing.T) {
	r := of(t, `
mutex mu
location holder
  0 begin spin
  0 running on 1
  0 lock mu
  0 leave
  30 ready yielded
  70 running on 1
  70 ready preempted
  80 running on 1
  100 unlock mu
  200 end
location server
  0 begin serve
  10 enter "GET /a" @s.go:3(runtime/trace.NewTask)
  10 running on 2
  20 lock mu @s.go:5(main.a)
  20 blocked
  100 ready woken by holder
  101 running on 2
  101 leave
  110 ready yielded
  130 running on 2
  135 ready preempted
  140 running on 2
  150 exit
  200 end
`)
	a := named(t, r, "GET /a")
	require.Equal(t, []string{
		"lock_competition lock < yielded spin", "execution GET /a", "lock_competition lock < execution spin", "yielded GET /a",
		"lock_competition lock < ready spin", "ready GET /a", "ready lock",
	}, parts(a.Parts))
	require.Equal(t, []int64{40, 34, 30, 20, 10, 5, 1}, times(a.Parts))
	usual, is := a.Usual()
	require.True(t, is)
	require.Empty(t, usual.Problem)
	require.Contains(t, usual.Text, "for spin, having given up the processor")
}

// TestConnection: requests on a connection of net/http in an execution trace, by hand: one that comes while it is awaited, one without
// an event of its own that was read with the one before, one whose data was there, and one that has not ended.
func TestConnection(t *testing.T) {
	r := of(t, `
process main processors 2
waits w
location conn
  0 begin serve
  0 running on 1
  0 enter serve @server.go:1(net/http.(*conn).serve)
  10 enter readRequest @server.go:2(net/http.(*conn).readRequest)
  10 syscall
  11 running on 1
  12 network @fd.go:3(internal/poll.(*FD).Read)
  12 blocked
  100 ready woken
  105 running on 1
  105 leave
  106 exit
  110 enter ServeHTTP @server.go:4(net/http.serverHandler.ServeHTTP)
  110 enter ServeHTTP @server.go:5(net/http.(*ServeMux).ServeHTTP)
  110 enter search @app.go:6(main.search)
  120 sleep @app.go:7(main.search)
  220 ready woken
  222 running on 1
  222 leave
  230 exit 2
  240 enter finishRequest @server.go:8(net/http.(*response).finishRequest)
  250 syscall
  260 running on 1
  262 enter abortPendingRead @server.go:9(net/http.(*connReader).abortPendingRead)
  263 condwait w @cond.go:1(sync.(*Cond).Wait)
  263 blocked
  270 ready woken
  272 running on 1
  272 leave
  273 exit
  290 syscall
  300 running on 1
  302 enter abortPendingRead @server.go:9(net/http.(*connReader).abortPendingRead)
  303 condwait w @cond.go:1(sync.(*Cond).Wait)
  303 blocked
  310 ready woken
  312 running on 1
  312 leave
  314 exit 1
  320 enter Peek @bufio.go:1(bufio.(*Reader).Peek)
  320 network @fd.go:3(internal/poll.(*FD).Read)
  320 blocked
  400 ready woken
  410 running on 1
  410 leave
  411 exit
  420 enter ServeHTTP @server.go:4(net/http.serverHandler.ServeHTTP)
  420 enter middle @app.go:1(main.middle)
  420 enter ServeHTTP @server.go:5(net/http.(*ServeMux).ServeHTTP)
  420 enter HandlerFunc @server.go:6(net/http.HandlerFunc.ServeHTTP)
  420 enter list @app.go:16(main.list)
  425 exit 4
  440 enter finishRequest @server.go:8(net/http.(*response).finishRequest)
  450 syscall
  455 running on 1
  460 exit
  470 enter Peek @bufio.go:1(bufio.(*Reader).Peek)
  480 syscall
  485 running on 1
  486 exit
  490 enter ServeHTTP @server.go:4(net/http.serverHandler.ServeHTTP)
  495 syscall
`)
	all := named(t, r, "(all)")
	// 100–260, 270–300, 400–455, and one from 480 on
	require.Equal(t, [3]int{3, 1, 1}, [3]int{all.Count, all.Cut, all.Unnamed})
	require.Equal(t, [4]int64{55, 160, 160, 81}, [4]int64{all.P50, all.P95, all.Max, all.Mean})
	search := named(t, r, "search")
	require.Equal(t, []string{"sleep sleep", "system_call finishRequest", "execution ServeHTTP", "execution serve", "execution search", "ready network", "execution finishRequest", "ready sleep"}[:1], parts(search.Parts)[:1])
	sum := int64(0)
	for _, d := range times(search.Parts) {
		sum += d
	}
	require.Equal(t, int64(160), sum)
	require.Equal(t, int64(55), named(t, r, "list").Mean)
	require.Equal(t, int64(30), named(t, r, "(unnamed http)").Mean)
}

// TestFastHTTP: requests on connections of fasthttp in an execution trace, by hand: the first one of a connection, the next one, which is awaited, and
// one on another connection that the same worker serves then.
func TestFastHTTP(t *testing.T) {
	const (
		serve   = "enter serveConn @/m/github.com/valyala/fasthttp@v1/server.go:1(github.com/valyala/fasthttp.(*Server).serveConn)\n"
		counted = "enter serveConnCounted @/m/github.com/valyala/fasthttp@v1/server.go:8(github.com/valyala/fasthttp.(*Server).serveConnCounted)\n" // in newer versions
		read    = "enter Read @/m/github.com/valyala/fasthttp@v1/header.go:2(github.com/valyala/fasthttp.(*RequestHeader).Read)\n"
		peek    = "enter Peek @/go/src/bufio/bufio.go:3(bufio.(*Reader).Peek)\n"
		flush   = "enter Flush @/go/src/bufio/bufio.go:4(bufio.(*Writer).Flush)\n"
		waits   = "network @fd.go:5(internal/poll.(*FD).Read)\n"
	)
	text := `
process main processors 2
waits w
location worker
  0 begin github.com/valyala/fasthttp.(*workerPool).getCh.func1
  0 running on 1
  1 enter workerFunc @/m/github.com/valyala/fasthttp@v1/workerpool.go:9(github.com/valyala/fasthttp.(*workerPool).workerFunc)
  2 ` + serve + `
  10 ` + read + `
  10 ` + waits + `
  10 blocked
  100 ready woken
  105 running on 1
  105 leave
  106 exit
  110 enter list @/app/app.go:6(main.list)
  120 sleep @/app/app.go:7(main.list)
  220 ready woken
  222 running on 1
  222 leave
  230 exit
  240 ` + flush + `
  240 syscall
  250 running on 1
  252 exit
  260 ` + peek + `
  260 ` + waits + `
  260 blocked
  300 ready woken
  302 running on 1
  302 leave
  303 exit
  310 enter item @/app/app.go:16(main.item)
  320 syscall
  330 running on 1
  335 exit
  340 ` + flush + `
  340 syscall
  350 running on 1
  352 exit
  353 exit
  360 recv w @/m/github.com/valyala/fasthttp@v1/workerpool.go:10(github.com/valyala/fasthttp.(*workerPool).workerFunc)
  360 blocked
  400 ready woken
  402 running on 1
  402 leave
  403 ` + serve + `
  405 ` + read + `
  406 syscall
  407 running on 1
  408 exit
  410 enter list @/app/app.go:6(main.list)
  415 syscall
  420 running on 1
  425 exit
  440 ` + flush + `
  440 syscall
  460 running on 1
  462 exit
  465 exit
  480 exit
  500 end
`
	for _, text := range []string{text, strings.NewReplacer("  2 "+serve, "  2 "+serve+"  2 "+counted, "  403 "+serve, "  403 "+serve+"  403 "+counted, "  353 exit\n", "  353 exit\n  353 exit\n", "  465 exit\n", "  465 exit\n  465 exit\n").Replace(text)} {
		r := of(t, text)
		// 100–250, 300–350 and 406–460
		require.Equal(t, [3]int64{3, 0, 0}, [3]int64{int64(named(t, r, "(all)").Count), int64(named(t, r, "(all)").Cut), int64(named(t, r, "(all)").Unnamed)})
		require.Equal(t, [2]int64{54, 150}, [2]int64{named(t, r, "list").P50, named(t, r, "list").Max})
		require.Equal(t, int64(50), named(t, r, "item").Mean)
	}
}

// TestHandOff: who released a lock waited for its next request while others held that. The wait is theirs, also where who released it served something else meanwhile; by hand.
func TestHandOff(t *testing.T) {
	const connections = `
process main processors 3
waits wa
waits wb
location a
  0 begin serve
  0 enter serve @server.go:1(net/http.(*conn).serve)
  0 enter Peek @bufio.go:1(bufio.(*Reader).Peek)
  0 network @fd.go:3(internal/poll.(*FD).Read)
  0 blocked
  100 ready woken
  100 running on 1
  100 leave
  100 exit
  100 enter ServeHTTP @server.go:4(net/http.serverHandler.ServeHTTP)
  100 enter query @app.go:6(main.query)
  110 lock wa @sql.go:7(database/sql.(*DB).conn)
  110 blocked
  500 ready woken by b
  500 running on 1
  500 leave
  510 exit 1
  520 enter finishRequest @server.go:8(net/http.(*response).finishRequest)
  520 syscall
  530 running on 1
  530 exit
  540 enter Peek @bufio.go:1(bufio.(*Reader).Peek)
  540 network @fd.go:3(internal/poll.(*FD).Read)
  540 blocked
location b
  0 begin serve
  0 enter serve @server.go:1(net/http.(*conn).serve)
  0 enter Peek @bufio.go:1(bufio.(*Reader).Peek)
  0 network @fd.go:3(internal/poll.(*FD).Read)
  0 blocked
  400 ready woken
  400 running on 2
  400 leave
  400 exit
  400 enter ServeHTTP @server.go:4(net/http.serverHandler.ServeHTTP)
  400 enter query @app.go:6(main.query)
  500 enter unlock @sql.go:17(database/sql.(*DB).putConn)
  500 unlock wa
  500 exit
  510 exit 1
  520 enter finishRequest @server.go:8(net/http.(*response).finishRequest)
  520 syscall
  530 running on 2
  530 exit
  540 enter Peek @bufio.go:1(bufio.(*Reader).Peek)
  540 network @fd.go:3(internal/poll.(*FD).Read)
  540 blocked
location c
  0 begin report
  0 enter report @app.go:30(main.report)
  0 lock wb @sql.go:7(database/sql.(*DB).conn)
  0 blocked
  50 ready woken by d
  50 running on 3
  50 leave
  60 sleep @app.go:31(main.report)
  450 ready woken
  450 running on 3
  450 leave
  600 exit
location d
  0 begin other
  50 enter unlock @sql.go:17(database/sql.(*DB).putConn)
  50 unlock wb
  50 exit
`
	earlier := strings.Replace(connections, "  400 ready woken\n", `  120 ready woken
  120 running on 2
  120 leave
  120 exit
  120 enter ServeHTTP @server.go:4(net/http.serverHandler.ServeHTTP)
  120 sleep @app.go:9(main.poll)
  280 ready woken
  280 running on 2
  280 leave
  280 exit
  280 enter finishRequest @server.go:8(net/http.(*response).finishRequest)
  280 syscall
  290 running on 2
  290 exit
  300 enter Peek @bufio.go:1(bufio.(*Reader).Peek)
  300 network @fd.go:3(internal/poll.(*FD).Read)
  300 blocked
  400 ready woken
`, 1)
	for count, text := range map[int]string{2: connections, 3: earlier} {
		r := of(t, text)
		require.Equal(t, count, named(t, r, "(all)").Count)
		mean := named(t, r, "query")
		require.Equal(t, int64(280), mean.Mean) // (430 + 130) / 2
		// a waits 110–500: until 400 b awaits a request, or serves another one, and report got the connection at 50 and sleeps; then b runs.
		require.Contains(t, parts(mean.Parts), "lock_competition lock < sleep sleep")
		for _, p := range mean.Parts {
			require.False(t, p.Causer != nil && p.Causer.Metric == "network", "%+v", p)
			if p.Causer != nil && p.Causer.Metric == "sleep" {
				require.Equal(t, int64(290/2), p.Mean)
				require.Equal(t, 31, p.Causer.Line)
			}
		}
	}
}

// TestGRPC: in recordings, calls of gRPC are goroutines that grpc started for one each, from then on, or what a worker does for one.
func TestGRPC(t *testing.T) {
	const text = `
mutex mu
location accept
  0 begin google.golang.org/grpc.(*Server).serveStreams
  100 create one
  200 create two
  900 end
location one
  130 begin google.golang.org/grpc.(*Server).serveStreams.func2.1 by accept
  140 enter Get @guide_grpc.pb.go:9(example.com/guide._Route_Guide_Get_Handler)
  150 enter Get @main.go:9(main.(*server).Get)
  160 lock mu @main.go:10(main.(*server).Get)
  170 leave
  180 unlock mu
  190 exit
  200 exit
  210 end
location two
  230 begin google.golang.org/grpc.(*Server).serveStreams.func2.1 by accept
  240 enter Put @main.go:19(main.(*server).Put)
  250 exit
  260 end
location worker
  0 begin google.golang.org/grpc.(*Server).serverWorker
  300 enter Get @guide_grpc.pb.go:9(example.com/guide._Route_Guide_Get_Handler)
  340 exit
  400 enter Get @guide_grpc.pb.go:9(example.com/guide._Route_Guide_Get_Handler)
  450 exit
  460 enter handle @main.go:29(main._Handler)
  470 exit
  480 enter handle @main.go:39(main._Get_Handler)
  490 exit
  500 end
`
	r := of(t, text)
	get, put := named(t, r, "Route_Guide/Get"), named(t, r, "Put")
	require.Equal(t, []any{"grpc", 3, int64(50), int64(110)}, []any{get.Kind, get.Count, get.P50, get.Max}) // 100–210, 300–340, 400–450
	require.Equal(t, []any{"grpc", 1, int64(60)}, []any{put.Kind, put.Count, put.Max})
	require.Equal(t, 4, r.Requests[0].Count)

	// In a trace, visits are what stacks show, so that calls of a worker cannot be told from each other.
	r = of(t, strings.Replace(text, "mutex mu", "waits w\nmutex mu", 1))
	require.Equal(t, 2, r.Requests[0].Count)
}

// TestGRPCUnnamed: a call of gRPC is not called after what helps to read and write it, where its handler is not seen.
func TestGRPCUnnamed(t *testing.T) {
	r := of(t, `
waits w
location accept
  0 begin google.golang.org/grpc.(*Server).serveStreams
  100 create one
  110 create two
  900 end
location one
  130 begin google.golang.org/grpc.(*Server).serveStreams.func2.1 by accept
  130 enter func2.1 @server.go:8(google.golang.org/grpc.(*Server).serveStreams.func2.1)
  130 enter processUnaryRPC @server.go:9(google.golang.org/grpc.(*Server).processUnaryRPC)
  140 enter Write @/m/grpc@v1/internal/transport/transport.go:9(google.golang.org/grpc/internal/transport.(*ServerStream).Write)
  150 enter Put @controlbuf.go:9(google.golang.org/grpc/internal/transport.(*controlBuffer).put)
  160 exit 1
  170 enter cancel @/go/src/context/context.go:10(context.(*cancelCtx).cancel)
  180 exit
  190 exit 1
  210 end
location two
  130 begin google.golang.org/grpc.(*Server).serveStreams.func2.1 by accept
  130 enter func2.1 @server.go:8(google.golang.org/grpc.(*Server).serveStreams.func2.1)
  130 enter processUnaryRPC @server.go:9(google.golang.org/grpc.(*Server).processUnaryRPC)
  140 enter any @/m/proxy@v1/any.go:9(example.com/proxy.any)
  190 exit 2
  210 end
`)
	all := named(t, r, "(all)")
	require.Equal(t, [2]int{2, 1}, [2]int{all.Count, all.Unnamed})
	require.Equal(t, 1, named(t, r, "any").Count)
}

// TestHandOffRecorded: in recordings, too, who had what comes through channels is who got it last, while the one that gives it back awaits a request.
func TestHandOffRecorded(t *testing.T) {
	serve := " enter ServeHTTP @server.go:1(net/http.serverHandler.ServeHTTP)\n"
	r := of(t, `channel one cap 0
channel two cap 0
location a
  100`+serve+`  110 recv one @sql.go:7(database/sql.(*DB).conn)
  110 blocked
  500 leave
  520 exit
  530 end
location b
  10 network @fd.go:3(main.conn.Read)
  10 blocked
  400 leave
  400`+serve+`  500 send one @sql.go:17(database/sql.(*DB).putConn)
  500 leave
  510 exit
  530 end
location c
  0 enter report @app.go:30(main.report)
  0 recv two @sql.go:7(database/sql.(*DB).conn)
  0 blocked
  50 leave
  60 sleep @app.go:31(main.report)
  450 leave
  510 exit
  530 end
location d
  50 send two @sql.go:17(database/sql.(*DB).putConn)
  50 leave
  530 end
`)
	all := named(t, r, "(all)")
	require.Equal(t, 2, all.Count)
	// a waits 110–500: until 400 b awaits a request, and c got the connection at 50 and sleeps until 450; then b runs.
	list := parts(all.Parts)
	require.Contains(t, list, "late_sender recv < sleep sleep")
	require.Equal(t, int64(290/2), all.Parts[slices.Index(list, "late_sender recv < sleep sleep")].Mean)
	require.NotContains(t, list, "late_sender recv < network network")
}

// TestText: what people read.
func TestText(t *testing.T) {
	var out bytes.Buffer
	list := of(t, "location main\n  0 enter a @a.go:3(runtime/trace.NewTask)\n  500 sleep @a.go:5(main.work)\n  2000 leave\n  2000 exit\n  4000 end\n").Requests
	require.NoError(t, report.RequestsText(&out, &report.Experiment{Sidecar: report.Sidecar{Requests: list}}, math.MaxInt))
	require.Equal(t, `requests      1/s      p50  p95  p99      max  cut  name
       1  250,000  2.00 µs    –    –  2.00 µs    0  (all)
       1  250,000  2.00 µs    –    –  2.00 µs    0  a

1. a took 2.00 µs on average, 75 % of it sleeping in a ▸ main.work (a.go:5).

a: 2.00 µs on average
   mean    part  slowest
1.50 µs  75.0 %  1.50 µs  sleeping in a ▸ main.work (a.go:5)
 500 ns  25.0 %   500 ns  running in a (a.go:3)
`, out.String())
	out.Reset()
	require.NoError(t, report.RequestsText(&out, &report.Experiment{Sidecar: report.Sidecar{Requests: of(t, "location main\n  0 enter a\n  50 exit\n").Requests}}, 5))
	require.Equal(t, "No requests found: none of net/http, fasthttp or gRPC, and no task of runtime/trace (see expert requests --help, also for --rounds).\n", out.String())
}

// TestPart: what is open where a part of a recording begins, began before: its latency is not known.
func TestPart(t *testing.T) {
	text := "location main\n  0 enter a @a.go:3(runtime/trace.NewTask)\n  20 exit\n  20 enter a @a.go:3(runtime/trace.NewTask)\n  50 exit\n  60 end\n"
	for part, want := range map[bool][2]int{false: {2, 0}, true: {1, 1}} {
		a, err := tracetext.Open("trace", text)
		require.NoError(t, err)
		f := requests.Finder{Part: part}
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait, Queued: f.Queued})
		require.NoError(t, err)
		require.NoError(t, f.Find(a, e))
		all := named(t, e, "(all)")
		require.Equal(t, want, [2]int{all.Count, all.Cut})
	}
}

// TestBatch: a request waits for a goroutine that waits for more values, or for a timer, which is what lets it go on; by hand.
func TestBatch(t *testing.T) {
	const batch = `
process main processors 3
channel in cap 0
channel out cap 1
timer tick
location a
  0 begin serve
  0 enter serve @server.go:1(net/http.(*conn).serve)
  0 enter Peek @bufio.go:1(bufio.(*Reader).Peek)
  0 network @fd.go:3(internal/poll.(*FD).Read)
  0 blocked
  100 leave
  100 exit
  100 enter ServeHTTP @server.go:4(net/http.serverHandler.ServeHTTP)
  100 enter write @app.go:6(main.write)
  110 recv out @app.go:7(main.write)
  110 blocked
  500 leave
  510 exit 1
  520 enter finishRequest @server.go:8(net/http.(*response).finishRequest)
  520 syscall
  530 running on 1
  530 exit
  540 exit
location b
  0 begin serve
  0 enter serve @server.go:1(net/http.(*conn).serve)
  0 enter Peek @bufio.go:1(bufio.(*Reader).Peek)
  0 network @fd.go:3(internal/poll.(*FD).Read)
  0 blocked
  300 leave
  300 exit
  300 enter ServeHTTP @server.go:4(net/http.serverHandler.ServeHTTP)
  310 send in @app.go:5(main.write)
  311 leave
  320 exit
  330 enter finishRequest @server.go:8(net/http.(*response).finishRequest)
  330 syscall
  340 running on 2
  340 exit
  540 exit
location run
  0 begin run
  0 select @app.go:28(main.run)
  0 blocked
  310 chose in received
  320 select @app.go:28(main.run)
  320 blocked timer
  490 chose tick received
  500 send out @app.go:21(main.flush)
  501 leave
  510 end
`
	waits := func(text string) map[string]int64 {
		mean, by := named(t, of(t, text), "write"), map[string]int64{}
		for i, what := range parts(mean.Parts) {
			by[what] += mean.Parts[i].Mean
		}
		return by
	}
	// a waits 110–500: until 300 b awaits a request, whose value at 310 ends nothing; run waits for its timer 320–490.
	by := waits(batch)
	require.Equal(t, int64(190+170), by["late_sender recv < timer_wait select"])
	require.Equal(t, int64(10+10), by["late_sender recv < execution run"])
	require.Zero(t, by["late_sender recv < unrecorded_wait ?"])
	by = waits(strings.Replace(batch, "  320 select @app.go:28(main.run)\n  320 blocked timer\n  490 chose tick received\n", "", 1))
	require.Equal(t, int64(190), by["late_sender recv < unrecorded_wait ?"], "it waited for the value alone")
	require.Equal(t, int64(190), by["late_sender recv < execution run"])
}
