package algebra

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/cubetest"
	"tracerec/report/cube"
)

// BenchmarkDiff reads two reports with 5 million values each (500 rows of 10 000 locations) and writes their difference.
func BenchmarkDiff(b *testing.B) {
	var files [2][]byte
	for i, fill := range []float64{1, 0.999} {
		var w bytes.Buffer
		require.NoError(b, cubetest.Synthetic(10, 50, 10_000, fill).Write(&w))
		files[i] = w.Bytes()
	}
	b.ReportAllocs()
	for b.Loop() {
		var in [2]Input
		for i, f := range files {
			c, err := cube.Read("report", bytes.NewReader(f), int64(len(f)))
			require.NoError(b, err)
			in[i] = Input{Name: "report", Cube: c}
		}
		r, err := Diff(in[0], in[1])
		require.NoError(b, err)
		require.NoError(b, r.Cube.Write(io.Discard))
	}
}
