package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// TestRequestChanges: requests are compared with those of the same name and kind, and not by names that only those have that waited.
func TestRequestChanges(t *testing.T) {
	run := func(p99 int64, unnamed int) []report.Requests {
		p := func(n int64) report.Percentiles { return report.Percentiles{P99: n * p99} }
		return []report.Requests{{Name: "(all)", Count: 10, Percentiles: p(1)}, {Name: "get", Kind: "http2", Count: 3, Percentiles: p(2)}, {Name: "get", Kind: "http", Count: 4, Percentiles: p(3)},
			{Name: "(unnamed http)", Kind: "http", Count: max(unnamed, 1), Percentiles: p(4), Unnamed: unnamed}, {Name: "put", Kind: "http3", Percentiles: p(1)}}
	}
	b := run(2e9, 0)
	b[1], b[2] = b[2], b[1]
	p99 := func(list []RequestChange) (got [][2]float64) {
		for _, c := range list {
			if c.Quantity == "p99" {
				got = append(got, [2]float64{c.A, c.B})
			}
		}
		return got
	}
	require.Equal(t, [][2]float64{{1, 2}, {2, 4}, {3, 6}, {4, 8}}, p99(RequestChanges(run(1e9, 0), b)), "none of put has ended")
	require.Equal(t, [][2]float64{{1, 2}, {2, 4}}, p99(RequestChanges(run(1e9, 5), b)), "some of http have no name")
}
