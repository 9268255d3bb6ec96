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
func rewritten(t testing.TB, e *Experiment, version string) *cube.Cube {
	t.Helper()
	c, err := e.Report(version)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, c.Write(&file))
	again, err := cube.Read("x.cubex", bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Empty(t, again.Problems)
	return again
}

// listed is the experiment as reports have it: with lists that are never nil, or never empty.
func listed(e *Experiment) *Experiment {
	x := *e
	x.Metrics = append([]metric.Metric{}, e.Metrics...)
	x.Regions, x.Paths, x.Locations = append([]Region{}, e.Regions...), append([]CallPath{}, e.Paths...), append([]Location{}, e.Locations...)
	return &x
}

func requireSame(t *testing.T, want, got *Experiment) {
	t.Helper()
	x, y := reflect.ValueOf(*listed(want)), reflect.ValueOf(*got)
	for i := range x.NumField() {
		if name := x.Type().Field(i); name.IsExported() && name.Name != "Cube" {
			require.Equal(t, x.Field(i).Interface(), y.Field(i).Interface(), name.Name)
		}
	}
	for _, top := range []int{0, 1000} {
		require.Equal(t, string(render(t, func(w io.Writer) error { return Text(w, want, TextOptions{Top: top}) })),
			string(render(t, func(w io.Writer) error { return Text(w, got, TextOptions{Top: top}) })))
	}
	require.Equal(t, string(render(t, func(w io.Writer) error { return JSON(w, want) })), string(render(t, func(w io.Writer) error { return JSON(w, got) })))
	require.Equal(t, severities(want), severities(got))
	require.Equal(t, allCells(want), allCells(got))
	require.Equal(t, allCritical(want), allCritical(got))
}

// Nothing is lost on the way into a report and back.
func TestCubeAndBack(t *testing.T) {
	odd := hydro()
	odd.Origin = Origin{Trace: "/tmp/\xff", Sources: []string{"/a", "/b\n"}, Start: time.Unix(1, 5).UTC(), Processes: []Process{{7, "./x\x00", Lost{5, 0.25, 0.125}, true}}}
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
	refill(odd, func(severity [][]Cell) {
		severity[1] = []Cell{{0, 0, math.MaxInt64}, {0, 1, 0}, {1, 0, math.MinInt64}, {1, 8, -5}}
	})
	for name, e := range map[string]*Experiment{"hydro": hydro(), "hostile": hostile(), "empty": empty(), "nothing": fill(&Experiment{}, nil, nil), "odd": odd, "random": randomExperiment(1, 40)} {
		t.Run(name, func(t *testing.T) {
			c := rewritten(t, e, "test")
			got, err := Read(c)
			require.NoError(t, err)
			requireSame(t, e, got)
		})
	}
}

// The same experiment gives the same file, and one read from it, too.
func TestCubeIsStable(t *testing.T) {
	write := func(e *Experiment) string {
		c, err := e.Report("")
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, c.Write(&b))
		return b.String()
	}
	e := randomExperiment(2, 30)
	first := write(e)
	require.Equal(t, first, write(randomExperiment(2, 30)))
	again, err := Read(rewritten(t, e, ""))
	require.NoError(t, err)
	require.Equal(t, first, write(again))
}

// What other tools see: inclusive times along the metrics, names, places in source, the machine.
func TestCube(t *testing.T) {
	e := hydro()
	e.Origin.Processes = []Process{{PID: 17, Program: "./bin/hydro"}}
	for i := range e.Regions {
		e.Regions[i].Operation = e.Regions[i].Name == "recv"
	}
	refill(e)
	c := rewritten(t, e, "1.2")
	require.Equal(t, cube.Attr{Key: "Creator", Value: "expert 1.2"}, c.Attrs[0])
	for i := range e.Metrics {
		m := Ordinary(c)[i]
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

// Severities are those that the experiment was filled with, also in a file.
func TestSeverities(t *testing.T) {
	e, severity, critical := randomTrees(3, 20)
	fill(e, severity, critical)
	s, err := Read(rewritten(t, e, ""))
	require.NoError(t, err)
	for _, x := range []*Experiment{e, s} {
		require.Equal(t, severity, allCells(x))
		require.Equal(t, critical[2], x.CriticalCells(2))
		require.Nil(t, x.CriticalCells(1))
		require.Equal(t, e.Findings, x.Findings)
		for i, cells := range severity {
			total := int64(0)
			for _, c := range cells {
				require.Equal(t, c.Value, x.At(i, c.Path, c.Location))
				total += c.Value
			}
			for k := range severity {
				if e.Metrics[k].Parent == e.Metrics[i].Name {
					total += x.Total(k)
				}
			}
			require.Equal(t, total, x.Total(i))
		}
	}
}

func TestForeign(t *testing.T) {
	c := rewritten(t, hydro(), "")
	c.Members, c.Attrs = nil, nil
	_, err := Read(c)
	require.ErrorIs(t, err, ErrForeign)
}

// randomExperiment makes an experiment of that many locations in groups of various sizes.
func randomExperiment(seed uint64, locations int) *Experiment {
	return fill(randomTrees(seed, locations))
}

// randomTrees is randomExperiment before it is filled.
func randomTrees(seed uint64, locations int) (e *Experiment, severity, critical [][]Cell) {
	rnd := rand.New(rand.NewPCG(seed, 9))
	e = &Experiment{Sidecar: Sidecar{Header: Header{Program: "x", Wall: 1e9, Focus: 1e9, Time: 1e9, Processes: 2}}}
	e.Metrics = []metric.Metric{{Name: "time", Title: "Time"}, {Name: "execution", Title: "Execution", Parent: "time"},
		{Name: "wait", Title: "Wait", Parent: "time", Kind: metric.WaitState, Advice: "do"}, {Name: "deep", Title: "Deep", Parent: "wait", Kind: metric.WaitState},
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
		e.Locations = append(e.Locations, Location{g % 2, int32(g), e.Groups[g].Name, uint64(i), 1, uint32(i), i%2 == 1})
	}
	severity, critical = make([][]Cell, 5), make([][]Cell, 5)
	e.Stats, e.OnPath = make([]Stats, 5), make([]int64, 5)
	for m := range severity {
		severity[m] = []Cell{}
		for p := range uint32(12) {
			for l := range uint32(locations) {
				if rnd.IntN(3) == 0 {
					severity[m] = append(severity[m], Cell{p, l, 1 + rnd.Int64N(1000)})
				}
			}
		}
	}
	critical[2] = slices.Clone(severity[2][:len(severity[2])/2])
	at := func() uint32 { return rnd.Uint32N(uint32(locations)) }
	for range 20 {
		e.Findings = append(e.Findings, Finding{Line: Line{Metric: 2, Path: rnd.Uint32N(12), Group: rnd.Int32N(int32(len(e.Groups))), Severity: 5, Critical: 1e7 * rnd.Int64N(50),
			Instances: 3, Locations: []uint32{at(), at(), at()}, Causers: []Causer{{-1, -1, 3, nil, 0}, {0, 2, 4, []uint32{at(), at()}, 0}}},
			Object: Object{Name: "DB.lock\xff", Type: "mutex", File: "/a/b.go", Line: 3, Count: 2},
			Lines:  []Line{{Metric: 2, Path: rnd.Uint32N(12), Severity: 5, Locations: []uint32{at()}}}, Meanwhile: []PathTime{{3, 4}}, Awaited: 9,
			Onward: []Onward{{PathTime{4, 5}, 0}}, Counted: []Count{{3, 5, nil}, {4, 6, new(int64(7))}}})
		e.NeverEnded = append(e.NeverEnded, NeverEnded{2, at(), 5, "mutex", int32(at()), -1})
		e.Operations = append(e.Operations, OperationSplit{Path: 2, External: 5, Runnable: 3})
	}
	e.PathCounts = []Count{{3, 7, new(int64(7))}}
	e.Stats[2] = Stats{Count: 5, Sum: 9, Worst: []Instance{{1, at(), 1, 3, 2, int32(at()), 5, 7, 8}, {1, at(), 1, 2, 1, -1, -1, 9, -1}}}
	return e, severity, critical
}

// TestReadyKept: a file says that processors were lacking as the experiment did.
func TestReadyKept(t *testing.T) {
	e := hydro()
	e.Metrics = append(e.Metrics, metric.Metric{Name: "start_latency", Unit: metric.Nanoseconds})
	refill(e, func(severity [][]Cell) { severity[len(severity)-1] = []Cell{{0, 0, e.Header.Time / 4}} })
	e.Header.Processors, e.Header.CPUTime = 1, e.Header.Wall
	want := e.Ready()
	require.NotNil(t, want)
	require.Equal(t, 0.25, want.Share)
	again, err := Read(rewritten(t, e, ""))
	require.NoError(t, err)
	require.Equal(t, want, again.Ready())
}
