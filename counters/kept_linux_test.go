package counters

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/scripted"
	"tracerec/internal/testkit"
)

// groupOf returns the group that a running set reads.
func groupOf(t *testing.T, s *EventSet) *shared {
	t.Helper()
	require.Len(t, s.parts, 1)
	return s.parts[0].(*groupPart).group
}

// A stopped set keeps its events for the next start on the same thread, until it is changed. On another thread it opens others.
func TestStoppedSetsKeepTheirEvents(t *testing.T) {
	here(t, "task-clock", "page-faults")
	s := New()
	require.NoError(t, s.AddAll("task-clock", "page-faults"))
	require.NoError(t, s.Start())
	first := groupOf(t, s)
	require.NoError(t, s.Stop(nil))
	require.NoError(t, s.Start())
	require.Same(t, first, groupOf(t, s))

	beside := New()
	require.NoError(t, beside.Add("page-faults"))
	require.NoError(t, beside.Start())
	require.Same(t, first, groupOf(t, beside), "an event counts once")
	require.NoError(t, s.Stop(nil))
	v := make([]int64, 1)
	touchHere(anonymous(t))
	require.NoError(t, beside.Read(v))
	require.GreaterOrEqual(t, v[0], int64(pages), "the group counts on while anybody reads it")
	require.NoError(t, beside.Close())

	other := make(chan *shared)
	go func() {
		runtime.LockOSThread()
		if err := s.Start(); err != nil {
			t.Error(err)
		}
		other <- s.parts[0].(*groupPart).group
	}()
	require.NotSame(t, first, <-other)
	require.NoError(t, s.Stop(nil))
	require.NoError(t, s.Add("minor-faults"))
	require.NoError(t, s.Start())
	require.NotSame(t, first, groupOf(t, s))
	require.NoError(t, s.Close())
	require.Empty(t, table.groups)
}

// What a stopped set has kept counts nothing, so what happens meanwhile costs nothing and is not in the next counts.
func TestPausedGroupsDoNotCount(t *testing.T) {
	here(t, "page-faults")
	s := New()
	require.NoError(t, s.Add("page-faults"))
	require.NoError(t, s.Start())
	group := groupOf(t, s)
	require.NoError(t, s.Stop(nil))
	var before, after [1]uint64
	_, err := group.group.Read(before[:])
	require.NoError(t, err)
	touchHere(anonymous(t))
	_, err = group.group.Read(after[:])
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NoError(t, s.Close())
}

// Sets that nobody has any more give their descriptors back, running or stopped.
func TestDroppedSetsAreClosed(t *testing.T) {
	here(t, "task-clock", "page-faults")
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(list)
	}
	before := open()
	const many = 50
	drop := func() {
		keep := make([]*EventSet, many)
		for i := range keep {
			s := New()
			require.NoError(t, s.AddAll("task-clock", "page-faults"))
			require.NoError(t, s.SetOptions(Options{Thread: thread() * (i % 2)}))
			require.NoError(t, s.Start())
			if i%3 == 0 {
				require.NoError(t, s.Stop(nil))
			}
			keep[i] = s
		}
		require.Greater(t, open(), before)
	}
	drop()
	testkit.Until(t, "the end of what was dropped", func() bool {
		runtime.GC()
		return open() == before
	})
}

// The timer that reads a set does not hold it.
func TestDroppedSetsThatTimersRead(t *testing.T) {
	sub := scripted.New(scripted.Config{Counters: 1, Turn: time.Millisecond, Events: []scripted.Event{{Name: "a"}, {Name: "b"}}})
	func() {
		s := New(sub)
		require.NoError(t, s.SetOptions(Options{Multiplex: true}))
		require.NoError(t, s.AddAll("a", "b"))
		require.NoError(t, s.Start())
		require.NotNil(t, s.upkeep)
		require.NotZero(t, sub.Opened())
	}()
	testkit.Until(t, "the end of what was dropped", func() bool {
		runtime.GC()
		return sub.Opened() == 0
	})
}

// What overflowed since the last tick of the timer is found when the set is stopped.
func TestTimerComparesAtStop(t *testing.T) {
	here(t, "page-faults")
	s := New()
	require.NoError(t, s.Add("page-faults"))
	var calls []Overflow
	require.NoError(t, s.OnOverflow("page-faults", pages/4, OverflowOptions{Software: true, Interval: time.Hour}, func(o Overflow) { calls = append(calls, o) }))
	memory := anonymous(t)
	require.NoError(t, s.Start())
	touchHere(memory)
	v := make([]int64, 1)
	require.NoError(t, s.Stop(v))
	require.Len(t, calls, 1)
	require.EqualValues(t, v[0]/(pages/4)*(pages/4), calls[0].Count)
	require.NoError(t, s.Close())
}

const pages = 100

// anonymous returns memory of so many pages that nobody has touched.
func anonymous(t *testing.T) []byte {
	t.Helper()
	memory, err := syscall.Mmap(-1, 0, pages*os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { syscall.Munmap(memory) })
	const noHugePages = 15
	require.NoError(t, syscall.Madvise(memory, noHugePages)) // each page is a fault
	return memory
}
