package report

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/report/cube"
)

// large makes an experiment of 10 000 goroutines with five million severities: each is in 50 of 5000 call paths.
func large() (e *Experiment, severity [][]Cell) {
	const locations, paths, metrics, group = 10_000, 5_000, 10, 100
	e = &Experiment{Sidecar: Sidecar{Header: Header{Program: "large"}, Groups: []Group{{Name: "main", Creator: -1, Count: locations}}}}
	for i := range metrics {
		parent := ""
		if i > 0 {
			parent = "m0"
		}
		e.Metrics = append(e.Metrics, metric.Metric{Name: fmt.Sprint("m", i), Parent: parent})
	}
	for i := range paths {
		e.Regions = append(e.Regions, Region{Name: fmt.Sprint("r", i)})
		e.Paths = append(e.Paths, CallPath{Parent: int32(i - 1 - i%2), Region: uint32(i)})
		if i%2 == 0 {
			e.Paths[i].Parent = -1
		}
	}
	for i := range locations {
		e.Locations = append(e.Locations, Location{Name: fmt.Sprint("g", i), Count: 1})
	}
	severity = make([][]Cell, metrics)
	for m := range severity {
		severity[m] = make([]Cell, 0, paths*locations/group)
		for p := range uint32(paths) {
			for l := range uint32(group) {
				severity[m] = append(severity[m], Cell{p, p%(locations/group)*group + l, int64(m*1000) + int64(p*l)%977 + 1})
			}
		}
	}
	return e, severity
}

func BenchmarkLarge(b *testing.B) {
	e, severity := large()
	var c *cube.Cube
	b.Run("cube", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, e.Fill(severity, nil))
			var err error
			c, err = e.Report("")
			require.NoError(b, err)
		}
	})
	var file bytes.Buffer
	b.Run("write", func(b *testing.B) {
		for b.Loop() {
			file.Reset()
			require.NoError(b, c.Write(&file))
		}
		b.ReportMetric(float64(file.Len()), "bytes")
	})
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			c, err := cube.Read("x", bytes.NewReader(file.Bytes()), int64(file.Len()))
			require.NoError(b, err)
			require.NoError(b, c.Load())
			_, err = Read(c)
			require.NoError(b, err)
		}
	})
}
