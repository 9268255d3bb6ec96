package web

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
	"tracerec/report/cube"
)

// The page says of a service what the text says: when it was recorded, the latency of its requests, and the problem that a finding is known as.
func TestRequestsAsInTheText(t *testing.T) {
	const file = "ui/e2e/testdata/requests.cubex.gz"
	c, err := cube.Open(file)
	require.NoError(t, err)
	defer c.Close()
	e, err := report.Read(c)
	require.NoError(t, err)
	a, err := ask(file)
	require.NoError(t, err)
	a.Experiment = e

	m, err := a.meta(&question{api: a})
	require.NoError(t, err)
	require.Equal(t, []int64{1_000_000_000, 56_020_000}, []int64{m.(*meta).Begin, m.(*meta).Span})
	var text bytes.Buffer
	require.NoError(t, report.JSON(&text, e))
	var doc struct {
		Experiment struct {
			Begin     int64 `json:"begin_ns"`
			Span      int64 `json:"span_ns"`
			Instances []struct {
				Worst []struct {
					Begin int64 `json:"begin_ns"`
					End   int64 `json:"end_ns"`
				}
			}
		}
		Findings []struct{ Problem string }
	}
	require.NoError(t, json.Unmarshal(text.Bytes(), &doc))
	require.Equal(t, []int64{m.(*meta).Begin, m.(*meta).Span}, []int64{doc.Experiment.Begin, doc.Experiment.Span})
	require.Len(t, doc.Experiment.Instances, 2, "waits for the lock, and for the goroutines")
	for _, kind := range doc.Experiment.Instances {
		for _, w := range kind.Worst {
			require.LessOrEqual(t, doc.Experiment.Begin, w.Begin)
			require.LessOrEqual(t, w.End, doc.Experiment.Begin+doc.Experiment.Span)
		}
	}

	f := &findings{}
	a.ours(f)
	require.Equal(t, []requestRow{
		{"(all)", 15, 0, float(e.Requests[0].Rate), 5_270_000, -1, -1, 6_450_000},
		{"GET /cached", 10, 0, float(e.Requests[1].Rate), 5_470_000, -1, -1, 6_450_000},
		{"GET /user/{id}", 5, 0, float(e.Requests[2].Rate), 300_000, -1, -1, 500_000},
	}, f.Requests.Rows)
	require.Equal(t, 2, f.Requests.Names)
	require.Equal(t, &problem{"held_across_wait", "Lock held across a wait"}, f.Findings[0].Problem)
	require.Equal(t, doc.Findings[0].Problem, f.Findings[0].Problem.Name)
	require.Nil(t, f.Findings[1].Problem)
	require.Empty(t, doc.Findings[1].Problem)

	// A name that few requests have, streams, and what is said of names and of slow requests.
	e.Requests = append(e.Requests, report.Requests{Name: "/events", Kind: report.KindStream, Count: 200, Percentiles: report.Percentiles{P50: 1, P95: 2, P99: 3}, Max: 4},
		report.Requests{Name: "GET /cut", Kind: "http", Cut: 1})
	e.Requests[0].Unnamed = 2
	f = &findings{}
	a.ours(f)
	require.Equal(t, "(all but streams)", f.Requests.Rows[0].Name)
	require.Equal(t, []requestRow{{"/events, stream", 200, 0, 0, 1, 2, 3, 4}, {"GET /cut", 0, 1, 0, -1, -1, -1, -1}}, f.Requests.Rows[3:])
	require.Contains(t, f.Requests.Notes[0], "have no name")
	e.Requests = nil
	f = &findings{}
	a.ours(f)
	require.Nil(t, f.Requests)
}
