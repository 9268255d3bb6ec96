//go:build linux

package linux

import (
	"encoding/binary"
	"syscall"

	"tracerec/internal/perfevent"
)

// knownFlags have a meaning here, or need none: those of hypervisors and of idle time, precision, call chains.
const knownFlags = perfevent.FlagDisabled | perfevent.FlagInherit | perfevent.FlagPinned | perfevent.FlagExclusive |
	perfevent.FlagExcludeUser | perfevent.FlagExcludeKernel | perfevent.FlagExcludeHV | perfevent.FlagExcludeIdle |
	perfevent.FlagEnableOnExec | perfevent.FlagWatermark | perfevent.FlagPrecise | perfevent.FlagSampleIDAll |
	perfevent.FlagExcludeHost | perfevent.FlagExcludeGuest | perfevent.FlagExcludeKernelChain | perfevent.FlagExcludeUserChain |
	perfevent.FlagUseClock | perfevent.FlagInheritThread

// knownSamples are what samples may hold here.
const knownSamples = 1<<10 - 1 | perfevent.SampleIdentifier

// parseAttr reads a struct perf_event_attr of the size that it tells. E2BIG means that it has fields that are not known here.
func parseAttr(b []byte) (a perfevent.Attr, err errno) {
	if len(b) < perfevent.LeastSize || len(b) > perfevent.MostSize {
		return a, syscall.E2BIG
	}
	for _, extra := range b[min(len(b), int(perfevent.Size)):] {
		if extra != 0 {
			return a, syscall.E2BIG
		}
	}
	var known [perfevent.Size]byte
	copy(known[:], b)
	if _, err := binary.Decode(known[:], binary.LittleEndian, &a); err != nil {
		panic(err) // it has that size
	}
	switch {
	case a.Flags&^perfevent.FlagsAll != 0 || a.Reserved2 != 0 || a.Reserved3 != 0:
		return a, syscall.EINVAL
	case a.Sample&^perfevent.SamplesAll != 0 || a.Format&^perfevent.FormatsAll != 0:
		return a, syscall.EINVAL
	case a.Flags&perfevent.FlagFrequency == 0 && a.Period>>63 != 0:
		return a, syscall.EINVAL
	case a.Flags&(perfevent.FlagInherit|perfevent.FlagInheritThread) == perfevent.FlagInheritThread:
		return a, syscall.EINVAL
	case a.Flags&perfevent.FlagUseClock != 0 && !clocks[a.Clock]:
		return a, syscall.EINVAL
	case a.Flags&perfevent.FlagInherit != 0 && a.Sample&perfevent.SampleRead != 0:
		return a, syscall.EINVAL
	case a.Flags&^knownFlags != 0 || a.Sample&^knownSamples != 0:
		return a, syscall.EOPNOTSUPP
	}
	return a, 0
}

// clocks are those by which records may have their times.
var clocks = map[int32]bool{0: true, 1: true, 4: true, 7: true, 11: true}

// readAttr reads the struct perf_event_attr at an address. If it is too large, the size that is known is stored there.
func (p *process) readAttr(at uint64) (a perfevent.Attr, err errno) {
	size, err := p.word32(at + 4)
	if err != 0 {
		return a, err
	}
	if size == 0 {
		size = perfevent.LeastSize
	}
	err = syscall.E2BIG
	if size >= perfevent.LeastSize && size <= perfevent.MostSize {
		b, fault := p.bytes(at, uint64(size))
		if fault != 0 {
			return a, fault
		}
		a, err = parseAttr(b)
	}
	if err == syscall.E2BIG {
		p.putWord32(at+4, perfevent.Size)
	}
	return a, err
}
