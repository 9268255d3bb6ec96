//go:build linux

package perf

// rdpmc reads a counter of the processor that it runs on.
func rdpmc(index uint32) uint64

var readCounter = rdpmc

// userAccess is what an event must ask with in Config1 to be readable without the kernel: nothing.
func userAccess() uint64 { return 0 }
