package cube

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// large makes a cube of 10 000 locations with 5 million values in full rows, and as many scattered ones.
func large(t testing.TB) *Cube {
	const locations, full, scattered, each = 10_000, 500, 5_000, 1_000
	rnd := rand.New(rand.NewPCG(1, 2))
	region := &Region{ID: 0, Name: "r", Begin: -1, End: -1}
	c := &Cube{Regions: []*Region{region}, Metrics: []*Metric{
		{ID: 0, Name: "time", DType: "DOUBLE", Kind: Inclusive}, {ID: 1, Name: "wait", DType: "INT64", Kind: Exclusive}}}
	root := &CallPath{ID: 0, Region: region, Line: -1}
	for i := range scattered - 1 {
		root.Children = append(root.Children, &CallPath{ID: i + 1, Region: region, Line: -1})
	}
	group := &LocationGroup{Name: "p", Type: "process"}
	for i := range locations {
		group.Locations = append(group.Locations, &Location{ID: i, Name: fmt.Sprintf("worker[%d]", i), Rank: i, Type: "thread"})
	}
	c.Roots, c.System = []*CallPath{root}, []*SystemNode{{Name: "m", Class: "machine", Groups: []*LocationGroup{group}}}
	require.NoError(t, c.Complete())
	for _, p := range c.Paths()[:full] {
		values := make([]Value, locations)
		for i := range values {
			values[i] = Float(rnd.Float64())
		}
		r, err := MakeRow("DOUBLE", values)
		require.NoError(t, err)
		require.NoError(t, c.Metric("time").Set(p, r))
	}
	for _, p := range c.Paths() {
		var columns []int32
		var values []Value
		for i := range each {
			columns = append(columns, int32(i*locations/each+rnd.IntN(locations/each)))
			values = append(values, Int(int64(1+rnd.IntN(1_000_000))))
		}
		r, err := MakeSparseRow("INT64", locations, columns, values)
		require.NoError(t, err)
		require.NoError(t, c.Metric("wait").Set(p, r))
	}
	return c
}

func BenchmarkLarge(b *testing.B) {
	file := filepath.Join(b.TempDir(), "large.cubex")
	c := large(b)
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, c.Save(file))
		}
	})
	c = nil
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			c, err := Open(file)
			require.NoError(b, err)
			require.NoError(b, c.Close())
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			c, err := Open(file)
			require.NoError(b, err)
			require.NoError(b, c.Load())
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(10e6*8), "B/B")
			require.NoError(b, c.Close())
		}
	})
	b.Run("total", func(b *testing.B) {
		c, err := Open(file)
		require.NoError(b, err)
		defer c.Close()
		require.NoError(b, c.Load())
		for b.Loop() {
			_, err := c.Metric("wait").Total()
			require.NoError(b, err)
		}
	})
}
