//go:build linux

package perf

// rdpmc reads a counter of the processor that it runs on.
func rdpmc(index uint32) uint64

var readCounter = rdpmc
