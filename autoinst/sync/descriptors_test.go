package sync_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/tracetext"
)

// TestDescriptors: the lock under which a file is written to is recorded as soon as somebody has waited for it, at the place that writes.
func TestDescriptors(t *testing.T) {
	a := record(t, "descriptors")
	require.Empty(t, a.Check())
	var text strings.Builder
	require.NoError(t, tracetext.Format(a, &text))

	begin := regexp.MustCompile(`^ *\d+ begin (\S+)`)
	locks := regexp.MustCompile(`^ *\d+ lock (mutex\d+) .*\(main\.(\w+)\)$`)
	pipe := regexp.MustCompile(`(?m) lock (mutex\d+) .*\(main\.first\)$`).FindStringSubmatch(text.String())
	require.Len(t, pipe, 2)
	who, inside, seen := "", "", map[string]int{}
	for line := range strings.Lines(text.String()) {
		line = strings.TrimSuffix(line, "\n")
		if x := begin.FindStringSubmatch(line); x != nil {
			who = x[1]
		}
		switch x := locks.FindStringSubmatch(line); {
		case x != nil && (x[1] == pipe[1] || x[2] != "second"): // package fmt has a lock of its own
			inside = x[2]
			seen[who+" locks in "+inside]++
		case strings.HasSuffix(line, " blocked") && inside != "":
			seen[inside+" waits"]++
		case strings.HasSuffix(line, " leave"):
			inside = ""
		}
		if strings.HasSuffix(line, " unlock "+pipe[1]) {
			seen[who+" releases"]++
		}
	}
	const rounds = 5
	require.Equal(t, map[string]int{
		"main.main.func1 locks in first": rounds - 1, "main.main.func1 releases": rounds, // nobody had waited for it when it was locked first
		"main.main.func2 locks in second": rounds, "second waits": rounds, "main.main.func2 releases": rounds,
	}, seen, "nobody waits in alone")
}
