package conformance

import (
	"math"
	"os"
	"reflect"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"tracerec/counters"
	"tracerec/counters/perf"
	"tracerec/internal/perfevent"
)

// SimulatedPMU is the kernel's perf events on the simulator, with a unit of four counters: the same code as [Perf]. The
// events are of instructions that nothing but the test executes.
func SimulatedPMU() Harness {
	return Harness{
		Name: "perf_event, simulated", Title: "instructions that only the test executes, by perf events on the simulator, whose PMU has four counters and limits on what fits where",
		Lacks: map[Capability]string{
			Domains: "the machine models only cycles of the kernel, and no test can cause a given number of them",
			Presets: "every preset is an event of the unit; none is computed",
			Narrow:  "the kernel widens counters to 64 bits",
			Faults:  "the tests of counters/perf inject the kernel's errors",
			Levels:  "no perf event is a level",
		},
		New: newSimulated,
	}
}

// inside is set by the test that runs this one on the simulator.
const inside = "CONFORMANCE_INSIDE"

func TestPMU(t *testing.T) {
	if os.Getenv(inside) == "" {
		t.Skip("it is run on the simulator, by TestSimulatedPMU")
	}
	Run(t, SimulatedPMU())
}

// What the works work on: every step loads, operates and stores.
var (
	figure, factor         = 1.5, 1.25
	single         float32 = 1.5
)

//go:noinline
func multiplySingles(n int) {
	for range n {
		single = single * single
	}
}

//go:noinline
func root(n int) {
	for range n {
		figure = math.Sqrt(figure)
	}
}

//go:noinline
func divide(n int) {
	for range n {
		figure = figure / factor
	}
}

//go:noinline
func add(n int) {
	for range n {
		figure = figure + factor
	}
}

//go:noinline
func multiplyAdd(n int) {
	for range n {
		figure = math.FMA(figure, factor, figure)
	}
}

//go:noinline
func negate(n int) {
	for range n {
		figure = -figure
	}
}

// simulatedWorks are in an order in which the first four fit together, and the fifth beside them not. Nobody else has
// numbers of single precision; what the others do, sets that take turns do as well, when they estimate.
var simulatedWorks = []Work{
	{Event: "cpu/PAPI_SP_OPS/", Do: multiplySingles},
	{Event: "cpu/PAPI_FMA_INS/", Do: multiplyAdd},
	{Event: "cpu/PAPI_FDV_INS/", Do: divide},
	{Event: "cpu/PAPI_FSQ_INS/", Do: root},
	{Event: "cpu/PAPI_FAD_INS/", Do: add},
	{Event: "cpu/SIM_FP_OTHER/", Do: negate},
}

// simulatedTurn is how long an event keeps its counter.
const simulatedTurn = 100 * time.Microsecond

func newSimulated(t *testing.T) *Bench {
	runtime.MemProfileRate = 0 // the runtime computes with floating-point numbers where its samples are
	b := &Bench{N: 200, Counters: 4, Loose: 0.25, Works: simulatedWorks}
	mixed := []Work{b.Works[4], b.Works[0], b.Works[1], b.Works[5], b.Works[2], b.Works[3]} // those that need the same counter apart
	for _, w := range mixed {
		b.Many = append(b.Many, w.Event)
	}
	b.Picky = [3]string{b.Works[4].Event, b.Works[5].Event, b.Works[0].Event}
	b.Set = func() *counters.EventSet { return counters.New(perf.New()) }
	b.Events = perf.New().Events()
	b.Opened = eventsOpen
	b.Disturb = runtime.Gosched
	b.Child = simulatedThread
	b.CPUEvent = b.Works[0].Event
	b.OnCPU = func(n int) int { return multiplyOn(0, n) }
	b.Spawn = storeElsewhere(t)
	b.Pass = func(d time.Duration) {
		for from := time.Now(); time.Since(from) < d; {
		}
	}
	b.Settle = func() { time.Sleep(time.Millisecond) }
	b.DoAt = func(n int) (low, high uintptr) {
		multiplySingles(n)
		return codeOf(reflect.ValueOf(multiplySingles).Pointer())
	}
	b.Mix = func(_ *counters.EventSet, rounds int) []int64 {
		truth := make([]int64, len(mixed))
		for from := time.Now(); time.Since(from) < time.Duration(rounds*len(mixed))*simulatedTurn; {
			for i, w := range mixed {
				w.Do(20 + i)
				truth[i] += int64(20 + i)
			}
		}
		return truth
	}
	b.Moment = func(*counters.EventSet) {
		for _, w := range b.Works {
			w.Do(10)
		}
	}
	return b
}

// eventsOpen counts the descriptors of perf events.
func eventsOpen() int { return len(eventNumbers()) }

// eventNumbers returns the numbers of the perf events that are open: nothing else has any.
func eventNumbers() (all []uint64) {
	for fd := range 256 {
		var id uint64
		if _, _, errno := syscall.RawSyscall(syscall.SYS_IOCTL, uintptr(fd), perfevent.IoctlID, uintptr(unsafe.Pointer(&id))); errno == 0 && id != 0 {
			all = append(all, id)
		}
	}
	return all
}

func simulatedThread() *Child { return newThread(multiplySingles) }

// multiplyOn multiplies so often on a processor, at least, and returns its number.
func multiplyOn(cpu, n int) int {
	here := func() bool {
		const getcpu = 168
		var now uint32
		_, _, errno := syscall.RawSyscall(getcpu, uintptr(unsafe.Pointer(&now)), 0, 0)
		return errno == 0 && int(now) == cpu
	}
	for n += n / 10; n > 0; {
		if !here() {
			time.Sleep(50 * time.Microsecond) // it may wake up elsewhere
			continue
		}
		multiplySingles(1)
		if here() {
			n--
		}
	}
	return cpu
}
