//go:build linux

package guest

import "unsafe"

// ask asks the simulator.
//
//go:noescape
func ask(service uint64, a1 uint64, p2 unsafe.Pointer, a3 uint64, p4 unsafe.Pointer, a5 uint64) int64

func call(service Service, a1 uint64, p2 unsafe.Pointer, a3 uint64, p4 unsafe.Pointer, a5 uint64) int64 {
	return ask(uint64(service), a1, p2, a3, p4, a5)
}
