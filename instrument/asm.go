//go:build amd64 || arm64 || riscv64

package instrument

import "unsafe"

// getg returns the runtime's descriptor of the running goroutine. Descriptors never move and are never
// freed, but used again for later goroutines.
func getg() unsafe.Pointer

// here returns the running goroutine's descriptor and the processor's time-stamp counter.
func here() (gp unsafe.Pointer, ticks uint64)

// hereFenced is here, with the counter read after everything before it has been done.
func hereFenced() (gp unsafe.Pointer, ticks uint64)

// returnPC returns the address to which the caller's caller returns; on RISC-V only in the function site.
func returnPC() uintptr

// ownReturnPC returns the address to which the caller returns, if frames are linked and the caller has one.
func ownReturnPC() uintptr

// returnPCs stores the addresses to which the caller, its caller and so on return; it stops at the
// outermost function.
//
//go:noescape
func returnPCs(pcs *[16]uintptr)

// returnPCAt returns the address that returnPCs would store at index n, or the last one.
func returnPCAt(n int) uintptr
