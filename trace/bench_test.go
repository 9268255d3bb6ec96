package trace_test

import (
	"bytes"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/tracetest"
	"tracerec/trace"
)

func synthetic(t testing.TB, events int, resolution int64) *trace.Archive {
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, trace.Options{Resolution: resolution})
	require.NoError(t, err)
	require.NoError(t, tracetest.Synthetic(w, events, 1))
	require.NoError(t, w.Close())
	a, err := trace.OpenReader("synthetic", bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	return a
}

func TestSyntheticIsSound(t *testing.T) {
	for _, resolution := range []int64{1, 64} {
		a := synthetic(t, 100000, resolution)
		require.Empty(t, a.Check())
		require.Len(t, a.Definitions().Locations, 17)
	}
}

// TestSize holds the archive to the size that it is meant to have.
func TestSize(t *testing.T) {
	for resolution, most := range map[int64]float64{64: 2, 1: 3} {
		var out bytes.Buffer
		w, err := trace.NewWriter(&out, trace.Options{Resolution: resolution})
		require.NoError(t, err)
		require.NoError(t, tracetest.Synthetic(w, 300000, 1))
		require.NoError(t, w.Close())
		_, events := w.Size()
		size := float64(out.Len()) / float64(events)
		t.Logf("%d ns: %.2f bytes per event", resolution, size)
		require.Less(t, size, most)
	}
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector empties pools at random")
	}
	a := synthetic(t, 200000, 64)
	d := a.NewDecoder()
	var buf trace.Buffer
	all := func() {
		for _, c := range a.Chunks() {
			if _, err := d.Decode(c, &buf); err != nil {
				t.Fatal(err)
			}
		}
	}
	all()
	least := testing.AllocsPerRun(1, all)
	for range 10 { // a garbage collection empties pools
		least = min(least, testing.AllocsPerRun(1, all))
	}
	require.Zero(t, least)
}

func BenchmarkDecode(b *testing.B) {
	a := synthetic(b, 1000000, 64)
	d := a.NewDecoder()
	var buf trace.Buffer
	events := 0
	for b.Loop() {
		for _, c := range a.Chunks() {
			if _, err := d.Decode(c, &buf); err != nil {
				b.Fatal(err)
			}
			events += c.Events
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}

func BenchmarkWrite(b *testing.B) {
	events := 0
	for b.Loop() {
		var out bytes.Buffer
		w, err := trace.NewWriter(&out, trace.Options{})
		require.NoError(b, err)
		require.NoError(b, tracetest.Synthetic(w, 1000000, 1))
		require.NoError(b, w.Close())
		_, n := w.Size()
		events += int(n)
		b.ReportMetric(float64(out.Len())/float64(n), "B/event")
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
}
