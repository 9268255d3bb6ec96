//go:build !linux

package sample

import (
	"fmt"
	"runtime"
)

// There are no perf events outside of Linux: probe refuses them all, and the rest is never called.
type (
	perfAttr struct{ flags uint64 }
	group    struct {
		enabled uint64
		values  [MaxEvents]uint64
	}
	handle  int64
	probe   struct{}
	threads struct{ attrs []perfAttr }
	totals  struct{}
)

const flagExcludeKernel = 1 << 5

func newProbe() *probe { return &probe{} }

func (*probe) add([]Term) ([]perfAttr, error) {
	return nil, fmt.Errorf("not available on %s", runtime.GOOS)
}

func (*probe) close() {}

func leaderFirst(a []perfAttr) []perfAttr            { return a }
func gettid() int64                                  { return 0 }
func readGroup(handle, int, *group) bool             { return false }
func newThreads(a []perfAttr) *threads               { return &threads{a} }
func (*threads) read(int64, *group) (handle, bool)   { return -1, false }
func (*threads) refused() error                      { return nil }
func (*threads) close()                              {}
func openTotals([]perfAttr, uint64) *totals          { return nil }
func (*totals) before(uint64, bool, *Reading) uint64 { return 0 }
func (*totals) refresh(*[MaxEvents]uint64) bool      { return false }
func (*totals) has(int) bool                         { return false }
func (*totals) lacks() error                         { return nil }
func (*totals) close()                               {}
