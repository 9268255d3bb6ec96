//go:build unix

package testkit

import (
	"syscall"
	"testing"
)

// NeedDescriptors skips a test where a process may not have so many descriptors: each counter takes one for each thread, and how many
// threads there are is the runtime's affair.
func NeedDescriptors(t testing.TB, n uint64) {
	t.Helper()
	need(t, syscall.RLIMIT_NOFILE, n, "descriptors here (ulimit -n)")
}

// NeedAddresses skips a test where a process may not have so many bytes of address space: every buffer that was ever made takes some.
func NeedAddresses(t testing.TB, n uint64) {
	t.Helper()
	need(t, syscall.RLIMIT_AS, n, "bytes of address space here (ulimit -v)")
}

// NeedSimulator skips a test where the simulator cannot reserve a guest's addresses.
func NeedSimulator(t testing.TB) {
	t.Helper()
	NeedAddresses(t, 1<<40)
}

func need(t testing.TB, resource int, n uint64, what string) {
	t.Helper()
	var l syscall.Rlimit
	if err := syscall.Getrlimit(resource, &l); err == nil && uint64(l.Cur) < n {
		t.Skipf("a process may have %d %s, and this takes up to %d", l.Cur, what, n)
	}
}
