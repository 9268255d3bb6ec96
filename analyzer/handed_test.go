package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A lock that one goroutine acquires and another one releases is said of that one in the same words in the first sentence and in the finding; who also acquired it held it where it did.
func TestHandedOverIsReleased(t *testing.T) {
	text := `
process main cpu 1000
mutex mu @store.go:1
location main
  0 enter begin @store.go:2
  0 lock mu @store.go:3
  0 leave
  1 exit
  1 enter main @main.go:1
  1 create w @main.go:2
  2 lock mu @main.go:3
  2 blocked
  80 leave
  81 unlock mu
  100 exit
location w
  1 begin w by main
  1 enter commit @store.go:8
  80 unlock mu
  81 exit
  82 end
`
	x := analyzeText(t, text)
	require.Contains(t, strings.ReplaceAll(x.Verdict.Text, "\u00a0", " "), "held by w, which released it in commit at store.go:8")
	text = strings.Replace(text, "  0 lock mu @store.go:3\n  0 leave\n", "", 1)
	text = strings.Replace(text, "  80 unlock mu\n  81 exit", "  1 lock mu @store.go:9\n  1 leave\n  80 unlock mu\n  81 exit", 1)
	require.Contains(t, strings.ReplaceAll(analyzeText(t, text).Verdict.Text, "\u00a0", " "), "held by w in commit (lock at store.go:9)")
}
