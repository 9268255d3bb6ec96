package sample

import (
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/goid"
)

func open(t testing.TB, list string) *Set {
	names, err := Parse(list)
	require.NoError(t, err)
	s, err := Open(names, goid.G)
	if err != nil {
		t.Skip("no counters here: ", err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestParse(t *testing.T) {
	names, err := Parse(" task-clock, page-faults,")
	require.NoError(t, err)
	require.Equal(t, []string{"task-clock", "page-faults"}, names)
	_, err = Parse("task-clock,nonsense")
	require.ErrorContains(t, err, `unknown counter "nonsense"`)
	_, err = Parse("task-clock,task-clock")
	require.ErrorContains(t, err, "twice")
	_, err = Parse("task-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations,go:gc-cycles,go:alloc-bytes,go:live-bytes")
	require.ErrorContains(t, err, "at most 8")
}

func TestPageFaultsAreCountedExactly(t *testing.T) {
	s := open(t, "page-faults,task-clock")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const pages = 100
	mem := mmap(t, pages*os.Getpagesize())
	var before, after [1 + MaxEvents]uint64
	require.Equal(t, 3, s.Read(goid.G(), before[:]))
	for i := 0; i < pages; i++ {
		mem[i*os.Getpagesize()] = 1
	}
	require.Equal(t, 3, s.Read(goid.G(), after[:]))
	faults := after[1] - before[1]
	require.True(t, faults >= pages && faults < pages+20, "%d faults for %d first touches", faults, pages)
	require.Greater(t, after[2], before[2], "task-clock stands still")
}

func TestWitness(t *testing.T) {
	s := open(t, "task-clock")
	if !s.Certain() {
		t.Skip("the runtime's sequence number was not found in this Go version")
	}
	var a, b [1 + MaxEvents]uint64
	undisturbed := 0
	for range 100 {
		s.Read(goid.G(), a[:])
		s.Read(goid.G(), b[:])
		if a[0] != 0 && a[0] == b[0] {
			undisturbed++
		}
	}
	require.Greater(t, undisturbed, 50, "back-to-back readings are certain")
	for range 100 { // taken off the thread in between: never certain, whether or not the thread changed
		s.Read(goid.G(), a[:])
		runtime.Gosched()
		s.Read(goid.G(), b[:])
		require.NotEqual(t, a[0], b[0])
	}
	s.Read(goid.G(), a[:])
	time.Sleep(time.Millisecond)
	s.Read(goid.G(), b[:])
	require.NotEqual(t, a[0], b[0])
}

func TestManyThreads(t *testing.T) {
	s := open(t, "task-clock")
	var wg sync.WaitGroup
	for range 100 { // more threads than the first table holds, and their numbers die with them
		wg.Add(1)
		go func() {
			defer wg.Done()
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			var a, b [1 + MaxEvents]uint64
			if s.Read(goid.G(), a[:]) != 2 {
				t.Error("reading refused")
			}
			for x := time.Now(); time.Since(x) < time.Millisecond; {
			}
			if s.Read(goid.G(), b[:]) != 2 || b[1] <= a[1] {
				t.Error("task-clock did not advance on its own thread")
			}
		}()
	}
	wg.Wait()
}

func TestProcessCountersAreNeverCertain(t *testing.T) {
	s := open(t, "go:alloc-bytes,go:gc-cycles")
	var a, b [1 + MaxEvents]uint64
	require.Equal(t, 3, s.Read(goid.G(), a[:]))
	runtime.GC()
	require.Equal(t, 3, s.Read(goid.G(), b[:]))
	require.Zero(t, a[0])
	require.Greater(t, b[2], a[2])
}

func TestReadDoesNotAllocate(t *testing.T) {
	s := open(t, "task-clock,page-faults")
	var a [1 + MaxEvents]uint64
	require.Zero(t, testing.AllocsPerRun(100, func() { s.Read(goid.G(), a[:]) }))
}

func BenchmarkRead(b *testing.B) {
	s := open(b, "task-clock,page-faults")
	var a [1 + MaxEvents]uint64
	for range b.N {
		s.Read(goid.G(), a[:])
	}
}
