//go:build linux

package riscv

import (
	"encoding/binary"
	"math"
	"runtime/debug"
	"unsafe"

	"tracerec/simulator/cache"
	"tracerec/simulator/memory"
	"tracerec/simulator/softfloat"
)

// Hart is a hardware thread: registers, and the address space that it works on. It is used by one goroutine at a time.
type Hart struct {
	X  [256]uint64 // integer registers; X[0] is 0, those beyond 31 are not the guest's: an index of 8 bits needs no check
	F  [32]uint64  // floating-point registers, singles boxed in NaNs
	PC uint64

	Flags    softfloat.Flags    // fflags
	Rounding softfloat.Rounding // frm; values above 4 are reserved, and make dynamic rounding illegal

	Retired uint64                     // instructions executed
	Ahead   uint64                     // what the time register counts more
	CSR     func(n int) (uint64, bool) // other counters that the guest may read; may be nil

	reservation  bool                     // a load reservation is held,
	reserved     uint64                   // for this address,
	reservedSize uint8                    // for so many bytes,
	held         uint64                   // which were loaded
	at           int                      // index in the block of the instruction that touches memory
	limit        uint64                   // of Retired: where the run ends
	partial      [longest + 1]Instruction // the beginning of a block that does not fit into the limit

	observer Observer
	quick    *cache.Quick // of which accesses the observer needs not be told

	code *Code
	mem  unsafe.Pointer
	size uint64
}

// Observer is told what harts execute, in its order. The instructions of a block are announced together; when one of them
// faults, those from it on were not executed, and Undone says so.
type Observer interface {
	// Block is called before the first n instructions of a block are executed.
	Block(h *Hart, b *Block, n int)
	// Memory is called before an instruction accesses memory at an address, unless that is quick: see [Hart.Quick].
	Memory(h *Hart, in *Instruction, address uint64)
	// Left is called when a whole block was executed, with the address of the next instruction.
	Left(h *Hart, b *Block, next uint64)
	// Undone is called when the instructions of a block from the i-th up to the n-th were not executed after all.
	Undone(h *Hart, b *Block, i, n int)
}

// Observe sets the observer, nil for none.
func (h *Hart) Observe(o Observer) { h.observer, h.quick = o, noQuick }

var noQuick = cache.NoQuick()

// Quick is for an observer that needs not be told of the accesses that are quick from now on, nil for none: the hart notes
// them. Atomic operations are none of them. It has no effect if others observe the hart as well.
func (h *Hart) Quick(o Observer, q *cache.Quick) {
	if h.observer != o {
		return
	}
	if h.quick = q; q == nil {
		h.quick = noQuick
	}
}

// Stop says why Run returned.
type Stop struct {
	Why     Reason
	Address uint64 // MemoryFault, NoMemory and Misaligned: what could not be accessed, the first byte of it
}

// Reason is a reason to stop. PC is that of the instruction that could not be done, but behind an ecall.
type Reason uint8

// The reasons.
const (
	Budget Reason = iota // as many instructions as asked for were executed
	Syscall
	Breakpoint
	IllegalInstruction
	MemoryFault // not mapped, or not permitted
	NoMemory    // mapped and permitted, but behind the end of the file
	Misaligned  // of an atomic operation
)

// NewHart returns a hart at address 0, which shares the decoded code with others of the same address space.
func NewHart(c *Code) *Hart {
	return &Hart{code: c, mem: c.space.Base(), size: c.space.Limit()}
}

// Unreserve ends a load reservation, as every change to another thread does.
func (h *Hart) Unreserve() { h.reservation = false }

// Code is the decoded code of an address space.
type Code struct {
	space  *memory.Space
	blocks map[uint64]*Block // by address
	recent [recent]*Block    // the one last looked for, by the low bits of the address
}

const (
	recent = 1 << 14
	most   = 1 << 18 // blocks that are kept
)

// Block is consecutive instructions of which only the last may go elsewhere. It is constant but for Note and its successors.
type Block struct {
	pc    uint64
	end   uint64        // address behind it
	count uint64        // of instructions
	fused []Instruction // for run
	plain []Instruction // for runObserved

	target      uint64 // of the jump or branch at its end, if that is constant,
	taken, next *Block // the blocks there and behind, once they were needed

	Note any // for observers: what they know of the block
}

// PC returns the address of the first instruction.
func (b *Block) PC() uint64 { return b.pc }

// Code returns the instructions.
func (b *Block) Code() []Instruction { return b.plain[:b.count:b.count] }

// address returns that of the i-th instruction.
func (b *Block) address(i int) uint64 {
	pc := b.pc
	for _, in := range b.plain[:i] {
		pc += uint64(in.Size)
	}
	return pc
}

// longest is the most instructions of a block.
const longest = 64

// NewCode returns the code of an address space, of which nothing is decoded yet.
func NewCode(s *memory.Space) *Code { return &Code{space: s, blocks: map[uint64]*Block{}} }

// Flush forgets what was decoded: the guest says that it changed its code, or mappings changed. No hart may be in a run.
func (c *Code) Flush() {
	clear(c.blocks)
	clear(c.recent[:])
}

// block returns the block at pc, nil if nothing can be executed there.
func (c *Code) block(pc uint64) *Block {
	b := c.blocks[pc]
	if b == nil {
		if b = c.decode(pc); b == nil {
			return nil
		}
		c.blocks[pc] = b
	}
	c.recent[pc>>1%recent] = b
	return b
}

// decode decodes the block at pc.
func (c *Code) decode(pc uint64) *Block {
	b := &Block{pc: pc, end: pc}
	for len(b.plain) < longest {
		word, size := c.fetch(b.end)
		if size == 0 {
			break // executed again from there, it faults
		}
		in := Decode(word, b.end)
		in.At = uint8(len(b.plain))
		b.plain = append(b.plain, in)
		b.end += uint64(in.Size)
		if in.Op.ends() || in.readsCounter() {
			break
		}
	}
	if len(b.plain) == 0 {
		return nil
	}
	b.count = uint64(len(b.plain))
	if last := b.plain[b.count-1]; last.Op >= JAL && last.Op <= BGEU {
		b.target = uint64(last.Imm)
	} else if !last.Op.ends() {
		b.plain = append(b.plain, Instruction{Op: through})
	}
	b.fused = fuse(b.plain)
	return b
}

// fuse returns instructions that do the same in fewer steps: constants are loaded at once, and the first ones of known sequences
// do all of those. The others of a sequence stay where they are: they hold the operands.
func fuse(plain []Instruction) []Instruction {
	fused := constants(plain)
	for i := 0; i+1 < len(fused); i++ {
		for n := min(3, len(fused)-i); n > 1; n-- {
			var key [3]Op
			for j, in := range fused[i : i+n] {
				key[j] = in.Op
			}
			if op, ok := sequences[key]; ok && (op > lastChain || link(fused[i:i+n])) {
				fused[i].Op = op
				i += n - 1
				break
			}
		}
	}
	return fused
}

// link tells whether each instruction of a sequence uses the result of the one before; it exchanges operands if need be.
func link(chain []Instruction) bool {
	for j := 1; j < len(chain); j++ {
		in, result := &chain[j], chain[j-1].Rd
		switch {
		case in.Op <= LWU && in.Rs1 != result:
			return false
		case in.Op > LWU && in.Rs1 == result:
			in.Rs1, in.Rs2 = in.Rs2, in.Rs1
		case in.Op > LWU && in.Rs2 != result:
			return false
		}
	}
	return true
}

// constants returns instructions without those that do nothing, and with constants loaded in one step: of an addition to what
// was loaded just before, the result is known.
func constants(plain []Instruction) (out []Instruction) {
	for _, in := range plain {
		if in.Op == FENCE || in.Op == ADDI && in.Rd == sink {
			continue
		}
		if n := len(out) - 1; n >= 0 && out[n].Op == LUI && (in.Op == ADDI || in.Op == ADDIW) && in.Rs1 == out[n].Rd {
			if in.Imm += out[n].Imm; in.Op == ADDIW {
				in.Imm = int64(int32(in.Imm))
			}
			if in.Op = LUI; in.Rd == out[n].Rd {
				out = out[:n]
			}
		}
		out = append(out, in)
	}
	return out
}

// fetch reads an instruction, and returns how many bytes it has, 0 if they cannot be executed.
func (c *Code) fetch(pc uint64) (uint32, int) {
	low, ok := c.space.Bytes(pc, 2, memory.Exec)
	if !ok || pc&1 != 0 {
		return 0, 0
	}
	word := uint32(binary.LittleEndian.Uint16(low))
	if word&3 != 3 {
		return word, 2
	}
	high, ok := c.space.Bytes(pc+2, 2, memory.Exec)
	if !ok {
		return 0, 0
	}
	return word | uint32(binary.LittleEndian.Uint16(high))<<16, 4
}

// Run executes instructions, at most budget.
func (h *Hart) Run(budget uint64) (stop Stop) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	h.limit = h.Retired + budget
	if h.limit < budget {
		h.limit = math.MaxUint64
	}
	if len(h.code.blocks) > most {
		h.code.Flush()
	}
	for {
		if stop = h.attempt(); stop.Why != again {
			return stop
		}
	}
}

// again asks for another attempt: code was decoded anew.
const again = Reason(255)

// attempt runs until something stops it. A fault of the host at an address of the guest is the guest's.
func (h *Hart) attempt() (stop Stop) {
	defer func() {
		if what := recover(); what != nil {
			fault, ok := what.(interface{ Addr() uintptr })
			if !ok {
				panic(what)
			}
			touched, ok := h.code.space.HostToGuest(fault.Addr())
			if !ok {
				panic(what)
			}
			stop = h.fault(touched)
		}
	}()
	if h.observer != nil {
		return h.runObserved()
	}
	return h.run()
}

// fault ends a block at the instruction at h.at, which touched memory that it must not: the host says where about.
func (h *Hart) fault(touched uint64) Stop {
	b := h.code.blocks[h.PC]
	in := &b.plain[h.at]
	address := h.X[in.Rs1]
	if !in.Op.atomic() {
		address += uint64(in.Imm)
	}
	stop := h.stopAt(b, h.at, MemoryFault)
	if stop.Address = h.denied(address, in.Op.Access()); stop.Address == address+uint64(in.Op.Access().Size) {
		stop.Why, stop.Address = NoMemory, max(address, touched&^(memory.PageSize-1))
	}
	return stop
}

// denied returns the first address of an access that is not mapped, or does not permit it; the one behind it if all is well.
func (h *Hart) denied(address uint64, a *Access) uint64 {
	for left := uint64(a.Size); left > 0; {
		r, ok := h.code.space.Find(address)
		if !ok || r.Prot == 0 || a.Store && r.Prot&memory.Write == 0 {
			return address
		}
		n := min(left, r.End-address)
		address, left = address+n, left-n
	}
	return address
}

// refused ends a block at the instruction at h.at, which slow did not execute.
func (h *Hart) refused(b *Block) Stop {
	in := &b.plain[h.at]
	if !in.Op.atomic() {
		return h.stopAt(b, h.at, IllegalInstruction)
	}
	stop := h.stopAt(b, h.at, Misaligned)
	stop.Address = h.X[in.Rs1]
	return stop
}

// stopAt stops before the i-th instruction of a block.
func (h *Hart) stopAt(b *Block, i int, why Reason) Stop {
	if h.observer != nil {
		h.observer.Undone(h, b, i, h.announced(b))
	}
	h.Retired += uint64(i)
	h.PC = b.address(i)
	return Stop{Why: why, Address: h.PC}
}

// unfetched stops at h.PC, where nothing can be executed.
func (h *Hart) unfetched() Stop {
	if h.Retired == h.limit {
		return Stop{Why: Budget}
	}
	at := h.PC
	if _, ok := h.code.space.Bytes(at, 2, memory.Exec); ok && at&1 == 0 {
		at += 2 // the second half of it
	}
	return Stop{MemoryFault, at}
}

// announced returns how many instructions of the block at hand fit into the limit.
func (h *Hart) announced(b *Block) int { return int(min(b.count, h.limit-h.Retired)) }

// part returns so many of the instructions of a block as fit into the limit, and a pause.
func (h *Hart) part(b *Block) *Instruction {
	n := copy(h.partial[:], b.plain[:h.announced(b)])
	h.partial[n] = Instruction{Op: pause, At: uint8(n)}
	return &h.partial[0]
}

// paused ends the run within a block, before the i-th instruction.
func (h *Hart) paused(b *Block, i int) Stop {
	h.Retired += uint64(i)
	h.PC = b.address(i)
	return Stop{Why: Budget}
}
