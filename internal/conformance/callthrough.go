package conformance

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/counters"
	"tracerec/counters/simulated"
	"tracerec/counters/substrate"
	"tracerec/simulator/guest"
)

// lacking is what no counter of the simulator's can do, whoever reads it.
func lacking() map[Capability]string {
	return map[Capability]string{
		Limited:   "all events are counted at once",
		Picky:     "all events are counted at once",
		Turns:     "all events are counted at once",
		Domains:   "the machine models only cycles of the kernel",
		OneCPU:    "sets count for goroutines and threads",
		Inherit:   "every process has counters of its own",
		Overflows: "only the simulated PMU, which counters/perf uses, has interrupts",
		PCs:       "only the simulated PMU, which counters/perf uses, has interrupts",
		Presets:   "every preset is an event; none is computed",
		Narrow:    "all have 64 bits",
		Faults:    "reading does not fail",
		Levels:    "no event is a level",
	}
}

// callThrough is the counters of the simulator, for goroutines.
func callThrough() Harness {
	h := Harness{Name: "call-through", Title: "floating-point operations of a goroutine, read from the simulator by call-through", Lacks: lacking(),
		New: func(t *testing.T) *Bench { return newCallThrough(t, simulated.Goroutines()) }}
	h.Lacks[Disturbances] = "all readings of a goroutine are certain"
	return h
}

// callThroughThreads is the counters of the simulator, for threads.
func callThroughThreads() Harness {
	h := Harness{Name: "call-through, threads", Title: "the same, of a thread", Lacks: lacking(),
		New: func(t *testing.T) *Bench { return newCallThrough(t, simulated.Threads()) }}
	h.Lacks[Certainty] = "a thread does work for several goroutines"
	return h
}

func newCallThrough(t *testing.T, s *simulated.Substrate) *Bench {
	t.Cleanup(func() { debug.SetGCPercent(debug.SetGCPercent(-1)) })
	debug.SetGCPercent(-1) // the collector computes with floating-point numbers
	o := &opened{Substrate: s}
	b := &Bench{N: 500, Opened: func() int { return o.n }, Events: s.Events(), Disturb: runtime.Gosched}
	b.Works = []Work{{Event: "sim:PAPI_FSQ_INS", Do: takeRoots}, {Event: "sim:PAPI_SP_OPS", Do: multiplySingle}, {Event: "sim:PAPI_FMA_INS", Do: fuse}}
	b.Set = func() *counters.EventSet { return counters.New(o) }
	b.Child = func() *Child { return newWorker(t) }
	b.Pass = time.Sleep // emulated overflows come by the clock
	b.Settle = func() { time.Sleep(2 * time.Millisecond) }
	return b
}

var (
	result       float64
	resultSingle float32
)

//go:noinline
func takeRoots(n int) {
	x := 2.0
	for range n {
		x = math.Sqrt(x)
	}
	result = x
}

//go:noinline
func multiplySingle(n int) {
	x, y := resultSingle, resultSingle
	for range n {
		x *= y
	}
	resultSingle = x
}

//go:noinline
func fuse(n int) {
	x, y := result, result
	for range n {
		x = math.FMA(x, y, y)
	}
	result = x
}

// opened is a substrate that knows how many of its groups are open.
type opened struct {
	*simulated.Substrate
	n int
}

// Open opens a group.
func (o *opened) Open(names []string, options substrate.Options) (substrate.Group, error) {
	g, err := o.Substrate.Open(names, options)
	if err != nil {
		return nil, err
	}
	o.n++
	return &counted{g, o}, nil
}

type counted struct {
	substrate.Group
	of *opened
}

// Close closes the group.
func (c *counted) Close() error {
	c.of.n--
	return c.Group.Close()
}

// newWorker starts a thread that works when it is told to.
func newWorker(t *testing.T) *Child {
	thread, work, done := make(chan uint64), make(chan int), make(chan bool)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		id, err := guest.Identity(guest.Thread)
		if err != nil {
			id = 0
		}
		thread <- id
		for n := range work {
			takeRoots(n)
			done <- true
		}
	}()
	id := <-thread
	require.NotZero(t, id)
	return &Child{
		Thread: int(id),
		Do: func(n int) {
			work <- n
			<-done
		},
		End: func() {
			close(work)
			require.Eventually(t, func() bool {
				c, err := guest.InitOf(guest.Thread, id)
				if err == nil {
					err = c.Close()
				}
				return err != nil
			}, 10*time.Second, time.Millisecond)
		},
	}
}
