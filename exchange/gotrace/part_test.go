package gotrace_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/gotrace"
	archive "tracerec/trace"
)

// part opens a part of a trace.
func part(t testing.TB, text []byte, from, to int64) *archive.Archive {
	a, damage, err := gotrace.OpenPart("part", bytes.NewReader(text), from, to, nil)
	require.NoError(t, err)
	require.NoError(t, damage)
	t.Cleanup(func() { a.Close() })
	require.Empty(t, a.Check())
	return a
}

// eventsOf returns the events of each goroutine, by its id.
func eventsOf(t testing.TB, a *archive.Archive) map[uint64][]archive.Event {
	all := map[uint64][]archive.Event{}
	d := a.NewDecoder()
	for _, c := range a.Chunks() {
		batches, err := d.Decode(c, new(archive.Buffer))
		require.NoError(t, err)
		for _, b := range batches {
			g := a.Definitions().Locations[b.Location].GoID
			all[g] = append(all[g], b.Events...)
		}
	}
	return all
}

// TestPart: parts of a trace have all its events, each once, at the times that they had; what is open where one begins is opened there, and goes on.
func TestPart(t *testing.T) {
	text := traced(t, func() {
		done := make(chan bool)
		for range 20 {
			c := make(chan int)
			go func() { receives(c); sleeps(); outer(); done <- true }()
			go sends(c)
		}
		for range 20 {
			<-done
		}
		time.Sleep(time.Millisecond)
	})
	whole := opened(t, text)
	all := eventsOf(t, whole)
	length := whole.Definitions().Processes[0].End - whole.Definitions().Processes[0].Start
	for _, cut := range []int64{length / 4, length / 2, length * 3 / 4} {
		first, second := part(t, text, 0, cut), part(t, text, cut, length+1)
		require.Equal(t, length, second.Definitions().Processes[0].End-second.Definitions().Processes[0].Start+cut)
		for _, list := range eventsOf(t, first) {
			require.LessOrEqual(t, list[len(list)-1].Time, cut)
		}
		after := eventsOf(t, second)
		for g, list := range all {
			list = list[slices.IndexFunc(append(list, archive.Event{Time: length + 1}), func(e archive.Event) bool { return e.Time >= cut }):]
			rest := after[g]
			if len(list) == 0 && len(rest) == 0 {
				continue // it had ended
			}
			for len(rest) > len(list) { // what was open
				require.Zero(t, rest[0].Time)
				rest = rest[1:]
			}
			require.Len(t, rest, len(list))
			for i, e := range rest {
				require.Equal(t, list[i].Time, e.Time+cut)
				require.Equal(t, list[i].Kind, e.Kind)
			}
		}
		for g := range after {
			require.Contains(t, all, g)
		}
		analyzed(t, second)
	}
}
