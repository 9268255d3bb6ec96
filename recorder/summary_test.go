package recorder

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTotalInWords(t *testing.T) {
	require.Equal(t, "0 events of 0 goroutines, 160 B", Total{Processes: 1, Bytes: 160}.String())
	require.Equal(t, "1 event of 1 goroutine in 2 processes, 2.44 KiB (2500.00 bytes per event)",
		Total{Processes: 2, Goroutines: 1, Events: 1, Bytes: 2500}.String())
	require.Equal(t, "1,234,567 events of 1,000 goroutines, 2.35 MiB (2.00 bytes per event)",
		Total{Processes: 1, Goroutines: 1000, Events: 1234567, Bytes: 2469134}.String())
}
