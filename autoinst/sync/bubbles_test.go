package sync_test

import (
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/trace"
	"tracerec/trace/tracetext"
	"tracerec/trace/wire"
)

// TestBubbles: who runs a test in a bubble of testing/synctest waits for all goroutines of that, which are done when they end. synctest.Wait is a wait for whoever comes to an operation last, or ends.
func TestBubbles(t *testing.T) {
	a := record(t, "bubbles")
	require.Empty(t, a.Check())
	var text strings.Builder
	require.NoError(t, tracetext.Format(a, &text))

	x, err := analyzer.Analyze(a, analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	statesAddUp(t, x)
	require.Zero(t, x.Total(x.MetricIndex(metric.UnrecordedWait)))
	require.Equal(t, []string{"main.last", "main.last"}, awaited(t, a))

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
	require.Len(t, waits, rounds+2)
	require.Equal(t, map[string]int{"bubble": rounds, "settles": 1, "stuck panicked": 1}, left)
	require.Equal(t, rounds+2, starts, "it is known who began a bubble")
	for group, where := range waits {
		require.GreaterOrEqual(t, done[group], map[string]int{"bubble": 4, "settles": 3, "stuck": 0}[where], where) // at their ends, and for synctest.Wait
	}
}

// awaited returns who made synctest.Wait in main.settles go on: which goroutines, by their functions, came to an operation last, or ended, before that did.
func awaited(t *testing.T, a *trace.Archive) (names []string) {
	defs := a.Definitions()
	begun, by, waiting := make([]string, len(defs.Locations)), map[uint64]string{}, map[trace.LocationID]uint64{}
	for m := a.Merge(); ; {
		l, e, _, err := m.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		require.NoError(t, err)
		switch e.Kind {
		case wire.Begin:
			begun[l] = defs.Regions[e.ID].Name
		case wire.Done:
			by[e.Word&(1<<32-1)] = begun[l]
		case wire.JoinBegin:
			if r := &defs.Regions[e.ID]; r.Name == wire.BubbleWait && strings.Contains(r.Func, "settles") {
				waiting[l] = e.Word & (1<<32 - 1)
			}
		case wire.Leave:
			if object := waiting[l]; object != 0 {
				names = append(names, by[object])
				delete(waiting, l)
			}
		}
	}
}
