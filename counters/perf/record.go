package perf

import (
	"encoding/binary"

	"tracerec/counters/substrate"
)

// Kinds of records in the kernel's ring buffers, PERF_RECORD_*.
const (
	recordLost        = 2
	recordThrottle    = 5
	recordSample      = 9
	recordLostSamples = 13
)

// What samples hold, PERF_SAMPLE_*: the instruction, process and thread, time, call chain. With the period, software
// events would deliver every single event.
const sampleType = 1<<0 | 1<<1 | 1<<2 | 1<<5

// Entries of call chains from here on are no addresses but say whose addresses follow, PERF_CONTEXT_*.
const (
	contextMax  = ^uint64(0) - 4095 + 1
	contextUser = ^uint64(0) - 512 + 1
)

// record is what one record of a ring buffer says.
type record struct {
	sample    substrate.Sample
	isSample  bool
	lost      uint64
	throttled bool
}

// recordHeader is the size of what precedes each record: kind, flags and size.
const recordHeader = 8

// parseRecord decodes the record of that kind; false if it is malformed. Records of kinds that do not matter are empty.
func parseRecord(kind uint32, b []byte) (r record, ok bool) {
	word := func(i int) uint64 { return binary.NativeEndian.Uint64(b[8*i:]) }
	switch kind {
	case recordLost: // id, number
		if len(b) < 16 {
			return r, false
		}
		r.lost = word(1)
	case recordLostSamples:
		if len(b) < 8 {
			return r, false
		}
		r.lost = word(0)
	case recordThrottle:
		r.throttled = true
	case recordSample: // instruction, process | thread, time, length of the chain, chain
		const fixed = 4
		if len(b) < 8*fixed || word(3) > uint64(len(b)/8-fixed) {
			return r, false
		}
		r.isSample = true
		r.sample = substrate.Sample{
			PC:     uintptr(word(0)),
			Thread: int(int32(binary.NativeEndian.Uint32(b[12:]))),
			Time:   int64(word(2)),
		}
		r.sample.Stack = userStack(b[8*fixed:], int(word(3)))
		if len(r.sample.Stack) > 0 { // of an event inside the kernel: where that was entered
			r.sample.PC = r.sample.Stack[0]
		}
	}
	return r, true
}

// userStack returns the part of a call chain that is in user mode.
func userStack(chain []byte, n int) (stack []uintptr) {
	user := false
	for i := range n {
		switch a := binary.NativeEndian.Uint64(chain[8*i:]); {
		case a >= contextMax:
			user = a == contextUser
		case user:
			if stack == nil {
				stack = make([]uintptr, 0, n-i)
			}
			stack = append(stack, uintptr(a))
		}
	}
	return stack
}
