//go:build linux && (amd64 || arm64)

package perf

// bareRead reads up to n words from the descriptor and returns the number of words, negative after an error. After a
// system call the processor mispredicts the return of every function that called into it; the calls within package
// syscall, and a wrapper around a function of another package, cost a twentieth of a reading.
//
//go:noescape
func bareRead(fd int, words *uint64, n int) int
