package riscv

// Access is how an instruction accesses memory: how many bytes, 0 if it does not, and whether it loads, stores or both.
type Access struct {
	Size        uint8
	Load, Store bool
}

// Access says how instructions of the operation access memory. The caller must not change it.
func (o Op) Access() *Access { return &accesses[o] }

var accesses = func() (all [256]Access) {
	sizes := func(first Op, load, store bool, sizes ...uint8) {
		for i, s := range sizes {
			all[int(first)+i] = Access{s, load, store}
		}
	}
	sizes(LB, true, false, 1, 2, 4, 8, 1, 2, 4)
	sizes(SB, false, true, 1, 2, 4, 8)
	sizes(FLW, true, false, 4)
	sizes(FSW, false, true, 4)
	sizes(FLD, true, false, 8)
	sizes(FSD, false, true, 8)
	sizes(LRW, true, false, 4)
	sizes(LRD, true, false, 8)
	sizes(SCW, false, true, 4)
	sizes(SCD, false, true, 8)
	sizes(AMOSWAPW, true, true, 4, 4, 4, 4, 4, 4, 4, 4, 4)
	sizes(AMOSWAPD, true, true, 8, 8, 8, 8, 8, 8, 8, 8, 8)
	return all
}()
