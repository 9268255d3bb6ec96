// Package perfevent defines the kernel's interface to perf events, as linux/perf_event.h does. Code that asks a kernel for events uses it, also
// inside the measured program, and so does the simulator, whose kernel answers. It needs only the standard library, and compiles on every
// system. Requests of ioctl are encoded as on most processors, including the simulated one.
package perfevent

import "unsafe"

// Types of events, PERF_TYPE_*. From Raw on they are also numbers of units of counters.
const (
	Hardware   = 0
	Software   = 1
	Tracepoint = 2
	Cache      = 3
	Raw        = 4
	Breakpoint = 5
)

// Attr is struct perf_event_attr.
type Attr struct {
	Type, Size   uint32
	Config       uint64
	Period       uint64
	Sample       uint64 // what samples hold: [SampleIP] and so on
	Format       uint64 // what readings hold: [FormatGroup] and so on
	Flags        uint64 // [FlagDisabled] and so on
	Wakeup       uint32
	BPType       uint32 // of a watchpoint: 1 read, 2 write, 4 execute
	Config1      uint64 // of a watchpoint: its address
	Config2      uint64 // of a watchpoint: its length
	Branches     uint64
	UserRegs     uint64
	UserStack    uint32
	Clock        int32
	Interrupt    uint64
	AuxWatermark uint32
	Depth        uint16
	Reserved2    uint16
	AuxSize      uint32
	Reserved3    uint32
	Signal       uint64
	Config3      uint64
}

// Sizes of struct perf_event_attr: that of its first version, that of [Attr], and what the kernel takes at most.
const (
	LeastSize = 64
	Size      = uint32(unsafe.Sizeof(Attr{}))
	MostSize  = 4096
)

// Is tells whether one of the flags is set.
func (a *Attr) Is(flags uint64) bool { return a.Flags&flags != 0 }

// Flags of an event.
const (
	FlagDisabled           = 1 << 0
	FlagInherit            = 1 << 1
	FlagPinned             = 1 << 2
	FlagExclusive          = 1 << 3
	FlagExcludeUser        = 1 << 4
	FlagExcludeKernel      = 1 << 5
	FlagExcludeHV          = 1 << 6
	FlagExcludeIdle        = 1 << 7
	FlagFrequency          = 1 << 10
	FlagEnableOnExec       = 1 << 12
	FlagWatermark          = 1 << 14
	FlagPrecise            = 3 << PreciseShift
	FlagSampleIDAll        = 1 << 18
	FlagExcludeHost        = 1 << 19
	FlagExcludeGuest       = 1 << 20
	FlagExcludeKernelChain = 1 << 21
	FlagExcludeUserChain   = 1 << 22
	FlagUseClock           = 1 << 25
	FlagInheritThread      = 1 << 35 // not by processes; since Linux 5.13
	FlagsAll               = 1<<38 - 1
	PreciseShift           = 15
)

// What a reading of an event holds.
const (
	FormatEnabled = 1 << iota
	FormatRunning
	FormatID
	FormatGroup
	FormatLost // since Linux 6.0
	FormatsAll = 1<<iota - 1
)

// What samples hold.
const (
	SampleIP         = 1 << 0
	SampleTID        = 1 << 1
	SampleTime       = 1 << 2
	SampleAddress    = 1 << 3
	SampleRead       = 1 << 4
	SampleChain      = 1 << 5
	SampleID         = 1 << 6
	SampleCPU        = 1 << 7
	SamplePeriod     = 1 << 8
	SampleStream     = 1 << 9
	SampleIdentifier = 1 << 16
	SamplesAll       = 1<<25 - 1
)

// Kinds of records.
const (
	RecordLost        = 2
	RecordThrottle    = 5
	RecordSample      = 9
	RecordLostSamples = 13
)

// Entries of call chains from ContextMax on are no addresses but say whose addresses follow.
const (
	ContextMax  = ^uint64(0) - 4095 + 1
	ContextUser = ^uint64(0) - 512 + 1
)

// Flags of perf_event_open.
const (
	OpenNoGroup   = 1 << 0
	OpenOutput    = 1 << 1
	OpenCgroup    = 1 << 2
	OpenCloseExec = 1 << 3
)

// Requests of ioctl, and the argument by which the whole group is meant.
const (
	IoctlEnable    = 0x2400
	IoctlDisable   = 0x2401
	IoctlRefresh   = 0x2402
	IoctlReset     = 0x2403
	IoctlPeriod    = 0x40082404
	IoctlSetOutput = 0x2405
	IoctlID        = 1<<31 | pointer<<16 | 0x2407
	IoctlModify    = 1<<30 | pointer<<16 | 0x240b
	WholeGroup     = 1
	pointer        = 4 << (^uint(0) >> 63) // its size
)
