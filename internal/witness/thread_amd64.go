//go:build linux

package witness

import (
	"encoding/binary"
	"os"
)

func fsbase() uint64

// canReadFSBase reports whether the kernel lets programs read the base of their thread-local storage.
func canReadFSBase() bool {
	const atHWCAP2, fsgsbase = 26, 2
	auxv, _ := os.ReadFile("/proc/self/auxv")
	for ; len(auxv) >= 16; auxv = auxv[16:] {
		if binary.NativeEndian.Uint64(auxv) == atHWCAP2 {
			return binary.NativeEndian.Uint64(auxv[8:])&fsgsbase != 0
		}
	}
	return false
}

// Thread returns a number that no other living thread has, in about 3 ns; 0 where there is none at that price.
func (w Witness) Thread() uint64 {
	if w.fsbase {
		return fsbase()
	}
	return 0
}
