package report

import (
	"bytes"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/metric"
	"tracerec/report/cube"
)

// rewritten writes an experiment as a file and reads the cube of it.
func rewritten(t testing.TB, e *Experiment, o CubeOptions) *cube.Cube {
	t.Helper()
	c, err := e.Cube(o)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, c.Write(&file))
	again, err := cube.Read("x.cubex", bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Empty(t, again.Problems)
	return again
}

// stored is the experiment as reports have it: without cells that say nothing, and lists that are never nil, or never empty.
func stored(e *Experiment) *Experiment {
	x := *e
	x.Metrics = append([]metric.Metric{}, e.Metrics...)
	x.Regions, x.Paths, x.Locations = append([]Region{}, e.Regions...), append([]CallPath{}, e.Paths...), append([]Location{}, e.Locations...)
	x.Severity, x.Critical = make([][]Cell, len(e.Metrics)), make([][]Cell, len(e.Metrics))
	for i := range e.Metrics {
		x.Severity[i] = []Cell{}
		if i < len(e.Severity) {
			x.Severity[i] = append(x.Severity[i], addCells(nil, e.Severity[i], 1)...)
		}
		if i < len(e.Critical) && len(e.Critical[i]) > 0 {
			x.Critical[i] = e.Critical[i]
		}
	}
	return &x
}

// ascending sorts the cells, as experiments have them.
func ascending(e *Experiment) *Experiment {
	for _, all := range [][][]Cell{e.Severity, e.Critical} {
		for _, cells := range all {
			slices.SortFunc(cells, cellOrder)
		}
	}
	return e
}

func requireSame(t *testing.T, want, got *Experiment) {
	t.Helper()
	x, y := reflect.ValueOf(*stored(want)), reflect.ValueOf(*got)
	for i := range x.NumField() {
		if name := x.Type().Field(i); name.IsExported() {
			require.Equal(t, x.Field(i).Interface(), y.Field(i).Interface(), name.Name)
		}
	}
	require.Nil(t, got.summary)
	for _, top := range []int{0, 1000} {
		require.Equal(t, string(render(t, func(w io.Writer) error { return Text(w, want, TextOptions{Top: top}) })),
			string(render(t, func(w io.Writer) error { return Text(w, got, TextOptions{Top: top}) })))
	}
	require.Equal(t, string(render(t, func(w io.Writer) error { return JSON(w, want) })), string(render(t, func(w io.Writer) error { return JSON(w, got) })))
	require.Equal(t, severities(want), severities(got))
}

// Nothing is lost on the way into a report and back.
func TestCubeAndBack(t *testing.T) {
	odd := ascending(hydro())
	odd.Origin = Origin{Trace: "/tmp/\xff", Sources: []string{"/a", "/b\n"}, Start: time.Unix(1, 5).UTC(), Processes: []Process{{7, "./x\x00", Lost{5, 0.25, 0.125}}}}
	odd.Header.Args = []string{"", "\x00\"", "\xff\xfe", "<&>\u2028"}
	odd.Groups[1].Name = " worker\r\n\t"
	odd.Regions[0].Name, odd.Regions[1].Func, odd.Regions[2].File = "\x1b[31m", "a\ufffdb\x80", " \n"
	odd.Locations[3].Name, odd.Metrics[1].Title, odd.Metrics[3].Advice, odd.Metrics[3].Name = "\u00a0", " ", "a\r\nb", "late\x00sender"
	odd.Metrics[2].Description = "\x00"
	odd.Warnings = []string{"\xc3", "\ufffd"}
	odd.Split, odd.Lost = Split{1, 2, 3, 4, 5, math.MaxInt64, 7}, Lost{math.MaxUint64, 1, 0.5}
	odd.NeverEnded = []NeverEnded{{1, 2, 3, "\x00\xff", -1, -1}}
	odd.Starts = []Start{Outside, Within(2, true), Within(3, false)}
	odd.Stats[5] = Stats{Sampled: true, Count: math.MaxUint64, Sum: math.MinInt64, Max: math.MaxInt64}
	odd.Severity[1] = []Cell{{0, 0, math.MaxInt64}, {0, 1, 0}, {1, 0, math.MinInt64}, {1, 8, -5}}
	for name, e := range map[string]*Experiment{"hydro": ascending(hydro()), "hostile": ascending(hostile()), "empty": empty(), "nothing": {}, "odd": odd, "random": randomExperiment(1, 40)} {
		t.Run(name, func(t *testing.T) {
			c := rewritten(t, e, CubeOptions{Version: "test"})
			got, err := FromCube(c)
			require.NoError(t, err)
			requireSame(t, e, got)
		})
	}
}

// The same experiment gives the same file, and one read from it, too.
func TestCubeIsStable(t *testing.T) {
	write := func(e *Experiment) string {
		c, err := e.Cube(CubeOptions{})
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, c.Write(&b))
		return b.String()
	}
	e := randomExperiment(2, 30)
	first := write(e)
	require.Equal(t, first, write(randomExperiment(2, 30)))
	again, err := FromCube(rewritten(t, e, CubeOptions{}))
	require.NoError(t, err)
	require.Equal(t, first, write(again))
}

// What other tools see: inclusive times along the metrics, names, places in source, the machine.
func TestCube(t *testing.T) {
	e := ascending(hydro())
	e.Origin.Processes = []Process{{PID: 17, Program: "./bin/hydro"}}
	for i := range e.Regions {
		e.Regions[i].Operation = e.Regions[i].Name == "recv"
	}
	c := rewritten(t, e, CubeOptions{Version: "1.2"})
	require.Equal(t, cube.Attr{Key: "Creator", Value: "expert 1.2"}, c.Attrs[0])
	for i := range e.Metrics {
		m := c.AllMetrics()[i]
		require.Equal(t, e.Metrics[i].Name, m.Name)
		total, err := m.Total()
		require.NoError(t, err)
		require.Equal(t, e.Total(i), total.Int64(), m.Name)
	}
	require.Equal(t, "occ", c.Metric("visits").Unit)
	total, err := c.Metric("waits_on_critical_path").Total()
	require.NoError(t, err)
	require.Equal(t, int64(500*ms+900_000), total.Int64())
	total, err = c.Metric("late_sender_on_critical_path").Total()
	require.NoError(t, err)
	require.Equal(t, int64(500*ms), total.Int64())
	for i, p := range c.Paths() {
		require.Equal(t, e.leaf(uint32(p.ID)).Name, p.Region.Name, i)
		if p.Region.Name == "recv" {
			require.Equal(t, "/src/hydro/halo.go", p.Module)
			require.Equal(t, 120, p.Line)
			require.Equal(t, "go", p.Region.Paradigm)
			require.Equal(t, "exchange", p.Parent.Region.Name)
		}
	}
	process := c.System[0].Children[0]
	require.Equal(t, "machine", c.System[0].Class)
	require.Equal(t, "hydro (pid 17)", process.Name)
	require.Equal(t, "process", process.Class)
	require.Equal(t, "worker", process.Groups[1].Name)
	require.Equal(t, "worker[3]", process.Groups[1].Locations[3].Name)
	require.Equal(t, 3, process.Groups[1].Locations[3].Rank)
}

// A summary has everything but the cells, and asks the cube where these matter.
func TestSummary(t *testing.T) {
	e := randomExperiment(3, 20)
	s, err := Summary(rewritten(t, e, CubeOptions{}))
	require.NoError(t, err)
	require.Nil(t, s.Severity)
	require.Equal(t, e.Findings, s.Findings)
	for i, cells := range e.Severity {
		require.Equal(t, e.Total(i), s.Total(i))
		for _, c := range cells {
			require.Equal(t, c.Value, s.At(i, c.Path, c.Location))
			require.Equal(t, c.Value, e.At(i, c.Path, c.Location))
		}
		require.Equal(t, e.At(i, 0, 0), s.At(i, 0, 0))
	}
}

func TestForeign(t *testing.T) {
	c := rewritten(t, hydro(), CubeOptions{})
	c.Members = nil
	_, err := FromCube(c)
	require.ErrorIs(t, err, ErrForeign)
}

// randomExperiment makes an experiment of that many locations in groups of various sizes.
func randomExperiment(seed uint64, locations int) *Experiment {
	rnd := rand.New(rand.NewPCG(seed, 9))
	e := &Experiment{Header: Header{Program: "x", Wall: 1e9, Focus: 1e9, Time: 1e9, Processes: 2}}
	e.Metrics = []metric.Metric{{Name: "time", Title: "Time"}, {Name: "execution", Title: "Execution", Parent: "time"},
		{Name: "wait", Title: "Wait", Parent: "time", Wait: true, Advice: "do"}, {Name: "deep", Title: "Deep", Parent: "wait", Wait: true},
		{Name: "visits", Title: "Visits", Unit: metric.Count}}
	for i := range 12 {
		e.Regions = append(e.Regions, Region{Name: "r" + strings.Repeat("x", i%5), File: "/src/a.go", Line: i, Operation: i%3 == 2})
		e.Paths = append(e.Paths, CallPath{Parent: int32(i) - 1 - rnd.Int32N(int32(min(i+1, 2))), Region: uint32(i)})
	}
	for i := range locations {
		if i == 0 || rnd.IntN(5) == 0 {
			e.Groups = append(e.Groups, Group{Name: []string{"main", "worker", "handler"}[len(e.Groups)%3], Creator: int32(len(e.Groups)%4) - 1})
		}
		g := rnd.IntN(len(e.Groups))
		e.Groups[g].Count++
		e.Locations = append(e.Locations, Location{g % 2, int32(g), e.Groups[g].Name, uint64(i), 1, uint32(i)})
	}
	e.Severity, e.Critical, e.Stats, e.OnPath = make([][]Cell, 5), make([][]Cell, 5), make([]Stats, 5), make([]int64, 5)
	for m := range e.Severity {
		e.Severity[m] = []Cell{}
		for p := range uint32(12) {
			for l := range uint32(locations) {
				if rnd.IntN(3) == 0 {
					e.Severity[m] = append(e.Severity[m], Cell{p, l, 1 + rnd.Int64N(1000)})
				}
			}
		}
	}
	e.Critical[2] = e.Severity[2][:len(e.Severity[2])/2]
	at := func() uint32 { return rnd.Uint32N(uint32(locations)) }
	for range 20 {
		e.Findings = append(e.Findings, Finding{Line: Line{Metric: 2, Path: rnd.Uint32N(12), Group: rnd.Int32N(int32(len(e.Groups))), Severity: 5, Critical: 1e7 * rnd.Int64N(50),
			Instances: 3, Locations: []uint32{at(), at(), at()}, Causers: []Causer{{-1, -1, 3, nil}, {0, 2, 4, []uint32{at(), at()}}}},
			Object: Object{Name: "DB.lock\xff", Type: "mutex", File: "/a/b.go", Line: 3, Count: 2},
			Lines:  []Line{{Metric: 2, Path: rnd.Uint32N(12), Severity: 5, Locations: []uint32{at()}}}, Meanwhile: []PathTime{{3, 4}}, Awaited: 9,
			Onward: []Onward{{PathTime{4, 5}, 0}}, Counted: []Count{{3, 5, nil}, {4, 6, new(int64(7))}}})
		e.NeverEnded = append(e.NeverEnded, NeverEnded{2, at(), 5, "mutex", int32(at()), -1})
		e.Operations = append(e.Operations, OperationSplit{Path: 2, External: 5, Runnable: 3})
	}
	e.PathCounts = []Count{{3, 7, new(int64(7))}}
	e.Stats[2] = Stats{Count: 5, Sum: 9, Worst: []Instance{{1, at(), 1, 3, 2, int32(at()), 5, 7, 8}, {1, at(), 1, 2, 1, -1, -1, 9, -1}}}
	return e
}

// TestReadyKept: a file, also its summary, says that processors were lacking as the experiment did.
func TestReadyKept(t *testing.T) {
	e := hydro()
	e.Metrics = append(e.Metrics, metric.Metric{Name: "start_latency", Unit: metric.Nanoseconds})
	e.Severity, e.Critical = append(e.Severity, []Cell{{0, 0, e.Header.Time / 4}}), append(e.Critical, nil)
	e.Header.Processors, e.Header.CPUTime = 1, e.Header.Wall
	want := e.Ready()
	require.NotNil(t, want)
	require.Equal(t, 0.25, want.Share)
	c := rewritten(t, e, CubeOptions{})
	whole, err := FromCube(c)
	require.NoError(t, err)
	require.Equal(t, want, whole.Ready())
	part, err := Summary(c)
	require.NoError(t, err)
	require.Equal(t, want, part.Ready())
}
