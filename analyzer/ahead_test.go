package analyzer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inTurns is a program in which main gives pieces of work to two workers in turn, each over a channel of its own: the first needs slow for a piece, the second quick.
func inTurns(slow, quick int) string {
	var main strings.Builder
	var workers [2]strings.Builder
	main.WriteString("channel c0 cap 0 @a.go:3\nchannel c1 cap 0 @a.go:3\nlocation main\n 0 enter main\n 0 create w0 @a.go:1\n 0 create w1 @a.go:1\n")
	for w := range workers {
		fmt.Fprintf(&workers[w], "location w%d\n 0 begin worker by main\n", w)
	}
	now, ready := 10, [2]int{1, 1} // when a worker is ready for its next piece
	for range 10 {
		for w, work := range []int{slow, quick} {
			began := now
			fmt.Fprintf(&main, " %d send c%d @a.go:9\n", began, w)
			fmt.Fprintf(&workers[w], " %d recv c%d @a.go:20\n", ready[w], w)
			if ready[w] > began { // main waits for the worker
				fmt.Fprintf(&main, " %d blocked\n", began)
				now = ready[w]
			} else if ready[w] < began {
				fmt.Fprintf(&workers[w], " %d blocked\n", ready[w])
			}
			now += 2
			fmt.Fprintf(&main, " %d leave\n", now)
			fmt.Fprintf(&workers[w], " %d leave\n %d enter work @a.go:21\n %d exit\n", now, now, now+work)
			ready[w] = now + work
		}
	}
	fmt.Fprintf(&main, " %d exit\n", now+1)
	for w := range workers {
		fmt.Fprintf(&workers[w], " %d end\n", ready[w])
	}
	return main.String() + workers[0].String() + workers[1].String()
}

// While the slow worker is waited for, the quick one waits for its turn: that is told of both waits.
func TestHeadOfLine(t *testing.T) {
	x := analyzeText(t, inTurns(1000, 10))
	told := 0
	for i := range x.Findings {
		f := &x.Findings[i]
		switch x.Metrics[f.Metric].Name {
		case "late_receiver": // of which the quick worker waits for all but its work, nine times
			require.Equal(t, int64(9*(1000-2)), f.Severity)
			require.Equal(t, int64(9*(1000-2-10)), f.HeadOfLine)
		case "late_sender":
			require.Equal(t, int64(9*(1000-2-10)), f.HeadOfLine)
		default:
			continue
		}
		require.Equal(t, "head_of_line", x.Problem(f).Name)
		told++
	}
	require.Equal(t, 2, told)
}

// Workers that are all as slow are not held up by their turn.
func TestAllAsSlow(t *testing.T) {
	x := analyzeText(t, inTurns(1000, 1000))
	require.NotEmpty(t, x.Findings)
	for i := range x.Findings {
		require.Zero(t, x.Findings[i].HeadOfLine)
	}
}
