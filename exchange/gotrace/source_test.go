package gotrace

import (
	"bytes"
	"io"
	"runtime"
	"runtime/trace"
	"testing"

	"github.com/stretchr/testify/require"
	exp "golang.org/x/exp/trace"
)

// TestStepsAreUsedAgain: what an event says is not what one before said that was in the same place.
func TestStepsAreUsedAgain(t *testing.T) {
	var text bytes.Buffer
	if err := trace.Start(&text); err != nil {
		t.Skip("the tests are traced themselves: ", err)
	}
	runtime.GC()
	trace.Stop()
	s, err := newSource(&text)
	require.NoError(t, err)
	place, told, others := make([]step, 1), 0, 0
	for {
		_, err := s.read(place, func([]step) bool { return false })
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if place[0].Kind() != exp.EventMetric {
			continue
		}
		_, is := place[0].about.(int)
		require.Equal(t, place[0].Metric().Name == "/sched/gomaxprocs:threads", is)
		if is {
			told++
		} else {
			others++
		}
		place[0].about = 7
	}
	require.Positive(t, told)
	require.Positive(t, others)
}
