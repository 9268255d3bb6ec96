package sample

import (
	"fmt"
	"iter"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tracerec/internal/clock"
	"tracerec/internal/goid"
	"tracerec/internal/testkit"
)

const perMilli = 1e6 // tests tell the time in ns

func now() uint64 { return clock.Now(clock.Monotonic) }

func open(t testing.TB, specs ...string) *Set {
	s, err := Open(specs, perMilli)
	if err != nil || len(s.Missing()) > 0 {
		t.Skip("no counters here: ", err, s.Missing())
	}
	t.Cleanup(s.Close)
	return s
}

// reader is a goroutine's readings.
type reader struct {
	s     *Set
	state Reading
	words [MaxWords]uint64
}

func (r *reader) read() int     { return r.s.Read(goid.G(), &r.state, r.words[:], now(), false, false) }
func (r *reader) waits() int    { return r.s.Read(goid.G(), &r.state, r.words[:], now(), true, false) }
func (r *reader) where() uint64 { return r.words[0] }
func (r *reader) first() uint64 { return r.words[1] }

func TestPageFaultsAreCountedExactly(t *testing.T) {
	r := reader{s: open(t, "page-faults", "task-clock")}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const pages = 100
	mem := mmap(t, pages*os.Getpagesize())
	require.Equal(t, 3, r.read())
	faults, clock := r.words[1], r.words[2]
	for i := 0; i < pages; i++ {
		mem[i*os.Getpagesize()] = 1
	}
	require.GreaterOrEqual(t, r.read(), 3)
	faults = r.words[1] - faults
	require.True(t, faults >= pages && faults < pages+20, "%d faults for %d first touches", faults, pages)
	require.Greater(t, r.words[2], clock, "task-clock stands still")
}

func needWitness(t *testing.T, s *Set) {
	if !s.exact && !s.witness.Found() {
		t.Skip("the runtime's marks were not found in this Go version")
	}
}

func TestWitness(t *testing.T) {
	r := reader{s: open(t, "task-clock")}
	needWitness(t, r.s)
	undisturbed := 0
	for range 100 {
		r.read()
		before := r.where()
		require.NotZero(t, before)
		if n := r.read(); r.where() == before {
			require.Equal(t, 2, n)
			undisturbed++
		}
	}
	require.Greater(t, undisturbed, 50, "back-to-back readings are certain")
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(1) {
		}
	})
	defer stop()
	for name, leave := range map[string]func(){
		"gosched":   runtime.Gosched,
		"sleep":     func() { time.Sleep(time.Microsecond) },
		"coroutine": func() { next() }, // passes the scheduler by
		// As often as a byte needs to come round: a counter of eight bits would see nothing.
		"256 times": func() {
			for range 256 {
				runtime.Gosched()
			}
		},
		"256 times coroutines": func() {
			for range 256 {
				next()
			}
		},
	} {
		for range 50 {
			r.read()
			before := r.where()
			leave()
			require.Equal(t, 3, r.read(), name) // with a bound
			require.NotEqual(t, before, r.where(), name)
		}
	}
}

// TestWaitsAreNobodys: what is counted between a reading before a wait and the next is not charged, so it needs no bound.
func TestWaitsAreNobodys(t *testing.T) {
	r := reader{s: open(t, "task-clock")}
	needWitness(t, r.s)
	r.read()
	r.waits()
	before := r.where()
	time.Sleep(time.Millisecond)
	require.Equal(t, 2, r.read())
	require.NotEqual(t, before, r.where())
	runtime.Gosched()
	require.Equal(t, 3, r.read(), "the wait is over")
}

// TestBoundsBeginWithTheirStretch: a bound has nothing of what its goroutine did before, neither what was certain nor what another
// bound stands for, however old the totals are that it goes back to.
func TestBoundsBeginWithTheirStretch(t *testing.T) {
	s, err := Open([]string{"page-faults"}, 1<<62)
	if err != nil || len(s.Remarks()) > 0 {
		t.Skip("no counters of the process here: ", err)
	}
	t.Cleanup(s.Close)
	needWitness(t, s)
	r := reader{s: s}
	const pages, noise = 1000, 200
	touch := func() {
		mem := mmap(t, pages*os.Getpagesize())
		for i := range pages {
			mem[i*os.Getpagesize()] = 1
		}
	}
	bound := func() uint64 { // of all since the last reading
		runtime.Gosched()
		require.Equal(t, 3, r.read())
		return r.words[2]
	}
	r.read()
	bound() // the totals are known now
	for range 5 {
		before, interval := r.first(), r.where()
		touch()
		if r.read(); r.where() == interval {
			require.GreaterOrEqual(t, r.first()-before, uint64(pages))
		}
		require.Less(t, bound(), uint64(noise), "what was certain is not in it")
		touch()
		most := bound()
		require.GreaterOrEqual(t, most, uint64(pages), "all that is not certain is in it")
		require.Less(t, most, uint64(pages+noise))
		require.Less(t, bound(), uint64(noise), "what the last one had is not in it")
		touch()
		r.waits()
		runtime.Gosched()
		r.read()
		require.Less(t, bound(), uint64(noise), "what preceded a wait is not in it")
	}
}

func TestManyThreads(t *testing.T) {
	testkit.NeedDescriptors(t, 1000)
	s := open(t, "task-clock")
	var wg sync.WaitGroup
	for range 100 { // more threads than the first table holds, and their numbers die with them
		wg.Go(func() {
			runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
			r := reader{s: s}
			if r.read() != 2 {
				t.Error("reading refused")
			}
			before := r.first()
			for x := time.Now(); time.Since(x) < time.Millisecond; {
			}
			if r.read() < 2 || r.first() <= before {
				t.Error("task-clock did not advance on its own thread")
			}
		})
	}
	wg.Wait()
}

func TestProcessCountersAreNeverCertain(t *testing.T) {
	r := reader{s: open(t, "go:alloc-bytes|/gc/heap/allocs:bytes", "go:gc-cycles|/gc/cycles/total:gc-cycles", "go:pauses|/sched/pauses/total/gc:seconds")}
	require.Equal(t, 4, r.read())
	cycles, pauses := r.words[2], r.words[3]
	runtime.GC()
	require.Equal(t, 4, r.read())
	require.Zero(t, r.where())
	require.Greater(t, r.words[2], cycles)
	require.Greater(t, r.words[3], pauses)
}

// TestMissingCountersAreAbsent: what this machine does not have is left out, with the reason; the others count.
func TestMissingCountersAreAbsent(t *testing.T) {
	s, err := Open([]string{"nonsense", "task-clock", "void|+ff.0.0.0.0.0.", "go:void|/no/such:metric"}, perMilli)
	if err != nil {
		t.Skip("no counters here: ", err)
	}
	t.Cleanup(s.Close)
	require.Equal(t, []string{"task-clock"}, s.Names())
	var missing []string
	for _, m := range s.Missing() {
		require.NotEmpty(t, m.Why)
		missing = append(missing, m.Name)
	}
	require.Equal(t, []string{"nonsense", "go:void", "void"}, missing)
	_, err = Open([]string{"nonsense"}, perMilli)
	require.Error(t, err)
}

// TestRemarks: what makes counters too low is said with their names, the reason and what to do.
func TestRemarks(t *testing.T) {
	user := &Set{names: []string{"go:x", "faults", "all"}, threads: newThreads(nil), exact: true,
		kernel: []counter{{at: 2, terms: []term{{}, {cut: true}}}, {at: 3, terms: []term{{}}}}}
	require.Equal(t, []string{"counted in user mode only, because the kernel does not permit more: faults (run as root, or with " +
		"kernel.perf_event_paranoid at 1 or less, to count what the kernel does for the program)"}, user.Remarks())
	var cells [4]uint64
	var specs []string
	for i := range cells {
		specs = append(specs, fmt.Sprintf("cell%d|+5.0.%x.8.2.0.", i, uintptr(unsafe.Pointer(&cells[i]))))
	}
	remarks := strings.Join(open(t, specs...).Remarks(), "")
	if remarks == "" {
		t.Skip("this machine has registers for all and the process")
	}
	require.Contains(t, remarks, "too low, without an upper bound of what is missing: cell0, cell1, cell2, cell3 ")
	require.Contains(t, remarks, "all counters for it are in use; use fewer")
}

// TestSums: a counter may be a sum of kernel events.
func TestSums(t *testing.T) {
	r := reader{s: open(t, "none|+1.2.0.0.0.0.-1.2.0.0.0.0.", "page-faults", "twice|+1.2.0.0.0.0.+1.2.0.0.0.0.")}
	mem := mmap(t, 10*os.Getpagesize())
	require.Equal(t, 4, r.read())
	for i := 0; i < 10; i++ {
		mem[i*os.Getpagesize()] = 1
	}
	r.read()
	require.Zero(t, r.words[1])
	require.GreaterOrEqual(t, r.words[2], uint64(10))
	require.Equal(t, 2*r.words[2], r.words[3])
}

func TestReadDoesNotAllocate(t *testing.T) {
	r := reader{s: open(t, "task-clock", "page-faults")}
	require.Zero(t, testing.AllocsPerRun(100, func() { r.read() }))
	require.Zero(t, testing.AllocsPerRun(100, func() { runtime.Gosched(); r.read() }))
}

// TestCostOfReading: a certain reading costs hardly more than the bare system calls, which look and read. The fastest of short batches of either, by
// turns, are compared, so that what else the machine does falls on both.
func TestCostOfReading(t *testing.T) {
	if testkit.Race {
		t.Skip("the race detector's own cost would be measured")
	}
	r := reader{s: open(t, "task-clock", "page-faults")}
	needWitness(t, r.s)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r.read()
	var g group
	least := [2]time.Duration{1 << 60, 1 << 60}
	for range 300 {
		ticks := now()
		for i, f := range []func(){
			func() { readGroup(r.state.lead, len(r.s.threads.attrs), &g) },
			func() { r.s.Read(goid.G(), &r.state, r.words[:], ticks, false, false) },
		} {
			const batch = 20
			start := time.Now()
			for range batch {
				f()
			}
			least[i] = min(least[i], time.Since(start)/batch)
		}
	}
	t.Logf("bare %v, certain reading %v: %.2f", least[0], least[1], float64(least[1])/float64(least[0]))
	require.Less(t, least[1], least[0]*3/2)
}

// BenchmarkRead shows what a reading costs beside the bare system call that it makes, and what it costs when the goroutine has left
// its thread, with the reading of the process that the bound takes.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1, 2, 4, 6} {
		names := []string{"task-clock", "page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations"}[:n]
		b.Run(fmt.Sprintf("%d/bare", n), func(b *testing.B) {
			r := reader{s: open(b, names...)}
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			r.read()
			var g group
			for b.Loop() {
				readGroup(r.state.lead, len(r.s.threads.attrs), &g)
			}
		})
		b.Run(fmt.Sprintf("%d/certain", n), func(b *testing.B) {
			r := reader{s: open(b, names...)}
			runtime.LockOSThread() // the same as above
			defer runtime.UnlockOSThread()
			ticks := now()
			for b.Loop() {
				r.s.Read(goid.G(), &r.state, r.words[:], ticks, false, false)
			}
		})
		b.Run(fmt.Sprintf("%d/uncertain", n), func(b *testing.B) {
			r := reader{s: open(b, names...)}
			for b.Loop() {
				r.state.mark = 0 // as if it had left its thread
				r.read()
			}
		})
	}
}
