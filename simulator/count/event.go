//go:build linux

package count

import (
	"errors"
	"fmt"

	"tracerec/simulator/cache"
)

// ErrUnknown is the error of an event that does not exist, or that the machine does not have.
var ErrUnknown = errors.New("no such event")

// term is a part of a sum.
type term struct {
	n int64
	c Counter
}

// Event is a name for a sum of counters. Those called BGL_ are the events of paper 003's figure 2, where a fused multiply-add
// is one floating-point operation; those called PAPI_ are the presets of PAPI, where it is two operations and one instruction.
// Those called SIM_ are the simulator's own.
type Event struct {
	Name, Description string
	terms             []term
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

// cyclesName is the event that is computed by the machine's cycle model.
const cyclesName = "PAPI_TOT_CYC"

var table = []Event{
	{"BGL_INST", "instructions completed", sum(Instructions)},
	{"BGL_LOAD", "fixed-point loads", sum(FXLoads)},
	{"BGL_STORE", "fixed-point stores", sum(FXStores)},
	{"BGL_D1_HIT", "L1 data hits", sum(LoadHits, StoreHits)},
	{"BGL_D1_L_MISS", "L1 data load misses", sum(LoadMisses)},
	{"BGL_D1_S_MISS", "L1 data store misses", sum(StoreMisses)},
	{"BGL_I1_MISS", "L1 instruction misses", sum(FetchMisses)},
	{"BGL_D2_MISS", "L2 data misses", dataL2},
	{"BGL_DTLB_MISS", "data TLB misses", sum(DataTLBMisses)},
	{"BGL_ITLB_MISS", "instruction TLB misses", sum(FetchTLBMisses)},
	{"BGL_FP_LOAD", "floating-point loads", sum(FPLoads)},
	{"BGL_FP_STORE", "floating-point stores", sum(FPStores)},
	{"BGL_FP_DIV", "floating-point divides", sum(FPDivides)},
	{"BGL_FMA", "floating-point multiply-adds", sum(FMAs)},
	{"BGL_FLOPS", "floating-point operations; a multiply-add is one", fpIns},

	{"PAPI_TOT_INS", "instructions completed", sum(Instructions)},
	{cyclesName, "cycles, by the machine's model", nil},
	{"PAPI_LD_INS", "loads", loads},
	{"PAPI_SR_INS", "stores", stores},
	{"PAPI_LST_INS", "loads and stores", sum(FXLoads, FPLoads, FXStores, FPStores)},
	{"PAPI_FP_INS", "floating-point instructions; a multiply-add is one", fpIns},
	{"PAPI_FP_OPS", "floating-point operations; a multiply-add is two", fpOps},
	{"PAPI_SP_OPS", "floating-point operations in single precision", sum(FPSingle)},
	{"PAPI_DP_OPS", "floating-point operations in double precision", sum(FPDouble)},
	{"PAPI_FMA_INS", "floating-point multiply-adds", sum(FMAs)},
	{"PAPI_FML_INS", "floating-point multiplies", sum(FPMuls)},
	{"PAPI_FAD_INS", "floating-point additions and subtractions", sum(FPAdds)},
	{"PAPI_FDV_INS", "floating-point divides", sum(FPDivides)},
	{"PAPI_FSQ_INS", "floating-point square roots", sum(FPRoots)},
	{"PAPI_BR_INS", "branches, jumps, calls and returns", sum(Branches, Jumps, Calls, Returns)},
	{"PAPI_BR_CN", "conditional branches", sum(Branches)},
	{"PAPI_BR_UCN", "jumps, calls and returns", sum(Jumps, Calls, Returns)},
	{"PAPI_BR_TKN", "conditional branches taken", sum(Taken)},
	{"PAPI_BR_NTK", "conditional branches not taken", minus(sum(Branches), Taken)},
	{"PAPI_BR_MSP", "conditional branches mispredicted", sum(Mispredicted)},
	{"PAPI_BR_PRC", "conditional branches predicted", minus(sum(Branches), Mispredicted)},
	{"PAPI_BTAC_M", "targets of indirect jumps and returns mispredicted", sum(TargetsMissed)},
	{"PAPI_CSR_TOT", "store-conditionals", sum(Conditional)},
	{"PAPI_SYC_INS", "fences and atomic operations", sum(Fences, Atomics, Reserved, Conditional)},
	{"PAPI_L1_DCA", "L1 data accesses", accesses},
	{"PAPI_L1_DCH", "L1 data hits", sum(LoadHits, StoreHits)},
	{"PAPI_L1_DCM", "L1 data misses", dataL1},
	{"PAPI_L1_DCR", "L1 data reads", sum(LoadHits, LoadMisses)},
	{"PAPI_L1_DCW", "L1 data writes", sum(StoreHits, StoreMisses)},
	{"PAPI_L1_LDM", "L1 load misses", sum(LoadMisses)},
	{"PAPI_L1_STM", "L1 store misses", sum(StoreMisses)},
	{"PAPI_L1_ICA", "L1 instruction accesses: lines fetched", sum(Fetches)},
	{"PAPI_L1_ICM", "L1 instruction misses", sum(FetchMisses)},
	{"PAPI_L1_ICH", "L1 instruction hits", minus(sum(Fetches), FetchMisses)},
	{"PAPI_L1_TCM", "L1 misses", sum(LoadMisses, StoreMisses, FetchMisses)},
	{"PAPI_L2_DCA", "L2 data accesses", dataL1},
	{"PAPI_L2_DCM", "L2 data misses", dataL2},
	{"PAPI_L2_DCH", "L2 data hits", minus(sum(LoadMisses, StoreMisses), LoadMissesL2, StoreMissesL2)},
	{"PAPI_L2_LDM", "L2 load misses", sum(LoadMissesL2)},
	{"PAPI_L2_STM", "L2 store misses", sum(StoreMissesL2)},
	{"PAPI_L2_ICA", "L2 instruction accesses", sum(FetchMisses)},
	{"PAPI_L2_ICM", "L2 instruction misses", sum(FetchMissesL2)},
	{"PAPI_L2_TCA", "L2 accesses", sum(LoadMisses, StoreMisses, FetchMisses)},
	{"PAPI_L2_TCM", "L2 misses", sum(LoadMissesL2, StoreMissesL2, FetchMissesL2)},
	{"PAPI_L3_DCA", "L3 data accesses", dataL2},
	{"PAPI_L3_DCM", "L3 data misses", dataL3},
	{"PAPI_L3_TCA", "L3 accesses", sum(LoadMissesL2, StoreMissesL2, FetchMissesL2)},
	{"PAPI_L3_TCM", "L3 misses", sum(LoadMissesL3, StoreMissesL3, FetchMissesL3)},
	{"PAPI_TLB_DM", "data TLB misses", sum(DataTLBMisses)},
	{"PAPI_TLB_IM", "instruction TLB misses", sum(FetchTLBMisses)},
	{"PAPI_TLB_TL", "TLB misses", sum(DataTLBMisses, FetchTLBMisses)},

	{"SIM_LOAD_X0", "loads whose value nobody gets: checks for nil", sum(LoadsToX0)},
	{"SIM_FP_OTHER", "comparisons, conversions, moves, minima, signs of floating-point numbers", sum(FPOther)},
	{"SIM_MUL", "integer multiplies", sum(Multiplies)},
	{"SIM_DIV", "integer divides and remainders", sum(Divides)},
	{"SIM_JUMP", "unconditional jumps, neither calls nor returns", sum(Jumps)},
	{"SIM_CALL", "calls", sum(Calls)},
	{"SIM_RETURN", "returns", sum(Returns)},
	{"SIM_INDIRECT", "calls and jumps to addresses in registers", sum(Indirect)},
	{"SIM_ATOMIC", "atomic operations", sum(Atomics, Reserved, Conditional)},
	{"SIM_FENCE", "fences", sum(Fences)},
	{"SIM_CSR", "accesses to control and status registers", sum(ControlRegisters)},
	{"SIM_SYSCALL", "system calls", sum(SystemCalls)},
	{"SIM_KERNEL_CYC", "cycles of the kernel's services, modelled", sum(KernelCycles)},
	{"SIM_UNALIGNED", "loads and stores at addresses that are no multiple of their size", sum(Unaligned)},
	{"SIM_TLB2_MISS", "misses of the second TLB", sum(TLB2Misses)},
	{"SIM_L1_WB", "lines written back by L1", sum(WriteBacks)},
	{"SIM_L2_WB", "lines written back by L2", sum(WriteBacksL2)},
	{"SIM_L3_WB", "lines written back by L3", sum(WriteBacksL3)},
	{"SIM_L1D_COLD", "L1 data misses of lines that were never there", sum(ColdL1)},
	{"SIM_L1D_CAPACITY", "L1 data misses for want of capacity", sum(CapacityL1)},
	{"SIM_L1D_CONFLICT", "L1 data misses by conflicts in a set", sum(ConflictL1)},
	{"SIM_L2D_COLD", "L2 data misses of lines that were never there", sum(ColdL2)},
	{"SIM_L2D_CAPACITY", "L2 data misses for want of capacity", sum(CapacityL2)},
	{"SIM_L2D_CONFLICT", "L2 data misses by conflicts in a set", sum(ConflictL2)},
	{"SIM_L3D_COLD", "L3 data misses of lines that were never there", sum(ColdL3)},
	{"SIM_L3D_CAPACITY", "L3 data misses for want of capacity", sum(CapacityL3)},
	{"SIM_L3D_CONFLICT", "L3 data misses by conflicts in a set", sum(ConflictL3)},
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
		ok := e.terms != nil || c.machine != nil
		for _, t := range e.terms {
			ok = ok && has(c.machine, c.classify, t.c)
		}
		if ok {
			out = append(out, e)
		}
	}
	return out
}

// Value returns the value of an event. The error wraps [ErrUnknown] if the event is not counted.
func (c *Counters) Value(v *Values, name string) (uint64, error) {
	if c.byName == nil {
		c.byName = map[string]Event{}
		for _, e := range c.Events() {
			c.byName[e.Name] = e
		}
	}
	e, ok := c.byName[name]
	switch {
	case !ok:
		return 0, fmt.Errorf("%s: %w on this machine", name, ErrUnknown)
	case name == cyclesName:
		return cycles(&c.machine.Cycles, c.machine.L3 != nil, v), nil
	}
	var n uint64
	for _, t := range e.terms {
		n += uint64(t.n) * v[t.c]
	}
	return n, nil
}

// cycles applies the cycle model, see [cache.Cycles]. An access costs what the place costs where it is served.
func cycles(m *cache.Cycles, l3 bool, v *Values) uint64 {
	first := v[LoadMisses] + v[StoreMisses] + v[FetchMisses]
	second := v[LoadMissesL2] + v[StoreMissesL2] + v[FetchMissesL2]
	third := second
	if l3 {
		third = v[LoadMissesL3] + v[StoreMissesL3] + v[FetchMissesL3]
	}
	return v[Instructions]*m.Issue/1000 + (first-second)*m.L2 + (second-third)*m.L3 + third*m.Memory +
		(v[DataTLBMisses]+v[FetchTLBMisses])*m.TLB + v[TLB2Misses]*m.Walk + (v[Mispredicted]+v[TargetsMissed])*m.Mispredict +
		v[Divides]*m.Divide + (v[FPDivides]+v[FPRoots])*m.FPDivide + (v[Atomics]+v[Reserved]+v[Conditional])*m.Atomic + v[KernelCycles]
}
