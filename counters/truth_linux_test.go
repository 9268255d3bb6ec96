package counters

import (
	"flag"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/witness"
)

var (
	sets  = flag.Int("sets", 400, "event sets that goroutines start which are not locked to threads")
	turns = flag.Int("turns", 300, "counted pieces of work in goroutines that are disturbed in all ways")
)

// A set that a goroutine starts counts the thread that the goroutine is on then, wherever it has been before and goes next.
func TestSetsCountTheThreadOfStart(t *testing.T) {
	here(t, watchpoint(0))
	runtime.UnlockOSThread()
	defer runtime.LockOSThread()
	const goroutines, stores = 20, 7
	var all sync.WaitGroup
	var checked atomic.Int64
	for range goroutines {
		all.Go(func() {
			for range *sets / goroutines {
				counted, of := storesOn(t, stores)
				if of == 0 {
					continue
				}
				checked.Add(1)
				if counted != stores {
					t.Errorf("%d of %d stores on the thread of the set", counted, stores)
				}
			}
		})
	}
	all.Wait()
	require.Positive(t, checked.Load())
	t.Logf("%d sets, of which %d were on their thread when they stored", *sets, checked.Load())
}

// storesOn starts a set and stores n times, alone on one thread. It returns what was counted, and that thread, 0 if it is not the set's.
func storesOn(t *testing.T, n int) (counted int64, on int) {
	s := New()
	defer s.Close()
	if err := s.Add(watchpoint(0)); err != nil {
		t.Error(err)
		return 0, 0
	}
	runtime.Gosched()
	if err := s.Start(); err != nil {
		t.Error(err)
		return 0, 0
	}
	of := s.parts[0].(*groupPart).group.key.options.Thread
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after [1]int64
	if err := s.Read(before[:]); err != nil {
		t.Error(err)
	}
	storeHere(n)
	if err := s.Read(after[:]); err != nil {
		t.Error(err)
	}
	if of != thread() {
		return 0, 0
	}
	return after[0] - before[0], of
}

// What is certain is right: in goroutines that compute while the collector scans their stacks, yield, sleep, wait for others, and
// switch to coroutines that do the same work on the same thread.
func TestCertainIsRight(t *testing.T) {
	here(t, watchpoint(0))
	runtime.UnlockOSThread()
	defer runtime.LockOSThread()
	if !witness.Find().Found() {
		t.Skip("the runtime's marks were not found in this Go version")
	}
	var stop atomic.Bool
	var load, all sync.WaitGroup
	load.Go(func() {
		for !stop.Load() {
			runtime.GC()
		}
	})
	var certain, uncertain atomic.Int64
	for way := range len(disturbances) + 1 {
		for range 2 { // of each, so that there are others that store on the thread
			all.Go(func() {
				for range *turns / 10 {
					if storeDisturbed(t, way) {
						certain.Add(1)
					} else {
						uncertain.Add(1)
					}
				}
			})
		}
	}
	all.Wait()
	stop.Store(true)
	load.Wait()
	t.Logf("%d certain, %d uncertain", certain.Load(), uncertain.Load())
	require.Positive(t, uncertain.Load())
}

// disturbances take a goroutine off its thread.
var disturbances = []func(next func() (int, bool)){
	func(func() (int, bool)) { runtime.Gosched() },
	func(func() (int, bool)) { time.Sleep(time.Microsecond) },
	func(func() (int, bool)) {
		c := make(chan int)
		go func() { storeHere(1); c <- 1 }()
		<-c
	},
	func(next func() (int, bool)) { next() },
	func(next func() (int, bool)) { // as often as a number of eight bits comes round
		for range 256 {
			next()
		}
	},
	func(func() (int, bool)) {
		for range 256 {
			runtime.Gosched()
		}
	},
}

// storeDisturbed counts stores on both sides of a disturbance, which is none for the last way, and reports whether that was certain.
func storeDisturbed(t *testing.T, way int) bool {
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(0) {
			storeHere(1)
		}
	})
	defer stop()
	next()
	s := New()
	defer s.Close()
	if err := s.Add(watchpoint(0)); err != nil {
		t.Error(err)
		return false
	}
	if err := s.Start(); err != nil {
		t.Error(err)
		return false
	}
	const n = 20
	storeHere(n)
	if way < len(disturbances) {
		disturbances[way](next)
	} else {
		for begin := time.Now(); time.Since(begin) < 100*time.Microsecond; { // the collector's chance
		}
	}
	storeHere(n)
	var v [1]int64
	if err := s.Read(v[:]); err != nil {
		t.Error(err)
		return false
	}
	if s.Certain() && v[0] != 2*n {
		t.Errorf("certain, but %d of %d stores, way %d", v[0], 2*n, way)
	}
	return s.Certain()
}
