package query

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/report/cube"
)

// derived are the metrics of the random cubes that are computed: every sort of expression.
var derived = []struct {
	name, parent string
	kind         cube.Kind
	expression   string
	options      [][2]string // element, text
}{
	{name: "sum", kind: cube.PostDerived, expression: `metric::count() + 2*metric::work() - metric::wait()`},
	{name: "part", parent: "sum", kind: cube.PostDerived, expression: `metric::work() - metric::wait()`},
	{name: "ratio", kind: cube.PostDerived, expression: `metric::time() / metric::count()`},
	{name: "doubled", kind: cube.PostDerived, expression: `2 * metric::ratio() + metric::sum(e)`},
	{name: "share", kind: cube.PostDerived, expression: `metric::time(i) / metric::fixed::time()`},
	{name: "there", kind: cube.PostDerived, expression: `metric::call::time(1, i) + metric::call::count(0, e, 1, i) * 0`},
	{name: "masked", parent: "time", kind: cube.PreDerivedExclusive, expression: `${mask}[${calculation::callpath::id}] * (metric::time(e) - metric::wait(e))`,
		options: [][2]string{{"cubeplinit", `{ global(mask); ${i} = 0; while (${i} < ${cube::#callpaths}) {
			if (${cube::region::name}[${cube::callpath::calleeid}[${i}]] =~ /^r[13]$/) { ${mask}[${i}] = 1; };
			${i} = ${i} + 1; }; cube::metric::set::gone("value", "VOID"); }`}}},
	{name: "gone", kind: cube.PostDerived, expression: `1`},
	{name: "nested", kind: cube.PreDerivedExclusive, expression: `metric::masked() + metric::sum()`},
	{name: "larger", kind: cube.PreDerivedExclusive, expression: `max(metric::time(e), metric::work(i))`},
	{name: "above", kind: cube.PreDerivedExclusive, expression: `{ ${x} = 0; if (metric::work(i) > 0) { ${x} = max(0, metric::time(e) - metric::fixed::time(e) / ${cube::#locations}); }; return ${x}; }`},
	{name: "inclusively", kind: cube.PreDerivedInclusive, expression: `metric::time() * 3 + metric::count()`},
	{name: "crookedly", kind: cube.PreDerivedInclusive, expression: `metric::time() * metric::count()`},
	{name: "greatest", kind: cube.PreDerivedExclusive, expression: `metric::time()`,
		options: [][2]string{{"cubeplaggr", `max(arg1, arg2)`}}},
	{name: "placed", kind: cube.PreDerivedExclusive, expression: `metric::work() * ${calculation::sysres::id}`},
	{name: "stateful", kind: cube.PostDerived, expression: `{ ${seen} = metric::count(); return ${seen} * ${seen}; }`,
		options: [][2]string{{"cubeplinit", `{ global(seen); }`}}},
}

// random makes a small cube with all sorts of metrics.
func random(t testing.TB, seed uint64) *cube.Cube {
	rnd := rand.New(rand.NewPCG(seed, 1))
	c := &cube.Cube{}
	stored := []*cube.Metric{
		{ID: 0, Name: "time", DType: "DOUBLE", Kind: cube.Inclusive, Unit: "s"}, {ID: 1, Name: "work", DType: "INT64", Kind: cube.Exclusive},
		{ID: 2, Name: "wait", DType: "UINT32", Kind: cube.Exclusive, Unit: "s"}, {ID: 3, Name: "count", DType: "UINT64", Kind: cube.Inclusive},
		{ID: 4, Name: "simple", DType: "INT16", Kind: cube.Simple}, {ID: 5, Name: "least", DType: "MINDOUBLE", Kind: cube.Exclusive},
		{ID: 6, Name: "most", DType: "MAXDOUBLE", Kind: cube.Inclusive}, {ID: 7, Name: "hidden", DType: "INT64", Kind: cube.Exclusive, Ghost: true},
	}
	stored[0].Children = []*cube.Metric{stored[2], stored[7]}
	c.Metrics = []*cube.Metric{stored[0], stored[1], stored[3], stored[4], stored[5], stored[6]}
	byName := map[string]*cube.Metric{"time": stored[0]}
	for i, d := range derived {
		m := &cube.Metric{ID: 10 + i, Name: d.name, DType: "DOUBLE", Kind: d.kind, Expressions: []cube.Expression{{Element: "cubepl", Text: d.expression}}}
		for _, o := range d.options {
			m.Expressions = append(m.Expressions, cube.Expression{Element: o[0], Text: o[1]})
		}
		byName[d.name] = m
		if d.parent != "" {
			m.Unit = byName[d.parent].Unit
			byName[d.parent].Children = append(byName[d.parent].Children, m)
		} else {
			c.Metrics = append(c.Metrics, m)
		}
	}
	for i := range 5 {
		c.Regions = append(c.Regions, &cube.Region{ID: i, Name: fmt.Sprint("r", i), Begin: -1, End: -1})
	}
	paths := []*cube.CallPath{}
	for i := range 2 + rnd.IntN(12) {
		paths = append(paths, &cube.CallPath{Region: c.Regions[rnd.IntN(5)], Line: -1})
		if i < 2 && rnd.IntN(2) == 0 || i == 0 {
			c.Roots = append(c.Roots, paths[i])
		} else {
			up := paths[rnd.IntN(i)]
			up.Children = append(up.Children, paths[i])
		}
	}
	number := 0 // in document order
	var visit func(list []*cube.CallPath)
	visit = func(list []*cube.CallPath) {
		for _, p := range list {
			p.ID = number
			number++
			visit(p.Children)
		}
	}
	visit(c.Roots)
	n := 1 + rnd.IntN(6)
	c.System = []*cube.SystemNode{{ID: 0, Name: "machine", Class: "machine"}}
	for i := range 2 {
		node := &cube.SystemNode{ID: 1 + i, Name: fmt.Sprint("node ", i), Class: "node", Groups: []*cube.LocationGroup{{ID: i, Name: fmt.Sprint("rank ", i), Rank: i, Type: "process"}}}
		c.System[0].Children = append(c.System[0].Children, node)
	}
	for i := range n { // dealt out, so that columns of a group do not lie together
		g := c.System[0].Children[i%2].Groups[0]
		g.Locations = append(g.Locations, &cube.Location{ID: i, Name: fmt.Sprint("thread ", i), Type: "thread"})
	}
	require.NoError(t, c.Complete())
	for _, m := range stored {
		for _, p := range c.Paths() {
			if rnd.IntN(4) == 0 {
				continue
			}
			values := make([]cube.Value, n)
			for i := range values {
				if values[i] = cube.Int(int64(rnd.IntN(3) * rnd.IntN(1000))); m.DType == "DOUBLE" {
					values[i] = cube.Float(float64(rnd.IntN(5000)) / 8)
				}
			}
			r, err := cube.MakeRow(m.DType, values)
			require.NoError(t, err)
			require.NoError(t, m.Set(p, r))
		}
	}
	return c
}

// check compares all answers of a model with those of the naive one.
func check(t testing.TB, m *Model, metrics []*Metric, places []*Resource) {
	n, err := newNaive(m.Cube)
	require.NoError(t, err)
	additive := func(c *cube.Metric) bool { return m.Metric(c.Name).Additive }
	for _, q := range metrics {
		for _, self := range []bool{false, true} {
			w := What{Metric: q, Self: self}
			same := func(got cube.Value, s spot, what ...any) {
				value := n.value
				if self {
					value = func(c *cube.Metric, s spot) (float64, error) { return n.self(c, s, additive) }
				}
				if want, err := value(q.Metric, s); err != nil || want != got.Float64() { // there are many
					t.Helper()
					require.NoError(t, err)
					require.InDelta(t, want, got.Float64(), 1e-9*max(1, math.Abs(want)), "%s self=%v %v", q.Name, self, what)
				}
			}
			total, err := m.Total(w)
			require.NoError(t, err)
			same(total, spot{m.Cube.Roots, true, allColumns(m.Cube), nil}, "total")
			for _, at := range places {
				columns := allColumns(m.Cube)
				if at != nil {
					columns = columns[:0]
					for _, i := range at.columns {
						columns = append(columns, int(i))
					}
				}
				inclusive, exclusive, err := m.ByPath(w, at)
				require.NoError(t, err)
				for i, p := range m.Cube.Paths() {
					same(inclusive[i], spot{[]*cube.CallPath{p}, true, columns, nil}, "path", i, at)
					same(exclusive[i], spot{[]*cube.CallPath{p}, false, columns, nil}, "path without", i, at)
				}
				inclusive, exclusive, err = m.ByRegion(w, at)
				require.NoError(t, err)
				for i, r := range m.Cube.Regions {
					all, top := of(m.Cube, r)
					same(inclusive[i], spot{top, true, columns, r}, "region", i, at)
					same(exclusive[i], spot{all, false, columns, r}, "region without", i, at)
				}
			}
			for _, inclusive := range []bool{true, false} {
				for _, p := range append([]*cube.CallPath{nil}, m.Cube.Paths()...) {
					values, err := m.ByResource(w, p, inclusive)
					require.NoError(t, err)
					for _, at := range m.Resources {
						s := spot{[]*cube.CallPath{p}, inclusive, nil, nil}
						if p == nil {
							s.tops, s.inclusive = m.Cube.Roots, true
						}
						for _, i := range at.columns {
							s.columns = append(s.columns, int(i))
						}
						same(values[at.Index], s, "system", at.Name, inclusive)
					}
				}
				for i, r := range m.Cube.Regions {
					values, err := m.RegionByResource(w, r, inclusive)
					require.NoError(t, err)
					all, top := of(m.Cube, r)
					if inclusive {
						all = top
					}
					for _, at := range m.Resources {
						s := spot{all, inclusive, nil, r}
						for _, i := range at.columns {
							s.columns = append(s.columns, int(i))
						}
						same(values[at.Index], s, "region on system", i, at.Name, inclusive)
					}
				}
			}
		}
	}
}

// of returns the call paths of a region, and those of them that are not below another.
func of(c *cube.Cube, r *cube.Region) (all, top []*cube.CallPath) {
	for _, p := range c.Paths() {
		if p.Region != r {
			continue
		}
		all = append(all, p)
		up := p.Parent
		for up != nil && up.Region != r {
			up = up.Parent
		}
		if up == nil {
			top = append(top, p)
		}
	}
	return all, top
}

func TestAgainstNaive(t *testing.T) {
	for seed := range uint64(testkit.Cases(8)) {
		c := random(t, seed)
		m, err := New(c)
		require.NoError(t, err)
		require.Nil(t, m.Metric("nothing"))
		require.Equal(t, -1, m.Metric("gone").Index)
		require.Equal(t, -1, m.Metric("hidden").Index)
		for _, q := range m.all {
			require.NoError(t, q.Err)
		}
		check(t, m, m.all, append([]*Resource{nil}, m.Resources...))
	}
}
