package clock

import (
	"encoding/binary"
	"sync"

	"tracerec/internal/rawfile"
)

const counterKind = Time

// counter reads the time register after everything before it has been done.
func counter() uint64

// counterFrequency returns what the firmware says of the counter's frequency, 0 if it says nothing.
var counterFrequency = sync.OnceValue(func() uint64 {
	b, err := rawfile.Read("/proc/device-tree/cpus/timebase-frequency")
	switch {
	case err == nil && len(b) == 4:
		return uint64(binary.BigEndian.Uint32(b))
	case err == nil && len(b) == 8:
		return binary.BigEndian.Uint64(b)
	}
	return 0
})

// Best returns the best clock of this machine: the architecture guarantees a counter of constant frequency, if the firmware
// tells which.
func Best() Kind {
	if counterFrequency() == 0 {
		return Monotonic
	}
	return Time
}
