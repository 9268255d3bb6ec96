package analyzer_test

import (
	"fmt"
	"slices"
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

// Whose sleep it is are all who have about as much of it as the first one, or more than a fiftieth of it together; nobody where these are of several functions.
func TestSleepers(t *testing.T) {
	said := func(last string, lives ...int) string {
		root, workers, at := "waitgroup wg\nlocation main\n 0 enter main @main.go:1\n", "", 0
		for i, life := range lives {
			root += fmt.Sprintf(" %[1]d add wg 1\n %[1]d create w%[2]d @main.go:2\n %[1]d wait wg @main.go:3\n %[1]d blocked\n %[3]d leave\n", at, i, at+life)
			name := "worker"
			if i == len(lives)-1 {
				name = last
			}
			workers += fmt.Sprintf("location w%d\n %d begin %s by main\n %[2]d sleep @a.go:7\n %[4]d leave\n %[4]d done wg\n %[4]d end\n", i, at, name, at+life)
			at += life
		}
		text := analyzeText(t, root+fmt.Sprintf(" %d exit\n", at)+workers).Verdict.Text
		return strings.ReplaceAll(text[strings.LastIndex(text, " is ")+4:], "\u00a0", " ")
	}
	require.Equal(t, "sleep of worker[1] at a.go:7.", said("worker", 10, 980))
	require.Equal(t, "sleep of worker at a.go:7.", said("other", 980, 10))
	require.Equal(t, "sleep of worker ×2 at a.go:7.", said("worker", 30, 970))
	require.Equal(t, "sleep at a.go:7.", said("other", 970, 30))
	require.Equal(t, "sleep of worker ×100 at a.go:7.", said("worker", slices.Repeat([]int{1}, 100)...), "each has a hundredth")
	require.Equal(t, "sleep of worker ×101 at a.go:7.", said("worker", append(slices.Repeat([]int{1}, 100), 100)...), "the others have half of it together")
}
