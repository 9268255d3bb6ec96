package limit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// TestRequestsMeant: a limit of a name is for each kind of requests that have it; nothing holds of requests none of which has ended.
func TestRequestsMeant(t *testing.T) {
	p := func(p99 int64) report.Percentiles { return report.Percentiles{P99: p99} }
	r := &Report{Name: "app", Requests: []report.Requests{{Name: "(all)", Count: 5, Percentiles: p(3)}, {Name: "get", Kind: "http", Count: 4, Percentiles: p(2)},
		{Name: "get", Kind: "http2", Count: 1, Percentiles: p(7)}, {Name: "put", Kind: "http", Cut: 1}}}
	for metric, want := range map[string]int64{"p99(get)": 7, "count(get)": 4, "p99(*)": 3} {
		q, quantity, err := r.requests(metric)
		require.NoError(t, err)
		v, _ := q.Quantity(quantity)
		require.Equal(t, want, v.Value, metric)
	}
	_, _, err := r.requests("p99(put)")
	require.ErrorContains(t, err, `no requests "put"`)
	r.Requests = []report.Requests{{Name: "(all)", Cut: 2}}
	_, _, err = r.requests("p99(*)")
	require.EqualError(t, err, "app has only requests that its begin or end cut off")
	q, _, err := r.requests("count(*)")
	require.NoError(t, err)
	require.Zero(t, q.Count)
}
