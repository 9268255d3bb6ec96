package live

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/readable"
)

func frame(values ...int64) Frame {
	return Frame{Interval: 1e9, Metrics: []string{executing, waiting, visits}, Goroutines: 2, Seen: 1,
		Rows: []Row{
			{Key: Key{Name: "solve\x1b[2J"}, Values: values[:3], Uncertain: []int64{0, 0, 0}},
			{Key: Key{Name: "idle"}, Values: []int64{0, 0, 0}, Uncertain: []int64{0, 0, 0}},
			{Key: Key{Name: "update"}, Values: values[3:], Uncertain: []int64{0, 0, 0}},
		}}
}

func TestView(t *testing.T) {
	p := newView("")
	p.add(frame(1e9, 0, 10, 5e8, 0, 4000))
	p.add(frame(2e9, 0, 10, 0, 0, 2000))
	lines := p.lines(80, 24)
	require.Len(t, lines, 4, "a title, two regions that did something, a line of help")
	require.Contains(t, lines[0], "[1/3] goroutines executing  2.00 s  2 goroutines in regions")
	require.Regexp(t, `^solve\S* +2(\.0+)? +▅█ *$`, lines[1])
	require.NotContains(t, lines[1], "\x1b", "names come from the program")
	require.Regexp(t, `^update +0 +▃ *$`, lines[2])
	for _, l := range lines {
		require.LessOrEqual(t, readable.Width(l), 80)
	}

	require.True(t, p.key(right))
	require.True(t, p.key('\t'))
	lines = p.lines(80, 24)
	require.Contains(t, lines[0], "visits per second")
	require.Regexp(t, `^update +2[., ]?000 +█▅ *$`, lines[1])
	p.key(left)
	require.Len(t, p.lines(80, 24), 2, "nothing waited")
	p.key(left)
	require.Contains(t, p.lines(80, 24)[0], "executing")

	p.key(' ')
	p.add(frame(9e9, 0, 10, 0, 0, 0))
	require.Contains(t, p.lines(80, 24)[0], "PAUSED")
	require.Regexp(t, `^solve\S* +2`, p.lines(80, 24)[1])
	p.key(' ')
	require.False(t, p.key('q'))

	require.Len(t, p.lines(80, 3), 3, "as many lines as there are")
	require.Contains(t, p.lines(80, 3)[2], "(1 more regions)")
	p.key(down)
	require.Regexp(t, `^update`, p.lines(80, 3)[1])
	p.key(up)
	p.key(up)
	require.Regexp(t, `^solve`, p.lines(80, 3)[1])
	for width := range 80 {
		p.lines(width, 5) // whatever the terminal
	}
}

func TestBars(t *testing.T) {
	require.Equal(t, " ▁▅█", bars([]float64{0, 0.01, 0.5, 1}, 1))
	require.Equal(t, "  ", bars([]float64{0, 0}, 0))
}

// What may have been counted in a region, but not for certain, is no 0.
func TestViewUncertain(t *testing.T) {
	p := newView("page-faults")
	row := func(name string, value, more int64) Row {
		return Row{Key: Key{Name: name}, Values: []int64{value}, Uncertain: []int64{more}}
	}
	p.add(Frame{Interval: 1e9, Metrics: []string{"page-faults"}, Seen: 1,
		Rows: []Row{row("certain", 7, 0), row("partly", 3, 100), row("none", 0, 50), row("unknown", 0, unbounded), row("nothing", 0, 0)}})
	lines := p.lines(80, 24)
	require.Len(t, lines, 6)
	for i, want := range []string{`^certain +7`, `^partly +3`, `^none +≤50`, `^unknown +\?`} {
		require.Regexp(t, want, lines[1+i])
	}
}
