package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
	"tracerec/counters/mpx"
	"tracerec/counters/perf"
	"tracerec/counters/substrate"
	"tracerec/internal/testkit"
)

// cells are what watchpoints watch.
var cells [8]int64

// stores is what a process that this one starts does to the first cell instead of testing.
const stores = "CONFORMANCE_STORES"

func TestMain(m *testing.M) {
	if n, err := strconv.Atoi(os.Getenv(stores)); err == nil {
		store(&cells[0], n)
		multiplySingles(n)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// store writes n times to p: a watchpoint there counts exactly so many.
//
//go:noinline
//go:norace
func store(p *int64, n int) {
	for i := range n {
		*p = int64(i)
	}
}

// Perf is the kernel's perf events, as far as every machine has them: watchpoints in debug registers, which count exactly.
func Perf() Harness {
	return Harness{
		Name: "perf_event", Title: "stores, by watchpoints in four debug registers, the kernel's perf events",
		Lacks: map[Capability]string{
			Picky:   "every watchpoint fits in every debug register",
			Presets: "they need a hardware PMU, and work whose counts are known exactly",
			Narrow:  "the kernel widens counters to 64 bits",
			Faults:  "the tests of counters/perf inject the kernel's errors",
			Levels:  "no perf event is a level",
		},
		New: newPerf,
	}
}

func TestPerf(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g, err := perf.New().Open([]string{watch(0), watch(1), watch(2), watch(3)}, substrate.Options{})
	if err != nil {
		t.Skip("four watchpoints cannot be set here: ", err)
	}
	require.NoError(t, g.Close())
	h := Perf()
	if g, err := perf.New().Open([]string{watch(0)}, substrate.Options{Domain: substrate.Kernel}); err != nil {
		h.Lacks[Domains] = err.Error()
	} else {
		require.NoError(t, g.Close())
	}
	Run(t, h)
}

func watch(i int) string { return fmt.Sprintf("mem:%#x/8:w", uintptr(unsafe.Pointer(&cells[i]))) }

func newPerf(t *testing.T) *Bench {
	b := &Bench{N: 200, Counters: 4, Loose: 0.25, Turns: &mpx.Options{Slice: -1, Seed: 1}}
	for i := range cells {
		b.Works = append(b.Works, Work{Event: watch(i), Do: func(n int) { store(&cells[i], n) }})
		b.Many = append(b.Many, watch(i))
	}
	pipe, in, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() {
		pipe.Close()
		in.Close()
	})
	b.Set = func() *counters.EventSet { return counters.New(perf.New()) }
	b.Events = perf.New().Events()
	b.Opened = func() int { return openEvents(t) }
	b.Disturb = runtime.Gosched
	b.Kernel = func(n int) {
		for range n { // the kernel stores the number of bytes that can be read
			_, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, pipe.Fd(), syscall.TIOCINQ, uintptr(unsafe.Pointer(&cells[0])))
			require.Zero(t, errno)
		}
	}
	b.Child = func() *Child { return newThread(func(n int) { store(&cells[0], n) }) }
	b.CPUEvent = "page-faults"
	b.OnCPU = func(n int) int { return faultOn(t, n) }
	b.Spawn = storeElsewhere(t)
	b.Pass = func(d time.Duration) { compute(t, d) }
	b.Settle = func() { time.Sleep(2 * time.Millisecond) }
	b.DoAt = func(n int) (low, high uintptr) {
		store(&cells[0], n)
		return codeOf(reflect.ValueOf(store).Pointer())
	}
	b.Mix = func(s *counters.EventSet, rounds int) []int64 { return mix(t, s, rounds) }
	b.Moment = func(*counters.EventSet) {
		for i := range cells {
			store(&cells[i], 10)
		}
	}
	return b
}

// openEvents counts the descriptors of perf events.
func openEvents(t *testing.T) (n int) {
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	for _, e := range entries {
		if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.Contains(to, "perf_event") {
			n++
		}
	}
	return n
}

// newThread starts a thread that does the work when it is told to.
func newThread(do func(n int)) *Child {
	tid, work, done := make(chan int), make(chan int), make(chan bool)
	testkit.GoOnNewThread(func() {
		tid <- syscall.Gettid()
		for n := range work {
			do(n)
			done <- true
		}
	})
	c := &Child{Thread: <-tid}
	c.Do = func(n int) {
		work <- n
		<-done
	}
	c.End = func() {
		close(work)
		for syscall.Tgkill(syscall.Getpid(), c.Thread, 0) != syscall.ESRCH {
			time.Sleep(10 * time.Microsecond)
		}
	}
	return c
}

// storeElsewhere stores so often in a process of its own.
func storeElsewhere(t *testing.T) func(n int) {
	return func(n int) {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), stores+"="+strconv.Itoa(n))
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// compute keeps the thread busy for so much of its own time.
func compute(t *testing.T, d time.Duration) {
	from, err := counters.VirtualNanoseconds()
	require.NoError(t, err)
	for now := from; now < from+int64(d); {
		now, err = counters.VirtualNanoseconds()
		require.NoError(t, err)
	}
}

// faultOn causes page faults on the first processor that is permitted, and returns its number.
func faultOn(t *testing.T, n int) int {
	if os.Geteuid() != 0 {
		t.Skip("whole processors are counted by root only")
	}
	var before, one [16]uint64
	const size = unsafe.Sizeof(before)
	_, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, size, uintptr(unsafe.Pointer(&before)))
	require.Zero(t, errno)
	cpu := 0
	for before[cpu/64]&(1<<(cpu%64)) == 0 {
		cpu++
	}
	one[cpu/64] = 1 << (cpu % 64)
	_, _, errno = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, size, uintptr(unsafe.Pointer(&one)))
	require.Zero(t, errno)
	page := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, (n+1)*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	for i := range n {
		memory[i*page] = 1
	}
	require.NoError(t, syscall.Munmap(memory))
	_, _, errno = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, 0, size, uintptr(unsafe.Pointer(&before)))
	require.Zero(t, errno)
	return cpu
}

// codeOf returns the range of the function that begins at entry.
func codeOf(entry uintptr) (low, high uintptr) {
	for high = entry; runtime.FuncForPC(high).Entry() == entry; high++ {
	}
	return entry, high
}

// mix stores steadily to all cells, by turns of some milliseconds.
func mix(t *testing.T, s *counters.EventSet, rounds int) []int64 {
	truth := make([]int64, len(cells))
	for range rounds * 2 { // eight events on four counters
		for range 30 {
			for i := range cells {
				store(&cells[i], 1)
				truth[i]++
			}
			compute(t, 20*time.Microsecond)
		}
		s.Rotate()
	}
	return truth
}
