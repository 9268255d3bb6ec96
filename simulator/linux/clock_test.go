//go:build linux

package linux

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// The time of a thread never goes back, whichever processors it runs on; nobody wakes early; and processors that work at the same
// time are not far apart, so that threads which tell each other the time by shared memory agree on it.
func TestClocks(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	program := compile(t, "clocks")
	for _, cpus := range []int{1, 2, 3} {
		var printed bytes.Buffer
		k, err := New(program, Options{Args: []string{"clocks"}, Stdout: &printed, Stderr: &printed, CPUs: cpus, Seed: 5})
		require.NoError(t, err)
		status, err := k.Run()
		require.NoError(t, err, "%s", &printed)
		require.Zero(t, status, "%s", &printed)
		require.NoError(t, k.Close())
		var back, early, skew int64
		_, err = fmt.Sscan(printed.String(), &back, &early, &skew)
		require.NoError(t, err)
		require.LessOrEqual(t, back, int64(0), "%d processors", cpus)
		require.LessOrEqual(t, early, int64(0), "%d processors", cpus)
		require.LessOrEqual(t, skew, int64(2000), "%d processors", cpus)
	}
}
