package otf2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
	"tracerec/trace/wire"
)

// TestFlushes: the recorder writes its events from 20 to 50, in main, so that this has only 70 of 100; wherever chunks end. Where it writes nothing, there is no such region.
func TestFlushes(t *testing.T) {
	for _, chunk := range []uint64{0, 48, 64} {
		a := write(t, chunk, [][]uint64{{0, 100, idEnter, 0}, {0, 120, idBufferFlush, 150}, {0, 160, idEnter, 2}, {0, 180, idLeave, 2}, {0, 200, idLeave, 0}})
		e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 1})
		require.NoError(t, err)
		sums := map[string]int64{}
		for i, m := range e.Metrics {
			for _, c := range e.Cells(i) {
				sums[m.Name] += c.Value
			}
		}
		require.Equal(t, []int64{70e3, 30e3}, []int64{sums["execution"], sums["overhead"]}, "chunks of %d bytes", chunk)
	}
	for _, r := range write(t, 0, [][]uint64{{0, 100, idEnter, 0}, {0, 200, idLeave, 0}}).Trace().Definitions().Regions {
		require.Empty(t, r.Class)
	}
}

// TestFlushesAtTheEnd: the recorder writes its events when nothing comes any more, from 20 to 50 µs, but not longer than the archive says that the trace lasts: to 1000.
func TestFlushesAtTheEnd(t *testing.T) {
	for until, want := range map[uint64]int64{150: 30e3, 1 << 40: 980e3, 0: 0} {
		e, err := analyzer.Analyze(write(t, 0, [][]uint64{{0, 100, idEnter, 0}, {0, 120, idBufferFlush, until}}).Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 1})
		require.NoError(t, err)
		require.Equal(t, want, e.Total(e.MetricIndex("overhead")), "until %d", until)
	}
}

// TestTasks: the second thread is in the barrier from 20 µs on, executes a task from 30 to 45, and the first one comes at 50: so it waits for 15. A task that is executed outside of a barrier is told of nowhere, and so is one of which the
// team is not known.
func TestTasks(t *testing.T) {
	const enter, leave, fork, join, begin, end = idEnter, idLeave, idThreadFork, idThreadJoin, idThreadTeamBegin, idThreadTeamEnd
	const barrier, task = 2, 3
	for _, chunk := range []uint64{0, 64} {
		a := write(t, chunk, [][]uint64{
			{0, 100, enter, 0}, {0, 102, enter, barrier}, {0, 103, enter, task}, {0, 104, leave, task}, {0, 105, leave, barrier}, {0, 110, fork, 3, 2}, {0, 110, begin, 7}, {0, 110, enter, 1}, {0, 120, enter, task}, {0, 140, leave, task},
			{0, 150, enter, barrier}, {0, 170, leave, barrier}, {0, 171, leave, 1}, {0, 171, end, 7}, {0, 171, join, 3}, {0, 180, leave, 0},
			{1, 110, begin, 7}, {1, 110, enter, 1}, {1, 120, enter, barrier}, {1, 130, enter, task}, {1, 145, leave, task}, {1, 168, leave, barrier}, {1, 171, leave, 1}, {1, 171, end, 7},
		})
		a.records[a.index[Regions][barrier]].Values[8], a.records[a.index[Regions][barrier]].Values[9] = roleImplicitBarrier, openMP
		a.records[a.index[Regions][task]].Values[8], a.records[a.index[Regions][task]].Values[9] = 20, openMP
		var told []int64
		for _, events := range eventsOf(t, a.Trace()) {
			for _, e := range events {
				if e.Kind == wire.Within {
					told = append(told, e.Time)
				}
			}
		}
		require.Equal(t, []int64{45e3}, told)
		e, err := analyzer.Analyze(a.Trace(), analyzer.Options{Patterns: patterns.All(), Workers: 2})
		require.NoError(t, err)
		sums := map[string]int64{}
		for i, m := range e.Metrics {
			for _, c := range e.Cells(i) {
				sums[m.Name] += c.Value
			}
		}
		require.Equal(t, int64(15e3), sums["omp_ibarrier_wait"])
		require.Equal(t, int64((3-1)+20+(48-15-15))*1000, sums["omp_ibarrier"])
	}
}
