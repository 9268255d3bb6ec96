package analyzer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// feed is a program in which main gives a piece of work to one of six workers in turn each 100 ns. Each worker needs so long for one; from all of them at once, in some rounds, it wants more.
func feed(work, rounds int, channel func(worker int) string) string {
	var main strings.Builder
	var workers [6]strings.Builder
	for w := range workers {
		if c := channel(w); !strings.Contains(main.String(), "channel "+c+" ") {
			fmt.Fprintf(&main, "channel %s cap 0 @a.go:3\n", c)
		}
		fmt.Fprintf(&workers[w], "location w%d\n 0 begin worker by main\n", w)
	}
	main.WriteString("location main\n 0 enter main\n")
	for w := range workers {
		fmt.Fprintf(&main, " 0 create w%d @a.go:1\n", w)
	}
	ready := [6]int{}
	for i := range 30 {
		now, w := 100*(i+1), i%6
		work := work
		if i < 6*rounds {
			work = 590
		}
		fmt.Fprintf(&main, " %d send %s @a.go:9\n %d leave\n", now, channel(w), now+1)
		fmt.Fprintf(&workers[w], " %d recv %s @a.go:20\n %d blocked\n %d leave\n %d enter task @a.go:21\n %d exit\n", ready[w], channel(w), ready[w], now+1, now+1, now+1+work)
		ready[w] = now + 1 + work
	}
	main.WriteString(" 3700 exit\n")
	for w := range workers {
		fmt.Fprintf(&workers[w], " %d recv %s @a.go:20\n %d blocked\n", ready[w], channel(w), ready[w])
	}
	for w := range workers {
		main.WriteString(workers[w].String())
	}
	return main.String()
}

// TestSpareWorkers: a pool half of which was never busy at once is too large; not if all were, if only for a time, or if each waits for a channel of its own.
func TestSpareWorkers(t *testing.T) {
	one := func(int) string { return "jobs" }
	for _, c := range []struct {
		name string
		text string
		want report.Busy
	}{
		{"two at once", feed(150, 0, one), report.Busy{Of: 6, AtOnce: 2}},
		{"one", feed(90, 0, one), report.Busy{Of: 6, AtOnce: 1}},
		{"four", feed(350, 0, one), report.Busy{}},
		{"all, for a fifth of the time", feed(90, 1, one), report.Busy{}},
		{"all, for less than a hundredth of the run", strings.NewReplacer("3700 exit", "900000 exit").Replace(feed(590, 0, one)), report.Busy{}},
		{"each for itself", feed(90, 0, func(w int) string { return fmt.Sprint("jobs", w) }), report.Busy{}},
	} {
		x, told := analyzeText(t, c.text), false
		for i := range x.Findings {
			f := &x.Findings[i]
			if x.Metrics[f.Metric].Name != "late_sender" {
				require.Equal(t, report.Busy{}, f.Busy, c.name)
				continue
			}
			require.Equal(t, c.want, f.Busy, c.name)
			known := x.Problem(f)
			require.Equal(t, c.want.Of > 0, known != nil && known.Name == report.PoolTooLarge, c.name)
			told = true
		}
		require.True(t, told, c.name)
	}
}
