//go:build linux && (amd64 || arm64)

package bareread

// Read reads up to n words from the descriptor and returns the number of words, negative after an error. It does not
// tell the scheduler: only for reads that do not block.
//
//go:noescape
func Read(fd int, words *uint64, n int) int
