// Package clock reads the clocks with which events are stamped: the processor's time-stamp counter if
// it can be trusted, otherwise the monotonic clock of the system. All processes of a host that use the same
// kind see the same clock.
//
// The package is linked into measured programs and uses the standard library only.
package clock

import "time"

// Kind is a clock. The numbers are part of the buffer and archive formats.
type Kind uint8

const (
	Monotonic Kind = 1 // CLOCK_MONOTONIC, in ns
	TSC       Kind = 2 // time-stamp counter of x86
	Virtual   Kind = 3 // virtual count register of ARM
	Time      Kind = 4 // time register of RISC-V
)

func (k Kind) String() string {
	switch k {
	case Monotonic:
		return "monotonic"
	case TSC:
		return "tsc"
	case Virtual:
		return "cntvct"
	case Time:
		return "time"
	}
	return "unknown"
}

// Now reads the clock of kind k. The clocks of another architecture read as the monotonic one.
func Now(k Kind) uint64 {
	if k == counterKind {
		return counter()
	}
	return uint64(nanotime())
}

// Stamp is one instant on three clocks.
type Stamp struct {
	Ticks uint64 // of the clock asked for
	Mono  int64  // CLOCK_MONOTONIC, ns
	Wall  int64  // ns since 1970 UTC
}

// Take reads the three clocks together: of several readings it keeps the one whose parts lie closest
// together, which is mostly within 100 ns.
func Take(k Kind) Stamp {
	var best Stamp
	for i, width := 0, ^uint64(0); i < 8; i++ {
		a := Now(k)
		mono := nanotime()
		b := Now(k)
		wall := time.Now().UnixNano()
		wall -= nanotime() - mono
		if b-a < width {
			width = b - a
			best = Stamp{Ticks: a + (b-a)/2, Mono: mono, Wall: wall}
		}
	}
	return best
}

// Frequency measures the ticks per second of the clock of kind k, which takes a quarter of a millisecond; it is
// right to about 1 in 1000. Two stamps taken far apart tell it exactly.
func Frequency(k Kind) uint64 { return FrequencySince(Take(k), k) }

// FrequencySince is Frequency with a stamp of that clock which was taken before: it waits only if that was too short a time ago.
func FrequencySince(a Stamp, k Kind) uint64 {
	const apart = 250 * time.Microsecond
	if k != counterKind {
		return 1e9
	}
	if f := counterFrequency(); f != 0 {
		return f
	}
	if since := time.Duration(nanotime() - a.Mono); since < apart {
		Pause(apart - since)
	}
	b := Take(k)
	return uint64(float64(b.Ticks-a.Ticks) * 1e9 / float64(b.Mono-a.Mono))
}
