package composite_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/metric/spec"
	"tracerec/report/algebra"
	"tracerec/report/composite"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// experiment is a report of one run: main calls solve; two goroutines. Counters have values of solve for either goroutine,
// and the uncertain part of each.
type experiment struct {
	visits   int64
	counters []counter
	call     string // another call path below main
	root     string // another one beside main, in which nothing was counted
}

type counter struct {
	name              string
	certain, doubtful [2]int64
}

// build makes the report as expert does.
func (e experiment) build(t *testing.T) *cube.Cube {
	t.Helper()
	c := &cube.Cube{Attrs: []cube.Attr{{Key: "Creator", Value: "expert"}, {Key: "program", Value: "app"}}}
	main, solve := &cube.Region{ID: 0, Name: "main"}, &cube.Region{ID: 1, Name: "solve"}
	c.Regions = []*cube.Region{main, solve}
	below := &cube.CallPath{ID: 1, Region: solve, Line: -1}
	root := &cube.CallPath{ID: 0, Region: main, Line: -1, Children: []*cube.CallPath{below}}
	if e.call != "" {
		c.Regions = append(c.Regions, &cube.Region{ID: 2, Name: e.call})
		root.Children = append(root.Children, &cube.CallPath{ID: 2, Region: c.Regions[2], Line: -1})
	}
	c.Roots = []*cube.CallPath{root}
	if e.root != "" {
		c.Regions = append(c.Regions, &cube.Region{ID: len(c.Regions), Name: e.root})
		c.Roots = append(c.Roots, &cube.CallPath{ID: len(c.Regions) - 1, Region: c.Regions[len(c.Regions)-1], Line: -1})
	}
	group := &cube.LocationGroup{ID: 0, Name: "main", Type: "process", Attrs: []cube.Attr{{Key: "group", Value: "0"}}}
	for i := range 2 {
		group.Locations = append(group.Locations, &cube.Location{ID: i, Rank: i, Name: fmt.Sprintf("main[%d]", i), Type: "thread"})
	}
	c.System = []*cube.SystemNode{{Name: "machine", Class: "machine", Children: []*cube.SystemNode{
		{ID: 1, Name: "app (pid 1)", Class: "process", Attrs: []cube.Attr{{Key: "process", Value: "0"}}, Groups: []*cube.LocationGroup{group}}}}}
	add := func(name, unit string, attrs ...string) *cube.Metric {
		m := &cube.Metric{Name: name, Title: name, DType: "INT64", Unit: unit, Kind: cube.Exclusive}
		for _, a := range attrs {
			m.Attrs = append(m.Attrs, cube.Attr{Key: a, Value: "true"})
		}
		return m
	}
	c.Metrics = []*cube.Metric{add("time", "ns"), add("visits", "occ")}
	for _, x := range e.counters {
		m := add(x.name, "events", "counter")
		m.Children = []*cube.Metric{add(x.name+"_uncertain", "events", "uncertain")}
		c.Metrics = append(c.Metrics, m)
	}
	id := 0
	for _, m := range c.Metrics {
		m.ID = id
		id++
		for _, child := range m.Children {
			child.ID = id
			id++
		}
	}
	require.NoError(t, c.Complete())
	set := func(m *cube.Metric, p *cube.CallPath, a, b int64) {
		row, err := cube.MakeRow("INT64", []cube.Value{cube.Int(a), cube.Int(b)})
		require.NoError(t, err)
		require.NoError(t, m.Set(p, row))
	}
	set(c.Metrics[0], below, 1e9, 1e9)
	set(c.Metrics[1], below, e.visits, e.visits)
	for i, x := range e.counters {
		m := c.Metrics[i+2]
		set(m, below, x.certain[0]+x.doubtful[0], x.certain[1]+x.doubtful[1])
		set(m.Children[0], below, x.doubtful[0], x.doubtful[1])
	}
	return c
}

// tree writes the metrics that are derived: name, title if it differs, total with and without the children.
func tree(t *testing.T, c *cube.Cube) string {
	t.Helper()
	m, err := query.New(c)
	require.NoError(t, err)
	var b strings.Builder
	for _, q := range m.Metrics {
		x := c.Metric(q.Name)
		if !slices.ContainsFunc(x.Attrs, func(a cube.Attr) bool { return a.Key == "hierarchy" }) || x.Ghost {
			continue
		}
		depth := 0
		for p := x.Parent; p != nil; p = p.Parent {
			depth++
		}
		all, err := m.Total(query.What{Metric: q})
		require.NoError(t, err)
		own, err := m.Total(query.What{Metric: q, Self: true})
		require.NoError(t, err)
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth), q.Name)
		if x.Title != x.Name && !strings.HasSuffix(x.Title, "(uncertain)") {
			fmt.Fprintf(&b, " %q", x.Title)
		}
		fmt.Fprintf(&b, " %s", all)
		if len(x.Children) > 0 {
			fmt.Fprintf(&b, " own %s", own)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func parse(t *testing.T, text string) *spec.Spec {
	t.Helper()
	s, err := spec.Parse("test", []byte(text))
	require.NoError(t, err)
	return s
}

const access = `compose ACCESS = HIT + MISS
measure ACCESS = refs
compute HIT = refs - misses
compose MISS = near + far
ratio miss_rate [unit=% low=0 high=100 least=10] = 100 * MISS / ACCESS
`

func TestDerive(t *testing.T) {
	s := parse(t, access)
	c := experiment{visits: 1, counters: []counter{
		{"refs", [2]int64{100, 50}, [2]int64{7, 0}}, {"misses", [2]int64{10, 5}, [2]int64{1, 0}}, {"near", [2]int64{6, 4}, [2]int64{}},
		{"unknown", [2]int64{1, 1}, [2]int64{}}}}.build(t)
	r, err := composite.Derive(c, s)
	require.NoError(t, err)
	require.Equal(t, `ACCESS 150 own 5
  HIT 135
  MISS "~MISS" 10 own 0
    near@ACCESS "near" 10
  ACCESS_uncertain 7 own 0
    HIT_uncertain 7
  ACCESS_uncertain_less "ACCESS (uncertain, less)" 0 own 1
    HIT_uncertain_less "HIT (uncertain, less)" -1
`, tree(t, r.Cube), "no ratio of what is incomplete")
	require.Equal(t, "INT64", string(r.Cube.Metric("ACCESS").DType))
	require.Contains(t, r.Cube.Attrs, cube.Attr{Key: "counters in no hierarchy", Value: "unknown"})
	total, err := r.Cube.Metric("refs").Total()
	require.NoError(t, err)
	require.EqualValues(t, 157, total.Int64(), "counters stay as they are")

	// Deriving again, also of what was written and read, is the same.
	again, err := composite.Derive(r.Cube, s)
	require.NoError(t, err)
	require.Equal(t, tree(t, r.Cube), tree(t, again.Cube))
	var file bytes.Buffer
	require.NoError(t, again.Cube.Write(&file))
	read, err := cube.Read("x.cubex", bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	require.Equal(t, tree(t, r.Cube), tree(t, read))
	other, err := composite.Derive(read, parse(t, "compose ALL = refs + unknown"))
	require.NoError(t, err)
	require.Equal(t, "ALL 152 own 0\n  refs@ALL \"refs\" 150\n  unknown@ALL \"unknown\" 2\n  ALL_uncertain 7 own 0\n    refs@ALL_uncertain 7\n", tree(t, other.Cube))
}

// A denominator that is too small has no ratio.
func TestGuard(t *testing.T) {
	c := experiment{visits: 1, counters: []counter{{"refs", [2]int64{9, 0}, [2]int64{50, 0}}, {"near", [2]int64{3, 0}, [2]int64{}}, {"far", [2]int64{}, [2]int64{}}}}.build(t)
	r, err := composite.Derive(c, parse(t, access))
	require.NoError(t, err)
	require.Contains(t, tree(t, r.Cube), "miss_rate NaN\n", "9 certain references are less than 10")
}

func inputs(cubes ...*cube.Cube) (list []algebra.Input) {
	for i, c := range cubes {
		list = append(list, algebra.Input{Name: fmt.Sprintf("run%d", i+1), Cube: c})
	}
	return list
}

// Section 2.3 of the paper: compositions that no run has all of are complete together, what several measured is averaged, and
// computations are of the counters of all.
func TestMergeCompletes(t *testing.T) {
	s := parse(t, access)
	a := experiment{visits: 4, counters: []counter{{"refs", [2]int64{100, 50}, [2]int64{}}, {"near", [2]int64{6, 4}, [2]int64{}}}}.build(t)
	b := experiment{visits: 4, counters: []counter{{"misses", [2]int64{10, 5}, [2]int64{}}, {"far", [2]int64{4, 1}, [2]int64{}}}}.build(t)
	for _, c := range []*cube.Cube{a, b} {
		r, err := composite.Derive(c, s)
		require.NoError(t, err)
		require.Contains(t, tree(t, r.Cube), "~MISS", "incomplete in each run")
		require.NotContains(t, tree(t, r.Cube), "HIT", "no computation has its inputs")
		*c = *r.Cube // which does no harm to the merged one
	}
	r, err := composite.Merge([]*spec.Spec{s}, inputs(a, b)...)
	require.NoError(t, err)
	want := `ACCESS 150 own 0
  HIT 135
  MISS 15 own 0
    near@ACCESS "near" 10
    far@ACCESS "far" 5
  ACCESS_uncertain 0
miss_rate 10
`
	require.Equal(t, want, tree(t, r.Cube))
	require.Equal(t, "INT64", string(r.Cube.Metric("HIT").DType), "nothing was averaged")
	for _, n := range r.Notes {
		require.NotContains(t, n, "warning", "the runs agree")
	}
	back, err := composite.Merge([]*spec.Spec{s}, inputs(b, a)...)
	require.NoError(t, err)
	require.Equal(t, want, tree(t, back.Cube), "in any order")
}

func TestMergeReplicated(t *testing.T) {
	s := parse(t, access)
	run := func(refs, misses int64) *cube.Cube {
		return experiment{visits: 1, counters: []counter{{"refs", [2]int64{refs, 0}, [2]int64{3, 0}}, {"misses", [2]int64{misses, 0}, [2]int64{}}}}.build(t)
	}
	r, err := composite.Merge([]*spec.Spec{s}, inputs(run(1000, 100), run(1010, 101), run(1000, 100))...)
	require.NoError(t, err)
	hit := r.Cube.Metric("HIT")
	require.Equal(t, "DOUBLE", string(hit.DType))
	total, err := hit.Total()
	require.NoError(t, err)
	require.InDelta(t, (900+909+900)/3., total.Float64(), 1e-9)
	spread := algebra.SpreadOf(r.Cube)
	require.NotNil(t, spread)
	band, ok := spread.At(hit, nil, true)
	require.True(t, ok, "each run measured both")
	require.Equal(t, 3, band.N)
	require.EqualValues(t, 900, band.Min)
	require.EqualValues(t, 909, band.Max)
	band, ok = spread.At(r.Cube.Metric("refs"), nil, true)
	require.True(t, ok)
	require.EqualValues(t, 1010, band.Max, "what is certain")
	require.Len(t, band2(t, r.Cube, "ACCESS"), 3)
}

// band2 returns the values of a metric in the runs.
func band2(t *testing.T, c *cube.Cube, name string) []float64 {
	t.Helper()
	runs, err := algebra.Runs(c)
	require.NoError(t, err)
	var values []float64
	r, err := runs.Metric(name).Row(runs.Paths()[1])
	require.NoError(t, err)
	for _, v := range r.All() {
		values = append(values, v.Float64())
	}
	return values
}

// What no single run measured all of has no spread.
func TestSpreadOfDifferentRuns(t *testing.T) {
	a := experiment{visits: 1, counters: []counter{{"refs", [2]int64{100, 0}, [2]int64{}}}}
	b := experiment{visits: 1, counters: []counter{{"misses", [2]int64{10, 0}, [2]int64{}}}}
	r, err := composite.Merge([]*spec.Spec{parse(t, access)}, inputs(a.build(t), a.build(t), b.build(t), b.build(t))...)
	require.NoError(t, err)
	spread := algebra.SpreadOf(r.Cube)
	_, ok := spread.At(r.Cube.Metric("HIT"), nil, true)
	require.False(t, ok)
	band, ok := spread.At(r.Cube.Metric("ACCESS"), nil, true)
	require.True(t, ok)
	require.Equal(t, 2, band.N)
}

func TestDisagreement(t *testing.T) {
	a := experiment{visits: 1000, counters: []counter{{"refs", [2]int64{100000, 0}, [2]int64{}}, {"misses", [2]int64{10, 0}, [2]int64{}}}}
	b := experiment{visits: 2000, call: "extra", counters: []counter{{"refs", [2]int64{200000, 0}, [2]int64{}}, {"near", [2]int64{150500, 0}, [2]int64{}}}}
	r, err := composite.Merge([]*spec.Spec{parse(t, access+"measure MISS = misses\n")}, inputs(a.build(t), b.build(t))...)
	require.NoError(t, err)
	text := strings.Join(r.Notes, "\n")
	require.Contains(t, text, "warning: the runs do not agree on how often call paths were visited: main/solve 2,000 to 4,000 times")
	require.Contains(t, text, "warning: the runs do not agree on counters: refs 100,000 to 200,000 in 2 runs")
	require.Contains(t, text, "warning: far is -150490, less than nothing: its counters contradict each other (misses − near)")
	b.counters = append(b.counters, counter{"far", [2]int64{500, 0}, [2]int64{}})
	r, err = composite.Merge([]*spec.Spec{parse(t, access+"measure MISS = misses\n")}, inputs(a.build(t), b.build(t))...)
	require.NoError(t, err)
	require.Contains(t, strings.Join(r.Notes, "\n"), "warning: MISS is 150990 less than its parts")
	total, err := r.Cube.Metric("MISS").Total()
	require.NoError(t, err)
	require.EqualValues(t, 10, total.Int64(), "what was measured is shown as it is")

	// What varies by chance is not told: 10 and 15 are no different, and 1 % of visits is nothing.
	a = experiment{visits: 10000, counters: []counter{{"refs", [2]int64{10, 0}, [2]int64{}}}}
	b = experiment{visits: 10090, counters: []counter{{"refs", [2]int64{15, 0}, [2]int64{}}}}
	r, err = composite.Merge([]*spec.Spec{parse(t, access)}, inputs(a.build(t), b.build(t))...)
	require.NoError(t, err)
	require.NotContains(t, strings.Join(r.Notes, "\n"), "warning")
}

func TestNoCounters(t *testing.T) {
	c := experiment{visits: 1}.build(t)
	r, err := composite.Derive(c, parse(t, access))
	require.NoError(t, err)
	require.Empty(t, tree(t, r.Cube))
	require.Empty(t, r.Notes)
}
