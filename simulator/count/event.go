//go:build linux

package count

import (
	"errors"
	"fmt"
	"strings"

	"tracerec/simulator/cache"
)

// ErrUnknown is the error of an event that does not exist, or that the machine does not have.
var ErrUnknown = errors.New("no such event")

// term is a part of a sum.
type term struct {
	n int64
	c Counter
}

// Event is a name for a sum of counters. Those called BGL_ are the events of figure 2 of Mindlin et al., "Obtaining Hardware Performance
// Metrics for the BlueGene/L Supercomputer", where a fused multiply-add is one floating-point operation; those called PAPI_ are the presets of PAPI, where it is two operations and one instruction.
// Those called SIM_ are the simulator's own.
type Event struct {
	Name, Description string
	terms             []term
	spent             []cost // of cycles: what they are spent on
}

func sum(cs ...Counter) (t []term) {
	for _, c := range cs {
		t = append(t, term{1, c})
	}
	return t
}

func minus(t []term, cs ...Counter) []term {
	for _, c := range cs {
		t = append(t, term{-1, c})
	}
	return t
}

var (
	loads    = sum(FXLoads, FPLoads)
	stores   = sum(FXStores, FPStores)
	fpOps    = []term{{1, FPAdds}, {1, FPMuls}, {1, FPDivides}, {1, FPRoots}, {2, FMAs}}
	fpIns    = sum(FPAdds, FPMuls, FPDivides, FPRoots, FMAs)
	dataL1   = sum(LoadMisses, StoreMisses)
	dataL2   = sum(LoadMissesL2, StoreMissesL2)
	dataL3   = sum(LoadMissesL3, StoreMissesL3)
	accesses = sum(LoadHits, LoadMisses, StoreHits, StoreMisses)
)

// cost is what the cycle model spends cycles on, see [cache.Cycles].
type cost uint8

const (
	onIssue cost = iota
	onL2
	onL3
	onMemory
	onTLB
	onBranches
	onDivides
	onAtomics
	onKernel

	costs
)

var table = []Event{
	{"BGL_INST", "instructions completed", sum(Instructions), nil},
	{"BGL_LOAD", "fixed-point loads", sum(FXLoads), nil},
	{"BGL_STORE", "fixed-point stores", sum(FXStores), nil},
	{"BGL_D1_HIT", "L1 data hits", sum(LoadHits, StoreHits), nil},
	{"BGL_D1_L_MISS", "L1 data load misses", sum(LoadMisses), nil},
	{"BGL_D1_S_MISS", "L1 data store misses", sum(StoreMisses), nil},
	{"BGL_I1_MISS", "L1 instruction misses", sum(FetchMisses), nil},
	{"BGL_D2_MISS", "L2 data misses", dataL2, nil},
	{"BGL_DTLB_MISS", "data TLB misses", sum(DataTLBMisses), nil},
	{"BGL_ITLB_MISS", "instruction TLB misses", sum(FetchTLBMisses), nil},
	{"BGL_FP_LOAD", "floating-point loads", sum(FPLoads), nil},
	{"BGL_FP_STORE", "floating-point stores", sum(FPStores), nil},
	{"BGL_FP_DIV", "floating-point divides", sum(FPDivides), nil},
	{"BGL_FMA", "floating-point multiply-adds", sum(FMAs), nil},
	{"BGL_FLOPS", "floating-point operations; a multiply-add is one", fpIns, nil},

	{"PAPI_TOT_INS", "instructions completed", sum(Instructions), nil},
	{"PAPI_TOT_CYC", "cycles, by the machine's model", nil, []cost{onIssue, onL2, onL3, onMemory, onTLB, onBranches, onDivides, onAtomics, onKernel}},
	{"PAPI_RES_STL", "cycles stalled for any reason", nil, []cost{onL2, onL3, onMemory, onTLB, onBranches, onDivides, onAtomics}},
	{"PAPI_MEM_SCY", "cycles stalled on the caches below L1, memory, and address translation", nil, []cost{onL2, onL3, onMemory, onTLB}},
	{"PAPI_LD_INS", "loads", loads, nil},
	{"PAPI_SR_INS", "stores", stores, nil},
	{"PAPI_LST_INS", "loads and stores", sum(FXLoads, FPLoads, FXStores, FPStores), nil},
	{"PAPI_FP_INS", "floating-point instructions; a multiply-add is one", fpIns, nil},
	{"PAPI_FP_OPS", "floating-point operations; a multiply-add is two", fpOps, nil},
	{"PAPI_SP_OPS", "floating-point operations in single precision", sum(FPSingle), nil},
	{"PAPI_DP_OPS", "floating-point operations in double precision", sum(FPDouble), nil},
	{"PAPI_FMA_INS", "floating-point multiply-adds", sum(FMAs), nil},
	{"PAPI_FML_INS", "floating-point multiplies", sum(FPMuls), nil},
	{"PAPI_FAD_INS", "floating-point additions and subtractions", sum(FPAdds), nil},
	{"PAPI_FDV_INS", "floating-point divides", sum(FPDivides), nil},
	{"PAPI_FSQ_INS", "floating-point square roots", sum(FPRoots), nil},
	{"PAPI_BR_INS", "branches, jumps, calls and returns", sum(Branches, Jumps, Calls, Returns), nil},
	{"PAPI_BR_CN", "conditional branches", sum(Branches), nil},
	{"PAPI_BR_UCN", "jumps, calls and returns", sum(Jumps, Calls, Returns), nil},
	{"PAPI_BR_TKN", "conditional branches taken", sum(Taken), nil},
	{"PAPI_BR_NTK", "conditional branches not taken", minus(sum(Branches), Taken), nil},
	{"PAPI_BR_MSP", "conditional branches mispredicted", sum(Mispredicted), nil},
	{"PAPI_BR_PRC", "conditional branches predicted correctly", minus(sum(Branches), Mispredicted), nil},
	{"PAPI_BTAC_M", "targets of indirect jumps and returns mispredicted", sum(TargetsMissed), nil},
	{"PAPI_CSR_TOT", "store-conditionals", sum(Conditional), nil},
	{"PAPI_SYC_INS", "fences and atomic operations", sum(Fences, Atomics, Reserved, Conditional), nil},
	{"PAPI_L1_DCA", "L1 data accesses", accesses, nil},
	{"PAPI_L1_DCH", "L1 data hits", sum(LoadHits, StoreHits), nil},
	{"PAPI_L1_DCM", "L1 data misses", dataL1, nil},
	{"PAPI_L1_DCR", "L1 data reads", sum(LoadHits, LoadMisses), nil},
	{"PAPI_L1_DCW", "L1 data writes", sum(StoreHits, StoreMisses), nil},
	{"PAPI_L1_LDM", "L1 load misses", sum(LoadMisses), nil},
	{"PAPI_L1_STM", "L1 store misses", sum(StoreMisses), nil},
	{"PAPI_L1_ICA", "L1 instruction accesses: lines fetched", sum(Fetches), nil},
	{"PAPI_L1_ICM", "L1 instruction misses", sum(FetchMisses), nil},
	{"PAPI_L1_ICH", "L1 instruction hits", minus(sum(Fetches), FetchMisses), nil},
	{"PAPI_L1_TCM", "L1 misses", sum(LoadMisses, StoreMisses, FetchMisses), nil},
	{"PAPI_L2_DCA", "L2 data accesses", dataL1, nil},
	{"PAPI_L2_DCM", "L2 data misses", dataL2, nil},
	{"PAPI_L2_DCH", "L2 data hits", minus(sum(LoadMisses, StoreMisses), LoadMissesL2, StoreMissesL2), nil},
	{"PAPI_L2_LDM", "L2 load misses", sum(LoadMissesL2), nil},
	{"PAPI_L2_STM", "L2 store misses", sum(StoreMissesL2), nil},
	{"PAPI_L2_ICA", "L2 instruction accesses", sum(FetchMisses), nil},
	{"PAPI_L2_ICM", "L2 instruction misses", sum(FetchMissesL2), nil},
	{"PAPI_L2_TCA", "L2 accesses", sum(LoadMisses, StoreMisses, FetchMisses), nil},
	{"PAPI_L2_TCM", "L2 misses", sum(LoadMissesL2, StoreMissesL2, FetchMissesL2), nil},
	{"PAPI_L3_DCA", "L3 data accesses", dataL2, nil},
	{"PAPI_L3_DCM", "L3 data misses", dataL3, nil},
	{"PAPI_L3_TCA", "L3 accesses", sum(LoadMissesL2, StoreMissesL2, FetchMissesL2), nil},
	{"PAPI_L3_TCM", "L3 misses", sum(LoadMissesL3, StoreMissesL3, FetchMissesL3), nil},
	{"PAPI_L3_LDM", "L3 load misses", sum(LoadMissesL3), nil},
	{"PAPI_L3_STM", "L3 store misses", sum(StoreMissesL3), nil},
	{"PAPI_TLB_DM", "data TLB misses", sum(DataTLBMisses), nil},
	{"PAPI_TLB_IM", "instruction TLB misses", sum(FetchTLBMisses), nil},
	{"PAPI_TLB_TL", "TLB misses", sum(DataTLBMisses, FetchTLBMisses), nil},

	{"SIM_CYC_ISSUE", "cycles spent issuing instructions", nil, []cost{onIssue}},
	{"SIM_CYC_L2", "cycles stalled on accesses that L2 serves", nil, []cost{onL2}},
	{"SIM_CYC_L3", "cycles stalled on accesses that L3 serves", nil, []cost{onL3}},
	{"SIM_CYC_MEMORY", "cycles stalled on accesses that memory serves", nil, []cost{onMemory}},
	{"SIM_CYC_TLB", "cycles stalled on address translation", nil, []cost{onTLB}},
	{"SIM_CYC_BRANCH", "cycles lost to mispredicted branches and targets", nil, []cost{onBranches}},
	{"SIM_CYC_DIVIDE", "cycles stalled on divides and square roots", nil, []cost{onDivides}},
	{"SIM_CYC_ATOMIC", "cycles stalled on atomic operations", nil, []cost{onAtomics}},
	{"SIM_LOAD_X0", "loads whose value is discarded: checks for nil", sum(LoadsToX0), nil},
	{"SIM_FP_OTHER", "floating-point comparisons, conversions, moves, minima and sign operations", sum(FPOther), nil},
	{"SIM_MUL", "integer multiplies", sum(Multiplies), nil},
	{"SIM_DIV", "integer divides and remainders", sum(Divides), nil},
	{"SIM_JUMP", "unconditional jumps, neither calls nor returns", sum(Jumps), nil},
	{"SIM_CALL", "calls", sum(Calls), nil},
	{"SIM_RETURN", "returns", sum(Returns), nil},
	{"SIM_INDIRECT", "calls and jumps to addresses in registers", sum(Indirect), nil},
	{"SIM_ATOMIC", "atomic operations", sum(Atomics, Reserved, Conditional), nil},
	{"SIM_AMO", "atomic operations that load and store", sum(Atomics), nil},
	{"SIM_FENCE", "fences", sum(Fences), nil},
	{"SIM_CSR", "accesses to control and status registers", sum(ControlRegisters), nil},
	{"SIM_SYSCALL", "system calls", sum(SystemCalls), nil},
	{"SIM_KERNEL_CYC", "cycles of the kernel's services, modelled", sum(KernelCycles), nil},
	{"SIM_UNALIGNED", "loads and stores at addresses that are not a multiple of their size", sum(Unaligned), nil},
	{"SIM_TLB2_MISS", "misses of the second TLB", sum(TLB2Misses), nil},
	{"SIM_L1_WB", "lines written back by L1", sum(WriteBacks), nil},
	{"SIM_L2_WB", "lines written back by L2", sum(WriteBacksL2), nil},
	{"SIM_L3_WB", "lines written back by L3", sum(WriteBacksL3), nil},
	{"SIM_L1D_COLD", "L1 data misses at the first touch of a line", sum(ColdL1), nil},
	{"SIM_L1D_CAPACITY", "L1 data misses for want of capacity", sum(CapacityL1), nil},
	{"SIM_L1D_CONFLICT", "L1 data misses by conflicts in a set", sum(ConflictL1), nil},
	{"SIM_L2D_COLD", "L2 data misses at the first touch of a line", sum(ColdL2), nil},
	{"SIM_L2D_CAPACITY", "L2 data misses for want of capacity", sum(CapacityL2), nil},
	{"SIM_L2D_CONFLICT", "L2 data misses by conflicts in a set", sum(ConflictL2), nil},
	{"SIM_L3D_COLD", "L3 data misses at the first touch of a line", sum(ColdL3), nil},
	{"SIM_L3D_CAPACITY", "L3 data misses for want of capacity", sum(CapacityL3), nil},
	{"SIM_L3D_CONFLICT", "L3 data misses by conflicts in a set", sum(ConflictL3), nil},
}

// has tells whether a counter counts on this machine, nil for none, and with these options.
func has(m *cache.Machine, classify bool, c Counter) bool {
	switch {
	case c <= SystemCalls:
		return m != nil || c != Mispredicted && c != TargetsMissed
	case m == nil:
		return false
	case c == FetchMissesL3 || c == LoadMissesL3 || c == StoreMissesL3 || c == WriteBacksL3:
		return m.L3 != nil
	case c == TLB2Misses:
		return m.TLB2 != nil
	case c >= ColdL3 && c <= ConflictL3:
		return classify && m.L3 != nil
	case c >= ColdL1 && c <= ConflictL3:
		return classify
	}
	return true
}

// Events lists the events that are counted, in the order of the table: those that the machine does not have are not there.
func (c *Counters) Events() []Event {
	var out []Event
	for _, e := range table {
		ok := e.terms != nil || c.machine != nil && (c.machine.L3 != nil || len(e.spent) > 1 || e.spent[0] != onL3)
		ok = ok && (c.machine == nil || c.machine.L3 != nil || !strings.HasPrefix(e.Name, "PAPI_L3_"))
		for _, t := range e.terms {
			ok = ok && has(c.machine, c.classify, t.c)
		}
		if ok {
			out = append(out, e)
		}
	}
	return out
}

// named returns the events by name.
func (c *Counters) named() map[string]Event {
	if c.byName == nil {
		c.byName = map[string]Event{}
		for _, e := range c.Events() {
			c.byName[e.Name] = e
		}
	}
	return c.byName
}

// Value returns the value of an event. The error wraps [ErrUnknown] if the event is not counted.
func (c *Counters) Value(v *Values, name string) (uint64, error) {
	e, ok := c.named()[name]
	if !ok {
		return 0, fmt.Errorf("%s: %w on this machine", name, ErrUnknown)
	}
	return c.Evaluate(&e, v), nil
}

// cycles applies the cycle model, see [cache.Cycles]. An access costs what the place costs where it is served.
func cycles(m *cache.Cycles, l3 bool, v *Values) [costs]uint64 {
	first := v[LoadMisses] + v[StoreMisses] + v[FetchMisses]
	second := v[LoadMissesL2] + v[StoreMissesL2] + v[FetchMissesL2]
	third := second
	if l3 {
		third = v[LoadMissesL3] + v[StoreMissesL3] + v[FetchMissesL3]
	}
	return [costs]uint64{
		onIssue:    v[Instructions] * m.Issue / 1000,
		onL2:       (first - second) * m.L2,
		onL3:       (second - third) * m.L3,
		onMemory:   third * m.Memory,
		onTLB:      (v[DataTLBMisses]+v[FetchTLBMisses])*m.TLB + v[TLB2Misses]*m.Walk,
		onBranches: (v[Mispredicted] + v[TargetsMissed]) * m.Mispredict,
		onDivides:  v[Divides]*m.Divide + (v[FPDivides]+v[FPRoots])*m.FPDivide,
		onAtomics:  (v[Atomics] + v[Reserved] + v[Conditional]) * m.Atomic,
		onKernel:   v[KernelCycles],
	}
}
