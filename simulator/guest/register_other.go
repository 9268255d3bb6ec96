//go:build !(linux && riscv64)

package guest

// registers are none.
var registers [32]func() uint64
