//go:build linux

package count

import (
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"slices"
	"strings"
)

// program is what has to be known of a program that processes execute.
type program struct {
	*goProgram          // nil: its goroutines cannot be told apart
	native     bool     // it is no Go program: its threads are all there is
	silent     []extent // functions that ask the simulator: see [Measurement]
}

// extent is a range of addresses.
type extent struct{ begin, end uint64 }

// The functions whose instructions are charged to [Measurement]: those of package guest, and what C programs call theirs.
const (
	silentInGo = "tracerec/simulator/guest."
	silentInC  = "simulator_call"
)

// readProgram reads an ELF file; what it does not say is not known.
func readProgram(content []byte, silent []string) *program {
	p := &program{goProgram: readGo(content)}
	f, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return p
	}
	p.native = p.goProgram == nil && f.Section(".gopclntab") == nil
	symbols, _ := f.Symbols() // without them, what asking costs is charged to those who ask
	for _, s := range symbols {
		begins := func(prefix string) bool { return strings.HasPrefix(s.Name, prefix) }
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && (s.Name == silentInC || strings.Contains(s.Name, silentInGo) || slices.ContainsFunc(silent, begins)) {
			p.silent = append(p.silent, extent{s.Value, s.Value + s.Size})
		}
	}
	return p
}

// silences tells whether the code at an address only asks the simulator.
func (p *program) silences(pc uint64) bool {
	if p == nil {
		return false
	}
	for _, e := range p.silent {
		if pc >= e.begin && pc < e.end {
			return true
		}
	}
	return false
}

// process is what is known of a process, and what was counted of it up to the last [Counters.distribute].
type process struct {
	program   *program
	image     int  // programs that it executed before this one
	loaded    bool // it has one that it was told of
	all       Values
	domains   [domains]Values
	threads   map[int]*thread
	tasks     map[uint64]*task
	mapped    bool       // some of registers are
	registers [32]*Event // that hpmcounter3 to hpmcounter31 show
}

// thread is what is known of a thread.
type thread struct {
	values Values
	task   uint64
	ended  bool
}

// task is what is known of a task.
type task struct {
	values Values
	ended  bool
}

// process returns what is known of a process; c.program is that of those that nothing was said of.
func (c *Counters) process(id int) *process {
	p := c.processes[id]
	if p == nil {
		p = &process{program: c.program, threads: map[int]*thread{}, tasks: map[uint64]*task{}}
		c.processes[id] = p
	}
	return p
}

// thread returns what is known of one of the process's threads.
func (p *process) thread(id int) *thread {
	t := p.threads[id]
	if t == nil {
		t = new(thread)
		p.threads[id] = t
	}
	return t
}

// read is readProgram, once for each content.
func (c *Counters) read(content []byte) *program {
	sum := sha256.Sum256(content)
	p := c.programs[sum]
	if p == nil {
		p = readProgram(content, c.quiet)
		c.programs[sum] = p
	}
	return p
}

// Loaded implements [linux.Lifecycle]: the process has other goroutines from now on.
func (c *Counters) Loaded(id int, content []byte) {
	c.distribute()
	p := c.process(id)
	if p.loaded {
		p.image++
	}
	p.program, p.loaded = c.read(content), true
	p.mapped, p.registers = false, [32]*Event{}
	c.g = ^uint64(0)
	if c.flow != nil {
		c.flow.Loaded(id, content)
	}
}

// Forked implements [linux.Lifecycle]: the child executes what its parent does.
func (c *Counters) Forked(parent, child int) {
	from, p := c.process(parent), c.process(child)
	p.program, p.loaded = from.program, true
	p.mapped, p.registers = from.mapped, from.registers
	if c.flow != nil {
		c.flow.Forked(parent, child)
	}
}

// Ended implements [linux.Lifecycle].
func (c *Counters) Ended(id, thread int) {
	if thread != 0 {
		c.process(id).thread(thread).ended = true
	}
	if c.flow != nil {
		c.flow.Ended(id, thread)
	}
}
