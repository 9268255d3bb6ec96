//go:build linux

package riscv

// atomic executes a load-reserved, store-conditional or read-modify-write; false if the address is not aligned. Harts
// take turns, so nothing can come in between.
func (h *Hart) atomic(in *Instruction, address uint64) bool {
	if in.Op < LRD {
		if address&3 != 0 {
			return false
		}
		h.atomicWord(in, address)
		return true
	}
	if address&7 != 0 {
		return false
	}
	p := (*uint64)(at(h.mem, h.size, address))
	source := h.X[in.Rs2]
	switch in.Op {
	case LRD:
		h.reserve(address, 8, *p)
		h.X[in.Rd] = h.held
		return true
	case SCD:
		if h.conditional(address, 8, *p == h.held) {
			*p = source
			h.X[in.Rd] = 0
		} else {
			h.X[in.Rd] = 1
		}
		return true
	}
	old := *p
	*p = modify(in.Op-AMOSWAPD, old, source, int64(old) < int64(source))
	h.X[in.Rd] = old
	return true
}

func (h *Hart) atomicWord(in *Instruction, address uint64) {
	p := (*uint32)(at(h.mem, h.size, address))
	source := uint32(h.X[in.Rs2])
	switch in.Op {
	case LRW:
		h.reserve(address, 4, word(*p))
		h.X[in.Rd] = h.held
		return
	case SCW:
		if h.conditional(address, 4, *p == uint32(h.held)) {
			*p = source
			h.X[in.Rd] = 0
		} else {
			h.X[in.Rd] = 1
		}
		return
	}
	old := *p
	*p = uint32(modify(in.Op-AMOSWAPW, uint64(old), uint64(source), int32(old) < int32(source)))
	h.X[in.Rd] = word(old)
}

func (h *Hart) reserve(address uint64, size uint8, value uint64) {
	h.reservation, h.reserved, h.reservedSize, h.held = true, address, size, value
}

// conditional ends the reservation and tells whether it was for the address and size, at which the same is stored as then.
func (h *Hart) conditional(address uint64, size uint8, same bool) bool {
	ok := h.reservation && h.reserved == address && h.reservedSize == size && same
	h.reservation = false
	return ok
}

// modify returns the new value of a memory operand; op counts from the swap, less compares signed.
func modify(op Op, old, source uint64, less bool) uint64 {
	switch op + AMOSWAPD {
	case AMOADDD:
		return old + source
	case AMOXORD:
		return old ^ source
	case AMOANDD:
		return old & source
	case AMOORD:
		return old | source
	case AMOMIND:
		if less {
			return old
		}
	case AMOMAXD:
		if !less {
			return old
		}
	case AMOMINUD:
		return min(old, source)
	case AMOMAXUD:
		return max(old, source)
	}
	return source
}
