//go:build !linux

package sample

import (
	"fmt"
	"runtime"

	"tracerec/internal/perfevent"
)

// There are no perf events outside of Linux: probe refuses them all, and the rest is never called.
type (
	group struct {
		enabled uint64
		values  [MaxEvents]uint64
	}
	handle  int64
	probe   struct{}
	threads struct{ attrs []perfevent.Attr }
	totals  struct{}
)

func newProbe() *probe { return &probe{} }

func (*probe) add([]Term) ([]perfevent.Attr, error) {
	return nil, fmt.Errorf("not available on %s", runtime.GOOS)
}

func (*probe) close() {}

func leaderFirst(a []perfevent.Attr) []perfevent.Attr { return a }
func gettid() int64                                   { return 0 }
func readGroup(handle, int, *group) bool              { return false }
func newThreads(a []perfevent.Attr) *threads          { return &threads{a} }
func (*threads) read(int64, *group) (handle, bool)    { return -1, false }
func (*threads) refused() error                       { return nil }
func (*threads) close()                               {}
func openTotals([]perfevent.Attr, uint64) *totals     { return nil }
func (*totals) before(uint64, bool, *Reading) uint64  { return 0 }
func (*totals) refresh(*[MaxEvents]uint64) bool       { return false }
func (*totals) has(int) bool                          { return false }
func (*totals) lacks() error                          { return nil }
func (*totals) close()                                {}
