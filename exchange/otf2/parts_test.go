package otf2

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/patterns"
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
