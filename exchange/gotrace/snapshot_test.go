package gotrace_test

import (
	"bytes"
	"runtime/trace"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSnapshot: what a flight recorder kept tells of the program, without the goroutine that reads the trace for it, which wakes others by a stack without functions.
func TestSnapshot(t *testing.T) {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: 1}) // ns: it keeps no more than it must
	if err := recorder.Start(); err != nil {
		t.Skip("the tests are recorded themselves: ", err)
	}
	defer recorder.Stop()
	c := make(chan int)
	go receives(c)
	stuck(t, "receives", "chan receive")
	c <- 1
	var out bytes.Buffer
	_, err := recorder.WriteTo(&out) // a new generation of the trace begins
	require.NoError(t, err)
	for range 2 { // in which the reader goes on
		go receives(c)
		stuck(t, "receives", "chan receive")
		c <- 1
		out.Reset()
		_, err = recorder.WriteTo(&out)
		require.NoError(t, err)
	}
	e := analyzed(t, opened(t, out.Bytes()))
	require.Contains(t, waits(e), "late_sender: recv in receives < send in TestSnapshot")
	for _, r := range e.Regions {
		require.NotEmpty(t, r.Name)
		require.NotContains(t, r.Func, "traceMultiplexer")
	}
}
