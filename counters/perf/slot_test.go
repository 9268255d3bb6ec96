//go:build linux

package perf

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
	"tracerec/internal/testkit"
)

// measured is a goroutine on a thread of its own that does what it is told.
type measured struct {
	tid  int
	todo chan func()
	done chan struct{}
}

func newMeasured(t testing.TB) *measured {
	m := &measured{todo: make(chan func()), done: make(chan struct{})}
	tid := make(chan int)
	testkit.GoOnNewThread(func() {
		tid <- unix.Gettid()
		for f := range m.todo {
			f()
			m.done <- struct{}{}
		}
	})
	m.tid = <-tid
	t.Cleanup(func() { close(m.todo) })
	return m
}

func (m *measured) do(f func()) {
	m.todo <- f
	<-m.done
}

func openSlot(t testing.TB, m *measured, event string) substrate.Slot {
	t.Helper()
	l, err := New().OpenSlot(m.tid, event)
	skipUnlessPossible(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

func TestSlotsAreSwitchedFromAnotherThreadExactly(t *testing.T) {
	m := newMeasured(t)
	l := openSlot(t, m, watch(0))
	for cell := range 8 {
		m.do(func() {
			for c := range 8 {
				store(c, 10*(c+1))
			}
		})
		count, cycles, err := l.Read()
		require.NoError(t, err)
		require.EqualValues(t, 10*(cell+1), count, "slice of cell %d", cell)
		require.NotZero(t, cycles)
		again, _, err := l.Switch(watch((cell + 1) % 8))
		require.NoError(t, err)
		require.Equal(t, count, again, "Read did not end the slice")
	}
	count, _, err := l.Read()
	require.NoError(t, err)
	require.Zero(t, count, "a slice begins at 0")
}

// A thread that goes on without being scheduled anew must be counted from the very begin of a slice.
func TestSlicesBeginAtOnce(t *testing.T) {
	lockForever()
	for round := range 20 {
		l, err := New().OpenSlot(unix.Gettid(), watch(round%8))
		skipUnlessPossible(t, err)
		store(round%8, 20)
		for k := range 8 {
			count, _, err := l.Switch(watch(k))
			require.NoError(t, err)
			require.EqualValues(t, 20, count, "slice %d of round %d", k, round)
			store(k, 20)
		}
		require.NoError(t, l.Close())
	}
}

func TestSlotChangesTheKindOfEvent(t *testing.T) {
	m := newMeasured(t)
	l := openSlot(t, m, watch(0))
	m.do(func() { store(0, 7) })
	count, _, err := l.Switch("page-faults")
	require.NoError(t, err)
	require.EqualValues(t, 7, count)
	m.do(func() { touch(t, 50) })
	count, _, err = l.Switch(watch(1) + ":u") // other modes: another descriptor
	require.NoError(t, err)
	require.GreaterOrEqual(t, count, uint64(50))
	require.Less(t, count, uint64(150), "beside the runtime's own faults")
	m.do(func() { store(1, 9) })
	count, _, err = l.Switch("nonsense")
	require.ErrorIs(t, err, substrate.ErrUnknownEvent)
	require.EqualValues(t, 9, count, "what was counted is told, too")
	m.do(func() { store(1, 3) })
	count, _, err = l.Read()
	require.NoError(t, err)
	require.EqualValues(t, 3, count, "the old event goes on")
}

func TestSlotGoesOnWhenTheNextIsRefused(t *testing.T) {
	m := newMeasured(t)
	l := openSlot(t, m, watch(0)+":u")
	for round := range 2 {
		m.do(func() { store(0, 4+round) })
		count, _, err := l.Switch("mem:0xffffffff81000000/8:w:u") // the kernel's memory, but not in its mode
		require.ErrorIs(t, err, substrate.ErrUnsupported)
		require.EqualValues(t, 4+round, count)
		m.do(func() { store(0, 2) })
		count, _, err = l.Switch(watch(0) + ":u")
		require.NoError(t, err)
		require.EqualValues(t, 2, count)
	}
}

func TestSlotsTakeAllCounters(t *testing.T) {
	m := newMeasured(t)
	var slots []substrate.Slot
	for c := range 4 {
		slots = append(slots, openSlot(t, m, watch(c)))
	}
	_, err := New().OpenSlot(m.tid, watch(4))
	require.ErrorIs(t, err, substrate.ErrNoCounters)
	for round := range 2 { // 8 cells by turns on 4 registers
		m.do(func() {
			for c := range 8 {
				store(c, c+1)
			}
		})
		for i, l := range slots {
			count, _, err := l.Switch(watch((i + 4) % 8))
			require.NoError(t, err)
			require.EqualValues(t, i+1+4*round, count)
		}
	}
}

func TestSlotOfAnExitedThread(t *testing.T) {
	m := &measured{todo: make(chan func()), done: make(chan struct{})}
	ended := make(chan int)
	testkit.GoOnNewThread(func() {
		ended <- unix.Gettid()
		<-m.todo
		store(0, 5)
	})
	tid := <-ended
	l, err := New().OpenSlot(tid, watch(0))
	skipUnlessPossible(t, err)
	defer l.Close()
	m.todo <- nil
	testkit.Until(t, "the thread's end", func() bool { return unix.Tgkill(unix.Getpid(), tid, 0) != nil })
	count, _, err := l.Read()
	require.NoError(t, err)
	require.EqualValues(t, 5, count, "the last value stays")
	_, err = New().OpenSlot(tid, watch(0))
	require.ErrorIs(t, err, substrate.ErrGone)
}

func BenchmarkSwitch(b *testing.B) {
	m := newMeasured(b)
	l := openSlot(b, m, watch(0))
	names := watches(0, 1)
	for i := range b.N {
		if _, _, err := l.Switch(names[i&1]); err != nil {
			b.Fatal(err)
		}
	}
}
