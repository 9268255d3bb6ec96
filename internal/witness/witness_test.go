package witness

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/goid"
)

func TestSequence(t *testing.T) {
	w := Find(goid.G)
	if !w.Found() {
		t.Skip("the runtime's sequence number was not found in this Go version")
	}
	g := goid.G()
	still := 0
	for range 100 {
		before := w.Sequence(g)
		if w.Sequence(g) == before {
			still++
		}
		before = w.Sequence(g)
		runtime.Gosched()
		require.NotEqual(t, before, w.Sequence(g))
	}
	require.Greater(t, still, 50)
}

func TestThread(t *testing.T) {
	w := Find(goid.G)
	if w.Thread() == 0 {
		t.Skip("threads have no cheap number here")
	}
	const threads = 8
	var mu sync.Mutex
	var ready, done sync.WaitGroup
	seen := map[uint64]bool{}
	ready.Add(threads)
	for range threads {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			mine := w.Thread()
			mu.Lock()
			seen[mine] = true
			mu.Unlock()
			ready.Done()
			ready.Wait() // all at once
			if w.Thread() != mine {
				t.Error("a thread changed its number")
			}
		})
	}
	done.Wait()
	require.Len(t, seen, threads)
}

func BenchmarkThread(b *testing.B) {
	w := Find(goid.G)
	for range b.N {
		w.Thread()
	}
}
