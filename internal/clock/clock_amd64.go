package clock

import (
	"bytes"

	"tracerec/internal/rawfile"
)

const counterKind = TSC

// counter reads the time-stamp counter after everything before it has been done.
func counter() uint64

// counterFrequency is not told by the processor in a form that virtual machines keep.
func counterFrequency() uint64 { return 0 }

// Best returns the best clock of this machine. The time-stamp counter is taken only if it runs at one speed, never
// stops, and the kernel itself keeps time by it, having tested it against others.
func Best() Kind {
	source, err := rawfile.Read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	if err != nil || string(bytes.TrimSpace(source)) != "tsc" {
		return Monotonic
	}
	info, err := rawfile.Read("/proc/cpuinfo")
	if err != nil {
		return Monotonic
	}
	_, flags, _ := bytes.Cut(info, []byte("\nflags"))
	flags, _, _ = bytes.Cut(flags, []byte("\n"))
	has := func(name string) bool { return bytes.Contains(append(flags, ' '), []byte(" "+name+" ")) }
	if has("constant_tsc") && has("nonstop_tsc") {
		return TSC
	}
	return Monotonic
}
