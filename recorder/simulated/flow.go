//go:build linux

package simulated

import (
	"strings"

	"tracerec/simulator/riscv"
	"tracerec/trace/wire"
)

// mark is what is known of the end of a block of instructions.
type mark struct {
	kind   transfer
	target *function // of a direct call or jump; nil: the target is looked up
	own    *function // that the block belongs to, if it is recorded
	site   uint64    // address of the last instruction
}

// transfer is how a block goes on.
type transfer uint8

const (
	call transfer = iota
	jump
	back // a return, or what looks like one
)

// Mark implements [count.Flow]: calls and returns are told, and jumps that may go to other functions.
func (r *recording) Mark(b *riscv.Block) any {
	code := b.Code()
	last := &code[len(code)-1]
	if last.Op != riscv.JAL && last.Op != riscv.JALR {
		return nil
	}
	i := r.process.image
	pc := b.PC()
	for n := range code[:len(code)-1] {
		pc += uint64(code[n].Size)
	}
	m := &mark{kind: jump, site: pc, own: i.at(pc)}
	links := last.Rd == 1 || last.Rd == 5
	switch {
	case links:
		m.kind = call
	case last.Op == riscv.JALR && last.Imm == 0 && (last.Rs1 == 1 || last.Rs1 == 5):
		m.kind = back
	}
	if last.Op == riscv.JAL {
		m.target = i.entries[uint64(last.Imm)]
		told := m.target != nil && (m.target.recorded || m.target.does != nothing)
		if m.kind == jump && (!told || m.target == m.own) {
			return nil // within a function
		}
		if !told {
			m.target = nil
			if m.own == nil || !m.own.recorded {
				return nil
			}
			m.target = &elsewhere
		}
	}
	if m.own != nil && !m.own.recorded {
		m.own = nil
	}
	return m
}

// elsewhere stands for all functions that nothing is to be told of.
var elsewhere function

// Executed implements [count.Flow].
func (r *recording) Executed(h *riscv.Hart, note any, next uint64) {
	m, l := note.(*mark), r.now
	if l.countsOnly {
		r.inRuntime(h, m, next)
		return
	}
	sp := h.X[2]
	if sp > l.high || sp < l.low {
		return // on its way from one stack to another
	}
	depth := l.high - sp
	if m.kind == back {
		if n := len(l.frames); l.jumped || n > 0 && depth <= l.frames[n-1].depth || l.doing.does != nothing && depth <= l.doing.depth {
			r.returned(h, l, next, depth)
		}
		return
	}
	if m.own != nil && m.kind == call {
		if n := len(l.frames); n > 0 && l.frames[n-1].function == m.own {
			l.frames[n-1].site = m.site
		}
	}
	f := m.target
	if f == nil {
		f = r.process.image.entries[next]
	}
	if f != nil && f.does == mains {
		l.early = false
	}
	switch {
	case f == nil || f == &elsewhere:
	case f.does >= makes:
		if !l.early || len(l.frames) > 0 {
			r.operate(h, l, f.does, depth)
		}
	case f.recorded:
		r.entered(h, l, f, depth)
	case f.does == parks:
		l.why = 1 + h.X[12]
	}
}

// entered begins a call of a recorded function, but not of what the runtime does within an operation: that is a leaf of the call path.
func (r *recording) entered(h *riscv.Hart, l *location, f *function, depth uint64) {
	if f.does == parks {
		l.why = 1 + h.X[12]
	}
	if l.within() {
		return
	}
	if n := len(l.frames); n > 0 && r.process.image.table != nil && l.frames[n-1] == (frame{f, h.X[1], depth, l.frames[n-1].site, l.frames[n-1].since}) {
		return // begins again, with a larger stack
	}
	l.enter(f, h.X[1], depth, r.clock())
}

// returned looks which calls have ended when a location returns, or came to an address by other ways.
func (r *recording) returned(h *riscv.Hart, l *location, next, depth uint64) {
	if o := &l.doing; o.does != nothing && (o.depth > depth || o.depth == depth && (o.back == next || l.jumped && r.process.image.at(next).special() != o.does)) {
		r.operated(h, l, o.back == next)
	}
	dead, native := 0, r.process.image.table == nil // which jump over calls at any time
	for n := len(l.frames); dead < n; dead++ {
		f := &l.frames[n-1-dead]
		if f.depth < depth {
			break
		}
		if f.depth == depth && f.back != next && (!l.jumped && !native || next >= f.begin && next < f.end) {
			break // it goes on
		}
	}
	t := r.clock()
	l.leave(dead, t)
	if !l.jumped {
		return
	}
	l.jumped = false
	f := r.process.image.entries[next]
	if n := len(l.frames); f != nil && f.recorded && (n == 0 || l.frames[n-1].function != f || l.frames[n-1].depth != depth) {
		l.enter(f, h.X[1], depth, t) // the first of a goroutine
	}
}

// inRuntime looks at what the runtime does on the stack of a thread, for what it says of goroutines.
func (r *recording) inRuntime(h *riscv.Hart, m *mark, next uint64) {
	c := &r.thread.creation
	if m.kind == back {
		if c.back == next && next != 0 {
			r.created(c, h.X[10])
			c.back = 0
		}
		return
	}
	f := m.target
	if f == nil {
		f = r.process.image.entries[next]
	}
	if f == nil || f.does == nothing || f.does == parks || f.does >= mains {
		return
	}
	t := r.clock()
	if f.does == creates {
		*c = creation{r.goroutine(h.X[11]), h.X[12], h.X[1]}
		return
	}
	l := r.goroutine(h.X[10])
	if l == nil {
		return
	}
	switch f.does {
	case parked:
		why := "wait"
		if l.why > 0 {
			why = r.process.image.reason((l.why - 1) & 0xff)
		}
		l.suspend(kindOf(why), why, t)
	case switches:
		l.suspend(wire.JoinBegin, "coroutine", t)
	case readies:
		l.suspend(wire.Enter, "(ready to run)", t)
	case ends:
		delete(l.p.goroutines, l.id)
		l.end(t)
	}
}

// goroutine returns the location of the goroutine with that descriptor, nil if it has none.
func (r *recording) goroutine(g uint64) *location {
	id, _, _ := r.counts.Descriptor(g)
	return r.process.goroutines[id]
}

// created tells that a goroutine was made.
func (r *recording) created(c *creation, g uint64) {
	id, start, ok := r.counts.Descriptor(g)
	p := r.process
	if !ok || p.image.isSystem(start) || p.goroutines[id] != nil {
		return
	}
	l := p.newLocation(id)
	l.start, p.goroutines[id] = start, l
	if by := c.creator; by != nil && by.begun {
		l.creator = by.number
		by.event(l.last, wire.Create, p.siteOf("go", p.image.at(c.pc-1), c.pc-1), l.number)
		l.last = by.last
	}
}

// kindOf returns the kind of an operation for which the runtime lets a goroutine wait. What is no operation of the program is
// like sleep: nobody is waited for.
func kindOf(why string) wire.Kind {
	for _, o := range kinds {
		if strings.HasPrefix(why, o.why) {
			return o.kind
		}
	}
	return wire.SleepBegin
}

var kinds = []struct {
	why  string
	kind wire.Kind
}{
	{"chan receive", wire.RecvBegin}, {"chan send", wire.SendBegin}, {"select", wire.RecvBegin}, {"IO wait", wire.RecvBegin},
	{"sync.Mutex", wire.LockBegin}, {"sync.RWMutex", wire.LockBegin}, {"semacquire", wire.LockBegin}, {"sync.WaitGroup", wire.JoinBegin},
	{"sync.Cond", wire.CondBegin},
}

// isFrequent tells whether a function is so small, and called so often, that its calls are not worth their place in the archive.
func (f *function) isFrequent(o *Options) bool {
	often := uint64(o.Frequent)
	if often == 0 {
		often = usualFrequent
	}
	return o.Frequent >= 0 && f.visits > often && f.time < int64(f.visits)*small
}

const (
	usualFrequent = 100_000
	small         = 2000 // ns a call on the average
)
