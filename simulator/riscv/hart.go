//go:build linux

package riscv

import (
	"encoding/binary"
	"runtime/debug"
	"unsafe"

	"tracerec/simulator/memory"
	"tracerec/simulator/softfloat"
)

// Hart is a hardware thread: registers, and the address space that it works on. It is used by one goroutine at a time.
type Hart struct {
	X  [64]uint64 // integer registers; X[0] is 0, those beyond 31 are not the guest's
	F  [32]uint64 // floating-point registers, singles boxed in NaNs
	PC uint64

	Flags    softfloat.Flags    // fflags
	Rounding softfloat.Rounding // frm; values above 4 are reserved, and make dynamic rounding illegal

	Retired uint64                     // instructions executed
	CSR     func(n int) (uint64, bool) // other counters that the guest may read; may be nil

	reservation  bool   // a load reservation is held,
	reserved     uint64 // for this address,
	reservedSize uint8  // for so many bytes,
	held         uint64 // which were loaded
	at           int    // index in the block of the instruction that touches memory
	announced    int    // instructions of the block that were to be executed

	observer Observer

	code *Code
	mem  unsafe.Pointer
	size uint64
}

// Observer is told what harts execute, in its order. The instructions of a block are announced together; when one of them
// faults, those from it on were not executed, and Undone says so.
type Observer interface {
	// Block is called before the first n instructions of a block are executed.
	Block(h *Hart, b *Block, n int)
	// Memory is called before an instruction accesses memory at an address.
	Memory(h *Hart, in *Instruction, address uint64)
	// Left is called when a whole block was executed, with the address of the next instruction.
	Left(h *Hart, b *Block, next uint64)
	// Undone is called when the instructions of a block from the i-th up to the n-th were not executed after all.
	Undone(h *Hart, b *Block, i, n int)
}

// Observe sets the observer, nil for none.
func (h *Hart) Observe(o Observer) { h.observer = o }

// Stop says why Run returned.
type Stop struct {
	Why     Reason
	Address uint64 // MemoryFault and Misaligned: what could not be accessed
}

// Reason is a reason to stop. PC is that of the instruction that could not be done, but behind an ecall.
type Reason uint8

// The reasons.
const (
	Budget Reason = iota // as many instructions as asked for were executed
	Syscall
	Breakpoint
	IllegalInstruction
	MemoryFault
	Misaligned // of an atomic operation
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
	blocks [1 << codeBits]*Block // by address; what collides is decoded again
}

const codeBits = 16

// Block is consecutive instructions of which only the last may go elsewhere. It is constant but for Note.
type Block struct {
	pc   uint64
	end  uint64 // address behind it
	code []Instruction
	Note any // for observers: what they know of the block
}

// PC returns the address of the first instruction.
func (b *Block) PC() uint64 { return b.pc }

// Code returns the instructions.
func (b *Block) Code() []Instruction { return b.code }

// longest is the most instructions of a block.
const longest = 64

// NewCode returns the code of an address space, of which nothing is decoded yet.
func NewCode(s *memory.Space) *Code { return &Code{space: s} }

// Flush forgets what was decoded: the guest says that it changed its code, or mappings changed.
func (c *Code) Flush() { clear(c.blocks[:]) }

func (c *Code) find(pc uint64) *Block {
	b := c.blocks[pc>>1&(1<<codeBits-1)]
	if b == nil || b.pc != pc {
		return nil
	}
	return b
}

// decode decodes the block at pc; nil and the address at fault if it cannot be executed.
func (c *Code) decode(pc uint64) (*Block, uint64) {
	b := &Block{pc: pc, end: pc}
	for len(b.code) < longest {
		word, size := c.fetch(b.end)
		if size == 0 {
			break // executed again from there, it faults
		}
		in := Decode(word, b.end)
		b.code = append(b.code, in)
		b.end += uint64(in.Size)
		if in.Op.ends() {
			break
		}
	}
	if len(b.code) == 0 {
		return nil, pc
	}
	c.blocks[pc>>1&(1<<codeBits-1)] = b
	return b, 0
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
	for {
		before := h.Retired
		if stop = h.attempt(budget); stop.Why != again {
			return stop
		}
		budget -= h.Retired - before
	}
}

// again asks for another attempt: code was decoded anew.
const again = Reason(255)

// attempt runs until something stops it. A fault of the host at an address of the guest is the guest's.
func (h *Hart) attempt(budget uint64) (stop Stop) {
	defer func() {
		if what := recover(); what != nil {
			fault, ok := what.(interface{ Addr() uintptr })
			if !ok {
				panic(what)
			}
			if _, ok := h.code.space.HostToGuest(fault.Addr()); !ok {
				panic(what)
			}
			stop = h.fault()
		}
	}()
	if h.observer != nil {
		return h.runObserved(budget)
	}
	return h.run(budget)
}

// fault ends a block at the instruction at h.at, which touched memory that it must not.
func (h *Hart) fault() Stop {
	b := h.code.find(h.PC)
	stop := h.stopAt(b, h.at, MemoryFault)
	in := &b.code[h.at]
	stop.Address = h.X[in.Rs1&63]
	if in.Op < LRW || in.Op > AMOMAXUD {
		stop.Address += uint64(in.Imm)
	}
	return stop
}
