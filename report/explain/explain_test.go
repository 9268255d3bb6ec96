package explain

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/readable"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// ranks is an analysis of two ranks that took 10 s each, of which those in MPI_Recv waited late[0] and late[1] seconds for senders
// and barrier[0] and barrier[1] seconds at a barrier.
func ranks(t *testing.T, late, barrier [2]float64) *query.Model {
	regions := []*cube.Region{{ID: 0, Name: "main"}, {ID: 1, Name: "MPI_Recv", Module: "halo.c", Begin: 12}, {ID: 2, Name: "MPI_Barrier"}}
	waiting := &cube.Metric{ID: 1, Name: "mpi_latesender", Title: "Late sender", Unit: "sec", DType: "DOUBLE"}
	at := &cube.Metric{ID: 2, Name: "mpi_barrier_wait", Title: "Wait at barrier", Unit: "sec", DType: "DOUBLE"}
	time := &cube.Metric{ID: 0, Name: "time", Title: "Time", Unit: "sec", DType: "DOUBLE", Children: []*cube.Metric{waiting, at}}
	visits := &cube.Metric{ID: 3, Name: "visits", Title: "Visits", Unit: "occ", DType: "DOUBLE"}
	c := &cube.Cube{Metrics: []*cube.Metric{time, visits}, Regions: regions}
	c.Roots = []*cube.CallPath{{ID: 0, Region: regions[0], Children: []*cube.CallPath{{ID: 1, Region: regions[1]}, {ID: 2, Region: regions[2]}}}}
	c.System = []*cube.SystemNode{{Name: "machine", Class: "machine", Groups: []*cube.LocationGroup{
		{ID: 0, Name: "rank 0", Locations: []*cube.Location{{ID: 0, Name: "master"}}},
		{ID: 1, Name: "rank 1", Rank: 1, Locations: []*cube.Location{{ID: 1, Name: "master"}}}}}}
	require.NoError(t, c.Complete())
	put := func(m *cube.Metric, path int, x [2]float64) {
		r, err := cube.MakeRow("DOUBLE", []cube.Value{cube.Float(x[0]), cube.Float(x[1])})
		require.NoError(t, err)
		require.NoError(t, m.Set(c.Paths()[path], r))
	}
	put(time, 0, [2]float64{6, 6})
	put(time, 1, [2]float64{4, 4})
	put(waiting, 1, late)
	put(at, 2, barrier)
	put(visits, 1, [2]float64{7, 7})
	m, err := query.New(c)
	require.NoError(t, err)
	return m
}

func text(t *testing.T, x *Explanation) string {
	var out bytes.Buffer
	require.NoError(t, x.Text(&out, "scout.cubex", 5))
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, readable.Width(strings.TrimSuffix(line, "\n")), width, line)
	}
	return out.String()
}

// The form is that of an experiment; what is not known is null.
func document(t *testing.T, x *Explanation) (doc map[string]any) {
	var out bytes.Buffer
	require.NoError(t, x.JSON(&out, nil))
	require.NoError(t, json.Unmarshal(out.Bytes(), &doc))
	return doc
}

func TestCostsMost(t *testing.T) {
	x := Of(ranks(t, [2]float64{1, 2}, [2]float64{0.5, 0}), nil)
	require.Equal(t, "Of all wait states, Late sender in MPI_Recv costs most: 15.0\u00a0% of all time.", x.Verdict.Text)
	require.True(t, x.Verdict.Certain)
	require.Len(t, x.Findings, 2)
	require.Equal(t, "rank 1, master", x.Findings[0].Waiters[0].Name)

	s := text(t, x)
	require.Regexp(t, `(?m)^Of all wait states, Late sender in MPI_Recv costs most: 15.0 % of all time.\n2 threads together spent 20.0 s in the program.$`, s)
	require.Regexp(t, `(?m)^Time +20\.0 s +100\.0 %\n  Late sender +3\.00 s +15\.0 %\n  Wait at barrier +500 ms +2\.5 %$`, s)
	require.Regexp(t, `(?m)^ 1  Late sender in MPI_Recv +15\.0 % of all time\n    3\.00 s of waiting in MPI_Recv, `, s)
	require.Contains(t, s, "      main ▸ MPI_Recv\n      halo.c:12\n    → Let senders send earlier")
	require.NotContains(t, s, "Visits", "no time")

	doc := document(t, x)
	verdict := doc["verdict"].(map[string]any)
	require.Equal(t, "mpi_latesender", verdict["metric"])
	require.Equal(t, "halo.c", verdict["file"])
	require.Equal(t, 20e9, doc["experiment"].(map[string]any)["time_ns"])
	require.Equal(t, map[string]any{"name": "time", "title": "Time", "unit": "ns", "parent": "", "total": 20e9}, doc["metrics"].([]any)[0])
	require.Equal(t, 14.0, doc["metrics"].([]any)[3].(map[string]any)["total"])
	first := doc["findings"].([]any)[0].(map[string]any)
	require.Equal(t, []any{"main", "MPI_Recv"}, first["callpath"])
	require.Equal(t, 3e9, first["severity_ns"])
	require.Equal(t, 0.15, first["time_share"])
	require.Equal(t, []any{"rank 1, master", "rank 0, master"}, first["locations"])
	for _, unknown := range []string{"critical_ns", "share", "instances", "noise_ns"} {
		require.Contains(t, first, unknown)
		require.Nil(t, first[unknown])
	}
	require.Empty(t, doc["warnings"])
}

// A metric without a value, because it cannot be evaluated, is named.
func TestWarnsOfMetricsWithoutValue(t *testing.T) {
	c := ranks(t, [2]float64{1, 2}, [2]float64{0.5, 0}).Cube
	endless := &cube.Metric{ID: 9, Name: "endless", DType: "DOUBLE", Kind: cube.PostDerived,
		Expressions: []cube.Expression{{Element: "cubepl", Text: "{ while (true) { ${i} = 1; }; return 0; }"}}}
	c, err := c.WithMetrics(append(c.Metrics[:len(c.Metrics):len(c.Metrics)], endless))
	require.NoError(t, err)
	m, err := query.New(c)
	require.NoError(t, err)
	doc := document(t, Of(m, nil))
	require.Len(t, doc["warnings"], 1)
	require.Equal(t, "endless cannot be evaluated: endless: offset 2: evaluation takes too long", doc["warnings"].([]any)[0])
	metrics := doc["metrics"].([]any)
	require.Nil(t, metrics[len(metrics)-1].(map[string]any)["total"])
}

// What is not worth reading is left out, but for the dearest.
func TestLittleToGain(t *testing.T) {
	x := Of(ranks(t, [2]float64{0.1, 0.1}, [2]float64{0.03, 0.05}), nil)
	require.Equal(t, "There is little to gain from less waiting: all wait states together have 1.4\u00a0% of the time.", x.Verdict.Text)
	require.Len(t, x.Findings, 1, "80 ms of 20 s are 0.4 %")
	require.Equal(t, "mpi_latesender", x.Findings[0].Metric.Name)
	x = Of(ranks(t, [2]float64{0.1, 0.1}, [2]float64{0.03, 0.06}), nil)
	require.Len(t, x.Findings, 2)
	x = Of(ranks(t, [2]float64{0, 0.001}, [2]float64{}), nil)
	require.Len(t, x.Findings, 1)
	require.Contains(t, text(t, x), "<0.1 % of all time")
}

func TestWithoutWaits(t *testing.T) {
	require.Equal(t, "No wait states were found.", Of(ranks(t, [2]float64{}, [2]float64{}), nil).Verdict.Text)
	m := ranks(t, [2]float64{}, [2]float64{})
	m.Cube.Metrics[0].Children[0].Name, m.Cube.Metrics[0].Children[1].Name = "a", "b"
	other, err := query.New(m.Cube)
	require.NoError(t, err)
	x := Of(other, nil)
	require.Equal(t, "This report does not tell waiting from work; most time was spent in main itself: 60.0\u00a0% of all time.", x.Verdict.Text)
	require.False(t, x.Verdict.Certain)
	require.Contains(t, text(t, x), "The report has no metrics of waiting.")
	m.Cube.Metrics[0].Name = "else"
	other, err = query.New(m.Cube)
	require.NoError(t, err)
	require.Contains(t, text(t, Of(other, nil)), "\nMetrics\n")
}

// Damaged reports hold anything, also what is no number.
func TestNoNumbers(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -5, math.MaxFloat64} {
		m := ranks(t, [2]float64{v, 1}, [2]float64{v, v})
		document(t, Of(m, nil))
		r, err := cube.MakeRow("DOUBLE", []cube.Value{cube.Float(v), cube.Float(v)})
		require.NoError(t, err)
		m = ranks(t, [2]float64{v, 1}, [2]float64{1, v})
		require.NoError(t, m.Cube.Metrics[0].Set(m.Cube.Paths()[0], r))
		x := Of(m, nil)
		document(t, x)
		text(t, x)
	}
}

// TestTitle: where the program lay that tracerec run built is of no interest, as in reports of one run.
func TestTitle(t *testing.T) {
	m := ranks(t, [2]float64{1, 2}, [2]float64{0.5, 0})
	require.True(t, strings.HasPrefix(text(t, Of(m, nil)), "scout.cubex\n"))
	m.Cube.Attrs = append(m.Cube.Attrs, cube.Attr{Key: "program", Value: "/tmp/tracerec-build-1/words"}, cube.Attr{Key: "args", Value: "-v"})
	require.True(t, strings.HasPrefix(text(t, Of(m, nil)), "words -v\n"))
}
