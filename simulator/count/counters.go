//go:build linux

package count

import (
	"cmp"
	"crypto/sha256"
	"slices"

	"tracerec/simulator/cache"
	"tracerec/simulator/linux"
	"tracerec/simulator/riscv"
)

// Options say what is counted besides.
type Options struct {
	Program  []byte   // the ELF file, of a Go program, whose goroutines are told apart; they are not without its debugging information
	CPUs     int      // virtual processors; 0 is 1
	Classify bool     // misses are told apart by kind, which costs time
	Silent   []string // functions whose names begin so belong to the measurement as package guest does, see [Measurement]
	Stalls   bool     // the cycles that the machine's model adds to instructions take virtual time, see [Counters.stall]
}

// Counters counts what the threads of a run do; it is the run's observer. Cycles of the kernel are modelled: so many per
// call. It is used by one goroutine, that of the run.
type Counters struct {
	machine  *cache.Machine
	classify bool
	program  *program // of processes of which nothing was said
	byName   map[string]Event

	caches     []*cache.Hierarchy // by virtual processor; empty without a machine
	predictors []*cache.Predictor
	caching    *cache.Hierarchy // of the processor at hand
	fetching   *cache.Quick     // what it fetches without asking
	predictor  *cache.Predictor
	line       uint64 // that was fetched last

	turn      linux.Turn
	accounts  map[key]*account
	programs  map[[sha256.Size]byte]*program
	quiet     []string // Options.Silent
	processes map[int]*process
	running   *process // the one at hand
	changes   []change // since distribute was last called
	silent    bool     // what is executed only asks the simulator
	stalls    *stalls  // that take virtual time, nil for none
	flow      Flow     // nil for none
	now       *account
	g         uint64  // register X27, by which now was chosen
	note      *note   // of the block at hand
	dirty     []*note // whose executions are not in now yet
	last      [20]Counter
	lasts     int    // counters in last: what the last access to memory that was not quick counted as, besides a hit
	lastAt    uint64 // which instruction of the turn made it
}

// key tells accounts apart.
type key struct {
	process   int
	image     int // programs that the process executed before
	goroutine uint64
	thread    int // of what is not a goroutine
	domain    Domain
}

type account struct {
	key
	start   uint64
	program *program
	values  Values
	changed bool // is in changes
}

// note is what is known of a block.
type note struct {
	of       *Counters
	counts   []counted
	executed uint64 // times that are not in an account yet
	n        int    // instructions
	stall    uint64 // that they are known to have, ns
	lines    uint64 // the first line of instructions
	last     uint64 // address of the last instruction
	end      uint64 // behind it
	ends     ending
	silent   bool   // see Silent
	leaves   ending // of silent code
	mark     any    // of the flow
}

type counted struct {
	c Counter
	n uint8 // at most a few for each of the instructions of a block
}

// ending is what the last instruction of a block is.
type ending struct{ branch, calls, returns, indirect bool }

// New returns counters for a machine, nil for none: then instructions are counted, and nothing that depends on caches or
// prediction.
func New(m *cache.Machine, o Options) (*Counters, error) {
	c := &Counters{machine: m, classify: o.Classify, accounts: map[key]*account{}, line: ^uint64(0), g: ^uint64(0),
		programs: map[[sha256.Size]byte]*program{}, processes: map[int]*process{}, quiet: o.Silent}
	if o.Program != nil {
		c.program = c.read(o.Program)
	}
	c.running = c.process(0)
	c.choose(c.account(key{}, 0))
	if m == nil {
		return c, nil
	}
	if o.Stalls {
		c.stalls = newStalls(m)
	}
	var err error
	if c.caches, err = cache.NewHierarchies(m, max(1, o.CPUs), o.Classify); err != nil {
		return nil, err
	}
	for range c.caches {
		p, _ := cache.NewPredictor(m.Predictor) // was checked
		c.predictors = append(c.predictors, p)
	}
	c.processor(0)
	return c, nil
}

// Turn implements [linux.Observer].
func (c *Counters) Turn(t linux.Turn) {
	if c.flow != nil {
		c.flow.Turn(t)
	}
	if t.Process != c.turn.Process || t.Thread != c.turn.Thread {
		c.distribute()
		c.running = c.process(t.Process)
		c.running.thread(t.Thread)
	}
	if len(c.caches) > 0 && t.CPU != c.turn.CPU {
		c.processor(t.CPU)
		c.line = ^uint64(0)
	}
	c.turn = t
	if c.silent {
		c.speak()
	}
	c.g = ^uint64(0) // look again
	c.lasts = 0
	c.lend()
	if c.running.mapped && t.Hart.CSR == nil {
		t.Hart.CSR = c.register
	}
}

// processor makes the caches and the prediction of a virtual processor those at hand.
func (c *Counters) processor(cpu int) {
	n := cpu % len(c.caches)
	c.caching, c.predictor = c.caches[n], c.predictors[n]
	_, c.fetching = c.caching.Quick()
}

// lend leaves the accesses that are quick to the hart at hand: they are hits, which blocks count.
func (c *Counters) lend() {
	if c.turn.Hart == nil {
		return
	}
	if c.caching == nil {
		c.turn.Hart.Quick(c, nil)
		return
	}
	data, _ := c.caching.Quick()
	c.turn.Hart.Quick(c, data)
}

// Block implements [riscv.Observer].
func (c *Counters) Block(h *riscv.Hart, b *riscv.Block, n int) {
	if g := h.X[27]; g != c.g {
		c.charge(g)
	}
	t, _ := b.Note.(*note)
	if t == nil || t.of != c {
		t = c.newNote(b)
		b.Note = t
	}
	if t.silent != c.silent {
		c.hush(t.silent, h.X[27])
	}
	c.note = t
	if n != t.n {
		c.part(h, t, b.Code(), n)
		return
	}
	if t.executed++; t.executed == 1 {
		c.dirty = append(c.dirty, t)
	}
	h.Ahead += t.stall
	if c.caching != nil {
		c.fetch(t.lines, t.end)
	}
}

// part counts the first n instructions of a block.
func (c *Counters) part(h *riscv.Hart, t *note, code []riscv.Instruction, n int) {
	v := &c.now.values
	if t.silent {
		v[Instructions] += uint64(n)
		h.Ahead -= uint64(n)
		return
	}
	end := t.end
	for i := range code {
		if i < n {
			c.class(&code[i], v)
			h.Ahead += c.stalls.of(&code[i])
		} else {
			end -= uint64(code[i].Size)
		}
	}
	if c.caching != nil {
		v[Fetches] += c.linesUpTo(t.lines, end)
		c.fetch(t.lines, end)
	}
}

// class is [class], and counts loads and stores as hits, until they turn out to be misses.
func (c *Counters) class(in *riscv.Instruction, v *Values) {
	if class(in, v); c.machine == nil {
		return
	}
	a := in.Op.Access()
	if a.Load {
		v[LoadHits]++
	}
	if a.Store {
		v[StoreHits]++
	}
}

// linesUpTo returns how many lines of instructions there are from the one at an address up to an end.
func (c *Counters) linesUpTo(line, end uint64) uint64 {
	return (end - line + c.machine.L1I.Line - 1) / c.machine.L1I.Line
}

// fetch reads the lines of a block, from the first one up to its end.
func (c *Counters) fetch(line, end uint64) {
	for ; line < end; line += c.machine.L1I.Line {
		if line == c.line {
			continue
		}
		if c.line = line; !c.fetching.Load(line, 0) {
			c.fetched(c.caching.Fetch(line))
		}
	}
}

// fetched counts what fetching a line met.
func (c *Counters) fetched(o cache.Outcome) {
	if o == 0 {
		return
	}
	c.stall(o)
	v := &c.now.values
	for _, e := range [...]struct {
		o cache.Outcome
		c Counter
	}{{cache.MissL1, FetchMisses}, {cache.MissL2, FetchMissesL2}, {cache.MissL3, FetchMissesL3}, {cache.MissTLB, FetchTLBMisses},
		{cache.MissTLB2, TLB2Misses}, {cache.WriteBack2, WriteBacksL2}, {cache.WriteBack3, WriteBacksL3}} {
		if o&e.o != 0 {
			v[e.c]++
		}
	}
}

func (c *Counters) newNote(b *riscv.Block) *note {
	t := &note{of: c, end: b.PC(), n: len(b.Code()), silent: c.running.program.silences(b.PC())}
	var v Values
	for i := range b.Code() {
		in := &b.Code()[i]
		c.class(in, &v)
		t.stall += c.stalls.of(in)
		t.last = t.end
		t.end += uint64(in.Size)
		t.ends.branch = v[Branches] > 0
		t.ends.calls, t.ends.returns, t.ends.indirect = v[Calls] > 0, v[Returns] > 0, v[Indirect] > 0
	}
	if c.machine != nil {
		t.lines = b.PC() &^ (c.machine.L1I.Line - 1)
		v[Fetches] = c.linesUpTo(t.lines, t.end)
	}
	if t.silent { // time stands still for it
		t.leaves, t.ends, t.stall, v = t.ends, ending{}, -uint64(t.n), Values{Instructions: v[Instructions]}
	}
	for i, n := range v {
		if n > 0 {
			t.counts = append(t.counts, counted{Counter(i), uint8(n)})
		}
	}
	if c.flow != nil {
		t.mark = c.flow.Mark(b)
	}
	return t
}

// Left implements [riscv.Observer].
func (c *Counters) Left(h *riscv.Hart, _ *riscv.Block, next uint64) {
	t := c.note
	c.predict(t, next)
	if t.mark != nil {
		c.flow.Executed(h, t.mark, next)
	}
}

// predict counts how a block ended, and whether that was predicted.
func (c *Counters) predict(t *note, next uint64) {
	v := &c.now.values
	switch {
	case t.ends.branch:
		taken, n := next != t.end, uint64(0)
		if taken { // the host needs no branch for it
			n = 1
		}
		v[Taken] += n
		if c.predictor != nil && !c.predictor.Branch(t.last, taken) {
			v[Mispredicted]++
			c.strayed()
		}
		return
	case c.predictor == nil:
		return
	case t.ends.returns:
		if !c.predictor.Return(next) {
			v[TargetsMissed]++
			c.strayed()
		}
		return
	case t.ends.indirect:
		if !c.predictor.Indirect(t.last, next) {
			v[TargetsMissed]++
			c.strayed()
		}
	}
	if t.ends.calls {
		c.predictor.Call(t.end)
	}
}

// Undone implements [riscv.Observer]. If the first instruction that was not executed accessed memory, that did not happen either,
// for the counters; what it did to the caches stays.
func (c *Counters) Undone(h *riscv.Hart, b *riscv.Block, i, n int) {
	c.flush()
	v := &c.now.values
	if c.silent {
		v[Instructions] -= uint64(n - i)
		h.Ahead += uint64(n - i)
		return
	}
	var undone Values
	for j := i; j < n; j++ {
		c.class(&b.Code()[j], &undone)
		h.Ahead -= c.stalls.of(&b.Code()[j])
	}
	*v = v.Since(undone)
	if c.lastAt != h.Retired+uint64(i) {
		return
	}
	for _, l := range c.last[:c.lasts] {
		v[l]--
		switch l {
		case LoadMisses:
			v[LoadHits]++
		case StoreMisses:
			v[StoreHits]++
		}
	}
	c.lasts = 0
}

// Memory implements [riscv.Observer].
func (c *Counters) Memory(h *riscv.Hart, in *riscv.Instruction, address uint64) {
	a := in.Op.Access()
	if c.caching == nil || a.Size == 0 {
		return
	}
	c.lasts, c.lastAt = 0, h.Retired+uint64(in.At)
	size := uint64(a.Size)
	if a.Load {
		if o := c.caching.Data(address, size, false); o != 0 {
			c.missed(o, LoadHits)
		}
	}
	if a.Store {
		if o := c.caching.Data(address, size, true); o != 0 {
			c.missed(o, StoreHits)
		}
	}
	if address&(size-1) != 0 {
		c.counts(Unaligned)
	}
}

// counts counts one, and remembers it.
func (c *Counters) counts(n Counter) {
	c.now.values[n]++
	c.last[c.lasts] = n
	c.lasts++
}

// missed counts what an access met, which was counted as a hit.
func (c *Counters) missed(o cache.Outcome, hits Counter) {
	c.stall(o)
	if o&cache.MissL1 != 0 {
		c.now.values[hits]--
		c.counts(hits + LoadMisses - LoadHits)
	}
	if o&cache.MissL2 != 0 {
		c.counts(hits + LoadMissesL2 - LoadHits)
	}
	if o&cache.MissL3 != 0 {
		c.counts(hits + LoadMissesL3 - LoadHits)
	}
	if o&cache.MissTLB != 0 {
		c.counts(DataTLBMisses)
	}
	if o&cache.MissTLB2 != 0 {
		c.counts(TLB2Misses)
	}
	v := &c.now.values
	for i, w := range [...]cache.Outcome{cache.WriteBack1, cache.WriteBack2, cache.WriteBack3} {
		if o&w != 0 {
			v[WriteBacks+Counter(i)]++
		}
	}
	for i, miss := range [...]cache.Outcome{cache.MissL1, cache.MissL2, cache.MissL3} {
		kind := [...]cache.Kind{o.KindL1(), o.KindL2(), o.KindL3()}[i]
		if o&miss != 0 && kind != cache.Unknown {
			c.counts(ColdL1 + Counter(3*i) + Counter(kind-cache.Cold))
		}
	}
}

// flush puts what blocks executed into the account at hand.
func (c *Counters) flush() {
	for _, t := range c.dirty {
		for _, p := range t.counts {
			c.now.values[p.c] += uint64(p.n) * t.executed
		}
		t.executed = 0
	}
	c.dirty = c.dirty[:0]
}

// Account is what was counted of a goroutine, or of a thread that is not in one, in a domain.
type Account struct {
	Process   int
	Image     int    // how many programs the process executed before this one
	Goroutine uint64 // its number; 0 for what threads do on stacks of their own
	Thread    int    // only if Goroutine is 0
	Domain    Domain
	Start     string // function with which the goroutine began, if known; of go f(x), f
	Values    Values
}

// Accounts returns all accounts, by process, program, goroutine, thread and domain. Together they are the total. The kernel's are of
// those that called it.
func (c *Counters) Accounts() []Account {
	c.flush()
	var out []Account
	for _, a := range c.accounts {
		if a.values == (Values{}) {
			continue
		}
		x := Account{a.process, a.image, a.goroutine, a.thread, a.domain, "", a.values}
		if a.program != nil && a.program.goProgram != nil && a.start != 0 {
			x.Start = a.program.startName(a.start)
		}
		out = append(out, x)
		if calls := x.Values[SystemCalls]; calls > 0 && c.machine != nil {
			x.Domain, x.Values = Kernel, Values{KernelCycles: calls * c.machine.Cycles.SystemCall}
			out = append(out, x)
		}
	}
	slices.SortFunc(out, compare)
	return merge(out, func(a, b Account) bool { return compare(a, b) == 0 })
}

func compare(a, b Account) int {
	return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Image, b.Image), cmp.Compare(a.Goroutine, b.Goroutine), cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.Domain, b.Domain))
}

// merge adds up accounts that follow each other and are the same.
func merge(all []Account, same func(a, b Account) bool) (out []Account) {
	for _, a := range all {
		if n := len(out); n > 0 && same(out[n-1], a) {
			out[n-1].Values.Add(&a.Values)
		} else {
			out = append(out, a)
		}
	}
	return out
}

// Goroutines returns one account per process, program and goroutine; number 0 is all that is no goroutine.
func (c *Counters) Goroutines() []Account {
	all := c.Accounts()
	for i := range all {
		all[i].Thread, all[i].Domain = 0, 0
	}
	return merge(all, func(a, b Account) bool {
		return a.Process == b.Process && a.Image == b.Image && a.Goroutine == b.Goroutine
	})
}

// Domains returns what was counted in each domain.
func (c *Counters) Domains() (d [domains]Values) {
	for _, a := range c.Accounts() {
		d[a.Domain].Add(&a.Values)
	}
	return d
}

// Totals returns what was counted of everything; the difference of two states, see [Values.Since], is what happened between.
func (c *Counters) Totals() (v Values) {
	for _, a := range c.Accounts() {
		v.Add(&a.Values)
	}
	return v
}
