//go:build linux

package count

import "encoding/binary"

// Domain is on whose behalf instructions are executed.
type Domain uint8

// The domains.
const (
	// Unattributed: it cannot be said, as in the first instructions of a program; in Go programs without debugging information,
	// everything.
	Unattributed Domain = iota
	Goroutine           // a goroutine's own stack: the program, and what it calls of the runtime
	Runtime             // the stack of a thread: the scheduler, and work of the runtime for goroutines
	Collector           // goroutines of the garbage collector, and what they do on the stack of a thread
	Signal              // handlers of signals
	Kernel              // services of the kernel: modelled, there are only cycles
	Native              // threads of programs that are not Go's
	Measurement         // asking the simulator through package guest: only instructions are counted, no cache is touched, and no time passes

	domains
)

func (d Domain) String() string {
	return [...]string{"unattributed", "goroutine", "runtime", "collector", "signal", "kernel", "native", "measurement"}[d]
}

// charge chooses the account by the pointer to the running g, which Go has in register X27.
func (c *Counters) charge(g uint64) {
	c.g = g
	k, start := c.who(g)
	if k != c.now.key {
		c.choose(c.account(k, start))
	} else {
		c.charged(c.now)
	}
}

func (c *Counters) account(k key, start uint64) *account {
	a := c.accounts[k]
	if a == nil {
		a = &account{key: k, start: start, program: c.running.program}
		c.accounts[k] = a
	}
	return a
}

// who tells on whose behalf a thread with that g executes, and where the goroutine started. On the stack of a thread, it is
// still the collector if the thread's goroutine is one of it.
func (c *Counters) who(g uint64) (key, uint64) {
	p := c.running.program
	k := key{process: c.turn.Process, image: c.running.image, thread: c.turn.Thread}
	switch {
	case p == nil:
		return k, 0
	case p.native:
		k.domain = Native
		return k, 0
	case p.goProgram == nil:
		return k, 0
	}
	id, ok := c.word(g + p.goid)
	if !ok || g == 0 {
		return k, 0
	}
	start, _ := c.word(g + p.start)
	if id != 0 {
		k.goroutine, k.thread, k.domain = id, 0, Goroutine
		if c.collects(start) {
			k.domain = Collector
		}
		return k, start
	}
	k.domain = Runtime
	m, _ := c.word(g + p.m)
	if m == 0 {
		return k, 0
	}
	if s, _ := c.word(m + p.gsignal); s == g {
		k.domain = Signal
		return k, 0
	}
	if current, _ := c.word(m + p.curg); current != 0 {
		if start, _ := c.word(current + p.start); c.collects(start) {
			k.domain = Collector
		}
	}
	return k, 0
}

// collects tells whether a goroutine that starts at an address is one of the garbage collector's.
func (c *Counters) collects(start uint64) bool {
	p := c.running.program
	is, known := p.collects[start]
	if !known {
		is = collects(p.function(start))
		p.collects[start] = is
	}
	return is
}

// word reads a word of the process's memory.
func (c *Counters) word(at uint64) (uint64, bool) {
	if c.turn.Memory == nil {
		return 0, false
	}
	b, ok := c.turn.Memory.Bytes(at, 8, 0)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}
