//go:build linux

package count

import (
	"tracerec/simulator/cache"
	"tracerec/simulator/riscv"
)

// stalls are the costs of a machine's model in ns of virtual time. An instruction takes 1 ns, which is the machine's issue, so
// virtual time is cycles to a scale: that of a machine whose clock has a cycle every 1000/issue ns.
type stalls struct {
	l3                                        bool
	l2, beyond, memory, tlb, walk, mispredict uint64
	divide, floatDivide, atomic               uint64
}

func newStalls(m *cache.Machine) *stalls {
	ns := func(cycles uint64) uint64 { return cycles * 1000 / max(1, m.Cycles.Issue) }
	y := &m.Cycles
	return &stalls{m.L3 != nil, ns(y.L2), ns(y.L3), ns(y.Memory), ns(y.TLB), ns(y.Walk), ns(y.Mispredict), ns(y.Divide), ns(y.FPDivide), ns(y.Atomic)}
}

// of returns what an instruction costs wherever it accesses memory.
func (s *stalls) of(in *riscv.Instruction) uint64 {
	if s == nil {
		return 0
	}
	var v Values
	class(in, &v)
	return v[Divides]*s.divide + (v[FPDivides]+v[FPRoots])*s.floatDivide + (v[Atomics]+v[Reserved]+v[Conditional])*s.atomic
}

// stall lets the time pass that an access costs, at the place that serves it.
func (c *Counters) stall(o cache.Outcome) {
	s := c.stalls
	if s == nil {
		return
	}
	var ns uint64
	switch {
	case o&cache.MissL1 == 0:
	case o&cache.MissL2 == 0:
		ns = s.l2
	case s.l3 && o&cache.MissL3 == 0:
		ns = s.beyond
	default:
		ns = s.memory
	}
	if o&cache.MissTLB != 0 {
		ns += s.tlb
	}
	if o&cache.MissTLB2 != 0 {
		ns += s.walk
	}
	c.turn.Hart.Ahead += ns
}

// strayed lets the time pass that a wrong prediction costs.
func (c *Counters) strayed() {
	if c.stalls != nil {
		c.turn.Hart.Ahead += c.stalls.mispredict
	}
}
