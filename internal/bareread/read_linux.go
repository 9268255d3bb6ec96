//go:build !(amd64 || arm64)

package bareread

import (
	"syscall"
	"unsafe"
)

// Read reads up to n words from the descriptor and returns the number of words, negative after an error. It does not
// tell the scheduler: only for reads that do not block.
func Read(fd int, words *uint64, n int) int {
	k, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(words)), uintptr(n)*8)
	if errno != 0 {
		return -1
	}
	return int(k) / 8
}
