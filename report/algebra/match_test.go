package algebra

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
)

// byPath returns the values of a metric summed over locations by the names on the call paths, with the lines of calls.
func byPath(t *testing.T, c *cube.Cube, metric string) map[string]float64 {
	t.Helper()
	m, ok := measure(c, c.Metric(metric))
	require.True(t, ok, metric)
	values := map[string]float64{}
	for _, p := range c.Paths() {
		r, err := m.rows.Row(p)
		require.NoError(t, err)
		for _, v := range r.All() {
			values[pathName(p)] += m.value(v).Float64()
		}
	}
	for name, v := range values {
		if v == 0 {
			delete(values, name)
		}
	}
	return values
}

func TestLinesMove(t *testing.T) {
	before := build(t).path("main/solve:10/send:20").path("main/solve:10/send:30").path("main/old:40")
	before.metric("time")
	a := before.done("before", map[string]map[string]int64{"time": {"main/solve:10/send:20": 5, "main/solve:10/send:30": 7, "main/old:40": 1}})
	after := build(t).path("main/solve:13/send:30").path("main/solve:13/send:44").path("main/new:9").file("/elsewhere/src/a.go")
	after.metric("time")
	b := after.done("after", map[string]map[string]int64{"time": {"main/solve:13/send:30": 3, "main/solve:13/send:44": 7, "main/new:9": 4}})

	r, err := Diff(a, b)
	require.NoError(t, err)
	require.Empty(t, r.Notes)
	require.Equal(t, map[string]float64{"main/solve/send": -2, "main/old": -1, "main/new": 4}, byPath(t, r.Cube, "time"))
	require.Len(t, r.Cube.Paths(), 6, "sends are matched in the order of their lines, not by line 30")
	x, err := ChangesOf(r.Cube)
	require.NoError(t, err)
	require.Len(t, x.Gone, 1)
	require.Equal(t, "old", x.Gone[0].Path.Region.Name)
	require.Len(t, x.New, 1)
	require.Equal(t, "new", x.New[0].Path.Region.Name)

	same, err := Compare(a, b)
	require.NoError(t, err)
	require.False(t, same.Equal, "lines count where reports are to be the same")
}

func TestCallsAddedOnOtherLines(t *testing.T) {
	one := build(t).path("main/send:20").path("main/send:30")
	one.metric("time")
	a := one.done("a", map[string]map[string]int64{"time": {"main/send:20": 5, "main/send:30": 7}})
	three := build(t).path("main/send:20").path("main/send:25").path("main/send:31")
	three.metric("time")
	b := three.done("b", map[string]map[string]int64{"time": {"main/send:20": 1, "main/send:25": 1, "main/send:31": 7}})
	r, err := Diff(a, b)
	require.NoError(t, err)
	require.Len(t, r.Cube.Paths(), 5, "main, line 20 of both, two of b, one of a")
	require.Len(t, r.Notes, 1)
	require.Contains(t, r.Notes[0], "send in a.go is called from 2 places in one report and from 3 in the other")
	total, err := r.Cube.Metric("time").Total()
	require.NoError(t, err)
	require.Equal(t, int64(-3), total.Int64())
}

func TestProgramsOfOtherNames(t *testing.T) {
	x := build(t).path("baseline/solve")
	x.metric("time")
	y := build(t).path("optimised/solve")
	y.metric("time")
	r, err := Diff(x.done("a", map[string]map[string]int64{"time": {"baseline/solve": 5}}), y.done("b", map[string]map[string]int64{"time": {"optimised/solve": 3}}))
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"optimised/solve": -2}, byPath(t, r.Cube, "time"))
}

func TestFilesOfTheSameName(t *testing.T) {
	c := func(files ...string) *cube.Cube {
		c := &cube.Cube{}
		for i, f := range files {
			c.Regions = append(c.Regions, &cube.Region{ID: i, Module: f})
		}
		return c
	}
	require.Equal(t, map[string]string{"/new/x/a.go": "/old/x/a.go", "/new/y/a.go": "/old/y/a.go"},
		matchFiles(c("/old/x/a.go", "/old/y/a.go", "/lib/b.go"), c("/new/x/a.go", "/new/y/a.go", "/lib/b.go")))
	require.Empty(t, matchFiles(c("/old/x/a.go", "/old/y/a.go"), c("/new/z/a.go")), "either")
	one, two := c("/old/x/y/a.go"), c("/new/x/y/a.go", "/new/y/a.go")
	require.Equal(t, map[string]string{"/new/x/y/a.go": "/old/x/y/a.go"}, matchFiles(one, two))
	require.Equal(t, map[string]string{"/old/x/y/a.go": "/new/x/y/a.go"}, matchFiles(two, one), "the other way round too")
}

func TestProcessesOnOtherNodes(t *testing.T) {
	make := func(name string, nodes ...string) Input {
		b := build(t).path("main")
		b.metric("time")
		for rank, node := range nodes {
			b.process(node, rank, 2)
		}
		return b.done(name, map[string]map[string]int64{"time": {"main": int64(len(nodes))}})
	}
	r, err := Diff(make("a", "n1", "n1", "n2", "n2"), make("b", "n7", "n7", "n8", "n8"))
	require.NoError(t, err)
	require.Equal(t, []string{"nodes have other names in one report than in another: those of b are shown"}, r.Notes)
	require.Len(t, r.Cube.System[0].Children, 2, "other names, same places")
	require.Len(t, r.Cube.Locations(), 8)
	require.Empty(t, byPath(t, r.Cube, "time"))

	r, err = Diff(make("a", "n1", "n1", "n2", "n2"), make("b", "n1", "n2", "n1", "n2"))
	require.NoError(t, err)
	require.Contains(t, r.Notes[0], "other nodes")
	require.Len(t, r.Cube.System[0].Children, 1)
	require.Len(t, r.Cube.Locations(), 8)

	merged, err := Merge(make("a", "n1"), make("b", "n1", "n2"))
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"main": (1*2+2*2)/2.0 + 2*2}, byPath(t, merged.Cube, "time"), "rank 0 is averaged, rank 1 is not")
	require.Equal(t, "2 1", cube.ValueOf(merged.Cube.Metric("time").Attrs, runsAttr))
	mean, err := Mean(make("a", "n1"), make("b", "n1", "n2"))
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"main": (1*2 + 2*4) / 2.0}, byPath(t, mean.Cube, "time"))
}

func TestGoroutinesThatAreNotInAll(t *testing.T) {
	make := func(name string, workers int) Input {
		b := build(t).path("main").path("work")
		b.metric("time")
		b.process("p (pid 1)", 0, workers)
		n := b.c.System[0].Children[0]
		n.Class = processClass
		if workers > 3 {
			n.Name = "p (pid 2)"
			n.Groups = append(n.Groups, &cube.LocationGroup{ID: 7, Name: "extra", Locations: []*cube.Location{{ID: 70, Name: "extra[0]"}, {ID: 71, Name: "extra[1]", Rank: 1}}})
			b.n += 2
		}
		n.Groups[0].Name = "worker"
		setAttr(&n.Groups[0].Attrs, creatorAttr, "0")
		return b.done(name, map[string]map[string]int64{"time": {"work": 10}})
	}
	r, err := Diff(make("a", 3), make("b", 5))
	require.NoError(t, err)
	var names []string
	for _, l := range r.Cube.Locations() {
		names = append(names, l.Name)
	}
	require.Equal(t, []string{"thread 0", "thread 1", "thread 2", "worker[others]", "extra[others]"}, names)
	require.Equal(t, []string{"2 goroutines of the group worker are not in every report: they are put together as worker[others]",
		"2 goroutines of the group extra are not in every report: they are put together as extra[others]"}, r.Notes)
	row, err := r.Cube.Metric("time").Row(r.Cube.Paths()[1])
	require.NoError(t, err)
	require.Equal(t, cube.Int(20), row.Value(3))
	require.Equal(t, cube.Int(20), row.Value(4))
	require.Equal(t, "0", cube.ValueOf(r.Cube.System[0].Children[0].Groups[0].Attrs, creatorAttr))
}

func TestGoroutinesStartedElsewhere(t *testing.T) {
	make := func(name, program, creator string, groups ...string) Input {
		b := build(t).path("main/" + creator).path("work")
		b.metric("time")
		b.process(program, 0, 0)
		n := b.c.System[0].Children[0]
		n.Class, n.Groups = processClass, nil
		for i, g := range groups {
			x := &cube.LocationGroup{ID: i, Name: g, Rank: i, Locations: []*cube.Location{{ID: b.n, Name: g + "[0]"}}}
			b.n++
			setAttr(&x.Attrs, creatorAttr, []string{"1", "0"}[i])
			n.Groups = append(n.Groups, x)
		}
		return b.done(name, map[string]map[string]int64{"time": {"work": 10}})
	}
	r, err := Diff(make("a", "old (pid 3)", "start", "worker"), make("b", "new (pid 4)", "launch", "worker"))
	require.NoError(t, err)
	require.Empty(t, r.Notes)
	require.Len(t, r.Cube.Locations(), 1, "the only program, and its only workers")
	require.Empty(t, byPath(t, r.Cube, "time"))

	r, err = Diff(make("a", "p", "start", "worker", "worker"), make("b", "p", "launch", "worker", "worker"))
	require.NoError(t, err)
	require.Len(t, r.Cube.Locations(), 3, "workers started by main, those by start, and those by launch")
	r, err = Merge(make("a", "p", "start", "worker"), make("b", "p", "launch", "worker"))
	require.NoError(t, err)
	require.Len(t, r.Cube.Locations(), 2, "runs of one binary do not differ in that")
}
