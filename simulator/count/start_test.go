//go:build linux

package count

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// A goroutine is called by the function of its go statement, inlined or not; one that calls a variable, by what the compiler made.
func TestStarts(t *testing.T) {
	if testkit.Race {
		t.Skip("the simulator is one goroutine, and with the race detector many times slower")
	}
	c, _, _ := observe(t, compile(t, "starts"), "", false, 1, 1)
	roots := map[string]uint64{}
	for _, a := range c.Goroutines() {
		if n := a.Values[FPRoots]; n > 0 {
			roots[a.Start] += n
		}
	}
	require.Equal(t, map[string]uint64{"main.roots": 2, "main.inlined": 1, "main.(*object).method": 4 + 16, "main.generic[...]": 8, "main.main.gowrap6": 32}, roots)
}
