package requests_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/analyzer/requests"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace/tracetext"
)

// withRounds returns the requests and rounds of a trace in text form.
func withRounds(t *testing.T, text string) *report.Experiment {
	a, err := tracetext.Open("trace", text)
	require.NoError(t, err, text)
	f := &requests.Finder{Rounds: true}
	e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait, Queued: f.Queued})
	require.NoError(t, err)
	require.NoError(t, f.Find(a, e))
	return e
}

// TestRounds: a loop that sleeps, and calls a function that sleeps and locks, has a round from one sleep of its own to the next; by hand. A goroutine that waits only
// twice at a place has no loop, nor has one in a library.
func TestRounds(t *testing.T) {
	text := `
channel c cap 0
location main
  0 create loop
  0 create twice
  0 create lib
  1000 end
location loop
  0 begin main.reload by main
  0 enter main.reload @r.go:1(main.reload)
  10 sleep @r.go:3(main.reload)
  110 leave
  120 enter main.load @r.go:9(main.load)
  120 sleep @r.go:10(main.load)
  150 leave
  160 exit
  170 sleep @r.go:3(main.reload)
  270 leave
  300 sleep @r.go:3(main.reload)
  400 leave
  450 enter main.load @r.go:9(main.load)
  500 exit
location twice
  0 begin main.two by main
  0 enter main.two @r.go:20(main.two)
  10 sleep @r.go:21(main.two)
  20 leave
  30 sleep @r.go:21(main.two)
  40 leave
  50 end
location lib
  0 begin time.goFunc by main
  0 enter time.goFunc @/usr/lib/go/src/time/sleep.go:1(time.goFunc)
  10 sleep @/usr/lib/go/src/time/sleep.go:3(time.goFunc)
  20 leave
  30 sleep @/usr/lib/go/src/time/sleep.go:3(time.goFunc)
  40 leave
  50 sleep @/usr/lib/go/src/time/sleep.go:3(time.goFunc)
  60 leave
  70 end
`
	e := withRounds(t, text)
	require.Len(t, e.Requests, 2)
	require.Equal(t, report.Requests{Name: "(all)", Parts: []report.LatencyPart{}, Slow: []report.SlowPart{}}, e.Requests[0], "rounds are not among all requests")
	r := e.Requests[1]
	require.Equal(t, [3]any{"main.reload", "round", 1}, [3]any{r.Name, r.Kind, r.Cut})
	require.Equal(t, [4]int64{2, 45, 30, 60}, [4]int64{int64(r.Count), r.Mean, r.P50, r.Max})
	// 110–120, 160–170 and 270–300 the loop runs, 120–150 the function sleeps, 150–160 it runs.
	require.Equal(t, []string{"execution main.reload", "sleep sleep", "execution main.load"}, parts(r.Parts))
	require.Equal(t, []int64{25, 15, 5}, times(r.Parts))
	require.Empty(t, of(t, text).Requests, "they are only found if they are asked for")
}

// TestProfiling: a request for a profile of the program is left out, and counted; one whose pattern only looks like it is not.
func TestProfiling(t *testing.T) {
	r := of(t, `
location conn
  0 begin serve
  10 enter handler @server.go:2(net/http.serverHandler.ServeHTTP)
  11 enter "GET /debug/pprof/profile" @server.go:4(net/http.(*ServeMux).ServeHTTP)
  900 exit 1
  910 enter handler @server.go:2(net/http.serverHandler.ServeHTTP)
  911 enter "GET /debug/pprofile" @server.go:4(net/http.(*ServeMux).ServeHTTP)
  930 exit 1
  950 end
`)
	require.Equal(t, []string{"(all)", "GET /debug/pprofile"}, []string{r.Requests[0].Name, r.Requests[1].Name})
	require.Equal(t, [2]int64{1, 20}, [2]int64{int64(r.Requests[0].Count), r.Requests[0].Max})
	require.Contains(t, r.Warnings, "requests for profiles and traces of the program itself (net/http/pprof), which are left out: 1")
}

// TestRoundsOfLoopsThatCallBack: a recording shows a function that a library calls back right below that of the program, but the loop is that of the program, which sleeps.
func TestRoundsOfLoopsThatCallBack(t *testing.T) {
	const client = `
channel c cap 1
mutex m
location main
  0 enter main.main @m.go:1(main.main)
  0 create client
  900 exit
location client
  0 begin main.client by main
  0 enter main.client @m.go:9(main.client)
  10 recv c @/usr/local/go/src/net/http/transport.go:2422(net/http.(*persistConn).readLoop.func4)
  20 leave
  30 sleep @m.go:12(main.client)
  130 leave
  150 recv c @/usr/local/go/src/net/http/transport.go:2422(net/http.(*persistConn).readLoop.func4)
  160 leave
  180 sleep @m.go:12(main.client)
  280 leave
  300 recv c @/usr/local/go/src/net/http/transport.go:2422(net/http.(*persistConn).readLoop.func4)
  310 leave
  340 sleep @m.go:12(main.client)
  440 leave
  450 exit
  450 end
`
	e := withRounds(t, client)
	require.Len(t, e.Requests, 2)
	r := e.Requests[1]
	require.Equal(t, [2]any{"main.client", "round"}, [2]any{r.Name, r.Kind})
	require.Equal(t, [3]int64{2, 55, 60}, [3]int64{int64(r.Count), r.Mean, r.Max}, "130–180 and 280–340")

	e = withRounds(t, strings.ReplaceAll(client, "sleep @m.go:12(main.client)", "lock m @m.go:12(main.client)"))
	require.Len(t, e.Requests, 2)
	r = e.Requests[1]
	require.Equal(t, [2]any{"main.client", "round"}, [2]any{r.Name, r.Kind}, "a loop that waits only in a library is one of the program, too")
	require.Equal(t, [3]int64{2, 135, 140}, [3]int64{int64(r.Count), r.Mean, r.Max}, "20–150 and 160–300")
}
