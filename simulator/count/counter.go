// Package count counts what programs do on the simulated machine: every instruction by its class, and what the caches, the
// translation buffers and the branch prediction of a machine do with it. It counts everything at once, without estimates, and separately for
// each goroutine, and for goroutines' code, the runtime's scheduler, the garbage collector, signal handlers and the kernel.
package count

// Counter is one thing that is counted.
type Counter uint8

// The counters. An atomic operation that reads and writes is a load and a store; load-reserved is a load, store-conditional a
// store, whether it succeeds or not.
const (
	Instructions Counter = iota
	FXLoads              // fixed-point
	FXStores
	FPLoads
	FPStores
	LoadsToX0 // among FXLoads: Go's checks for nil
	FPAdds    // also subtractions
	FPMuls
	FPDivides
	FPRoots
	FMAs
	FPSingle // operations in single precision; a fused multiply-add is two
	FPDouble
	FPOther // comparisons, conversions, moves, minima, signs
	Multiplies
	Divides // also remainders
	Branches
	Taken
	Mispredicted
	Jumps // unconditional, neither calls nor returns
	Calls
	Returns
	Indirect      // among jumps and calls
	TargetsMissed // of indirect jumps and calls, and of returns
	Atomics       // all that load and store, not those of pairs
	Reserved      // load-reserved
	Conditional   // store-conditional
	Fences
	ControlRegisters
	SystemCalls

	Fetches // lines of instructions that blocks of instructions consist of
	FetchMisses
	FetchMissesL2
	FetchMissesL3
	FetchTLBMisses
	LoadHits // in L1
	LoadMisses
	LoadMissesL2
	LoadMissesL3
	StoreHits
	StoreMisses
	StoreMissesL2
	StoreMissesL3
	DataTLBMisses
	TLB2Misses
	Unaligned // loads and stores at addresses that are no multiple of their size
	WriteBacks
	WriteBacksL2
	WriteBacksL3
	ColdL1 // data misses by kind, if they are told apart
	CapacityL1
	ConflictL1
	ColdL2
	CapacityL2
	ConflictL2
	ColdL3
	CapacityL3
	ConflictL3

	KernelCycles // of the kernel's services, by the machine's cost of a call; nothing else of the kernel is modelled

	counters // their number
)

// Values are the values of all counters.
type Values [counters]uint64

// Add adds others.
func (v *Values) Add(o *Values) {
	for i := range v {
		v[i] += o[i]
	}
}

// Since returns what was counted since an earlier state.
func (v Values) Since(earlier Values) Values {
	for i := range v {
		v[i] -= earlier[i]
	}
	return v
}
