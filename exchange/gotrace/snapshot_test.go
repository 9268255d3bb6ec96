package gotrace_test

import (
	"bytes"
	"errors"
	"math"
	"runtime/trace"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/exchange/gotrace"
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

// TestCheck: what has been converted is told before the next part of the trace, of which a flight recorder begins one with each snapshot; whoever does not want the rest does not get it.
func TestCheck(t *testing.T) {
	traced := inParts(t, 3)
	size := int64(len(traced))
	var told []gotrace.Sofar
	enough := errors.New("enough")
	_, _, err := gotrace.OpenPart("part", bytes.NewReader(traced), 0, math.MaxInt64, func(s gotrace.Sofar) error {
		if told = append(told, s); len(told) == 2 {
			return enough
		}
		return nil
	})
	require.ErrorIs(t, err, enough)
	require.Len(t, told, 2)
	first, second := told[0], told[1]
	require.True(t, 0 < first.Bytes && first.Bytes < second.Bytes && second.Bytes < size, "%v of %d", told, size)
	require.True(t, 0 < first.Events && first.Events < second.Events && first.Locations < second.Locations && first.Objects < second.Objects, "%v", told)
}
