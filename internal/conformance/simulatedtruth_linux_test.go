package conformance

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"tracerec/counters"
	"tracerec/counters/mpx"
	"tracerec/counters/perf"
	"tracerec/counters/substrate"
)

// What is asked of the test that runs this one on the simulator, by the call-through.
const (
	markNow = iota // from here on, or up to here
	tellValue
)

// tell has the simulator note its own counts, or a value that was counted here.
func tell(what, value uintptr) {
	const callThrough = 0x7452
	syscall.RawSyscall(callThrough, what, value, 0)
}

// onePMU is what the tests here count with: they are run one by one, each on a PMU of its own.
func onePMU(t *testing.T) {
	if os.Getenv(inside) == "" {
		t.Skip("it is run on the simulator")
	}
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	debug.SetGCPercent(-1)
	runtime.MemProfileRate = 0
	daxpy(2) // what takes longer only once is done
}

// vectors are what the work of the tests goes through: more than the first cache holds.
var vectors [2][1 << 14]float64

//go:noinline
func daxpy(n int) {
	x, y := vectors[0][:], vectors[1][:]
	for range n {
		for i := range x {
			y[i] += 1.5 * x[i]
		}
	}
}

// measured counts some work of two amounts with a set, between two moments that the simulator notes.
func measured(t *testing.T, s *counters.EventSet, amounts ...int) {
	before, after := make([]int64, s.Len()), make([]int64, s.Len())
	require.NoError(t, s.Start())
	for _, n := range amounts {
		first := s.Read(before)
		tell(markNow, 0)
		daxpy(n)
		tell(markNow, 0)
		last := s.Read(after)
		require.NoError(t, errors.Join(first, last))
		for i := range after {
			tell(tellValue, uintptr(after[i]-before[i]))
		}
	}
	require.NoError(t, s.Stop(nil))
}

// exactEvents fit together on the unit like a server's.
var exactEvents = []string{"instructions", "cpu/PAPI_FMA_INS/", "cpu/PAPI_FP_OPS/", "cpu/PAPI_LD_INS/", "cpu/PAPI_SR_INS/", "branches",
	"L1-dcache-load-misses", "PAPI_BR_TKN"}

func TestPMUExact(t *testing.T) {
	onePMU(t)
	s := counters.New(perf.New())
	require.NoError(t, s.AddAll(exactEvents...))
	measured(t, s, 1, 1, 1, 3) // the first two do what is done only once
	require.NoError(t, s.Close())
}

// The four events of the paper's figures, and four more: more than there are counters.
var mixedEvents = []string{"cycles", "L1-dcache-load-misses", "cpu/PAPI_FP_OPS/", "cpu/PAPI_LD_INS/", "cpu/PAPI_SR_INS/", "branches", "instructions", "cpu/PAPI_FMA_INS/"}

func TestPMUTurns(t *testing.T) {
	onePMU(t)
	s := counters.New(perf.New())
	require.NoError(t, s.SetOptions(counters.Options{Multiplex: true}))
	require.NoError(t, s.AddAll(mixedEvents...))
	v := make([]int64, s.Len())
	require.NoError(t, s.Start())
	tell(markNow, 0)
	daxpy(240)
	tell(markNow, 0)
	require.NoError(t, s.Stop(v))
	for _, x := range v {
		tell(tellValue, uintptr(x))
	}
	require.NoError(t, s.Close())
}

func TestPMUSlots(t *testing.T) {
	onePMU(t)
	m := mpx.New(perf.New(), syscall.Gettid(), mpx.Options{Slice: time.Millisecond, Seed: 1})
	s, err := m.NewSet(mixedEvents[:4]...)
	require.NoError(t, err)
	values := make([]mpx.Value, 4)
	require.NoError(t, s.Start())
	tell(markNow, 0)
	daxpy(200)
	tell(markNow, 0)
	require.NoError(t, s.Stop())
	require.NoError(t, s.Read(values))
	for _, v := range values {
		tell(tellValue, uintptr(v.Count))
		require.True(t, v.Known())
		require.False(t, v.Whole)
		require.Greater(t, v.Slices, 8)
	}
	require.NoError(t, s.Destroy())
}

// Every event overflows every so many times, and nobody misses it.
func TestPMUOverflows(t *testing.T) {
	onePMU(t)
	tried := 0
	for _, e := range perf.New().Events() {
		if strings.HasPrefix(e.Name, "cpu/PAPI_") || strings.HasPrefix(e.Name, "cpu/SIM_") {
			overflowing(t, e.Name)
			tried++
		}
	}
	require.Greater(t, tried, 50)
}

// overflowing counts an event and its records.
func overflowing(t *testing.T, name string) {
	const period, page, head = 101, 4096, 1024
	e, err := perf.Attr(name)
	require.NoError(t, err)
	a := &unix.PerfEventAttr{Type: e.Type, Size: unix.PERF_ATTR_SIZE_VER0, Config: e.Config, Sample: period, Sample_type: unix.PERF_SAMPLE_IP,
		Bits: unix.PerfBitDisabled | unix.PerfBitExcludeKernel}
	fd, err := unix.PerfEventOpen(a, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	require.NoError(t, err)
	defer unix.Close(fd)
	buffer, err := unix.Mmap(fd, 0, 65*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	require.NoError(t, err)
	defer unix.Munmap(buffer)
	require.NoError(t, unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_ENABLE, 0))
	variety()
	require.NoError(t, unix.IoctlSetInt(fd, unix.PERF_EVENT_IOC_DISABLE, 0))
	count := make([]byte, 8)
	_, err = unix.Read(fd, count)
	require.NoError(t, err)
	const record = 16 // a header and the address
	require.Equal(t, binary.NativeEndian.Uint64(count)/period, binary.NativeEndian.Uint64(buffer[head:])/record, name)
}

//go:noinline
func variety() {
	squares, sum := map[int]int{}, 0.0
	for i := range 20 {
		squares[i] = i * i / 3
		sum += math.Sqrt(float64(i)) / 3
		vectors[0][(i*577)%len(vectors[0])] = sum
		syscall.Getppid()
	}
	daxpyPart(vectors[0][:200], vectors[1][:200])
}

//go:noinline
func daxpyPart(x, y []float64) {
	for i := range x {
		y[i] += 1.5 * x[i]
	}
}

// One counter: what does not fit is refused, and says why.
func TestPMUErrors(t *testing.T) {
	onePMU(t)
	s := counters.New(perf.New())
	require.NoError(t, s.Add("instructions"))
	require.ErrorIs(t, s.Add("cycles"), counters.ErrConflict)
	require.NoError(t, s.Start())
	other := counters.New(perf.New())
	require.ErrorIs(t, other.Add("cycles"), counters.ErrBusy)
	require.ErrorIs(t, other.Add("stalled-cycles-frontend"), counters.ErrUnavailable)
	require.ErrorIs(t, other.Add("cpu/nonsense/"), counters.ErrUnknownEvent)
	require.ErrorIs(t, other.Add("mem:0x1000/8:w"), counters.ErrUnavailable)
	require.NoError(t, other.Add("task-clock"))
	require.NoError(t, s.Stop(nil))
	require.NoError(t, s.Cleanup())
	require.NoError(t, other.Cleanup())
	require.NoError(t, s.Add("cycles:u"))
	for _, denied := range []string{"cycles:k", "context-switches"} {
		err := s.Add(denied)
		require.ErrorIs(t, err, counters.ErrPermission)
		require.ErrorContains(t, err, "perf_event_paranoid is 2")
	}
	require.NoError(t, other.Add("instructions:u"))
	require.ErrorIs(t, other.SetOptions(counters.Options{Thread: 99999}), counters.ErrGone)
	err := other.SetOptions(counters.Options{CPU: 1})
	require.ErrorIs(t, err, counters.ErrPermission)
	require.NoError(t, s.Close())
	require.NoError(t, other.Close())
}

// A stopped set keeps its events without keeping their counter from others; it does not take it back while these count, though its events are older.
func TestPMUKept(t *testing.T) {
	onePMU(t)
	const thing, another = "cpu/PAPI_SP_OPS/", "cpu/PAPI_FMA_INS/"
	p := perf.New()
	set := func(event string) *counters.EventSet {
		s := counters.New(p)
		require.NoError(t, s.Add(event))
		require.NoError(t, s.Start())
		return s
	}
	exactly := func(want int64, s *counters.EventSet) {
		v := make([]int64, 1)
		require.NoError(t, s.Stop(v))
		require.Equal(t, want, v[0])
	}
	s := set(thing)
	exactly(0, s)
	kept := eventNumbers()
	require.Len(t, kept, 1)
	for n := range 3 {
		require.NoError(t, s.Start())
		multiplySingles(100 + n)
		exactly(int64(100+n), s)
	}
	require.Equal(t, kept, eventNumbers())

	other := set(another)
	require.ErrorIs(t, s.Start(), counters.ErrBusy)
	multiplyAdd(7)
	exactly(7, other)

	exactly(0, set(thing))
	samples := 0
	stop, err := p.Sample(another, 1, counters.Options{}, func(substrate.Sample) { samples++ })
	require.NoError(t, err)
	require.ErrorIs(t, other.Start(), counters.ErrBusy)
	multiplyAdd(5)
	_, err = stop()
	require.NoError(t, err)
	require.Equal(t, 5, samples)

	s = set(thing)
	exactly(0, s)
	slot, err := p.OpenSlot(syscall.Gettid(), another)
	require.NoError(t, err)
	require.ErrorIs(t, s.Start(), counters.ErrBusy)
	multiplyAdd(3)
	n, _, err := slot.Read()
	require.NoError(t, err)
	require.EqualValues(t, 3, n)
	require.NoError(t, slot.Close())
	require.NoError(t, s.Start())
	exactly(0, s)
	require.NoError(t, errors.Join(s.Close(), other.Close()))
}

// Signals come for every overflow, to a Go program like to any other.
func TestPMUSignals(t *testing.T) {
	onePMU(t)
	const fSetSignal, fSetOwner, fSetFlags, async = 10, 8, 4, 0x2000
	e, err := perf.Attr("cpu/PAPI_SP_OPS/")
	require.NoError(t, err)
	a := &unix.PerfEventAttr{Type: e.Type, Size: unix.PERF_ATTR_SIZE_VER0, Config: e.Config, Sample: 100, Bits: unix.PerfBitExcludeKernel}
	fd, err := unix.PerfEventOpen(a, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
	require.NoError(t, err)
	defer unix.Close(fd)
	got := make(chan os.Signal, 100)
	signal.Notify(got, syscall.SIGUSR1)
	defer signal.Stop(got)
	for _, c := range [][2]int{{fSetSignal, int(syscall.SIGUSR1)}, {fSetOwner, os.Getpid()}, {fSetFlags, async}} {
		_, err := unix.FcntlInt(uintptr(fd), c[0], c[1])
		require.NoError(t, err)
	}
	for range 7 { // the same signal does not queue
		multiplySingles(100)
		require.Equal(t, syscall.SIGUSR1, <-got)
	}
	multiplySingles(99)
	require.Empty(t, got)
}

// A process is counted with all threads that it has, and those that it will have.
func TestPMUProcess(t *testing.T) {
	onePMU(t)
	before, s := simulatedThread(), counters.New(perf.New())
	require.NoError(t, s.SetOptions(counters.Options{Thread: os.Getpid(), Inherit: true}))
	require.NoError(t, s.Add("PAPI_SP_OPS"))
	require.NoError(t, s.Start())
	multiplySingles(10)
	before.Do(200)
	after := simulatedThread()
	after.Do(3000)
	after.End()
	v := make([]int64, 1)
	require.NoError(t, s.Stop(v))
	require.Equal(t, int64(3210), v[0])
	before.End()
	require.NoError(t, s.Close())
}

// What the kernel does takes cycles, of which it is known how many: all, and those of each mode, add up.
func TestPMUModes(t *testing.T) {
	onePMU(t)
	s := counters.New(perf.New())
	require.NoError(t, s.AddAll("cycles", "cycles:u", "cycles:k", "instructions:k"))
	require.NoError(t, s.Start())
	for range 100 {
		syscall.Getppid()
	}
	v := make([]int64, 4)
	require.NoError(t, s.Stop(v))
	require.Equal(t, v[0], v[1]+v[2])
	require.Zero(t, v[3], "its instructions are not modelled")
	for _, x := range v {
		tell(tellValue, uintptr(x))
	}
	require.NoError(t, s.Close())
}
