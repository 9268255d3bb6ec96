//go:build linux

package perf

import (
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters/substrate"
)

// collector keeps samples.
type collector struct {
	mu      sync.Mutex
	samples []substrate.Sample
}

func (c *collector) add(s substrate.Sample) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.samples = append(c.samples, s)
}

// functions counts the samples by function.
func (c *collector) functions() map[string]int {
	counts := map[string]int{}
	for _, s := range c.samples {
		f, _ := runtime.CallersFrames([]uintptr{s.PC + 1}).Next()
		counts[f.Function[strings.LastIndexByte(f.Function, '.')+1:]]++
	}
	return counts
}

// callers are the functions on the stack of a sample, the innermost first.
func callers(s substrate.Sample) (names []string) {
	pcs := append([]uintptr{s.PC + 1}, s.Stack[1:]...)
	frames := runtime.CallersFrames(pcs)
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		names = append(names, f.Function[strings.LastIndexByte(f.Function, '.')+1:])
	}
	return names
}

func sample(t *testing.T, event string, threshold uint64, o substrate.Options) (c *collector, stop func() uint64) {
	t.Helper()
	c = &collector{}
	s, err := New().Sample(event, threshold, o, c.add)
	skipUnlessPossible(t, err)
	var once sync.Once
	var lost uint64
	stop = func() uint64 {
		once.Do(func() {
			lost, err = s()
			require.NoError(t, err)
		})
		return lost
	}
	t.Cleanup(func() { stop() })
	return c, stop
}

//go:noinline
func storeFrom(cell, n int) { store(cell, n); runtime.KeepAlive(&cells) }

func TestWatchpointHitsAreFoundOnTheirLine(t *testing.T) {
	lockThread(t)
	c, stop := sample(t, watch(0), 1, substrate.Options{})
	const n = 300
	storeFrom(0, n)
	require.Zero(t, stop())
	require.Equal(t, n, len(c.samples))
	for _, s := range c.samples {
		f, _ := runtime.CallersFrames([]uintptr{s.PC + 1}).Next()
		require.Equal(t, storeLine, f.Line, "%s", f.Function)
		require.Equal(t, unix.Gettid(), s.Thread)
		require.EqualValues(t, 1, s.Count)
		require.Equal(t, watch(0), s.Event)
	}
	require.Equal(t, "store", callers(c.samples[0])[0])
	require.Contains(t, callers(c.samples[0]), t.Name())
	require.IsIncreasing(t, []int64{c.samples[0].Time, c.samples[n-1].Time, now()})
}

func now() int64 {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	return ts.Nano()
}

func TestEveryHundredthHit(t *testing.T) {
	lockThread(t)
	c, stop := sample(t, watch(0), 100, substrate.Options{})
	store(0, 1050)
	require.Zero(t, stop())
	require.Equal(t, 10, len(c.samples))
	for _, s := range c.samples {
		require.EqualValues(t, 100, s.Count)
	}
}

//go:noinline
func touchPages(t testing.TB, n int) { touch(t, n) }

func TestPageFaultsAreFoundInTheirFunction(t *testing.T) {
	lockThread(t)
	c, stop := sample(t, "page-faults", 1, substrate.Options{})
	const n = 200
	touchPages(t, n)
	require.Zero(t, stop())
	planted, stacks := 0, 0
	for _, s := range c.samples {
		f, _ := runtime.CallersFrames([]uintptr{s.PC + 1}).Next()
		if strings.HasSuffix(f.Function, ".touch") && f.Line == touchLine {
			planted++
			if names := callers(s); len(names) > 2 && names[1] == "touchPages" && names[2] == t.Name() {
				stacks++
			}
		}
	}
	requireFaults(t, n, planted)
	require.Equal(t, planted, stacks)
}

// requireFaults allows for faults that the kernel had to take twice because another thread changed the memory map.
func requireFaults(t *testing.T, touched, faults int, of ...any) {
	t.Helper()
	require.GreaterOrEqual(t, faults, touched, of...)
	require.LessOrEqual(t, faults, touched+5, of...)
}

// All threads of the process are sampled, also those that begin later.
func TestTheWholeProcessIsSampled(t *testing.T) {
	var ready, done sync.WaitGroup
	work := make(chan struct{})
	worker := func(n int) {
		defer done.Done()
		lockForever()
		ready.Done()
		<-work
		touch(t, n)
	}
	start := func(n int) {
		ready.Add(1)
		done.Add(1)
		go worker(n)
		ready.Wait()
	}
	for range 4 {
		start(100)
	}
	c, stop := sample(t, "page-faults", 1, substrate.Options{Thread: os.Getpid(), Inherit: true})
	for range 4 {
		start(100)
	}
	close(work)
	done.Wait()
	lost := stop()
	byThread := map[int]int{}
	for _, s := range c.samples {
		if f, _ := runtime.CallersFrames([]uintptr{s.PC + 1}).Next(); strings.HasSuffix(f.Function, ".touch") && f.Line == touchLine {
			byThread[s.Thread]++
		}
	}
	require.Zero(t, lost)
	require.Len(t, byThread, 8)
	for tid, n := range byThread {
		requireFaults(t, 100, n, "thread %d", tid)
	}
}

func TestWatchpointHitsOfTheWholeProcess(t *testing.T) {
	c, stop := sample(t, watch(0), 1, substrate.Options{Thread: os.Getpid(), Inherit: true})
	var done sync.WaitGroup
	tids := make(chan int, 3)
	for i := range 3 {
		done.Go(func() {
			lockForever()
			tids <- unix.Gettid()
			store(0, 20*(i+1))
		})
	}
	done.Wait()
	require.Zero(t, stop())
	require.Equal(t, 120, len(c.samples))
	byThread := map[int]int{}
	for _, s := range c.samples {
		f, _ := runtime.CallersFrames([]uintptr{s.PC + 1}).Next()
		require.Equal(t, storeLine, f.Line)
		byThread[s.Thread]++
	}
	for range 3 {
		require.Contains(t, []int{20, 40, 60}, byThread[<-tids])
	}
}

// What does not fit into the buffer while the handler dawdles is counted.
func TestLostSamplesAreCounted(t *testing.T) {
	lockThread(t)
	hold := make(chan struct{})
	delivered := 0
	stop, err := New().Sample(watch(0), 1, substrate.Options{}, func(substrate.Sample) {
		<-hold
		delivered++
	})
	skipUnlessPossible(t, err)
	const n = 10000
	store(0, n)
	close(hold)
	lost, err := stop()
	require.NoError(t, err)
	require.NotZero(t, lost)
	require.EqualValues(t, n, uint64(delivered)+lost)
}

func TestOtherEventsAreSampled(t *testing.T) {
	lockThread(t)
	c, stop := sample(t, "context-switches", 1, substrate.Options{})
	for range 20 {
		time.Sleep(time.Millisecond)
		unix.Nanosleep(&unix.Timespec{Nsec: 1e5}, nil)
	}
	stop()
	require.GreaterOrEqual(t, len(c.samples), 20)
	for _, clock := range []string{"task-clock", "cpu-clock"} {
		c, stop := sample(t, clock, 1e6, substrate.Options{}) // every ms of the processor
		spin(60e6)
		stop()
		require.Greater(t, len(c.samples), 20, clock)
		require.Greater(t, c.functions()["spin"], len(c.samples)/4, clock)
	}
}

// spin computes for so many ns of the thread's time.
//
//go:noinline
func spin(ns int64) {
	var ts unix.Timespec
	for start := int64(-1); ; {
		unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts)
		if start < 0 {
			start = ts.Nano()
		} else if ts.Nano()-start > ns {
			return
		}
		x := spun
		for i := range uint64(100_000) {
			x ^= i * x
		}
		spun = x
	}
}

var spun uint64 = 1

func TestWhatCannotBeSampled(t *testing.T) {
	open(t, substrate.Options{}, "page-faults")
	handle := func(substrate.Sample) {}
	for event, want := range map[string]error{
		"msr/tsc/":     substrate.ErrUnsupported,
		"nonsense":     substrate.ErrUnknownEvent,
		"task-clock:u": substrate.ErrUnsupported,
	} {
		_, err := New().Sample(event, 100, substrate.Options{}, handle)
		if !errorsIsPermission(err) {
			require.ErrorIs(t, err, want, event)
		}
	}
	_, err := New().Sample("page-faults", 0, substrate.Options{}, handle)
	require.ErrorIs(t, err, substrate.ErrUnsupported)
	_, err = New().Sample("page-faults", 1, substrate.Options{Thread: 1 << 29}, handle)
	require.ErrorIs(t, err, substrate.ErrGone)
}
