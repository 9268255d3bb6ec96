package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

const deadlock = `
exited 100 2
mutex a @m.go:1
channel ch @m.go:2
location main
  0 enter main @m.go:3
  0 create w @m.go:4
  20 lock a @m.go:10
  20 blocked
location w
  0 begin w by main
  5 lock a @m.go:20
  5 leave
  10 send ch @m.go:21
  10 blocked
`

// A circle of a lock and a channel, in a program that Go ended, is told; not where somebody else may have been able to go on, or the program ended otherwise.
func TestVerdictOfDeadlock(t *testing.T) {
	e := analyzeText(t, deadlock)
	require.Equal(t, "All recorded goroutines were waiting when the program ended with exit status 2, as Go ends a deadlock: w in send at m.go:21, for "+
		"the channel first used at m.go:2, capacity 0; main in lock at m.go:10, for the mutex first used at m.go:1, held by w, which had acquired it in lock at m.go:20.",
		strings.ReplaceAll(e.Verdict.Text, "\u00a0", " "))
	require.False(t, e.Verdict.Certain)
	require.Equal(t, []any{"m.go", 21}, []any{e.Verdict.File, e.Verdict.Line}, "where w waits, who holds the lock")
	for name, trace := range map[string]string{
		"another exit status": strings.Replace(deadlock, "exited 100 2", "exited 100 1", 1),
		"one may run":         deadlock + "location v\n  0 begin v by main\n  50 enter work @m.go:30\n",
		"one sleeps":          deadlock + "location v\n  0 begin v by main\n  50 sleep @m.go:30\n",
		"main is done":        strings.Replace(deadlock, "20 blocked\n", "20 blocked\n  90 leave\n  95 exit\n", 1),
	} {
		require.NotContains(t, strings.ReplaceAll(analyzeText(t, trace).Verdict.Text, "\u00a0", " "), "All recorded goroutines", name)
	}
	ended := analyzeText(t, deadlock+"location v\n  0 begin v by main\n  50 end\n")
	require.Contains(t, strings.ReplaceAll(ended.Verdict.Text, "\u00a0", " "), "All recorded goroutines")
}

// cross is a program that begins at 1000. Of one and two each holds a lock from 1011 on and waits for the other's, from 1030 and 1050 on; queued waits from 1072 on for one of these, main
// for their end. Before, that waited from 1001 to 1071 for a message.
const cross = `
process main start 1000
mutex a @m.go:1
mutex b @m.go:2
channel ch @m.go:3
waitgroup wg @m.go:4
location main
  1000 enter main @m.go:5
  1000 create one @m.go:6
  1000 create two @m.go:7
  1000 create queued @m.go:8
  1001 recv ch @m.go:9
  1001 blocked
  1071 leave
  1072 wait wg @m.go:10
  1072 blocked
location one
  1000 begin one by main
  1010 lock a @m.go:20
  1011 leave
  1030 lock b @m.go:21
  1030 blocked
location two
  1000 begin two by main
  1010 lock b @m.go:30
  1011 leave
  1050 lock a @m.go:31
  1050 blocked
location queued
  1000 begin queued by main
  1071 send ch @m.go:39
  1071 leave
  1072 lock a @m.go:40
  1072 blocked
exited 1100 2
`

// Findings of a deadlock come first, then who waits for a lock of these, then who waits for what did not come any more; these wait for nothing external. The verdict has the place where the first of them waits.
func TestFindingsOfDeadlock(t *testing.T) {
	e := analyzeText(t, cross)
	const (
		first  = "Lock competition one waited 70 ns in lock at m.go:21 on the mutex first used at m.go:2, for two, which had locked it in lock at m.go:30."
		second = "Lock competition two and queued waited 78 ns in lock on the mutex first used at m.go:1, at 2 lines, most at m.go:31, 2 times, 39 ns on average, for one, which had locked it in lock at m.go:20."
		main   = "Waiting for what had not come main waited 28 ns in wait at m.go:10 on the WaitGroup first used at m.go:4, for what had not come when the trace ended."
		before = "Late sender main waited 70 ns in recv at m.go:9 on the channel first used at m.go:3, for queued, which came late to send at m.go:39."
	)
	require.Equal(t, []string{second, first, main, before}, findingsOf(e))
	v := e.Verdict
	require.Equal(t, "Deadlock: one and two hold locks and wait for each other's.", spaced(v.Text))
	require.Equal(t, []any{true, "m.go", 21}, []any{v.Certain, v.File, v.Line})

	require.Equal(t, []string{second, first, before, main}, findingsOf(analyzeText(t, strings.Replace(cross, "exited 1100 2", "exited 1100 1", 1))), "main may have waited for somebody else")

	e = analyzeText(t, strings.NewReplacer("1030 lock b @m.go:21", "1030 lock a @m.go:21", "1050 lock a @m.go:31", "1050 recv nil @m.go:31").Replace(cross))
	require.Equal(t, "Deadlock: one waits for a lock that it holds itself.", spaced(e.Verdict.Text))
	require.Equal(t, 21, e.Verdict.Line)
	require.Equal(t, "Waiting for a lock one waited 70 ns in lock at m.go:21 on the mutex first used at m.go:1, for a lock that it holds itself.", findingsOf(e)[0])
}

func spaced(text string) string { return strings.ReplaceAll(text, "\u00a0", " ") }

// findingsOf returns the headlines and sentences of findings.
func findingsOf(e *report.Experiment) (list []string) {
	words := e.Sentences()
	for i := range e.Findings {
		list = append(list, spaced(words.Headline(&e.Findings[i])+" "+words.Finding(&e.Findings[i])))
	}
	return list
}
