package report

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// holding is a program in which three of a group wait for locks of one class, which two of another hold, who wait for a channel as before.
func holding() *Experiment {
	e := stuck()
	e.Header.Exit, e.NeverEnded = 0, nil
	e.Locations, e.Groups = nil, []Group{{Name: "taker", Creator: -1, Count: 3}, {Name: "holder", Creator: -1, Count: 2}}
	for i, name := range []string{"taker[0]", "taker[1]", "taker[2]", "holder[0]", "holder[1]"} {
		e.Locations = append(e.Locations, Location{Name: name, Group: int32(i / 3), GoID: uint64(5 + i), Count: 1})
	}
	for l, holder := range []int32{3, 4, 4} {
		e.NeverEnded = append(e.NeverEnded, NeverEnded{Path: 0, Location: uint32(l), Since: 5e6, Object: "mutex first used at /src/app/main.go:9", Holder: holder, HolderPath: 0})
	}
	for l := range uint32(2) {
		e.NeverEnded = append(e.NeverEnded, NeverEnded{Path: 1, Location: 3 + l, Since: 6e6, Object: "channel c", Holder: -1, HolderPath: -1})
	}
	return e
}

// TestHolders: waits in one place for locks of one class are told once, and who holds these is no idle goroutine, but the root, which is told first.
func TestHolders(t *testing.T) {
	told := func(e *Experiment) (list []string) {
		for _, w := range e.Sentences().StillWaiting() {
			require.False(t, w.Idle)
			list = append(list, spaced(w.Text))
		}
		return list
	}
	const root = " in recv at main.go:20 for the last 994 ms"
	e := holding()
	require.Equal(t, []string{
		"holder ×2 have been" + root + ", for the channel c. They hold locks that others wait for.",
		"taker ×3 have been in lock at main.go:12 for the last 995 ms, each for a mutex first used at main.go:9, held by one of holder ×2, which had acquired it in lock at main.go:12, and these have been" + root + " or less.",
	}, told(e))
	text := strings.Join(strings.Fields(string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{Top: 1}) }))), " ")
	require.Contains(t, text, "! 5 goroutines were still waiting")
	require.Contains(t, text, "… and 3 more goroutines (--top 2 shows all)")

	e.NeverEnded[0].Holder = 4
	e.NeverEnded = e.NeverEnded[:4:4]
	e.NeverEnded[3].Location = 4
	require.Equal(t, []string{
		"holder[1] (goroutine 9) has been" + root + ", for the channel c. It holds a lock that others wait for.",
		"taker ×3 have been in lock at main.go:12 for the last 995 ms, for the mutex first used at main.go:9, held by holder[1], which had acquired it in lock at main.go:12 and has itself been" + root + ".",
	}, told(e))

	e.NeverEnded[3] = NeverEnded{Path: 0, Location: 4, Since: 6e6, Object: "mutex m", Holder: 0, HolderPath: 0}
	list := told(e)
	require.Len(t, list, 3, "each of a circle is told alone")
	require.Contains(t, list[0], "taker[0] (goroutine 5) has been in lock")
	require.NotContains(t, strings.Join(list, " "), "itself")
}

// TestKilled: of a process of which it is not known how it ended, and that somebody was not waiting in vain, it is not said that its goroutines should not have waited.
func TestKilled(t *testing.T) {
	text := func(e *Experiment) string {
		return strings.Join(strings.Fields(string(render(t, func(w io.Writer) error { return Text(w, e, TextOptions{}) }))), " ")
	}
	killed := func() *Experiment {
		e := stuck()
		e.Header.Exit = 0
		e.Locations = append(e.Locations, Location{Process: 1, Name: "main[1]", GoID: 1, Count: 1}, Location{Process: 1, Group: 2, Name: "worker[3]", GoID: 5, Count: 1})
		e.Regions = append(e.Regions, Region{Name: "accept", File: "/src/app/main.go", Line: 30, Operation: true})
		e.Paths = append(e.Paths, CallPath{Parent: -1, Region: 2})
		e.Origin.Processes = []Process{{}, {Unended: true}}
		e.NeverEnded = []NeverEnded{{Path: 1, Location: 5, Since: 5e6, Object: "channel c", Holder: -1, HolderPath: -1}, {Path: 2, Location: 6, Since: 5e6, Holder: -1, HolderPath: -1}}
		return e
	}
	require.Contains(t, text(killed()), "1 process was killed, or not recorded to the end, with goroutines waiting: main[1] in recv at main.go:20.")
	require.NotContains(t, text(killed()), "still waiting")
	for what, change := range map[string]func(e *Experiment){
		"Go may have ended a deadlock": func(e *Experiment) { e.NeverEnded = e.NeverEnded[:1] },
		"it ended itself":              func(e *Experiment) { e.Origin.Processes[1].Unended = false },
		"main waits for a lock":        func(e *Experiment) { e.NeverEnded[0].Path = 0 },
		"it is not main":               func(e *Experiment) { e.Locations[5].GoID = 2 },
		"it is another one":            func(e *Experiment) { e.Locations[5].Process = 0 },
	} {
		e := killed()
		change(e)
		require.Contains(t, text(e), "! 1 goroutine was still waiting", what)
	}
}
