package counters

import (
	"math/bits"
	"sync"
	"time"

	"tracerec/internal/clock"
)

// Timers: real time passes always, virtual time while the calling thread is on a processor (PAPI_get_real_nsec and
// PAPI_get_virt_nsec). Their zero means nothing; differences do. For microseconds there is [time.Duration].

var epoch = time.Now()

// RealNanoseconds returns the real time in ns, on a clock that is never set.
func RealNanoseconds() int64 { return int64(time.Since(epoch)) }

// VirtualNanoseconds returns the processor time of the calling thread in ns; the error wraps [ErrUnavailable] where the
// system does not tell it. A goroutine that changes its thread changes this clock.
func VirtualNanoseconds() (int64, error) { return threadTime() }

// RealCycles returns the real time in ticks of the processor's time-stamp counter, which run at one rate whatever the
// processor does; where it cannot be trusted as a clock, in ns. [CycleRate] is their number per second.
func RealCycles() uint64 { return clock.Now(bestClock()) }

// VirtualCycles returns the processor time of the calling thread in ticks of [RealCycles]; the error is that of
// [VirtualNanoseconds].
func VirtualCycles() (uint64, error) {
	ns, err := threadTime()
	if err != nil {
		return 0, err
	}
	high, low := bits.Mul64(uint64(ns), CycleRate())
	ticks, _ := bits.Div64(high, low, 1e9)
	return ticks, nil
}

// CycleRate returns the ticks of [RealCycles] per second. The first call takes about a millisecond.
func CycleRate() uint64 { return cycleRate() }

var (
	bestClock = sync.OnceValue(clock.Best)
	cycleRate = sync.OnceValue(func() uint64 { return clock.Frequency(bestClock()) })
)
