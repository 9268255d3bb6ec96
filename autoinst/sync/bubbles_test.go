package sync_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/tracetext"
)

// TestBubbles: who runs a test in a bubble of testing/synctest waits for all goroutines of that, which are done when they end.
func TestBubbles(t *testing.T) {
	a := record(t, "bubbles")
	require.Empty(t, a.Check())
	var text strings.Builder
	require.NoError(t, tracetext.Format(a, &text))

	wait := regexp.MustCompile(`^ *\d+ wait (waitgroup\d+) .*\(main\.(\w+)\)$`)
	ended := regexp.MustCompile(`^ *\d+ leave ?(\w*)`)
	started := regexp.MustCompile(`^ *\d+ begin synctest\.Test\.func1 by g\d+ `)
	done, waits, left, starts, last := map[string]int{}, map[string]string{}, map[string]int{}, 0, ""
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		if x := wait.FindStringSubmatch(line); x != nil {
			waits[x[1]], last = x[2], x[2]
		} else if x := ended.FindStringSubmatch(line); x != nil && last != "" {
			left[strings.TrimSpace(last+" "+x[1])]++
			last = ""
		} else if _, group, is := strings.Cut(line, " done "); is {
			done[group]++
		}
		if started.MatchString(line) {
			starts++
		}
	}
	const rounds = 20
	require.Len(t, waits, rounds+1)
	require.Equal(t, map[string]int{"bubble": rounds, "stuck panicked": 1}, left)
	require.Equal(t, rounds+1, starts, "it is known who began a bubble")
	for group, where := range waits {
		require.Equal(t, map[string]int{"bubble": 4, "stuck": 0}[where], done[group], where)
	}
}
