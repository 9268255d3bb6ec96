package perf

import (
	"encoding/binary"

	"tracerec/counters/substrate"
	"tracerec/internal/perfevent"
)

// sampleType is what samples hold. With the period, software events would deliver every single event.
const sampleType = perfevent.SampleIP | perfevent.SampleTID | perfevent.SampleTime | perfevent.SampleChain

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
	case perfevent.RecordLost: // id, number
		if len(b) < 16 {
			return r, false
		}
		r.lost = word(1)
	case perfevent.RecordLostSamples:
		if len(b) < 8 {
			return r, false
		}
		r.lost = word(0)
	case perfevent.RecordThrottle:
		r.throttled = true
	case perfevent.RecordSample: // instruction, process | thread, time, length of the chain, chain
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
		case a >= perfevent.ContextMax:
			user = a == perfevent.ContextUser
		case user:
			if stack == nil {
				stack = make([]uintptr, 0, n-i)
			}
			stack = append(stack, uintptr(a))
		}
	}
	return stack
}
