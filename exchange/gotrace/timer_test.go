package gotrace_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	archive "tracerec/trace"
	"tracerec/trace/wire"
)

// TestTimed: who is started by a timer was asleep since the wait began that it ends, so the timer is what was waited for; if it ends none, nobody knows since when.
func TestTimed(t *testing.T) {
	a := opened(t, traced(t, func() {
		for range 3 {
			c, quiet := make(chan int), make(chan bool)
			go receives(c)
			stuck(t, "receives", "chan receive")
			time.AfterFunc(0, func() { quiet <- true })
			<-quiet
			done := make(chan bool)
			go func() { receives(c); done <- true }()
			time.AfterFunc(time.Millisecond, func() { close(c) })
			<-done
		}
	}))
	regions := a.Definitions().Regions
	asleep, waiting := []archive.Event{}, map[int64]bool{}
	for _, list := range eventsOf(t, a) {
		for i, e := range list {
			switch {
			case e.Kind == wire.SleepBegin && regions[e.ID].Name == wire.Timer:
				require.Equal(t, wire.Begin, list[0].Kind)
				require.Equal(t, list[0].Time, e.Time)
				require.Equal(t, wire.Blocked, list[i+1].Kind)
				require.Equal(t, wire.Ready, list[i+2].Kind)
				asleep = append(asleep, e, list[i+2])
			case e.Kind == wire.Blocked && list[i-1].Kind == wire.RecvBegin:
				waiting[e.Time] = true
			}
		}
	}
	require.Len(t, asleep, 2*6)
	long := 0
	for s := range slices.Chunk(asleep, 2) {
		if s[0].Time < s[1].Time {
			require.Contains(t, waiting, s[0].Time)
			long++
		}
	}
	require.GreaterOrEqual(t, long, 3, "those that closed a channel for which somebody waited since long")
	require.Contains(t, waits(analyzed(t, a)), "late_close: recv in receives < close in TestTimed.func1.3")
}
