package report

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/readable"
	"tracerec/metric"
)

// Numbers of all sizes leave a column free, so that they never run together.
func TestNumbersFit(t *testing.T) {
	for _, n := range []int64{0, -5, 1234567, 12345678901, -12345678901, 1 << 61, 1 << 62, math.MaxInt64, math.MinInt64} {
		require.LessOrEqual(t, width(readable.Number(quantity(n, metric.Count), 10)), 10, n)
		require.LessOrEqual(t, width(readable.Number(average(float64(n), metric.Count), 10)), 10, n)
	}
	require.Equal(t, "    4.61 E", readable.Number(quantity(1<<62, metric.Count), 10))
}
