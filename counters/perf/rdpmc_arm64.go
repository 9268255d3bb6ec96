//go:build linux

package perf

import (
	"os"
	"strings"
)

// counterOf reads a counter of the processor that it runs on; 31 is that of cycles.
func counterOf(index uint32) uint64

var readCounter = counterOf

// userAccess is the bit of Config1 that an event must ask with to be readable without the kernel, 0 where that is not
// permitted (sysctl kernel.perf_user_access).
func userAccess() uint64 {
	b, _ := os.ReadFile("/proc/sys/kernel/perf_user_access")
	if strings.TrimSpace(string(b)) == "1" {
		return 2
	}
	return 0
}
