//go:build linux

package guest

import "unsafe"

// call asks the simulator.
//
//go:noescape
func call(service Service, a1 uint64, p2 unsafe.Pointer, a3 uint64, p4 unsafe.Pointer, a5 uint64) int64
