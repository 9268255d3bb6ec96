package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWindowsOfOneProcess: what was recorded twice is one process; not two that lived at once, in different places, nor two programs.
func TestWindowsOfOneProcess(t *testing.T) {
	for _, c := range []struct {
		second     string
		n, windows int
	}{
		{"pid 7 start 300\nargs app", 1, 2},
		{"pid 8 start 300\nargs app", 2, 0},
		{"pid 7 start 300\nargs other", 2, 0},
		{"pid 7 start 50\nargs app", 2, 0},
	} {
		h := analyzeText(t, "process main pid 7\nargs app\nlocation main\n  0 enter main\n  100 exit\nprocess again "+c.second+"\nlocation second\n  300 enter main\n  400 exit\n").Header
		require.Equal(t, [2]int{c.n, c.windows}, [2]int{h.Processes, h.Recordings}, c.second)
		require.Equal(t, 7, h.PathPID)
		require.EqualValues(t, 100, h.Focus)
	}
}
