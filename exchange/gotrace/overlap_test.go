package gotrace_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	archive "tracerec/trace"
	"tracerec/trace/wire"
)

// TestOverlap: a part of a trace may begin before the last events of the one before, as threads go on to the next part one by one. What is in both at once has its own time.
func TestOverlap(t *testing.T) {
	text := inParts(t, 2)
	begins := map[uint64]uint64{}
	last := uint64(0)
	withTimes(t, text, func(generation, time uint64) uint64 {
		if begin, is := begins[generation]; !is || time < begin {
			begins[generation] = time
		}
		last = max(last, generation)
		return time
	})
	apart := (begins[last] - begins[last-1]) / 2
	earlier := func(ticks uint64) *archive.Archive { // as if the last part had begun so much earlier
		return opened(t, withTimes(t, text, func(generation, time uint64) uint64 {
			if generation == last {
				time -= ticks
			}
			return time
		}))
	}
	g := lastOf(t, opened(t, text), "receives")
	before, by1, by2 := eventsOf(t, earlier(0))[g], eventsOf(t, earlier(apart))[g], eventsOf(t, earlier(2*apart))[g]
	require.NotEmpty(t, before)
	require.Len(t, by1, len(before))
	require.Len(t, by2, len(before))
	ns := before[0].Time - by1[0].Time
	require.Positive(t, ns)
	for i, e := range before {
		require.InDelta(t, ns, e.Time-by1[i].Time, 10, "%v %v", before, by1)
		require.InDelta(t, 2*ns, e.Time-by2[i].Time, 20, "%v %v", before, by2)
	}
}

// inParts returns a trace of so many parts, as a flight recorder begins one with each snapshot, with a goroutine in each that receives.
func inParts(t *testing.T, parts int) []byte {
	recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Hour})
	if err := recorder.Start(); err != nil {
		t.Skip("the tests are recorded themselves: ", err)
	}
	defer recorder.Stop()
	var out bytes.Buffer
	c := make(chan int)
	for range parts {
		go receives(c)
		stuck(t, "receives", "chan receive")
		c <- 1
		out.Reset()
		_, err := recorder.WriteTo(&out)
		require.NoError(t, err)
	}
	return out.Bytes()
}

// lastOf returns the id of the goroutine with a function that began last.
func lastOf(t *testing.T, a *archive.Archive, function string) (id uint64) {
	began := int64(-1)
	for g, list := range eventsOf(t, a) {
		if list[0].Kind == wire.Begin && strings.HasSuffix(a.Definitions().Regions[list[0].ID].Func, "."+function) && list[0].Time > began {
			id, began = g, list[0].Time
		}
	}
	return id
}

// withTimes returns a trace with other times of its batches of events: those that f returns for their generation and their time.
func withTimes(t *testing.T, text []byte, f func(generation, time uint64) uint64) (out []byte) {
	const header, batch = 16, 1
	r := bytes.NewReader(text[header:])
	out = append(out, text[:header]...)
	number := func() uint64 {
		n, err := binary.ReadUvarint(r)
		require.NoError(t, err)
		return n
	}
	for r.Len() > 0 {
		kind, err := r.ReadByte()
		require.NoError(t, err)
		if out = append(out, kind); kind != batch { // the end of a generation
			continue
		}
		generation, thread, time, size := number(), number(), number(), number()
		for _, n := range []uint64{generation, thread, f(generation, time), size} {
			out = binary.AppendUvarint(out, n)
		}
		n := len(out)
		out = append(out, make([]byte, size)...)
		_, err = io.ReadFull(r, out[n:])
		require.NoError(t, err)
	}
	return out
}
