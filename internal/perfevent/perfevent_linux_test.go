package perfevent

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// What is stated here is what Linux says.
func TestAsLinux(t *testing.T) {
	for _, c := range []struct{ linux, here []uint64 }{
		{[]uint64{unix.PERF_TYPE_HARDWARE, unix.PERF_TYPE_SOFTWARE, unix.PERF_TYPE_TRACEPOINT, unix.PERF_TYPE_HW_CACHE, unix.PERF_TYPE_RAW, unix.PERF_TYPE_BREAKPOINT},
			[]uint64{Hardware, Software, Tracepoint, Cache, Raw, Breakpoint}},
		{[]uint64{unix.PerfBitDisabled, unix.PerfBitInherit, unix.PerfBitPinned, unix.PerfBitExclusive, unix.PerfBitExcludeUser, unix.PerfBitExcludeKernel,
			unix.PerfBitExcludeHv, unix.PerfBitExcludeIdle, unix.PerfBitFreq, unix.PerfBitEnableOnExec, unix.PerfBitWatermark,
			unix.PerfBitPreciseIPBit1 | unix.PerfBitPreciseIPBit2, unix.PerfBitSampleIDAll, unix.PerfBitExcludeHost, unix.PerfBitExcludeGuest,
			unix.PerfBitExcludeCallchainKernel, unix.PerfBitExcludeCallchainUser, unix.PerfBitUseClockID},
			[]uint64{FlagDisabled, FlagInherit, FlagPinned, FlagExclusive, FlagExcludeUser, FlagExcludeKernel,
				FlagExcludeHV, FlagExcludeIdle, FlagFrequency, FlagEnableOnExec, FlagWatermark,
				FlagPrecise, FlagSampleIDAll, FlagExcludeHost, FlagExcludeGuest,
				FlagExcludeKernelChain, FlagExcludeUserChain, FlagUseClock}},
		{[]uint64{unix.PERF_FORMAT_TOTAL_TIME_ENABLED, unix.PERF_FORMAT_TOTAL_TIME_RUNNING, unix.PERF_FORMAT_ID, unix.PERF_FORMAT_GROUP, unix.PERF_FORMAT_LOST,
			unix.PERF_FORMAT_MAX - 1}, []uint64{FormatEnabled, FormatRunning, FormatID, FormatGroup, FormatLost, FormatsAll}},
		{[]uint64{unix.PERF_SAMPLE_IP, unix.PERF_SAMPLE_TID, unix.PERF_SAMPLE_TIME, unix.PERF_SAMPLE_ADDR, unix.PERF_SAMPLE_READ, unix.PERF_SAMPLE_CALLCHAIN,
			unix.PERF_SAMPLE_ID, unix.PERF_SAMPLE_CPU, unix.PERF_SAMPLE_PERIOD, unix.PERF_SAMPLE_STREAM_ID, unix.PERF_SAMPLE_IDENTIFIER, unix.PERF_SAMPLE_MAX - 1},
			[]uint64{SampleIP, SampleTID, SampleTime, SampleAddress, SampleRead, SampleChain,
				SampleID, SampleCPU, SamplePeriod, SampleStream, SampleIdentifier, SamplesAll}},
		{[]uint64{unix.PERF_RECORD_LOST, unix.PERF_RECORD_THROTTLE, unix.PERF_RECORD_SAMPLE, unix.PERF_RECORD_LOST_SAMPLES},
			[]uint64{RecordLost, RecordThrottle, RecordSample, RecordLostSamples}},
		{[]uint64{unix.PERF_FLAG_FD_NO_GROUP, unix.PERF_FLAG_FD_OUTPUT, unix.PERF_FLAG_PID_CGROUP, unix.PERF_FLAG_FD_CLOEXEC},
			[]uint64{OpenNoGroup, OpenOutput, OpenCgroup, OpenCloseExec}},
		{[]uint64{unix.PERF_COUNT_SW_CPU_CLOCK, unix.PERF_COUNT_SW_TASK_CLOCK, unix.PERF_COUNT_SW_PAGE_FAULTS, unix.PERF_COUNT_SW_CONTEXT_SWITCHES,
			unix.PERF_COUNT_SW_CPU_MIGRATIONS, unix.PERF_COUNT_SW_PAGE_FAULTS_MIN, unix.PERF_COUNT_SW_PAGE_FAULTS_MAJ, unix.PERF_COUNT_SW_ALIGNMENT_FAULTS,
			unix.PERF_COUNT_SW_EMULATION_FAULTS, unix.PERF_COUNT_SW_DUMMY, unix.PERF_COUNT_SW_BPF_OUTPUT, unix.PERF_COUNT_SW_MAX},
			[]uint64{CPUClock, TaskClock, PageFaults, ContextSwitches, Migrations, MinorFaults, MajorFaults, AlignmentFaults, EmulationFaults, Dummy, BPFOutput, SoftwareCodes}},
		{[]uint64{unix.PERF_COUNT_HW_CPU_CYCLES, unix.PERF_COUNT_HW_INSTRUCTIONS, unix.PERF_COUNT_HW_CACHE_REFERENCES, unix.PERF_COUNT_HW_CACHE_MISSES,
			unix.PERF_COUNT_HW_BRANCH_INSTRUCTIONS, unix.PERF_COUNT_HW_BRANCH_MISSES, unix.PERF_COUNT_HW_BUS_CYCLES, unix.PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
			unix.PERF_COUNT_HW_STALLED_CYCLES_BACKEND, unix.PERF_COUNT_HW_REF_CPU_CYCLES, unix.PERF_COUNT_HW_MAX},
			[]uint64{Cycles, Instructions, CacheReferences, CacheMisses, Branches, BranchMisses, BusCycles, StalledFrontend, StalledBackend, RefCycles, HardwareCodes}},
		{[]uint64{unix.PERF_COUNT_HW_CACHE_L1D, unix.PERF_COUNT_HW_CACHE_L1I, unix.PERF_COUNT_HW_CACHE_LL, unix.PERF_COUNT_HW_CACHE_DTLB, unix.PERF_COUNT_HW_CACHE_ITLB,
			unix.PERF_COUNT_HW_CACHE_BPU, unix.PERF_COUNT_HW_CACHE_NODE, unix.PERF_COUNT_HW_CACHE_MAX}, []uint64{L1D, L1I, LastLevel, DTLB, ITLB, BranchUnit, Node, Caches}},
		{[]uint64{unix.PERF_COUNT_HW_CACHE_OP_READ, unix.PERF_COUNT_HW_CACHE_OP_WRITE, unix.PERF_COUNT_HW_CACHE_OP_PREFETCH, unix.PERF_COUNT_HW_CACHE_OP_MAX},
			[]uint64{Load, Store, Prefetch, Operations}},
	} {
		require.Equal(t, c.linux, c.here)
	}
	for _, context := range [][2]int64{{unix.PERF_CONTEXT_MAX, -int64(^ContextMax) - 1}, {unix.PERF_CONTEXT_USER, -int64(^ContextUser) - 1}} {
		require.Equal(t, context[0], context[1])
	}
	if slices.Contains([]string{"amd64", "arm64", "riscv64"}, runtime.GOARCH) { // others encode requests in another way
		require.Equal(t, []uintptr{unix.PERF_EVENT_IOC_ENABLE, unix.PERF_EVENT_IOC_DISABLE, unix.PERF_EVENT_IOC_REFRESH, unix.PERF_EVENT_IOC_RESET,
			unix.PERF_EVENT_IOC_PERIOD, unix.PERF_EVENT_IOC_SET_OUTPUT, unix.PERF_EVENT_IOC_ID, unix.PERF_EVENT_IOC_MODIFY_ATTRIBUTES, unix.PERF_IOC_FLAG_GROUP},
			[]uintptr{IoctlEnable, IoctlDisable, IoctlRefresh, IoctlReset, IoctlPeriod, IoctlSetOutput, IoctlID, IoctlModify, WholeGroup})
	}
}

func TestLayout(t *testing.T) {
	var a Attr
	var b unix.PerfEventAttr
	require.EqualValues(t, unix.PERF_ATTR_SIZE_VER8, Size)
	require.EqualValues(t, unix.PERF_ATTR_SIZE_VER0, LeastSize)
	require.Equal(t, [...]uintptr{unsafe.Offsetof(b.Config), unsafe.Offsetof(b.Sample), unsafe.Offsetof(b.Sample_type), unsafe.Offsetof(b.Read_format),
		unsafe.Offsetof(b.Bits), unsafe.Offsetof(b.Wakeup), unsafe.Offsetof(b.Bp_type), unsafe.Offsetof(b.Ext1), unsafe.Offsetof(b.Ext2),
		unsafe.Offsetof(b.Clockid), unsafe.Offsetof(b.Aux_watermark), unsafe.Offsetof(b.Sample_max_stack), unsafe.Offsetof(b.Aux_sample_size), unsafe.Offsetof(b.Sig_data)},
		[...]uintptr{unsafe.Offsetof(a.Config), unsafe.Offsetof(a.Period), unsafe.Offsetof(a.Sample), unsafe.Offsetof(a.Format),
			unsafe.Offsetof(a.Flags), unsafe.Offsetof(a.Wakeup), unsafe.Offsetof(a.BPType), unsafe.Offsetof(a.Config1), unsafe.Offsetof(a.Config2),
			unsafe.Offsetof(a.Clock), unsafe.Offsetof(a.AuxWatermark), unsafe.Offsetof(a.Depth), unsafe.Offsetof(a.AuxSize), unsafe.Offsetof(a.Signal)})
}
