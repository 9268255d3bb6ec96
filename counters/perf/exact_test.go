//go:build linux

package perf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
)

// cells are watched. They are 8 bytes apart and never moved.
var cells [16]uint64

// watch is the name of the event that counts stores to a cell.
func watch(cell int) string {
	return fmt.Sprintf("mem:%#x/8:w", uintptr(unsafe.Pointer(&cells[cell])))
}

func watches(cells ...int) (names []string) {
	for _, c := range cells {
		names = append(names, watch(c))
	}
	return names
}

// store stores n times to a cell, which several threads may do at once.
//
//go:noinline
//go:norace
func store(cell, n int) {
	p := &cells[cell]
	for i := range n {
		*p = uint64(i) // storeLine
	}
}

// storeLine and touchLine are the lines of this file that store to a cell and touch a page.
var storeLine, touchLine = lineOf("// storeLine"), lineOf("// touchLine")

func lineOf(mark string) int {
	text, _ := os.ReadFile("exact_test.go")
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, mark) {
			return i + 1
		}
	}
	return 0
}

// open opens events on the calling thread, which the test keeps.
func open(t testing.TB, o substrate.Options, names ...string) substrate.Group {
	t.Helper()
	g, err := New().Open(names, o)
	skipUnlessPossible(t, err)
	t.Cleanup(func() { g.Close() })
	return g
}

// skipUnlessPossible skips a test on a machine or in a container that lacks what it needs; other errors are failures.
func skipUnlessPossible(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, substrate.ErrPermission) || errors.Is(err, substrate.ErrUnavailable) || errors.Is(err, substrate.ErrUnsupported) {
		t.Skip("not possible here: ", err)
	}
	require.NoError(t, err)
}

func errorsIsPermission(err error) bool { return errors.Is(err, substrate.ErrPermission) }

// touch touches so many new pages.
//
//go:noinline
func touch(t testing.TB, pages int) {
	size := pages * os.Getpagesize()
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Error(err)
		return
	}
	for i := 0; i < size; i += os.Getpagesize() {
		mem[i] = 1 // touchLine
	}
	unix.Munmap(mem)
}

func lockThread(t testing.TB) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
}

func read(t testing.TB, g substrate.Group, n int) []uint64 {
	t.Helper()
	v := make([]uint64, n)
	_, err := g.Read(v)
	require.NoError(t, err)
	return v
}

func TestStoresAreCountedExactly(t *testing.T) {
	lockThread(t)
	g := open(t, substrate.Options{}, watches(0, 1, 2, 3)...)
	before := read(t, g, 4)
	for cell := range 4 {
		store(cell, 100*(cell+1))
	}
	after := read(t, g, 4)
	for cell := range 4 {
		require.EqualValues(t, 100*(cell+1), after[cell]-before[cell], "cell %d", cell)
	}
	_, err := New().Open(watches(4), substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrNoCounters)
	t.Log(err)
}

func TestFifthWatchpointIsAConflict(t *testing.T) {
	lockThread(t)
	require.NoError(t, open(t, substrate.Options{}, watch(0)).Close())
	_, err := New().Open(watches(0, 1, 2, 3, 4), substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrConflict)
	t.Log(err)
	open(t, substrate.Options{}, watches(0, 1, 2, 3)...) // nothing was left behind
}

func cellBytes(cell int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&cells[cell])), 8)
}

// Sets that are opened and closed in any order, overlapping each other, count what happens while they are open.
func TestOverlappingSetsAreExact(t *testing.T) {
	lockThread(t)
	type set struct {
		group substrate.Group
		cells []int
		first []uint64
		truth []uint64 // stored to its cells before it was opened
	}
	var sets []set
	stored := make([]uint64, 8)
	free := 4
	random := rand.New(rand.NewPCG(1, 2))
	check := func(s set) {
		now := read(t, s.group, len(s.cells))
		for i, c := range s.cells {
			require.Equal(t, stored[c]-s.truth[i], now[i]-s.first[i], "cell %d", c)
		}
	}
	for range 600 {
		switch action := random.IntN(4); {
		case action == 0 && free > 0:
			s := set{cells: random.Perm(8)[:1+random.IntN(free)]}
			s.group = open(t, substrate.Options{}, watches(s.cells...)...)
			s.first = read(t, s.group, len(s.cells))
			for _, c := range s.cells {
				s.truth = append(s.truth, stored[c])
			}
			sets, free = append(sets, s), free-len(s.cells)
		case action == 1 && len(sets) > 0:
			i := random.IntN(len(sets))
			check(sets[i])
			require.NoError(t, sets[i].group.Close())
			free += len(sets[i].cells)
			sets = append(sets[:i], sets[i+1:]...)
		default:
			c, n := random.IntN(8), random.IntN(20)
			store(c, n)
			stored[c] += uint64(n)
		}
	}
	for _, s := range sets {
		check(s)
	}
}

// Events of several kinds are one group, read with one call.
func TestMixedKindsAreOneGroup(t *testing.T) {
	lockThread(t)
	g := open(t, substrate.Options{}, "task-clock", watch(0), "page-faults", watch(1), "context-switches").(*group)
	require.Len(t, g.bundles, 1)
	if _, err := New().Resolve("msr/tsc/"); err == nil {
		g = open(t, substrate.Options{}, "msr/tsc/", "page-faults", watch(2)).(*group)
		require.Len(t, g.bundles, 1)
		before := read(t, g, 3)
		store(2, 9)
		after := read(t, g, 3)
		require.Greater(t, after[0], before[0])
		require.EqualValues(t, 9, after[2]-before[2])
	}
}

// A group counts from the time when it is opened, not from when its thread is next scheduled.
func TestGroupsCountAtOnce(t *testing.T) {
	lockThread(t)
	for round := range 100 {
		g := open(t, substrate.Options{}, "task-clock", watch(3))
		store(3, 7)
		require.EqualValues(t, 7, read(t, g, 2)[1], "round %d", round)
		require.NoError(t, g.Close())
	}
}

func TestWhere(t *testing.T) {
	lockThread(t)
	g := open(t, substrate.Options{}, "page-faults").(*group)
	if !g.here.witness.Found() {
		t.Skip("the runtime's marks were not found in this Go version")
	}
	v := make([]uint64, 1)
	where := func() uint64 {
		w, err := g.Read(v)
		require.NoError(t, err)
		return w
	}
	same := 0
	for range 100 {
		if a, b := where(), where(); a != 0 && a == b {
			same++
		}
	}
	require.Greater(t, same, 50, "readings back to back belong to the goroutine")
	for range 100 {
		a := where()
		runtime.Gosched()
		require.NotEqual(t, a, where(), "others may have run in between")
	}
	other := make(chan uint64)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		other <- where()
	}()
	require.Zero(t, <-other, "read on another thread")
}

func TestMultiplexedGroupTellsTimes(t *testing.T) {
	lockThread(t)
	g := open(t, substrate.Options{Multiplex: true}, "task-clock", watch(0), "page-faults")
	store(0, 12)
	touch(t, 30)
	v, enabled, running := read(t, g, 3), make([]uint64, 3), make([]uint64, 3)
	g.(substrate.Timed).Times(enabled, running)
	require.EqualValues(t, 12, v[1])
	require.GreaterOrEqual(t, v[2], uint64(30))
	for i := range v {
		require.NotZero(t, enabled[i])
		require.Equal(t, enabled[i], running[i], "the kernel lets these count all the time")
	}
	_, isTimed := any(open(t, substrate.Options{}, "task-clock")).(substrate.Timed)
	require.False(t, isTimed)
}

func TestMisuse(t *testing.T) {
	g := open(t, substrate.Options{}, "page-faults", "task-clock")
	_, err := g.Read(make([]uint64, 3))
	require.ErrorContains(t, err, "3 values for a group of 2 events")
	require.NoError(t, g.Close())
	_, err = g.Read(make([]uint64, 2))
	require.ErrorContains(t, err, "closed")
	require.NoError(t, g.Close())
	_, err = New().Open(nil, substrate.Options{})
	require.ErrorIs(t, err, substrate.ErrUnknownEvent)
	_, err = New().Open([]string{"page-faults"}, substrate.Options{Thread: -1})
	require.ErrorIs(t, err, substrate.ErrUnsupported)
}

// Opening and closing leaves no descriptors behind, also where it fails.
func TestDescriptorsDoNotLeak(t *testing.T) {
	lockThread(t)
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(entries)
	}
	try := func() {
		for _, names := range [][]string{{"page-faults", "task-clock"}, watches(0, 1, 2, 3), watches(0, 1, 2, 3, 4), {"page-faults", "bogus"}} {
			if g, err := New().Open(names, substrate.Options{}); err == nil {
				g.Close()
			}
		}
		if stop, err := New().Sample("page-faults", 1, substrate.Options{}, func(substrate.Sample) {}); err == nil {
			stop()
		}
		New().Sample("msr/tsc/", 1, substrate.Options{}, func(substrate.Sample) {})
		New().OpenSlot(unix.Gettid(), "bogus")
	}
	try()
	before := count()
	for range 20 {
		try()
	}
	require.Equal(t, before, count())
}

// The substrate serves all goroutines at once.
func TestConcurrentUse(t *testing.T) {
	open(t, substrate.Options{}, "page-faults")
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			v := make([]uint64, 2)
			for range 50 {
				g, err := New().Open([]string{"task-clock", "page-faults"}, substrate.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				last := uint64(0)
				for range 10 {
					if _, err := g.Read(v); err != nil || v[0] < last {
						t.Error("a clock went back: ", last, v[0], err)
					}
					last = v[0]
					runtime.Gosched() // the goroutine goes to other threads, the group stays with its own
				}
				if err := g.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
}
