package witness

import (
	"iter"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/goid"
)

func existing(t testing.TB) Witness {
	w := Find()
	if !w.Found() {
		require.False(t, strings.HasPrefix(runtime.Version(), "go1.26"), "this version has them: nothing would be certain")
		t.Skip("the runtime's marks were not found in this Go version")
	}
	return w
}

func TestStay(t *testing.T) {
	w, g := existing(t), goid.G()
	still := 0
	for range 100 {
		interval := w.Interval(g)
		require.NotZero(t, interval)
		if w.Undisturbed(g, interval) && w.Interval(g) == interval {
			still++
		}
		interval = w.Interval(g)
		runtime.Gosched()
		require.False(t, w.Undisturbed(g, interval))
		require.NotEqual(t, interval, w.Interval(g))
		require.False(t, w.Undisturbed(g, interval), "another one has planted since")
		require.False(t, w.Undisturbed(g, 0))
	}
	require.Greater(t, still, 50)
}

// However often a goroutine left its thread, it is seen, and no number comes again: one of eight bits would come round.
func TestStaysDoNotComeRound(t *testing.T) {
	w, g := existing(t), goid.G()
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(0) {
		}
	})
	defer stop()
	over := map[uint64]bool{}
	for name, leave := range map[string]func(){"yield": runtime.Gosched, "coroutine": func() { next() }} {
		for times := 1; times < 600; times++ {
			interval := w.Interval(g)
			require.False(t, over[interval])
			for range times {
				leave()
			}
			require.False(t, w.Undisturbed(g, interval), "%s, %d times", name, times)
			over[interval] = true
		}
	}
}

// The collector takes goroutines off their threads in a way of its own, to scan their stacks.
func TestCollectorIsSeen(t *testing.T) {
	w := existing(t)
	for range 50 {
		var begun, collected atomic.Bool
		go func() {
			for !begun.Load() {
				runtime.Gosched()
			}
			runtime.GC() // ends when it has seen this test's stack
			collected.Store(true)
		}()
		interval := w.Interval(goid.G())
		begun.Store(true)
		for !collected.Load() {
		}
		require.False(t, w.Undisturbed(goid.G(), interval))
	}
}

// A search is not disturbed by what else runs: it is the same however often it is made.
func TestSearchIsRepeatable(t *testing.T) {
	w := existing(t)
	var stop atomic.Bool
	var load sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		load.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	load.Go(func() {
		for !stop.Load() {
			runtime.GC()
		}
	})
	for i := range 20 {
		require.Equal(t, w, find(waiting), "search %d", i)
	}
	stop.Store(true)
	load.Wait()
}

// Who receives from a channel need not wait for it. A search to which that happens is repeated.
func TestSearchThatNeedNotWait(t *testing.T) {
	w := existing(t)
	times := 0
	require.Equal(t, w, find(func() (func(), func()) {
		wait, end := waiting()
		return func() {
			if times++; times > 10*rounds || times%rounds != 0 {
				wait()
			}
		}, end
	}))
	require.Greater(t, times, 10*rounds)
}
