package counters

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"tracerec/counters/perf"
	"tracerec/counters/substrate"
	"tracerec/internal/witness"
)

var cell [8]int64

func watchpoint(i int) string { return fmt.Sprintf("mem:%#x/8:w", uintptr(unsafe.Pointer(&cell[i]))) }

// here skips the test if events cannot be counted together, and otherwise locks the goroutine to its thread.
func here(t testing.TB, events ...string) {
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	s := New()
	if err := s.AddAll(events...); err != nil {
		t.Skip("not here: ", err)
	}
	require.NoError(t, s.Close())
}

//go:noinline
//go:norace
func storeHere(n int) {
	for i := range n {
		cell[0] = int64(i) // line of the stores
	}
}

//go:noinline
func touchHere(memory []byte) {
	for i := 0; i < len(memory); i += os.Getpagesize() {
		memory[i] = 1 // line of the faults
	}
}

// The profile by event shows the lines where it happens: page faults and hits of a watchpoint.
func TestProfilesShowLinesOfRealEvents(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command: ", err)
	}
	here(t, "page-faults", watchpoint(0))
	const pages, stores = 400, 500
	memory, err := syscall.Mmap(-1, 0, pages*os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer syscall.Munmap(memory)
	require.NoError(t, syscall.Madvise(memory, 15)) // MADV_NOHUGEPAGE
	s := New()
	require.NoError(t, s.AddAll("page-faults", watchpoint(0)))
	faults, err := s.Profile("page-faults", 4, ProfileOptions{})
	require.NoError(t, err)
	hits, err := s.Profile(watchpoint(0), 5, ProfileOptions{})
	require.NoError(t, err)
	require.NoError(t, s.Start())
	touchHere(memory)
	storeHere(stores)
	v := make([]int64, 2)
	require.NoError(t, s.Stop(v))
	require.GreaterOrEqual(t, v[0], int64(pages))
	require.Equal(t, int64(stores), v[1])
	require.Zero(t, s.Lost())
	for _, x := range []struct {
		h        *Histogram
		function string
		line     string
		share    int // in per cent, at least
	}{{faults, "touchHere", "line of the faults", 90}, {hits, "storeHere", "line of the stores", 100}} {
		var out bytes.Buffer
		require.NoError(t, x.h.WritePprof(&out))
		path := filepath.Join(t.TempDir(), "profile.pb.gz")
		require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
		top, err := exec.Command(tool, "tool", "pprof", "-top", "-lines", path).CombinedOutput()
		require.NoError(t, err, string(top))
		at := regexp.MustCompile(`(\d+(?:\.\d+)?)%.*counters\.` + x.function + ` .*perf_linux_test\.go:` + strconv.Itoa(lineOf(t, x.line))).FindSubmatch(top)
		require.NotNil(t, at, string(top))
		share, err := strconv.ParseFloat(string(at[1]), 64)
		require.NoError(t, err)
		require.GreaterOrEqual(t, share, float64(x.share), string(top))
	}
	require.NoError(t, s.Close())
}

// lineOf finds a line of this file by its comment.
func lineOf(t *testing.T, comment string) int {
	text, err := os.ReadFile("perf_linux_test.go")
	require.NoError(t, err)
	for i, line := range bytes.Split(text, []byte("\n")) {
		if bytes.HasSuffix(line, []byte("// "+comment)) {
			return i + 1
		}
	}
	t.Fatal("no line with ", comment)
	return 0
}

// A set attached to the process, with what it starts, profiles all threads.
func TestProfilesOfTheWholeProcess(t *testing.T) {
	here(t, watchpoint(0))
	s := New()
	require.NoError(t, s.SetOptions(Options{Thread: os.Getpid(), Inherit: true}))
	if err := s.Add(watchpoint(0)); err != nil {
		t.Skip("not here: ", err)
	}
	h, err := s.Profile(watchpoint(0), 1, ProfileOptions{})
	require.NoError(t, err)
	require.NoError(t, s.Start())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			runtime.LockOSThread() // never unlocked: a thread that exists, or a new one
			storeHere(20)
		})
	}
	wg.Wait()
	v := make([]int64, 1)
	require.NoError(t, s.Stop(v))
	require.Equal(t, int64(80), v[0])
	samples, _, _, _ := h.Samples()
	require.Equal(t, uint64(80), samples+s.Lost())
	require.NoError(t, s.Close())
}

func TestResourceUsage(t *testing.T) {
	here(t, "rusage:minflt")
	const pages = 100
	memory, err := syscall.Mmap(-1, 0, pages*os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	defer syscall.Munmap(memory)
	require.NoError(t, syscall.Madvise(memory, 15)) // MADV_NOHUGEPAGE
	s := New()
	require.NoError(t, s.AddAll("rusage:minflt", "rusage:process-minflt", "rusage:process-maxrss", "rusage:utime", "rusage:stime"))
	require.ErrorIs(t, s.Add("rusage:maxrss"), ErrUnknownEvent)
	require.ErrorIs(t, s.SetOptions(Options{Thread: 1}), ErrUnsupported)
	require.ErrorIs(t, s.SetOptions(Options{Domain: User}), ErrUnsupported)
	require.NoError(t, s.Start())
	touchHere(memory)
	v := make([]int64, 5)
	require.NoError(t, s.Read(v))
	require.GreaterOrEqual(t, v[0], int64(pages))
	require.GreaterOrEqual(t, v[1], v[0], "the process has this thread")
	require.Greater(t, v[2], int64(1<<20))
	read := make(chan error)
	go func() { read <- s.Read(make([]int64, 5)) }()
	require.ErrorIs(t, <-read, ErrState, "a thread's usage is told to it alone")
	require.NoError(t, s.Close())
}

func TestUsageOfAThreadMayBeCertain(t *testing.T) {
	here(t, "rusage:minflt")
	if !witness.Find().Found() {
		t.Skip("the runtime's marks were not found in this Go version")
	}
	certain, v := 0, make([]int64, 1)
	for range 20 { // others may disturb it
		s := New()
		require.NoError(t, s.Add("rusage:minflt"))
		require.NoError(t, s.Start())
		require.NoError(t, s.Read(v))
		if s.Certain() {
			certain++
		}
		runtime.Gosched()
		require.NoError(t, s.Stop(v))
		require.False(t, s.Certain())
		require.NoError(t, s.Close())
	}
	require.Greater(t, certain, 10)
}

// What another thread must not read cannot overflow by a timer either, and that is told.
func TestTimerThatCannotReadIsTold(t *testing.T) {
	here(t, "rusage:utime", clockEvent)
	s := New()
	require.NoError(t, s.Add("rusage:utime"))
	require.NoError(t, s.OnOverflow("rusage:utime", 1, OverflowOptions{}, func(Overflow) {}))
	require.NoError(t, s.Start())
	from, err := VirtualNanoseconds()
	require.NoError(t, err)
	for now := from; now < from+20e6; {
		now, _ = VirtualNanoseconds()
	}
	require.ErrorIs(t, s.Stop(nil), ErrState)
	require.NoError(t, s.Close())
}

// BenchmarkRead compares a reading of a set with that of its group alone.
func BenchmarkRead(b *testing.B) {
	for _, n := range []int{1, 3, 5} {
		names := []string{"task-clock", "page-faults", "context-switches", "minor-faults", "major-faults"}[:n]
		b.Run(fmt.Sprintf("%d events/group", n), func(b *testing.B) {
			here(b, names...)
			g, err := perf.New().Open(names, substrate.Options{})
			require.NoError(b, err)
			v := make([]uint64, n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Read(v); err != nil {
					b.Fatal(err)
				}
			}
			require.NoError(b, g.Close())
		})
		b.Run(fmt.Sprintf("%d events/set", n), func(b *testing.B) {
			here(b, names...)
			s := New()
			require.NoError(b, s.AddAll(names...))
			require.NoError(b, s.Start())
			v := make([]int64, n)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Read(v); err != nil {
					b.Fatal(err)
				}
			}
			require.NoError(b, s.Close())
		})
	}
}

// A set costs little beside the reading of its group: both are measured by turns, and the least of many counts.
func TestCostOfASet(t *testing.T) {
	names := []string{"task-clock", "page-faults", "context-switches"}
	here(t, names...)
	g, err := perf.New().Open(names, substrate.Options{})
	require.NoError(t, err)
	s := New()
	require.NoError(t, s.AddAll(names...))
	require.NoError(t, s.Start())
	raw, counts := make([]uint64, len(names)), make([]int64, len(names))
	const rounds, readings = 200, 50
	bare, whole := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range rounds {
		from := time.Now()
		for range readings {
			g.Read(raw)
		}
		between := time.Now()
		for range readings {
			s.Read(counts)
		}
		bare, whole = min(bare, between.Sub(from)), min(whole, time.Since(between))
	}
	require.NoError(t, s.Close())
	require.NoError(t, g.Close())
	t.Logf("group %v, set %v: %.2f times", bare/readings, whole/readings, float64(whole)/float64(bare))
	require.Less(t, float64(whole)/float64(bare), 10.0, "also with the race detector")
}

func TestReadingDoesNotAllocate(t *testing.T) {
	here(t, "task-clock", "page-faults")
	s := New()
	require.NoError(t, s.AddAll("task-clock", "page-faults"))
	require.NoError(t, s.Start())
	v := make([]int64, 2)
	require.Zero(t, testing.AllocsPerRun(100, func() { s.Read(v) }))
	require.NoError(t, s.Close())
}
