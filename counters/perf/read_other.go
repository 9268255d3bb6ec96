//go:build linux && !(amd64 || arm64)

package perf

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// bareRead reads up to n words from the descriptor and returns the number of words, negative after an error.
func bareRead(fd int, words *uint64, n int) int {
	k, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(words)), uintptr(n)*8)
	if errno != 0 {
		return -1
	}
	return int(k) / 8
}
