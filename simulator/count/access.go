//go:build linux

package count

import "tracerec/simulator/riscv"

// Access says how an instruction accesses memory: how many bytes, 0 if it does not, and whether it loads, stores or both.
func Access(op riscv.Op) (size uint8, load, store bool) {
	a := accessOf[op]
	return a.size, a.load, a.store
}
