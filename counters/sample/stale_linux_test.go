package sample

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// TestTotalsInTheMiddle: a reading that meets totals of which somebody stores new ones, and has lost the processor, keeps those that it has, or waits
// for the new ones. It never ends without any: then nothing would be known of the stretch that follows.
func TestTotalsInTheMiddle(t *testing.T) {
	s := open(t, "page-faults")
	totals := s.totals
	if totals == nil || totals.failed.Load() {
		t.Skip("no totals here")
	}
	var has Reading
	has.version = totals.before(0, true, &has)
	require.NotZero(t, has.version)
	totals.mu.Lock()
	totals.version.Add(1)
	require.Equal(t, has.version, totals.before(0, false, &has))
	first := make(chan uint64)
	go func() { first <- totals.before(0, false, &Reading{}) }()
	runtime.Gosched()
	totals.version.Add(1)
	totals.mu.Unlock()
	require.GreaterOrEqual(t, <-first, has.version+2)
}

// TestGroupOfADeadThread: a thread with the number of a dead one, of which nobody read the last moments, finds the dead one's group. It stands
// still, and its difference of nothing is not taken for certain.
func TestGroupOfADeadThread(t *testing.T) {
	s := open(t, "page-faults", "task-clock")
	if s.exact {
		t.Skip("the scheduler reads")
	}
	needWitness(t, s)
	type thread struct {
		tid  int64
		lead handle
	}
	ended := make(chan thread)
	var last func()
	last = func() {
		runtime.LockOSThread()              // for good: the thread ends with its goroutine
		if gettid() == int64(os.Getpid()) { // but the first one never does
			defer runtime.UnlockOSThread()
			other := make(chan struct{})
			go func() { defer close(other); last() }()
			<-other
			return
		}
		r := reader{s: s}
		r.read()
		ended <- thread{gettid(), r.state.lead}
	}
	go last()
	dead := <-ended
	testkit.Until(t, "the thread ends", func() bool {
		_, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", dead.tid))
		return err != nil
	})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r := reader{s: s}
	r.read()
	e := s.threads.lookup(gettid())
	e.lead.Store(int64(dead.lead))
	e.last.Store(0)

	const pages = 100
	mem := mmap(t, pages*os.Getpagesize()) // before the readings: a system call disturbs
	r = reader{s: s}
	r.read()
	where, faults := r.where(), r.first()
	for i := range pages {
		mem[i*os.Getpagesize()] = 1
	}
	if n := r.read(); r.where() == where {
		require.GreaterOrEqual(t, r.first()-faults, uint64(pages), "certain")
	} else {
		require.Equal(t, 5, n)
		require.GreaterOrEqual(t, r.words[3], uint64(pages), "bound")
	}
	require.NotEqual(t, dead.lead, r.state.lead)
}
