package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
