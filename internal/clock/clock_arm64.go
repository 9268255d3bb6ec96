package clock

const counterKind = Virtual

// counter reads the virtual count register after everything before it has been done.
func counter() uint64

// counterFrequency returns what the firmware says of the counter's frequency.
func counterFrequency() uint64

// Best returns the best clock of this machine: the architecture guarantees a counter of constant frequency.
func Best() Kind {
	if counterFrequency() == 0 {
		return Monotonic
	}
	return Virtual
}
