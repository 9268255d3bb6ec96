//go:build linux

package count

import (
	"slices"

	"tracerec/simulator/pmu"
	"tracerec/simulator/riscv"
)

var _ pmu.Source = (*Counters)(nil)

// PMUEvents implements [pmu.Source]. The codes are places in the table of all events, from 1 on: they do not depend on the
// machine.
func (c *Counters) PMUEvents() []pmu.Event {
	var out []pmu.Event
	for _, e := range c.Events() {
		at := slices.IndexFunc(table, func(t Event) bool { return t.Name == e.Name })
		out = append(out, pmu.Event{Code: uint64(at + 1), Name: e.Name, Description: e.Description})
	}
	return out
}

// Count implements [pmu.Source]: of the thread whose turn it is. Of what the kernel does there are only cycles.
func (c *Counters) Count(code uint64) (user, kernel uint64) {
	c.distribute()
	v := &c.running.thread(c.turn.Thread).values
	e := &table[code-1]
	if user = c.Evaluate(e, v); c.machine == nil {
		return user, 0
	}
	w := c.kernel(v)
	return user, c.Evaluate(e, &w)
}

// Most implements [pmu.Source]. Lines of instructions are counted for a whole block when its first instruction is executed.
func (c *Counters) Most(code uint64) (most uint64) {
	lines, e := uint64(1), &table[code-1]
	if c.machine != nil {
		const longest = 64 * 4 // bytes of a block
		lines = longest/c.machine.L1I.Line + 2
	}
	if e.terms == nil {
		m := &c.machine.Cycles
		return m.Issue/1000 + 1 + (lines+4)*(max(m.L2, m.L3, m.Memory)+m.TLB+m.Walk) + m.Mispredict + max(m.Divide, m.FPDivide, m.Atomic) + m.SystemCall
	}
	for op := range 256 {
		for _, r := range [...]uint8{0, 1, 10} {
			v := dynamic(lines)
			if c.machine != nil {
				v[KernelCycles] = c.machine.Cycles.SystemCall
			}
			class(&riscv.Instruction{Op: riscv.Op(op), Rd: r, Rs1: 1}, &v)
			var n uint64
			for _, t := range e.terms {
				if t.n > 0 {
					n += uint64(t.n) * v[t.c]
				}
			}
			most = max(most, n)
		}
	}
	return most
}

// dynamic returns the most that one instruction adds to counters by what it does, other than by its kind.
func dynamic(lines uint64) (v Values) {
	v[Taken], v[Mispredicted], v[TargetsMissed] = 1, 1, 1
	for i := Fetches; i <= FetchTLBMisses; i++ {
		v[i] = lines
	}
	for i := LoadHits; i <= ConflictL3; i++ {
		v[i] = 1
	}
	v[TLB2Misses], v[Unaligned] = 2+lines, 2
	v[WriteBacks], v[WriteBacksL2], v[WriteBacksL3] = 4, 4+2*lines, 8+4*lines
	return v
}
