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

// atOneLock is n requests, which 5 connections serve in turn: each has a lock for 10 ns, 1 ns after it was let go, and the next request of its connection comes 6 ns
// later. An execution trace does not tell which lock it is, nor who got it without waiting.
func atOneLock(n int, traced bool) string {
	const connections = 5
	got := func(k int) int { return 1 + 11*k }
	lives := [connections]string{}
	for k := range n {
		say := func(at int, text string) { lives[k%connections] += fmt.Sprintf("  %d %s\n", at, text) }
		came, object := k+1, "m"
		if k >= connections {
			came = got(k-connections) + 16
		}
		if traced {
			object = fmt.Sprint("w", k%connections)
		}
		say(came, `enter "GET /a" @s.go:3(runtime/trace.NewTask)`)
		switch waits := came < got(k)-1; {
		case waits:
			say(came, "lock "+object+" @a.go:9(main.take)")
			say(came, "blocked")
			say(got(k), "leave")
		case !traced:
			say(came, "lock m @a.go:9(main.take)")
			say(got(k), "leave")
		}
		switch {
		case !traced:
			say(got(k)+10, "unlock m")
		case k+1 < n:
			say(got(k)+10, fmt.Sprint("unlock w", (k+1)%connections))
		}
		say(got(k)+11, "exit")
	}
	var b strings.Builder
	if !traced {
		b.WriteString("mutex m\n")
	}
	for g := range connections {
		if traced {
			fmt.Fprintf(&b, "waits w%d\n", g)
		}
	}
	b.WriteString("location main\n")
	for g := range connections {
		fmt.Fprintf(&b, "  0 create c%d\n", g)
	}
	fmt.Fprintf(&b, "  %d end\n", got(n)+20)
	for g, text := range lives {
		fmt.Fprintf(&b, "location c%d\n  0 begin serve by main\n%s  %d end\n", g, text, got(n)+20)
	}
	return b.String()
}

// TestConvoy: requests of 5 connections queue at a lock. All but the first wait of each connection are in the convoy, for 38 ns: from 6 ns after one gave the lock back to
// when the fourth behind it does. While the lock is given on, nobody has it, which a recording tells: that is 1 ns three times in each wait.
func TestConvoy(t *testing.T) {
	const n, waits = 50, 50 - 1 - 5
	for _, traced := range []bool{false, true} {
		a, err := tracetext.Open("trace", atOneLock(n, traced))
		require.NoError(t, err)
		queued := int64(0)
		f := &requests.Finder{Each: func(q requests.Request) {
			for _, p := range q.Parts {
				queued += p.Convoy
			}
		}}
		e, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All(), Wait: f.Wait, Queued: f.Queued})
		require.NoError(t, err)
		require.NoError(t, f.Find(a, e))
		require.EqualValues(t, waits*map[bool]int{false: 35, true: 38}[traced], queued)
		for _, r := range e.Requests {
			usual, is := r.Usual()
			require.True(t, is)
			require.Equal(t, report.LockConvoy, usual.Problem, "%+v", usual)
		}
		require.Equal(t, report.LockConvoy, e.Problem(&e.Findings[0]).Name)
	}
}
