package query

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/report/cube"
)

// twoRanks is the analysis of two ranks that compute and exchange messages. Times of the call paths main, solve, MPI_Recv:
//
//	         rank 0   rank 1
//	main     10 s     10 s    all of it, inclusive
//	solve     6 s      8 s    computation
//	MPI_Recv  4 s      2 s    of which 3 s and 1 s late sender, of these 0.5 s and 0 messages in wrong order
func twoRanks(t *testing.T) *Model {
	regions := []*cube.Region{{ID: 0, Name: "main", Paradigm: "user"}, {ID: 1, Name: "solve", Paradigm: "user"}, {ID: 2, Name: "MPI_Recv", Paradigm: "mpi"}}
	wrong := &cube.Metric{ID: 3, Name: "mpi_latesender_wo", Title: "Wrong order", Unit: "sec", DType: "DOUBLE"}
	late := &cube.Metric{ID: 2, Name: "mpi_latesender", Title: "Late sender", Unit: "sec", DType: "DOUBLE", Children: []*cube.Metric{wrong}}
	comp := &cube.Metric{ID: 1, Name: "comp", Unit: "sec", DType: "DOUBLE"}
	time := &cube.Metric{ID: 0, Name: "time", Unit: "sec", DType: "DOUBLE", Children: []*cube.Metric{comp, late}}
	delay := &cube.Metric{ID: 4, Name: "delay_latesender", Unit: "sec", DType: "DOUBLE"}
	c := &cube.Cube{Metrics: []*cube.Metric{time, delay}, Regions: regions}
	c.Roots = []*cube.CallPath{{ID: 0, Region: regions[0], Children: []*cube.CallPath{{ID: 1, Region: regions[1]}, {ID: 2, Region: regions[2]}}}}
	c.System = []*cube.SystemNode{{Name: "machine", Class: "machine", Groups: []*cube.LocationGroup{
		{ID: 0, Name: "rank 0", Locations: []*cube.Location{{ID: 0, Name: "master"}}},
		{ID: 1, Name: "rank 1", Rank: 1, Locations: []*cube.Location{{ID: 1, Name: "master"}}}}}}
	require.NoError(t, c.Complete())
	put := func(m *cube.Metric, path int, a, b float64) {
		r, err := cube.MakeRow("DOUBLE", []cube.Value{cube.Float(a), cube.Float(b)})
		require.NoError(t, err)
		require.NoError(t, m.Set(c.Paths()[path], r))
	}
	put(time, 1, 6, 8)
	put(time, 2, 4, 2)
	put(comp, 1, 6, 8)
	put(late, 2, 3, 1)
	put(wrong, 2, 0.5, 0)
	put(delay, 1, 0, 3)
	put(delay, 0, 1, 0)
	m, err := New(c)
	require.NoError(t, err)
	return m
}

func TestEfficiency(t *testing.T) {
	m := twoRanks(t)
	want := map[string]float64{"parallel efficiency": 7. / 10, "load balance": 7. / 8, "communication efficiency": 8. / 10,
		"serialisation efficiency": 8. / 9, "transfer efficiency": 9. / 10}
	list := m.Efficiency()
	require.Len(t, list, 5)
	for _, e := range list {
		require.Empty(t, e.Why)
		require.InDelta(t, want[e.Name], e.Value, 1e-12, e.Name)
		require.NotEmpty(t, e.Meaning)
	}
	require.InDelta(t, list[0].Value, list[1].Value*list[2].Value, 1e-12)
	require.InDelta(t, list[2].Value, list[3].Value*list[4].Value, 1e-12)
	require.Equal(t, "mean computation ÷ longest time = 7.00 s ÷ 10.0 s, of 2 locations", list[0].Formula)

	m.Cube.Metrics[0].Name = "else"
	other, err := New(m.Cube)
	require.NoError(t, err)
	require.Equal(t, "the report has no metric of time", other.Efficiency()[0].Why)
	m.Cube.Metrics[0].Name, m.Cube.Metrics[0].Children[0].Name = "time", "else"
	other, err = New(m.Cube)
	require.NoError(t, err)
	list = other.Efficiency()
	require.InDelta(t, 7./8, list[1].Value, 1e-12, "computation is what is not in MPI")
	m.Cube.Regions[2].Paradigm = "user"
	require.Contains(t, other.Efficiency()[0].Why, "does not tell computation")
}

// A goroutine that only waits for those that it started is not one of those that share the work.
func TestEfficiencyOfGoroutines(t *testing.T) {
	c := twoRanks(t).Cube
	third := &cube.Location{ID: 2, Name: "main"}
	c.System[0].Groups[0].Locations = append(c.System[0].Groups[0].Locations, third)
	c.Attrs = []cube.Attr{{Key: "Creator", Value: "expert test"}}
	time := &cube.Metric{ID: 0, Name: "time", Unit: "ns", DType: "INT64"}
	execution := &cube.Metric{ID: 1, Name: "execution", Unit: "ns", DType: "INT64"}
	join := &cube.Metric{ID: 2, Name: "join_wait", Unit: "ns", DType: "INT64", Attrs: []cube.Attr{{Key: "wait", Value: "true"}}}
	time.Children, c.Metrics = []*cube.Metric{execution, join}, []*cube.Metric{time}
	require.NoError(t, c.Complete())
	put := func(m *cube.Metric, row ...int64) {
		values := []cube.Value{}
		for _, v := range row {
			values = append(values, cube.Int(v))
		}
		r, err := cube.MakeRow("INT64", values)
		require.NoError(t, err)
		require.NoError(t, m.Set(c.Paths()[1], r))
	}
	put(time, 10, 10, 11)
	put(execution, 6, 8, 1)
	put(join, 0, 0, 10)
	m, err := New(c)
	require.NoError(t, err)
	require.Equal(t, "goroutine", m.Resources[len(m.Resources)-1].Class)
	list := m.Efficiency()
	require.Empty(t, list[0].Why)
	require.InDelta(t, 7./8, list[1].Value, 1e-12)
	require.Equal(t, "most computation ÷ longest time = 8 ns ÷ 10 ns, of 2 goroutines", list[2].Formula)

	execution.Title = metric.RunningTitle
	m, err = New(c)
	require.NoError(t, err)
	for _, e := range m.Efficiency() {
		require.Contains(t, e.Why, "it is unknown how much of Running or not recorded was computation", e.Name)
	}
	execution.Title = metric.ExecutionTitle

	put(time, 10, 10, 5)
	put(execution, 2, 3, 5)
	m, err = New(c)
	require.NoError(t, err)
	require.Equal(t, "goroutines started and ended during the run: those that existed throughout did 50 % of the computation", m.Efficiency()[0].Why)
}

// Where goroutines are not there for the whole run, the ratios do not apply.
func TestEfficiencyOfShortLives(t *testing.T) {
	m := twoRanks(t)
	m.Cube.Attrs = []cube.Attr{{Key: "Creator", Value: "expert test"}}
	why := func(first float64) string {
		r, err := cube.MakeRow("DOUBLE", []cube.Value{cube.Float(first), cube.Float(8)})
		require.NoError(t, err)
		require.NoError(t, m.Metric("time").Set(m.Cube.Paths()[1], r))
		n, err := New(m.Cube)
		require.NoError(t, err)
		return n.Efficiency()[1].Why
	}
	require.Empty(t, why(6))
	require.Contains(t, why(1), "fewer than two goroutines")
	m.Cube.Attrs = nil
	require.Empty(t, why(1), "threads are there for the whole run")
}

func TestFindings(t *testing.T) {
	m := twoRanks(t)
	list := m.Findings(10)
	require.Len(t, list, 2)
	require.Equal(t, "Late sender", list[0].Title)
	require.Equal(t, 3.5, list[0].Severity.Float64(), "without messages in wrong order")
	require.InDelta(t, 3.5/20, list[0].Share, 1e-12)
	require.Equal(t, "MPI_Recv", list[0].Path.Region.Name)
	require.Equal(t, "3.50 s of waiting in MPI_Recv, 18 % of all time: receivers waited for messages that were not sent yet. "+
		"2 of 2 locations waited, rank 0, master longest: 2.50 s. Of the delays that caused such waiting, all of which is here, 75 % lie in main ▸ solve.", list[0].Text)
	require.NotEmpty(t, list[0].Advice)
	require.Equal(t, "Late sender: Wrong order", list[1].Title)
	require.Equal(t, "500 ms of waiting in MPI_Recv, 2.5 % of all time: receivers waited for a message while another one was there already. "+
		"Only rank 0, master waited. Of the delays that caused such waiting, all of which is here, 75 % lie in main ▸ solve.", list[1].Text)
	require.Len(t, m.Findings(1), 1)
	require.Empty(t, m.Findings(0))
}

// Where the delays lie that others waited for is known of all waiting of a kind together, so it is said only if that is all at one call path.
func TestCausesOfOneFinding(t *testing.T) {
	m := twoRanks(t)
	r, err := cube.MakeRow("DOUBLE", []cube.Value{cube.Float(0), cube.Float(0.25)})
	require.NoError(t, err)
	require.NoError(t, m.Metric("mpi_latesender").Set(m.Cube.Paths()[0], r))
	m, err = New(m.Cube)
	require.NoError(t, err)
	for _, top := range []int{1, 10} { // also where the other findings are not asked for
		for _, f := range m.Findings(top) {
			require.NotContains(t, f.Text, "delays", f.Path.Region.Name)
		}
	}
}

// Scalasca's own reports have findings whose sum is all waiting that they know of.
func TestFindingsOfReports(t *testing.T) {
	scouts(t, func(t testing.TB, file string, c *cube.Cube) {
		m := display(t, c)
		sum, want := 0.0, 0.0
		for _, f := range m.Findings(math.MaxInt) {
			require.Positive(t, f.Share)
			require.NotEmpty(t, f.Text)
			sum += f.Severity.Float64()
		}
		for _, q := range m.Waits() {
			if _, nested := waitStates[q.Parent.Name]; nested {
				continue
			}
			v, err := m.Total(What{Metric: q})
			require.NoError(t, err)
			want += v.Float64()
		}
		require.InDelta(t, want, sum, 1e-9*want, file)
		for _, e := range m.Efficiency() {
			require.True(t, e.Why != "" || e.Value >= 0 && e.Value <= 1+1e-9, "%s: %+v", file, e)
		}
	})
}

func TestDistribution(t *testing.T) {
	m := &Model{}
	values := func(list ...float64) (v []cube.Value) {
		for _, x := range list {
			v = append(v, cube.Float(x))
		}
		return v
	}
	require.Equal(t, Box{N: 5, Min: 1, Q1: 2, Median: 3, Q3: 4, Max: 5, Mean: 3}, m.Distribution(values(5, 3, 1, 2, 4)))
	require.Equal(t, Box{N: 4, Min: 0, Q1: 0.75, Median: 1.5, Q3: 2.25, Max: 3, Mean: 1.5}, m.Distribution(values(0, 1, 2, 3)))
	require.Equal(t, Box{N: 1, Min: 7, Q1: 7, Median: 7, Q3: 7, Max: 7, Mean: 7}, m.Distribution(values(7)))
	require.Zero(t, m.Distribution(nil))
}
