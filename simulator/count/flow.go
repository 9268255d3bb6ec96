//go:build linux

package count

import (
	"tracerec/simulator/linux"
	"tracerec/simulator/riscv"
)

// Flow is told where the execution goes that is counted: on whose behalf, and, of blocks that it chooses, what is executed
// next. So call paths can be followed without looking at every block. It must not change what it is shown.
type Flow interface {
	linux.Lifecycle
	// Turn is called when the counters are told of it.
	Turn(t linux.Turn)
	// Mark is asked once for each block; those for which it is not nil are told by Executed.
	Mark(b *riscv.Block) any
	// Executed is called when a marked block was executed, with the address of the next instruction.
	Executed(h *riscv.Hart, mark any, next uint64)
	// Charged is called when from here on others are charged, or again the same after something else happened: at the begin of
	// each turn, and whenever register X27 changes. Before are the values of those that were charged so far.
	Charged(before *Values, now Charge)
}

// Charge says on whose behalf instructions are executed.
type Charge struct {
	Process   int
	Image     int    // programs that the process executed before
	Goroutine uint64 // its number; 0 for what threads do on stacks of their own
	Thread    int    // that executes it
	Domain    Domain
	G         uint64 // address of the goroutine's descriptor
	Start     uint64 // where the goroutine began, 0 unknown
}

// Follow tells f from now on, before anything was executed.
func (c *Counters) Follow(f Flow) { c.flow = f }

// Now returns the values of those who are charged, up to here. They change.
func (c *Counters) Now() *Values {
	c.flush()
	return &c.now.values
}

// Descriptor returns the number of the goroutine with that descriptor, and where it began; false if there is none.
func (c *Counters) Descriptor(g uint64) (id, start uint64, ok bool) {
	p := c.running.program
	if g == 0 || p == nil || p.goProgram == nil {
		return 0, 0, false
	}
	id, ok = c.word(g + p.goid)
	start, _ = c.word(g + p.start)
	return id, start, ok && id != 0
}

// charged tells the flow who is charged now.
func (c *Counters) charged(before *account) {
	if c.flow == nil {
		return
	}
	a := c.now
	c.flow.Charged(&before.values, Charge{Process: a.process, Image: a.image, Goroutine: a.goroutine, Thread: c.turn.Thread,
		Domain: a.domain, G: c.g, Start: a.start})
}
