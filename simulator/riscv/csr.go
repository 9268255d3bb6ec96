//go:build linux

package riscv

import "tracerec/simulator/softfloat"

// Numbers of the control and status registers that user mode has.
const (
	csrFFlags  = 0x001
	csrFRM     = 0x002
	csrFCSR    = 0x003
	csrCycle   = 0xc00
	csrTime    = 0xc01
	csrInstret = 0xc02
)

// readsCounter tells whether an instruction reads a counter. It is the last of its block, so that observers, which are told of whole blocks, have
// counted all before it and nothing behind it.
func (in *Instruction) readsCounter() bool {
	return in.Op >= CSRRW && in.Op <= CSRRCI && in.Imm >= csrCycle
}

// csr reads and changes a control and status register, with done instructions of the block before it; false if there is none
// of that number, or it must not be written.
func (h *Hart) csr(in *Instruction, done uint64) bool {
	n := int(in.Imm)
	old, ok := h.readCSR(n, done)
	if !ok {
		return false
	}
	source := h.X[in.Rs1]
	if in.Op >= CSRRWI {
		source = uint64(in.Rs1)
	}
	switch in.Op {
	case CSRRW, CSRRWI:
		ok = h.writeCSR(n, source)
	case CSRRS, CSRRSI:
		ok = in.Rs1 == 0 || h.writeCSR(n, old|source)
	default:
		ok = in.Rs1 == 0 || h.writeCSR(n, old&^source)
	}
	if ok {
		h.X[in.Rd] = old
	}
	return ok
}

func (h *Hart) readCSR(n int, done uint64) (uint64, bool) {
	switch n {
	case csrFFlags:
		return uint64(h.Flags), true
	case csrFRM:
		return uint64(h.Rounding), true
	case csrFCSR:
		return uint64(h.Rounding)<<5 | uint64(h.Flags), true
	}
	if h.CSR != nil {
		if v, ok := h.CSR(n); ok {
			return v, true
		}
	}
	switch n {
	case csrCycle, csrInstret:
		return h.Retired + done, true
	case csrTime:
		return h.Retired + h.Ahead + done, true
	}
	return 0, false
}

func (h *Hart) writeCSR(n int, v uint64) bool {
	switch n {
	case csrFFlags:
		h.Flags = softfloat.Flags(v & 31)
	case csrFRM:
		h.Rounding = softfloat.Rounding(v & 7)
	case csrFCSR:
		h.Flags, h.Rounding = softfloat.Flags(v&31), softfloat.Rounding(v>>5&7)
	default:
		return false
	}
	return true
}
