package analyzer_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// deviceSource is a process with two threads and two streams of a device. Its regions are main, the calls that launch, copy and synchronize, a kernel, a copy and idleness.
func deviceSource() (s trace.Source) {
	s.Header.Complete = true
	s.Definitions.Processes = []trace.Process{{End: 1000, Exit: -1}}
	for i := range 4 {
		s.Definitions.Locations = append(s.Definitions.Locations, trace.Location{Number: uint64(i + 1), GoID: uint64(i + 1), Name: []string{"thread", "stream"}[i/2], Stream: i > 1})
	}
	s.Definitions.Regions = []trace.Region{{Name: "main"}, {Name: "launch", Class: "gpu_kernel_launches"}, {Name: "copy", Class: "gpu_comm"}, {Name: "synchronize", Class: "gpu_sync"},
		{Name: "kernel", Class: "gpu_kernel_executions"}, {Name: "copying", Class: "gpu_copy_executions"}, {Name: "(idle)", Class: "gpu_idle"}}
	s.Definitions.Objects = []trace.Object{{Kind: wire.Device, Region: trace.NoRegion}}
	return s
}

func about(t int64, what wire.Command, stream uint32) trace.Event {
	return trace.Event{Time: t, Kind: wire.Commanded, ID: stream, Word: 1 | uint64(what)<<32}
}

func into(t int64, region uint32) trace.Event {
	return trace.Event{Time: t, Kind: wire.Enter, ID: region}
}
func outOf(t int64) trace.Event { return trace.Event{Time: t, Kind: wire.Exit} }

// TestDeviceEvents: whatever events about streams come in, results do not depend on chunks, workers or memory, and what must hold for every trace holds.
func TestDeviceEvents(t *testing.T) {
	findings := 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 5))
		events := make([][]trace.Event, 4)
		for loc := range events {
			now := r.Int64N(10)
			for range 1 + r.IntN(60) {
				e := into(now, r.Uint32N(7))
				if now += r.Int64N(9); r.IntN(3) > 0 {
					e = about(e.Time, wire.Command(r.Uint32N(9)), r.Uint32N(3))
				} else if r.IntN(2) > 0 {
					e = outOf(e.Time)
				}
				events[loc] = append(events[loc], e)
			}
		}
		findings += alike(t, deviceSource(), events, seed)
	}
	require.Greater(t, findings, 50)
}

func sumsOf(e *report.Experiment) map[string]int64 {
	sums := map[string]int64{}
	for i, m := range e.Metrics {
		for _, c := range e.Cells(i) {
			sums[m.Name] += c.Value
		}
	}
	return sums
}

// TestDeviceTime: a thread launches two kernels at once, at 10 and 12, and waits for them; then a third one, late. They run from 15 to 40, 40 to 70 and 95 to 99. Where it launches the third one at 60 instead of 90,
// and does not wait before, nobody waits, but the kernel is queued, from 60 to 70.
func TestDeviceTime(t *testing.T) {
	stream := func(third, end int64) []trace.Event {
		return []trace.Event{into(5, 6), about(15, wire.Idled, 1), outOf(15), into(15, 4), about(40, wire.Executed, 1), outOf(40), into(40, 6),
			about(40, wire.Idled, 1), outOf(40), into(40, 4), about(70, wire.Executed, 1), outOf(70), into(70, 6),
			about(third, wire.Idled, 1), outOf(third), into(third, 4), about(end, wire.Executed, 1), outOf(end), into(end, 6), {Time: end, Kind: wire.End}}
	}
	launched := []trace.Event{into(0, 0), into(10, 1), about(10, wire.Launches, 1), outOf(11), into(12, 1), about(12, wire.Launches, 1), outOf(13)}
	awaited := []trace.Event{into(20, 3), about(74, wire.Synchronizes, 0), outOf(74)}
	last := func(t int64) []trace.Event {
		return []trace.Event{into(t, 1), about(t, wire.Launches, 1), outOf(t + 1), outOf(100), {Time: 100, Kind: wire.End}}
	}
	join := func(lists ...[]trace.Event) (all []trace.Event) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	e, err := analyzer.Analyze(inChunks(deviceSource(), [][]trace.Event{join(launched, awaited, last(90)), nil, stream(95, 99)}, 4), analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	sums := sumsOf(e)
	require.Equal(t, int64(70-20), sums["gpu_host_wait"])
	require.Equal(t, int64(74-70), sums["gpu_sync"], "to come back")
	require.Equal(t, int64(10-5+90-70), sums["gpu_late_launch"])
	require.Equal(t, int64(15-10+95-90), sums["gpu_idle"], "to begin what is launched")
	require.Equal(t, int64(40-12), sums["gpu_queued"])
	require.Equal(t, int64(25+30+4), sums["gpu_kernel_executions"])
	require.Equal(t, 1, e.Header.Streams)

	e, err = analyzer.Analyze(inChunks(deviceSource(), [][]trace.Event{join(launched, last(60)), nil, stream(71, 80)}, 4), analyzer.Options{Patterns: patterns.All()})
	require.NoError(t, err)
	sums = sumsOf(e)
	require.Equal(t, [...]int64{0, 10 - 5, 40 - 12 + 70 - 60}, [...]int64{sums["gpu_host_wait"], sums["gpu_late_launch"], sums["gpu_queued"]})
}
