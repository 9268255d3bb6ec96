package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Workers that are idle while main sleeps delay nothing, as nobody waits for what they do: it is main's sleep that the run lasts for.
func TestIdleWhileMainSleeps(t *testing.T) {
	v := analyzeText(t, `
process main cpu 1000
channel tasks @pool.go:3
location main
  0 enter main @main.go:1
  1 create w @main.go:2
  2 sleep @main.go:3
  50 leave
  51 send tasks @main.go:4
  51 leave
  52 sleep @main.go:3
  99 leave
  100 exit
location w
  2 begin worker by main
  3 recv tasks @pool.go:9
  3 blocked
  51 leave
  55 recv tasks @pool.go:9
  55 blocked
`).Verdict
	require.Equal(t, "95.0 % of the critical path is sleep of main at main.go:3.", strings.ReplaceAll(v.Text, "\u00a0", " "))
	require.Equal(t, "sleep", v.Metric)
	require.True(t, v.Certain)
}
