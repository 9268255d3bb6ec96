package algebra

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// Three runs of the same program, each with room for some counters only.
func TestDifferentCounters(t *testing.T) {
	make := func(name string, time int64, counter string, v int64) Input {
		b := build(t).path("main")
		b.metric("time")
		values := map[string]map[string]int64{"time": {"main": time}}
		if counter != "" {
			b.metric(counter)
			values[counter] = map[string]int64{"main": v}
		}
		return b.done(name, values)
	}
	a, b, c := make("a", 10, "cycles", 100), make("b", 20, "misses", 7), make("c", 40, "cycles", 104)
	all := made(t, "all")(Merge(a, b, c))
	require.Equal(t, map[string]float64{"main": 70.0 / 3}, byPath(t, all.Cube, "time"))
	require.Equal(t, map[string]float64{"main": 102}, byPath(t, all.Cube, "cycles"), "the mean of those that counted them")
	require.Equal(t, map[string]float64{"main": 7}, byPath(t, all.Cube, "misses"))
	require.Equal(t, cube.Exclusive, all.Cube.Metric("misses").Kind, "a single measurement stays what it is")
	requireSame(t, all, made(t, "other")(Merge(made(t, "cb")(Merge(c, b)), a)))

	time := all.Cube.Metric("time")
	require.Equal(t, "metric::time:sum() / 3", time.Expressions[0].Text)
	squares, err := all.Cube.Metric(cube.ValueOf(time.Attrs, squaresAttr)).Total()
	require.NoError(t, err)
	require.Equal(t, 100.0+400+1600, squares.Float64())

	s := SpreadOf(all.Cube)
	require.NotNil(t, s)
	band, ok := s.At(time, nil, true)
	require.True(t, ok)
	require.Equal(t, 3, band.N)
	require.InDelta(t, 70.0/3, band.Mean, 1e-12)
	require.Equal(t, []float64{10, 40}, []float64{band.Min, band.Max})
	require.InDelta(t, math.Sqrt((2100-4900.0/3)/2), band.StdDev, 1e-9)
	require.InDelta(t, 4.303*band.StdDev/math.Sqrt(3), band.Noise, 1e-9)
	cycles, ok := s.At(all.Cube.Metric("cycles"), all.Cube.Roots[0], false)
	require.True(t, ok)
	require.Equal(t, 2, cycles.N)
	misses, ok := s.At(all.Cube.Metric("misses"), nil, true)
	require.False(t, ok, "one run has no noise")
	require.Equal(t, 1, misses.N)

	d, err := Diff(all, make("d", 5, "misses", 3))
	require.NoError(t, err)
	require.Nil(t, d.Cube.Metric("cycles"), "what is not measured is not zero")
	require.Equal(t, []string{"measured in one of the reports only, and so without a difference: cycles"}, d.Notes)
}

func TestCompositions(t *testing.T) {
	make := func(name string, title string, parts ...string) Input {
		b := build(t).path("main")
		values := map[string]map[string]int64{}
		var sum string
		for _, p := range parts {
			b.metric(p)
			values[p] = map[string]int64{"main": 5}
			sum += "metric::" + p + "() + "
		}
		m := b.derived("accesses", sum+"0")
		m.Title = title
		setAttr(&m.Attrs, composeAttr, "hits misses")
		return b.done(name, values)
	}
	hits, misses := make("a", "~Accesses", "hits"), make("b", "~Accesses", "misses")
	r, err := Merge(hits, hits)
	require.NoError(t, err)
	require.Equal(t, "~Accesses", r.Cube.Metric("accesses").Title)
	require.Equal(t, "metric::hits()", r.Cube.Metric("accesses").Expressions[0].Text)
	r, err = Merge(hits, misses)
	require.NoError(t, err)
	require.Equal(t, "Accesses", r.Cube.Metric("accesses").Title)
	require.Equal(t, "metric::hits() + metric::misses()", r.Cube.Metric("accesses").Expressions[0].Text)

	b := build(t).path("main")
	b.metric("accesses").Title = "Accesses"
	measured := b.done("c", map[string]map[string]int64{"accesses": {"main": 11}})
	for _, order := range [][]Input{{hits, measured}, {measured, hits}} {
		r, err = Merge(order...)
		require.NoError(t, err)
		require.Equal(t, map[string]float64{"main": 11}, byPath(t, r.Cube, "accesses"), "measured beats computed")
		require.Equal(t, "Accesses", r.Cube.Metric("accesses").Title)
	}
}

// What our reports leave out because there is none of it counts as zero.
func TestWaitsOnTheCriticalPath(t *testing.T) {
	make := func(name string, wait int64) Input {
		b := build(t).path("main")
		b.c.Attrs = []cube.Attr{{Key: "Creator", Value: "expert 1"}, {Key: "trace", Value: "/trace.dir"}}
		b.metric("time")
		values := map[string]map[string]int64{"time": {"main": 10}}
		if wait > 0 {
			b.metric("late_sender_on_critical_path")
			values["late_sender_on_critical_path"] = map[string]int64{"main": wait}
		}
		return b.done(name, values)
	}
	a, b := make("a", 6), make("b", 0)
	for _, order := range [][]Input{{a, b}, {b, a}} {
		mean := made(t, "mean")(Mean(order...))
		require.Equal(t, map[string]float64{"main": 3}, byPath(t, mean.Cube, "late_sender_on_critical_path"))
		require.Empty(t, cube.ValueOf(mean.Cube.Attrs, "trace"))
		band, ok := SpreadOf(mean.Cube).At(mean.Cube.Metric("late_sender_on_critical_path"), nil, true)
		require.True(t, ok)
		require.Equal(t, []float64{2, 0, 6}, []float64{float64(band.N), band.Min, band.Max})
		mean = made(t, "mean")(Mean(mean, b))
		require.Equal(t, map[string]float64{"main": 2}, byPath(t, mean.Cube, "late_sender_on_critical_path"))
	}
	d := made(t, "d")(Diff(b, a))
	require.Equal(t, map[string]float64{"main": 6}, byPath(t, d.Cube, "late_sender_on_critical_path"))
}

func TestNoise(t *testing.T) {
	make := func(name string, time int64) Input {
		b := build(t).path("main/work")
		b.metric("time")
		return b.done(name, map[string]map[string]int64{"time": {"main/work": time}})
	}
	quiet, err := Mean(make("1", 100), make("2", 102), make("3", 104))
	require.NoError(t, err)
	for _, c := range []struct {
		b      Input
		beyond bool
	}{{make("same", 106), false}, {make("other", 120), true}} {
		d := made(t, "d")(Diff(Input{Name: "quiet", Cube: quiet.Cube}, c.b))
		s := SpreadOf(d.Cube)
		require.NotNil(t, s)
		band, ok := s.At(d.Cube.Metric("time"), d.Cube.Paths()[1], false)
		require.True(t, ok)
		require.InDelta(t, 4.303*2*math.Sqrt(1+1.0/3), band.Noise, 1e-9, "the single run takes the spread of the others")
		x, err := ChangesOf(d.Cube)
		require.NoError(t, err)
		beyond, known := x.Calls[0].Beyond()
		require.True(t, known)
		require.Equal(t, c.beyond, beyond)
		require.Equal(t, []int{3, 1}, []int{x.RunsA, x.RunsB})
	}
	d, err := Diff(make("1", 100), make("2", 200))
	require.NoError(t, err)
	require.Nil(t, SpreadOf(d.Cube))
	x, err := ChangesOf(d.Cube)
	require.NoError(t, err)
	_, known := x.Calls[0].Beyond()
	require.False(t, known)
	require.Equal(t, []float64{100, 200}, []float64{x.Calls[0].A, x.Calls[0].B})
	require.InDelta(t, 2.0423, student(30), 0.001)
	require.InDelta(t, 2.0395, student(31), 0.0005)
	require.InDelta(t, 1.9840, student(100), 0.0005)
}

// Old reports have compositions with values of their own, and the ~ in the name.
func TestStoredCompositions(t *testing.T) {
	make := func(name, part string, v int64) Input {
		b := build(t).path("main")
		m := b.metric("~stall")
		m.Title = "~stall"
		child := b.metric(part)
		b.c.Metrics, m.Children = b.c.Metrics[:1], []*cube.Metric{child}
		return b.done(name, map[string]map[string]int64{"~stall": {"main": v}, part: {"main": v - 1}})
	}
	a, b, c := make("a", "loads", 5), make("b", "loads", 7), make("c", "stores", 20)
	r := made(t, "same")(Merge(a, b))
	require.Equal(t, map[string]float64{"main": 6}, byPath(t, r.Cube, "stall"), "the same parts: the mean of the values")
	require.Equal(t, "~stall", r.Cube.Metric("stall").Title)
	r = made(t, "other")(Merge(r, c))
	require.Equal(t, "metric::loads() + metric::stores()", r.Cube.Metric("stall").Expressions[0].Text, "other parts: they are added")
	require.Equal(t, "~stall", r.Cube.Metric("stall").Title, "nobody says that this is all")
}

func TestOtherPrograms(t *testing.T) {
	make := func(name, program, path string) Input {
		b := build(t).path(path)
		b.metric("time")
		in := b.done(name, map[string]map[string]int64{"time": {path: 1}})
		setAttr(&in.Cube.Attrs, "program", program)
		return in
	}
	for _, combine := range []func(...Input) (*Result, error){Mean, Merge} {
		r, err := combine(make("a", "/bin/app", "main"), make("b", "/tmp/app", "main"))
		require.NoError(t, err)
		require.NotContains(t, strings.Join(r.Notes, "\n"), "warning", "an executable may be built anywhere")
		r, err = combine(make("a", "/bin/before", "main/solve"), make("b", "/bin/after", "main/solve"))
		require.NoError(t, err)
		require.NotContains(t, strings.Join(r.Notes, "\n"), "warning", "and be called anything")
		r, err = combine(make("a", "/bin/app", "main"), make("b", "/bin/other", "main"))
		require.NoError(t, err)
		require.Contains(t, strings.Join(r.Notes, "\n"), "warning: the reports are of different programs (app, other)")
		large := make("b", "/bin/app", "main")
		setAttr(&large.Cube.Attrs, "args", "-n 9")
		r, err = combine(make("a", "/bin/app", "main"), large)
		require.NoError(t, err)
		require.Contains(t, strings.Join(r.Notes, "\n"), "warning: the program had different arguments (none, -n 9)")
		r, err = combine(make("a", "", "main"), make("b", "", "start"))
		require.NoError(t, err)
		require.Contains(t, strings.Join(r.Notes, "\n"), "warning: a and b have no call path in common")
	}
	r, err := Diff(make("a", "/bin/app", "main"), make("b", "/tmp/app", "main"))
	require.NoError(t, err)
	require.Empty(t, r.Notes)
	of := func(name, kind string) Input {
		in := make(name, "/bin/app", "main")
		setAttr(&in.Cube.Attrs, "Creator", query.Creator)
		setAttr(&in.Cube.Attrs, query.OriginAttr, kind)
		return in
	}
	const unlike = ": what they know of call paths, operations and states is not the same, so "
	for _, c := range []struct{ a, b, differs string }{{"recording", "recording", ""}, {"recording", "", ""},
		{"recording", "Go execution trace", "a comes from a recording, b comes from a Go execution trace"}, {"OTF2 archive", "recording", "a comes from an OTF2 archive, b comes from a recording"}} {
		diff, err := Diff(of("a", c.a), of("b", c.b))
		require.NoError(t, err)
		mean, err := Mean(of("a", c.a), of("b", c.b))
		require.NoError(t, err)
		if c.differs == "" {
			require.Empty(t, diff.Notes)
			require.NotContains(t, strings.Join(mean.Notes, "\n"), "warning")
			continue
		}
		require.Equal(t, []string{"warning: " + c.differs + unlike + "what differs may be no change of the program"}, diff.Notes)
		require.Contains(t, strings.Join(mean.Notes, "\n"), "warning: "+c.differs+unlike)
	}
	foreign := of("b", "")
	setAttr(&foreign.Cube.Attrs, "Creator", "Scalasca")
	r, err = Diff(of("a", "recording"), foreign)
	require.NoError(t, err)
	require.Contains(t, r.Notes[0], "a comes from a recording, b comes from a report of another tool")
	r, err = Diff(make("a", "/bin/app", "main"), make("b", "/bin/other", "main"))
	require.NoError(t, err)
	require.Equal(t, []string{"warning: the reports are of different programs (app, other), so what differs is no change of either"}, r.Notes)
	r, err = Diff(make("a", "/bin/before", "main/solve"), make("b", "/bin/after", "main/solve"))
	require.NoError(t, err)
	require.Empty(t, r.Notes)
	r, err = Diff(make("a", "/bin/app", "main/solve"), make("b", "/bin/other", "main/draw"))
	require.NoError(t, err)
	require.Len(t, r.Notes, 1)
	large := make("b", "/bin/app", "main")
	setAttr(&large.Cube.Attrs, "args", "-n 9")
	r, err = Diff(make("a", "/bin/app", "main"), large)
	require.NoError(t, err)
	require.Equal(t, []string{"the program had different arguments: none, -n 9"}, r.Notes)
}

// Two calls of a function are told apart by their lines.
func TestCompareNamesLines(t *testing.T) {
	none := build(t).path("main")
	none.metric("time")
	two := build(t).path("main/lock:12").path("main/lock:20")
	two.metric("time")
	c, err := Compare(none.done("a", nil), two.done("b", nil))
	require.NoError(t, err)
	require.Contains(t, c.Differences, "call path main/lock (a.go:12) is only in b")
	require.Contains(t, c.Differences, "call path main/lock (a.go:20) is only in b")
}

func TestNearNames(t *testing.T) {
	b := build(t).path("main/solve/sendAll")
	b.metric("time")
	in := b.done("run", nil)
	for name, want := range map[string]string{"solv": "it has solve", "main/solbe": "it has solve", "SEND": "it has sendAll", "nonsense": "expert calltree"} {
		_, err := Cut(in, CutOptions{Root: name})
		require.ErrorContains(t, err, want)
	}
}

// Parts of one system, each with a report of its own, come together as they are.
func TestProgramsOfOneSystem(t *testing.T) {
	make := func(program string, workers int, time int64) Input {
		b := build(t).path(program)
		b.metric("time")
		b.process(program+" (pid 7)", 0, workers)
		b.c.System[0].Children[0].Class = processClass
		return b.done(program, map[string]map[string]int64{"time": {program: time}})
	}
	client, server := make("client", 2, 10), make("server", 3, 100)
	both := made(t, "both")(Merge(client, server))
	require.Equal(t, map[string]float64{"client": 20, "server": 300}, byPath(t, both.Cube, "time"))
	require.Equal(t, cube.Exclusive, both.Cube.Metric("time").Kind, "nothing is averaged")
	require.Len(t, both.Cube.Locations(), 5)
	require.Nil(t, SpreadOf(both.Cube), "they are no repeated runs")
	again := made(t, "again")(Merge(both, make("server", 3, 200)))
	require.Equal(t, map[string]float64{"client": 20, "server": 450}, byPath(t, again.Cube, "time"), "only the server ran twice")
	requireSame(t, again, made(t, "other")(Merge(make("server", 3, 200), client, server)))
}

// Processes that fewer reports have keep the fractions of their values.
func TestMergeOfFractions(t *testing.T) {
	a, b := random(1, false), random(2, false)
	for _, in := range []Input{a, b} {
		m := in.Cube.Metric("incl")
		for _, p := range m.Stored() {
			r, err := m.Row(p)
			require.NoError(t, err)
			values := make([]cube.Value, r.Len())
			for i, v := range r.All() {
				values[i] = cube.Float(v.Float64() + 0.75)
			}
			r, err = cube.MakeRow(m.DType, values)
			require.NoError(t, err)
			require.NoError(t, m.Set(p, r))
		}
	}
	for _, g := range b.Cube.System[0].Children[1].Groups {
		g.Rank += 10
	}
	x, y := cells(t, a.Cube, "incl"), cells(t, b.Cube, "incl")
	want := map[string]float64{}
	for _, list := range []map[string]float64{x, y} {
		for key, v := range list {
			if process := strings.Fields(key[strings.LastIndex(key, "/")+1:])[1]; process == "0" || process == "1" {
				v /= 2
			}
			want[key] += v
		}
	}
	require.Equal(t, want, cells(t, made(t, "union")(Merge(a, b)).Cube, "incl"))
}

// Whichever comes first, that differences and other reports are mixed is said; a mean of differences is one.
func TestMeansOfDifferences(t *testing.T) {
	a, b := random(1, true), random(2, true)
	d, e := made(t, "d")(Diff(a, b)), made(t, "e")(Diff(a, b))
	for _, in := range [][]Input{{d, a}, {a, d}} {
		r, err := Mean(in...)
		require.NoError(t, err)
		require.Contains(t, r.Notes, "differences are mixed with other reports")
		require.Empty(t, cube.ValueOf(r.Cube.Attrs, query.DifferenceAttr))
	}
	r, err := Mean(d, e)
	require.NoError(t, err)
	require.NotContains(t, r.Notes, "differences are mixed with other reports")
	require.Equal(t, b.Name+" − "+a.Name, cube.ValueOf(r.Cube.Attrs, query.DifferenceAttr))
}
