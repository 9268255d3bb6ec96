package cube_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/cubetest"
	"tracerec/report/cube"
)

// BenchmarkLarge works on five million values each: in full rows, in rows of which a tenth is set, and a hundredth.
func BenchmarkLarge(b *testing.B) {
	for _, shape := range []struct {
		name           string
		metrics, paths int
		fill           float64
	}{{"full", 1, 500, 1}, {"scattered", 1, 5000, 0.1}, {"thin", 10, 5000, 0.01}} {
		b.Run(shape.name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "large.cubex")
			c := cubetest.Synthetic(shape.metrics, shape.paths, 10_000, shape.fill)
			b.Run("save", func(b *testing.B) {
				for b.Loop() {
					require.NoError(b, c.Save(file))
				}
			})
			require.NoError(b, c.Save(file))
			c = nil
			benchmarkReading(b, file)
		})
	}
}

func benchmarkReading(b *testing.B, file string) {
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			c, err := cube.Open(file)
			require.NoError(b, err)
			require.NoError(b, c.Close())
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			c, err := cube.Open(file)
			require.NoError(b, err)
			require.NoError(b, c.Load())
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(5e6*8), "B/B")
			require.NoError(b, c.Close())
		}
	})
	b.Run("total", func(b *testing.B) {
		c, err := cube.Open(file)
		require.NoError(b, err)
		defer c.Close()
		require.NoError(b, c.Load())
		for b.Loop() {
			_, err := c.Metric("metric0").Total()
			require.NoError(b, err)
		}
	})
}
