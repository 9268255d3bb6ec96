package gotrace_test

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/report"
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

// TestAgain: what a timer starts again and again was asleep since the last time, not since whoever waits for the last of them began to wait, and is taken to be started by the last one.
func TestAgain(t *testing.T) {
	var wg sync.WaitGroup
	var times atomic.Int64
	wg.Add(1)
	again := func() {
		if times.Add(1) == 4 {
			wg.Done()
		}
	}
	a := opened(t, traced(t, func() {
		go joins(&wg)
		stuck(t, "joins", "sync.WaitGroup.Wait")
		for n := range int64(4) {
			buf := make([]byte, 1<<20)
			testkit.Until(t, "the last one has ended", func() bool {
				return times.Load() == n && !strings.Contains(string(buf[:runtime.Stack(buf, true)]), "TestAgain.func1(")
			})
			time.AfterFunc(0, again)
		}
		wg.Wait()
	}))
	all := eventsOf(t, a)
	var ids []uint64 // in the order in which they ran
	for id, list := range all {
		if slices.ContainsFunc(list, func(e archive.Event) bool {
			return e.Kind == wire.SleepBegin && a.Definitions().Regions[e.ID].Name == wire.Timer
		}) {
			ids = append(ids, id)
		}
	}
	require.Len(t, ids, 4)
	ended := func(id uint64) int64 { return all[id][len(all[id])-1].Time }
	slices.SortFunc(ids, func(x, y uint64) int { return cmp.Compare(ended(x), ended(y)) })
	for i, id := range ids[1:] {
		begin := all[id][0]
		require.Equal(t, wire.Begin, begin.Kind)
		require.Equal(t, ended(ids[i]), begin.Time)
		creator := slices.IndexFunc(a.Definitions().Locations, func(l archive.Location) bool { return l.Number == begin.Word })
		require.Equal(t, ids[i], a.Definitions().Locations[creator].GoID)
	}
}

type bell chan int

func (b bell) ring() { sleeps(); close(b) }

// TestMethodValue: a goroutine that a timer starts with the value of a method is in the method, as its stacks say, and is called so.
func TestMethodValue(t *testing.T) {
	e := analyzed(t, opened(t, traced(t, func() {
		b := make(bell)
		time.AfterFunc(time.Millisecond, b.ring)
		receives(b)
	})))
	require.True(t, slices.ContainsFunc(e.Groups, func(g report.Group) bool { return g.Name == "gotrace_test.bell.ring" }))
	require.Contains(t, waits(e), "late_close: recv in receives < close in bell.ring")
}
