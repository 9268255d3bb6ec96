//go:build !linux

package sample

import (
	"fmt"
	"runtime"
)

// threads has no substrate outside Linux.
type threads struct{}

func openThreads(events []Event) (*threads, error) {
	return nil, fmt.Errorf("counter %s: not available on %s", events[0].Name, runtime.GOOS)
}

func gettid() int64                               { return 0 }
func (*threads) read(int64, []int, []uint64) bool { return false }
func (*threads) close()                           {}
