//go:build linux

package addresstrace

import (
	"tracerec/simulator/guest"
	"tracerec/simulator/linux"
	"tracerec/simulator/riscv"
)

// Tracer is an observer that writes a trace: of each block of instructions, first the instructions and then their accesses to data, which is the order
// in which package count looks for them in the caches. To count as well, join the two by [linux.Tee], counters first. Guests switch it on and
// off by package guest.
type Tracer struct {
	w          *Writer
	on         bool
	code, data bounds
	turn       linux.Turn
	block      *riscv.Block
	fetched    uint64 // records that the block at hand made
	accessed   uint64 // records that the last access made
}

// bounds are addresses from begin up to end; none is all.
type bounds struct{ begin, end uint64 }

func (b bounds) hold(address uint64) bool {
	return b.end == 0 || address >= b.begin && address < b.end
}

// NewTracer returns an observer that writes to w. It begins at once if on is set, otherwise when the guest asks for it.
func NewTracer(w *Writer, on bool) *Tracer { return &Tracer{w: w, on: on, turn: linux.Turn{CPU: -1}} }

// Switch begins or ends tracing: of the instructions in a range, and of those of their accesses that are to data in the other.
func (t *Tracer) Switch(on bool, code, data guest.Range) {
	if on && !t.on {
		t.place()
	}
	t.on = on
	t.code, t.data = bounds{uint64(code.Begin), uint64(code.End)}, bounds{uint64(data.Begin), uint64(data.End)}
}

// place writes where what follows is executed.
func (t *Tracer) place() {
	t.w.Add(Record{Op: CPU, Address: uint64(t.turn.CPU)})
	t.w.Add(Record{Op: Thread, Address: uint64(t.turn.Process)<<32 | uint64(uint32(t.turn.Thread))})
}

// Turn implements [linux.Observer].
func (t *Tracer) Turn(turn linux.Turn) {
	before := t.turn
	if t.turn = turn; !t.on {
		return
	}
	if turn.CPU != before.CPU {
		t.w.Add(Record{Op: CPU, Address: uint64(turn.CPU)})
	}
	if turn.Process != before.Process || turn.Thread != before.Thread {
		t.w.Add(Record{Op: Thread, Address: uint64(turn.Process)<<32 | uint64(uint32(turn.Thread))})
	}
}

// Block implements [riscv.Observer].
func (t *Tracer) Block(_ *riscv.Hart, b *riscv.Block, n int) {
	t.block, t.fetched, t.accessed = b, 0, 0
	if !t.on {
		return
	}
	pc := b.PC()
	code := b.Code()[:n]
	for i := range code {
		size := code[i].Size
		if t.code.hold(pc) {
			t.w.Add(Record{Fetch, uint8(size), pc})
			t.fetched++
		}
		pc += uint64(size)
	}
}

// Memory implements [riscv.Observer].
func (t *Tracer) Memory(_ *riscv.Hart, in *riscv.Instruction, address uint64) {
	t.accessed = 0
	if !t.on || !t.data.hold(address) || t.code.end != 0 && !t.code.hold(t.address(in)) {
		return
	}
	a := in.Op.Access()
	if a.Size == 0 {
		return
	}
	if a.Load {
		t.w.Add(Record{Read, a.Size, address})
		t.accessed++
	}
	if a.Store {
		t.w.Add(Record{Write, a.Size, address})
		t.accessed++
	}
}

// address returns that of an instruction of the block at hand.
func (t *Tracer) address(in *riscv.Instruction) uint64 {
	pc := t.block.PC()
	for _, before := range t.block.Code()[:in.At] {
		pc += uint64(before.Size)
	}
	return pc
}

// Left implements [riscv.Observer].
func (t *Tracer) Left(*riscv.Hart, *riscv.Block, uint64) {}

// Undone implements [riscv.Observer].
func (t *Tracer) Undone(_ *riscv.Hart, b *riscv.Block, i, n int) {
	if !t.on {
		return
	}
	if b.Code()[i].Op.Access().Size > 0 && t.accessed > 0 {
		t.w.Add(Record{Op: Undone, Address: t.accessed})
		t.accessed = 0
	}
	if t.fetched > 0 && t.code.end == 0 {
		t.w.Add(Record{Op: Unfetched, Address: uint64(n - i)})
	} else if t.fetched > 0 {
		t.w.Add(Record{Op: Unfetched, Address: min(t.fetched, t.within(b, i, n))})
	}
}

// within returns how many of a block's instructions from the i-th up to the n-th are traced.
func (t *Tracer) within(b *riscv.Block, i, n int) (traced uint64) {
	code := b.Code()
	for k := i; k < n; k++ {
		if t.code.hold(t.address(&code[k])) {
			traced++
		}
	}
	return traced
}
