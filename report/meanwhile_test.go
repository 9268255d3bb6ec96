package report

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the causers did while they were waited for adds up to all of that time, whatever is not worth a line.
func TestMeanwhileAddsUp(t *testing.T) {
	for _, f := range []Finding{
		{Line: Line{Critical: 100}, Meanwhile: []PathTime{{0, 89}, {1, 11}}}, // of an earlier version
		{Line: Line{Critical: 3}, Awaited: 3, Meanwhile: []PathTime{{0, 1}, {1, 1}, {2, 1}}},
		{Line: Line{Critical: 5}, Awaited: 100, Meanwhile: []PathTime{{0, 5}}, Onward: []Onward{{PathTime{1, 80}, 0}}},
		{Line: Line{Critical: 20}, Awaited: 100, Meanwhile: []PathTime{{0, 20}}, Onward: []Onward{{PathTime{1, 11}, 0}}},
		{Line: Line{Critical: 10}, Awaited: 100, Meanwhile: []PathTime{{0, 10}}},
		{Awaited: 90, Onward: []Onward{{PathTime{1, 30}, 0}, {PathTime{1, 30}, 1}, {PathTime{2, 29}, 1}}},
	} {
		p := &page{e: hydro()}
		p.meanwhile(&f)
		sum := 0.0
		for _, line := range strings.Split(strings.TrimSpace(p.out.String()), "\n") {
			require.LessOrEqual(t, width(line), pageWidth)
			share, _, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "meanwhile "), " ")
			require.True(t, found)
			v, err := strconv.ParseFloat(share, 64)
			require.NoError(t, err, line)
			sum += v
		}
		require.InDelta(t, 100, sum, 0.001, p.out.String())
	}
}

// Where those who were waited for were off the critical path most of the time, there is nothing to tell, unless something on it is.
func TestMeanwhileNotKnown(t *testing.T) {
	s := hydro().Sentences()
	for _, c := range []struct {
		critical, onward int64
		told             int
	}{{9, 0, 0}, {10, 0, 2}, {0, 49, 0}, {0, 50, 2}, {9, 49, 3}} {
		f := Finding{Line: Line{Critical: c.critical}, Awaited: 100, Meanwhile: []PathTime{{0, c.critical}}, Onward: []Onward{{PathTime{1, c.onward}, 0}}}
		list, _ := s.Meanwhile(&f)
		require.Len(t, list, c.told, c)
	}
}
