//go:build linux

package count

// The control and status registers that show counters: hpmcounter3 to hpmcounter31.
const (
	firstRegister = 0xc03
	lastRegister  = 0xc1f
)

// Map shows an event in the register hpmcounterN of a process's threads, N from 3 to 31: each reads what it was counted of itself, in user mode, by one
// instruction. It reports false if there is no such register.
func (c *Counters) Map(process, n int, e *Event) bool {
	if n < 3 || n > 31 {
		return false
	}
	c.process(process).registers[n] = e
	c.process(process).mapped = true
	return true
}

// register reads one for the thread at hand.
func (c *Counters) register(n int) (uint64, bool) {
	if n < firstRegister || n > lastRegister {
		return 0, false
	}
	e := c.running.registers[n-firstRegister+3]
	if e == nil {
		return 0, false
	}
	c.distribute()
	return c.Evaluate(e, &c.running.thread(c.turn.Thread).values), true
}
