package random

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTraceIsVaried makes sure that the programs do what the comparison of analyzers is there for.
func TestTraceIsVaried(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(450) { // a third of them does little but contend for locks
		text := Trace(seed)
		require.Equal(t, text, Trace(seed))
		for line := range strings.Lines(text) {
			f := strings.Fields(line)
			if len(f) > 1 {
				seen[f[1]]++
			}
			if len(f) > 2 && (f[1] == "leave" || f[1] == "lost" || f[1] == "exit") || len(f) > 3 && f[1] == "chose" {
				seen[f[1]+" "+f[len(f)-1]]++
			}
		}
	}
	for _, kind := range []string{"begin", "end", "enter", "exit", "send", "recv", "select", "chose", "close", "lock",
		"unlock", "wait", "add", "done", "condwait", "signal", "broadcast", "once", "oncerun", "barrier", "sleep",
		"create", "overhead", "lost", "blocked", "passed", "network", "write", "interrupt", "reached", "leave", "leave closed", "leave panicked", "leave failed",
		"exit 1", "chose sent", "chose received", "chose closed"} {
		require.Greater(t, seen[kind], 10, kind)
	}
}
