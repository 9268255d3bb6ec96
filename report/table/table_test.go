package table_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/cubetest"
	"tracerec/metric/spec"
	"tracerec/report/cube"
	"tracerec/report/query"
	"tracerec/report/table"
)

// sample is a report of main, which calls solve, which calls itself and send, on two goroutines.
func sample(t *testing.T) *query.Model {
	t.Helper()
	region := func(name, file string, line int) *cube.Region {
		return &cube.Region{Name: name, Module: file, Begin: line}
	}
	c := &cube.Cube{Regions: []*cube.Region{region("main", "/src/main.go", 5), region("solve", "/src/solve.go", 20), region("send", "/src/solve.go", 31),
		region("bad\x1b[31m\tname", "", -1)}}
	path := func(r int, children ...*cube.CallPath) *cube.CallPath {
		return &cube.CallPath{Region: c.Regions[r], Line: -1, Children: children}
	}
	c.Roots = []*cube.CallPath{path(0, path(1, path(1), path(2)), path(3))}
	wait := &cube.Metric{Name: "late_receiver", Title: "Late receiver", DType: "INT64", Unit: "ns"}
	time := &cube.Metric{Name: "time", Title: "Time", DType: "INT64", Unit: "ns", Children: []*cube.Metric{wait}}
	visits := &cube.Metric{Name: "visits", Title: "Visits", DType: "UINT64", Unit: "occ"}
	ratio := &cube.Metric{Name: "wait_per_visit", Title: "Wait per visit", DType: "DOUBLE", Unit: "ns", Kind: cube.PostDerived,
		Expressions: []cube.Expression{{Element: "cubepl", Text: "metric::late_receiver() / metric::visits()"}}}
	broken := &cube.Metric{Name: "broken", Title: "Broken", DType: "DOUBLE", Kind: cube.PostDerived,
		Expressions: []cube.Expression{{Element: "cubepl", Text: "metric::nothing() +"}}}
	c.Metrics = []*cube.Metric{time, visits, ratio, broken}
	c.System = []*cube.SystemNode{{Name: "machine", Class: "machine", Groups: []*cube.LocationGroup{
		{Name: "a", Type: "goroutines", Locations: []*cube.Location{{ID: 0, Name: "main"}}},
		{ID: 1, Name: "b", Type: "goroutines", Locations: []*cube.Location{{ID: 1, Name: "main"}}}}}}
	for i, m := range []*cube.Metric{time, wait, visits, ratio, broken} {
		m.ID = i
	}
	for i, p := range []*cube.CallPath{c.Roots[0], c.Roots[0].Children[0], c.Roots[0].Children[0].Children[0], c.Roots[0].Children[0].Children[1],
		c.Roots[0].Children[1]} {
		p.ID = i
	}
	for i, r := range c.Regions {
		r.ID = i
	}
	require.NoError(t, c.Complete())
	for m, rows := range map[*cube.Metric][][2]int64{
		time:   {{1_000_000, 0}, {2_500_000, 3_000_000}, {700, 0}, {90_000_000, 10_000_000}, {1, 0}},
		wait:   {3: {80_000_000, 9_000_000}, 4: {}},
		visits: {{1, 0}, {10, 12}, {3, 0}, {1000, 2500}, {1, 0}},
	} {
		for i, v := range rows {
			r, err := cube.MakeRow(m.DType, []cube.Value{cube.Int(v[0]), cube.Int(v[1])})
			require.NoError(t, err)
			require.NoError(t, m.Set(c.Paths()[i], r))
		}
	}
	model, err := query.New(c)
	require.NoError(t, err)
	return model
}

func metrics(t *testing.T, m *query.Model, list string) []*query.Metric {
	t.Helper()
	found, err := table.Metrics(m, list)
	require.NoError(t, err)
	return found
}

func text(t *testing.T, x *table.Table, f table.Format) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, x.Write(&out, f))
	return out.String()
}

func stat(t *testing.T, m *query.Model, o table.StatOptions) *table.Table {
	t.Helper()
	x, err := table.Stat(m, o)
	require.NoError(t, err)
	return x
}

func equal(t *testing.T, want, got string) {
	t.Helper()
	require.Equal(t, strings.TrimPrefix(want, "\n"), got)
}

// What a name has for the terminal does not come out of files for programs either.
func TestNoControlCharacters(t *testing.T) {
	for _, f := range []table.Format{table.CSV, table.TSV} {
		m := sample(t)
		out := text(t, stat(t, m, table.StatOptions{Metrics: table.MainMetrics(m)}), f)
		require.Contains(t, out, "bad\ufffd[31m name", f)
		require.NotContains(t, out, "\x1b", f)
	}
}

func TestStat(t *testing.T) {
	m := sample(t)
	equal(t, `
            late_
   time  receiver  visits  region
 107 ms   89.0 ms   3,527  (whole program)
 100 ms   89.0 ms   3,500  send  solve.go:31
5.50 ms         0      25  solve  solve.go:20
1.00 ms         0       1  main  main.go:5
   1 ns         0       1  bad�[31m name
`, text(t, stat(t, m, table.StatOptions{Metrics: table.MainMetrics(m)}), table.Text))
	equal(t, `
        wait_per_
  time      visit  broken  callpath
107 ms    25.2 µs       –  (whole program)
107 ms    25.2 µs       –  main  main.go:5
106 ms    25.2 µs       –  main ▸ solve  solve.go:20
100 ms    25.4 µs       –  main ▸ solve ▸ send  solve.go:31
`, until(text(t, stat(t, m, table.StatOptions{Metrics: metrics(t, m, "time,wait_per_visit,broken"), CallPaths: true, Inclusive: true, Top: 3}), table.Text), 5))
}

// until returns the first lines of a text.
func until(s string, lines int) string {
	return strings.Join(slices.Collect(strings.Lines(s))[:lines+1], "")
}

func TestStatForPrograms(t *testing.T) {
	m := sample(t)
	list := metrics(t, m, "late_receiver,time,broken")
	equal(t, `
region,file,line,location,late_receiver,time,broken
send,/src/solve.go,31,a/main,80000000,90000000,
send,/src/solve.go,31,b/main,9000000,10000000,
`, text(t, stat(t, m, table.StatOptions{Metrics: list, PerLocation: true, Region: regexp.MustCompile("^send$")}), table.CSV))
	tsv := text(t, stat(t, m, table.StatOptions{Metrics: list, Self: true, Percent: true}), table.TSV)
	require.Contains(t, tsv, "send\t/src/solve.go\t31\t100\t")
	for line := range strings.Lines(tsv) {
		require.Equal(t, 5, strings.Count(line, "\t"), line)
	}
	var doc struct {
		Columns []struct {
			Name, Unit, Error string
			Total             *float64
		}
		Notes []string
		Rows  []struct {
			Region string
			Line   int
			Values map[string]*float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text(t, stat(t, m, table.StatOptions{Metrics: list}), table.JSON)), &doc))
	require.Len(t, doc.Rows, 4)
	require.Equal(t, 89e6, *doc.Rows[0].Values["late_receiver"])
	require.Equal(t, 89e6, *doc.Columns[0].Total)
	require.Nil(t, doc.Rows[0].Values["broken"])
	require.Nil(t, doc.Columns[2].Total)
	require.NotEmpty(t, doc.Columns[2].Error)
	require.Contains(t, doc.Notes[0], "broken cannot be evaluated: ")
}

func TestSpread(t *testing.T) {
	m := sample(t)
	equal(t, `
   time     mean      min       q1   median       q3      max  region
 100 ms  50.0 ms  10.0 ms  30.0 ms  50.0 ms  70.0 ms  90.0 ms  send  solve.go:31
5.50 ms  2.75 ms  2.50 ms  2.63 ms  2.75 ms  2.88 ms  3.00 ms  solve  solve.go:20
… 2 more rows
`, text(t, stat(t, m, table.StatOptions{Metrics: metrics(t, m, "time"), Spread: true, Top: 2}), table.Text))
	for percent, unit := range map[bool]string{false: "ns", true: "%"} {
		lines := strings.Split(text(t, stat(t, m, table.StatOptions{Metrics: metrics(t, m, "time"), Spread: true, Percent: percent}), table.CSV), "\n")
		require.Equal(t, "region,file,line,time,mean,min,q1,median,q3,max,unit", lines[0])
		require.True(t, strings.HasSuffix(lines[1], ","+unit), lines[1])
	}
	_, err := table.Stat(m, table.StatOptions{Metrics: m.Metrics, Spread: true})
	require.ErrorContains(t, err, "one metric")
}

func TestTooLarge(t *testing.T) {
	m := sample(t)
	_, err := table.Stat(m, table.StatOptions{Metrics: slices.Repeat(m.Metrics, 1<<21)})
	require.EqualError(t, err, "a table of 10485760 metrics and 4 rows is too large; name metrics, or see expert dump")
}

func TestCallTree(t *testing.T) {
	m := sample(t)
	time := m.Metric("time")
	equal(t, `
Time (time)
 total    share      own  callpath
107 ms  100.0 %  1.00 ms  main  main.go:5
106 ms   99.1 %  5.50 ms    solve  solve.go:20
100 ms   93.9 %   100 ms      send  solve.go:31
`, text(t, table.CallTree(m, table.TreeOptions{Metric: time, Threshold: 0.1, Annotate: table.Source}), table.Text))
	equal(t, `
Time (time)
 total    share  largest  callpath
107 ms  100.0 %  93.5 ms  main  most on a/main
106 ms   99.1 %  92.5 ms    solve  most on a/main
100 ms   93.9 %  90.0 ms      send  most on a/main
700 ns   <0.1 %   700 ns      solve  most on a/main
  1 ns   <0.1 %     1 ns    bad�[31m name  most on a/main
`, text(t, table.CallTree(m, table.TreeOptions{Metric: time, Inclusive: true, Annotate: table.Location}), table.Text))
	equal(t, `
callpath,depth,file,line,total,share,own,unit
main,0,/src/main.go,5,89000000,100,0,ns
main > solve,1,/src/solve.go,20,89000000,100,0,ns
main > solve > send,2,/src/solve.go,31,89000000,100,89000000,ns
`, text(t, table.CallTree(m, table.TreeOptions{Metric: m.Metric("late_receiver")}), table.CSV))
	broken := text(t, table.CallTree(m, table.TreeOptions{Metric: m.Metric("broken")}), table.Text)
	require.Contains(t, broken, "! broken cannot be evaluated: ")
	ratio := text(t, table.CallTree(m, table.TreeOptions{Metric: m.Metric("wait_per_visit")}), table.CSV)
	require.Contains(t, ratio, "\nmain > solve > send,2,/src/solve.go,31,25428.5714") // and no share of a sum that means nothing
}

func dump(t *testing.T, m *query.Model, o table.DumpOptions) (string, []string) {
	t.Helper()
	var out bytes.Buffer
	notes, err := table.Dump(&out, m, o)
	require.NoError(t, err)
	return out.String(), notes
}

func TestDump(t *testing.T) {
	m := sample(t)
	got, notes := dump(t, m, table.DumpOptions{Metrics: m.Metrics, Self: true, Paths: regexp.MustCompile("solve > send$"), Format: table.CSV})
	equal(t, `
metric,callpath,file,line,location,value,unit
time,main > solve > send,/src/solve.go,31,a/main,10000000,ns
time,main > solve > send,/src/solve.go,31,b/main,1000000,ns
late_receiver,main > solve > send,/src/solve.go,31,a/main,80000000,ns
late_receiver,main > solve > send,/src/solve.go,31,b/main,9000000,ns
visits,main > solve > send,/src/solve.go,31,a/main,1000,occ
visits,main > solve > send,/src/solve.go,31,b/main,2500,occ
wait_per_visit,main > solve > send,/src/solve.go,31,a/main,80000,ns
wait_per_visit,main > solve > send,/src/solve.go,31,b/main,3600,ns
`, got)
	require.Len(t, notes, 1)
	require.Contains(t, notes[0], "broken cannot be evaluated: ")

	got, _ = dump(t, m, table.DumpOptions{Metrics: metrics(t, m, "visits"), Zero: true, Inclusive: true, Format: table.JSON})
	var rows []struct {
		CallPath []string
		Location string
		Value    int64
	}
	require.NoError(t, json.Unmarshal([]byte(got), &rows))
	require.Len(t, rows, 10)
	require.Equal(t, []string{"main"}, rows[0].CallPath)
	require.Equal(t, int64(1015), rows[0].Value)
	got, _ = dump(t, m, table.DumpOptions{Format: table.JSON})
	require.Equal(t, "[\n]\n", got)
}

// The rows of a dump without metrics and calls below add up to the totals.
func TestDumpAddsUp(t *testing.T) {
	m, err := query.New(cubetest.Synthetic(4, 30, 20, 0.5))
	require.NoError(t, err)
	got, _ := dump(t, m, table.DumpOptions{Metrics: m.Metrics, Self: true, Format: table.CSV})
	records, err := csv.NewReader(strings.NewReader(got)).ReadAll()
	require.NoError(t, err)
	sums := map[string]float64{}
	for _, r := range records[1:] {
		v, err := strconv.ParseFloat(r[5], 64)
		require.NoError(t, err)
		sums[r[0]] += v
	}
	for _, q := range m.Metrics {
		total, err := m.Total(query.What{Metric: q, Self: true})
		require.NoError(t, err)
		require.InEpsilon(t, total.Float64(), sums[q.Name], 1e-12)
	}
}

func TestMetrics(t *testing.T) {
	m := sample(t)
	for _, c := range []struct{ list, want string }{
		{"", "time late_receiver visits wait_per_visit broken"},
		{"visits, time,visits", "visits time"},
		{"*i*", "time late_receiver visits wait_per_visit"},
	} {
		var names []string
		for _, q := range metrics(t, m, c.list) {
			names = append(names, q.Name)
		}
		require.Equal(t, c.want, strings.Join(names, " "))
	}
	_, err := table.Metrics(m, "visit")
	require.EqualError(t, err, `no metric "visit" in the report; it has visits, wait_per_visit`)
	_, err = table.Metrics(m, "[")
	require.ErrorContains(t, err, `metric "["`)
}

// What scout computed stands in a dump to the last digit.
func TestOracle(t *testing.T) {
	files, err := filepath.Glob("../../../shared/data/oracle/*/oracle.tsv")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("the shared reports of Scalasca are not here")
	}
	type key struct{ metric, path, rank string }
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		want, wanted := map[key][]float64{}, map[string]bool{}
		for line := range strings.Lines(string(b)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if strings.HasPrefix(line, "#") {
				continue
			}
			v, err := strconv.ParseFloat(f[6], 64)
			require.NoError(t, err)
			k := key{f[0], f[3], "MPI Rank " + f[4]}
			want[k] = append(want[k], v)
			wanted[f[0]] = true
		}
		c, err := cube.Open(filepath.Join(filepath.Dir(file), "scout.cubex"))
		require.NoError(t, err)
		m, err := query.New(c)
		require.NoError(t, err)
		got, notes := dump(t, m, table.DumpOptions{Metrics: slices.DeleteFunc(slices.Clone(m.Metrics), func(q *query.Metric) bool { return !wanted[q.Name] }),
			Format: table.TSV})
		require.Empty(t, notes)
		have := map[key][]float64{}
		for i, line := range slices.Collect(strings.Lines(got)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if i == 0 {
				continue
			}
			v, err := strconv.ParseFloat(f[5], 64)
			require.NoError(t, err)
			rank, _, _ := strings.Cut(f[4], "/")
			if !strings.HasPrefix(rank, "MPI Rank") {
				rank = "MPI Rank 0"
			}
			k := key{f[0], strings.ReplaceAll(f[1], " > ", "/"), rank}
			have[k] = append(have[k], v)
		}
		require.Len(t, have, len(want), file)
		for k, v := range want {
			slices.Sort(v)
			slices.Sort(have[k])
			require.Equal(t, v, have[k], "%s: %v", file, k)
		}
		require.NoError(t, c.Close())
	}
}

func BenchmarkDump(b *testing.B) {
	m, err := query.New(cubetest.Synthetic(10, 500, 100, 1))
	require.NoError(b, err)
	var n int
	for b.Loop() {
		var out bytes.Buffer
		_, err := table.Dump(&out, m, table.DumpOptions{Metrics: m.Metrics, Format: table.CSV})
		require.NoError(b, err)
		n = out.Len()
	}
	b.ReportMetric(500_000*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
	b.SetBytes(int64(math.Round(float64(n))))
}

// Intervals are written alike in all views, those with signs too; ends that look the same are one number.
func TestRatiosOfHPM(t *testing.T) {
	h := table.HPM{Sections: []table.Section{{Label: "solve", Ratios: []table.RatioOf{
		{Title: "a", In: spec.Interval{Low: -1.5, High: 2}}, {Title: "b", In: spec.Interval{Low: 1, High: 2}}, {Title: "c", In: spec.Interval{Low: 1, High: 1.0001}}}}}}
	var b bytes.Buffer
	require.NoError(t, h.Write(&b, table.Text))
	require.Contains(t, b.String(), " −1.500 to 2.000\n")
	require.Contains(t, b.String(), " 1.000–2.000\n")
	require.Contains(t, b.String(), " 1.000\n")
}
