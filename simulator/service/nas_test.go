//go:build linux

package service

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/simulator/count"
	"tracerec/simulator/linux"
)

// What a NAS kernel reads at the begin and the end of its timed region is what the simulator has of that goroutine, but for its
// own begin and end.
func TestTimedRegion(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program, err := os.ReadFile(testkit.Build(t, testkit.RISCV, "../../examples/nas/is"))
	require.NoError(t, err)
	c, _, printed := run(t, program, linux.Options{Args: []string{"-counters"}}, Options{})
	require.Contains(t, printed, "\nverified\n")

	var region *count.Values
	for _, a := range c.Accounts() {
		if strings.HasPrefix(a.Start, "tracerec/examples/nas/nas.Timed.") && a.Domain == count.Goroutine {
			require.Nil(t, region, "one timed region")
			region = &a.Values
		}
	}
	require.NotNil(t, region)
	for _, event := range []string{"BGL_INST", "BGL_LOAD", "BGL_STORE", "BGL_D1_HIT"} {
		var read uint64
		scan(t, printed, "  "+event+" ", "%d", &read)
		all, err := c.Value(region, event)
		require.NoError(t, err)
		require.Less(t, read, all, event)
		require.LessOrEqual(t, all-read, uint64(1000), event)
	}
}
