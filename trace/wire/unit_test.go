package wire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCounterUnit(t *testing.T) {
	for name, unit := range map[string]string{"task-clock": "ns", "cpu-clock": "ns", "cpu-clock:u": "ns", "go:alloc-bytes": "bytes",
		"page-faults": "events", "mem:main.x/8:w": "events"} {
		require.Equal(t, unit, CounterUnit(name), name)
	}
}
