//go:build !(linux && riscv64)

package guest

import "unsafe"

// call finds no simulator.
func call(Service, uint64, unsafe.Pointer, uint64, unsafe.Pointer, uint64) int64 { return -noCall }
