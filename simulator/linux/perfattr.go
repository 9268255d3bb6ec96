//go:build linux

package linux

import (
	"encoding/binary"
	"syscall"
)

// eventAttr is struct perf_event_attr, as far as it matters here.
type eventAttr struct {
	typ                   uint32
	config                uint64
	period                uint64
	sample, format, flags uint64
	wakeup                uint32
	clock                 int32
}

// Sizes of struct perf_event_attr: its first version, and the one that is known here.
const (
	attrLeast = 64
	attrKnown = 136
	attrMost  = 4096
)

// Flags of events.
const (
	attrDisabled      = 1 << 0
	attrInherit       = 1 << 1
	attrPinned        = 1 << 2
	attrExclusive     = 1 << 3
	attrExcludeUser   = 1 << 4
	attrExcludeKernel = 1 << 5
	attrFrequency     = 1 << 10
	attrEnableOnExec  = 1 << 12
	attrWatermark     = 1 << 14
	attrSampleIDAll   = 1 << 18
	attrUseClock      = 1 << 25
	attrInheritThread = 1 << 35
	// attrKnownFlags have a meaning here, or need none: those of hypervisors and of idle time, precision, call chains.
	attrKnownFlags = attrDisabled | attrInherit | attrPinned | attrExclusive | attrExcludeUser | attrExcludeKernel | 1<<6 | 1<<7 |
		attrEnableOnExec | attrWatermark | 3<<15 | attrSampleIDAll | 3<<19 | 3<<21 | attrUseClock | attrInheritThread
	attrAllFlags = 1<<38 - 1
)

// What is read of an event.
const (
	formatEnabled = 1 << iota
	formatRunning
	formatID
	formatGroup
	formatLost
	formatAll = 1<<iota - 1
)

// What samples hold.
const (
	sampleIP         = 1 << 0
	sampleTID        = 1 << 1
	sampleTime       = 1 << 2
	sampleAddress    = 1 << 3
	sampleRead       = 1 << 4
	sampleChain      = 1 << 5
	sampleID         = 1 << 6
	sampleCPU        = 1 << 7
	samplePeriod     = 1 << 8
	sampleStream     = 1 << 9
	sampleIdentifier = 1 << 16
	sampleKnown      = 1<<10 - 1 | sampleIdentifier
	sampleAll        = 1<<25 - 1
)

// parseAttr reads a struct perf_event_attr of the size that it tells. E2BIG means that it has fields that are not known here.
func parseAttr(b []byte) (a eventAttr, err errno) {
	if len(b) < attrLeast || len(b) > attrMost {
		return a, syscall.E2BIG
	}
	for _, extra := range b[min(len(b), attrKnown):] {
		if extra != 0 {
			return a, syscall.E2BIG
		}
	}
	var known [attrKnown]byte
	copy(known[:], b)
	le := binary.LittleEndian
	a = eventAttr{typ: le.Uint32(known[0:]), config: le.Uint64(known[8:]), period: le.Uint64(known[16:]), sample: le.Uint64(known[24:]),
		format: le.Uint64(known[32:]), flags: le.Uint64(known[40:]), wakeup: le.Uint32(known[48:]), clock: int32(le.Uint32(known[92:]))}
	switch {
	case a.flags&^attrAllFlags != 0 || le.Uint16(known[110:]) != 0 || le.Uint32(known[116:]) != 0: // what is reserved
		return a, syscall.EINVAL
	case a.sample&^sampleAll != 0 || a.format&^formatAll != 0:
		return a, syscall.EINVAL
	case a.flags&attrFrequency == 0 && a.period>>63 != 0:
		return a, syscall.EINVAL
	case a.flags&(attrInherit|attrInheritThread) == attrInheritThread:
		return a, syscall.EINVAL
	case a.flags&attrUseClock != 0 && !clocks[a.clock]:
		return a, syscall.EINVAL
	case a.flags&attrInherit != 0 && a.sample&sampleRead != 0:
		return a, syscall.EINVAL
	case a.flags&^attrKnownFlags != 0 || a.sample&^sampleKnown != 0:
		return a, syscall.EOPNOTSUPP
	}
	return a, 0
}

// clocks are those by which records may have their times.
var clocks = map[int32]bool{0: true, 1: true, 4: true, 7: true, 11: true}

// is tells whether a flag is set.
func (a *eventAttr) is(flag uint64) bool { return a.flags&flag != 0 }

// readAttr reads the struct perf_event_attr at an address. If it is too large, the size that is known is stored there.
func (p *process) readAttr(at uint64) (a eventAttr, err errno) {
	size, err := p.word32(at + 4)
	if err != 0 {
		return a, err
	}
	if size == 0 {
		size = attrLeast
	}
	err = syscall.E2BIG
	if size >= attrLeast && size <= attrMost {
		b, fault := p.bytes(at, uint64(size))
		if fault != 0 {
			return a, fault
		}
		a, err = parseAttr(b)
	}
	if err == syscall.E2BIG {
		p.putWord32(at+4, attrKnown)
	}
	return a, err
}
