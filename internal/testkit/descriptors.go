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
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err == nil && uint64(l.Cur) < n {
		t.Skipf("a process may have %d descriptors here (ulimit -n), and this takes up to %d", l.Cur, n)
	}
}
