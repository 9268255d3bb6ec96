package algebra

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/report/cube"
)

// random makes a report of a program of which other seeds are other runs: with the same call tree up to a few call paths, and the
// same processes up to a few goroutines or threads. Values are integers even where they have a fraction, so sums are exact.
func random(seed uint64, goroutines bool) Input {
	r := rand.New(rand.NewPCG(seed, 1))
	c := &cube.Cube{Attrs: []cube.Attr{{Key: "Creator", Value: "test"}}}
	for i := range 6 {
		c.Regions = append(c.Regions, &cube.Region{ID: i, Name: fmt.Sprintf("r%d", i), Module: "/src/a.go", Begin: 10 * i, End: 10*i + 5})
	}
	id := 0
	var tree func(depth int) []*cube.CallPath
	tree = func(depth int) []*cube.CallPath {
		var list []*cube.CallPath
		for i := range 3 {
			if depth == 3 || depth > 0 && r.IntN(4) == 0 {
				continue
			}
			p := &cube.CallPath{ID: id, Region: c.Regions[(2*depth+i)%6], Line: i, Module: "/src/a.go"}
			id++
			p.Children = tree(depth + 1)
			if list = append(list, p); depth == 0 {
				break
			}
		}
		return list
	}
	c.Roots = tree(0)
	machine := &cube.SystemNode{Name: "machine", Class: "machine"}
	c.System = []*cube.SystemNode{machine}
	l, g := 0, 0
	for k := range 2 {
		n := &cube.SystemNode{ID: k + 1, Name: fmt.Sprintf("p%d", k), Class: "node"}
		if goroutines {
			n.Class, n.Name = processClass, fmt.Sprintf("p%d (pid %d)", k, seed)
		}
		machine.Children = append(machine.Children, n)
		for range 2 {
			x := &cube.LocationGroup{ID: g, Name: fmt.Sprintf("g%d", g%2), Rank: g, Type: "process"}
			g++
			n.Groups = append(n.Groups, x)
			for i := range 2 + r.IntN(3) {
				x.Locations = append(x.Locations, &cube.Location{ID: l, Name: fmt.Sprintf("g%d[%d]", g%2, i), Rank: i, Type: "thread"})
				l++
			}
		}
	}
	c.Metrics = []*cube.Metric{
		{ID: 0, Name: "time", DType: "INT64", Unit: "ns", Kind: cube.Exclusive, Children: []*cube.Metric{
			{ID: 1, Name: "wait", DType: "UINT64", Unit: "ns", Kind: cube.Exclusive}}},
		{ID: 2, Name: "incl", DType: "DOUBLE", Unit: "sec", Kind: cube.Inclusive},
		{ID: 3, Name: "least", DType: "MINDOUBLE", Unit: "sec", Kind: cube.Exclusive},
		{ID: 4, Name: "share", DType: "DOUBLE", Kind: cube.PostDerived, Expressions: []cube.Expression{{Element: "cubepl", Text: "metric::wait() / metric::time()"}}},
		{ID: 5, Name: "work", DType: "DOUBLE", Kind: cube.PostDerived, Expressions: []cube.Expression{{Element: "cubepl", Text: "metric::time() - metric::wait()"}}},
	}
	if err := c.Complete(); err != nil {
		panic(err)
	}
	for _, m := range c.AllMetrics() {
		if m.Kind.Derived() {
			continue
		}
		for _, p := range c.Paths() {
			v := make([]cube.Value, l)
			for i := range v {
				if r.IntN(3) > 0 {
					v[i] = cube.Int(r.Int64N(1000))
				}
			}
			row, err := cube.MakeRow(m.DType, v)
			if err == nil {
				err = m.Set(p, row)
			}
			if err != nil {
				panic(err)
			}
		}
	}
	return Input{Name: fmt.Sprintf("run%d", seed), Cube: c}
}

func forms(t *testing.T, test func(t *testing.T, make func(seed uint64) Input)) {
	for _, goroutines := range []bool{false, true} {
		for seed := range uint64(testkit.Cases(10)) {
			t.Run(fmt.Sprintf("goroutines=%t/%d", goroutines, seed), func(t *testing.T) {
				test(t, func(n uint64) Input { return random(100*seed+n, goroutines) })
			})
		}
	}
}

// made passes a result through a file.
func made(t *testing.T, name string) func(*Result, error) Input {
	return func(r *Result, err error) Input {
		t.Helper()
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, r.Cube.Write(&b))
		c, err := cube.Read(name, bytes.NewReader(b.Bytes()), int64(b.Len()))
		require.NoError(t, err)
		return Input{Name: name, Cube: c}
	}
}

func requireSame(t *testing.T, a, b Input) {
	t.Helper()
	c, err := Compare(a, b)
	require.NoError(t, err)
	require.True(t, c.Equal, "%d differences in %d values: %q", c.Count, c.Values, c.Differences)
	require.Positive(t, c.Values)
}

func total(t *testing.T, in Input, metric string) float64 {
	t.Helper()
	m, ok := measure(in.Cube, in.Cube.Metric(metric))
	require.True(t, ok, metric)
	v, err := m.rows.Total()
	require.NoError(t, err)
	return m.value(v).Float64()
}

func TestDifferenceWithItself(t *testing.T) {
	forms(t, func(t *testing.T, make func(uint64) Input) {
		a := make(1)
		d := made(t, "d")(Diff(a, a))
		for _, m := range d.Cube.AllMetrics() {
			if !m.Ghost {
				require.Empty(t, m.Stored(), m.Name)
			}
		}
		require.Len(t, d.Cube.Paths(), len(a.Cube.Paths()))
		require.Len(t, d.Cube.Locations(), len(a.Cube.Locations()))
	})
}

func TestDifferenceTheOtherWayRound(t *testing.T) {
	forms(t, func(t *testing.T, make func(uint64) Input) {
		a, b := make(1), make(2)
		d, e := made(t, "d")(Diff(a, b)), made(t, "e")(Diff(b, a))
		for _, name := range []string{"time", "wait", "incl"} {
			require.Equal(t, total(t, b, name)-total(t, a, name), total(t, d, name), name)
		}
		negate(t, d.Cube)
		requireSame(t, d, e)
	})
}

// negate changes the signs of all differences.
func negate(t *testing.T, c *cube.Cube) {
	side := regexp.MustCompile(`:[ab](\(|$)`) // at the end of a name
	swap := func(s string) string {
		return side.ReplaceAllStringFunc(s, func(s string) string {
			return ":" + string('a'+'b'-s[1]) + s[2:]
		})
	}
	for _, m := range c.AllMetrics() {
		if m.Ghost {
			m.Name = swap(m.Name)
			for i := range m.Expressions {
				m.Expressions[i].Text = swap(m.Expressions[i].Text)
			}
			continue
		}
		for _, p := range m.Stored() {
			r, err := m.Row(p)
			require.NoError(t, err)
			v := make([]cube.Value, r.Len())
			for i, x := range r.All() {
				v[i] = cube.Int(0).Sub(x)
			}
			n, err := cube.MakeRow(m.DType, v)
			require.NoError(t, err)
			require.NoError(t, m.Set(p, n))
		}
	}
}

// cells returns all values of a metric by names of call path, process and thread.
func cells(t *testing.T, c *cube.Cube, metric string) map[string]float64 {
	t.Helper()
	m, ok := measure(c, c.Metric(metric))
	require.True(t, ok)
	all := map[string]float64{}
	for _, p := range c.Paths() {
		r, err := m.rows.Row(p)
		require.NoError(t, err)
		for i, v := range r.All() {
			if !v.Zero() {
				l := c.Locations()[i]
				all[fmt.Sprintf("%s %d %d", pathName(p), l.Group.Rank, l.Rank)] = m.value(v).Float64()
			}
		}
	}
	return all
}

func TestCells(t *testing.T) {
	for seed := range uint64(testkit.Cases(10)) {
		a, b := random(2*seed, false), random(2*seed+1, false)
		diff, mean := made(t, "diff")(Diff(a, b)), made(t, "mean")(Mean(a, b))
		for _, metric := range []string{"time", "wait", "incl"} {
			x, y := cells(t, a.Cube, metric), cells(t, b.Cube, metric)
			wantDiff, wantMean := map[string]float64{}, map[string]float64{}
			for k := range x {
				wantDiff[k], wantMean[k] = y[k]-x[k], (x[k]+y[k])/2
			}
			for k := range y {
				wantDiff[k], wantMean[k] = y[k]-x[k], (x[k]+y[k])/2
			}
			for k, v := range wantDiff {
				if v == 0 {
					delete(wantDiff, k)
				}
			}
			require.Equal(t, wantDiff, cells(t, diff.Cube, metric), metric)
			require.Equal(t, wantMean, cells(t, mean.Cube, metric), metric)
		}
	}
}

// The same reports give the same bytes, whatever else happens.
func TestSameBytes(t *testing.T) {
	bytesOf := func(r *Result, err error) []byte {
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, r.Cube.Write(&b))
		return b.Bytes()
	}
	for seed := range uint64(3) {
		a, b, c := random(3*seed, true), random(3*seed+1, true), random(3*seed+2, true)
		for range 3 {
			require.Equal(t, bytesOf(Diff(a, b)), bytesOf(Diff(a, b)))
			require.Equal(t, bytesOf(Merge(a, b, c)), bytesOf(Merge(a, b, c)))
		}
	}
}

func TestMeanOfCopies(t *testing.T) {
	forms(t, func(t *testing.T, make func(uint64) Input) {
		a := make(1)
		requireSame(t, a, made(t, "mean")(Mean(a, a, a)))
		requireSame(t, a, made(t, "merge")(Merge(a, a)))
	})
}

func TestTotalsOfMeans(t *testing.T) {
	forms(t, func(t *testing.T, make func(uint64) Input) {
		a, b, c := make(1), make(2), make(3)
		m := made(t, "m")(Mean(a, b, c))
		for _, name := range []string{"time", "wait", "incl"} {
			require.InDelta(t, (total(t, a, name)+total(t, b, name)+total(t, c, name))/3, total(t, m, name), 1e-9, name)
		}
	})
}

func TestMergeInAnyOrder(t *testing.T) {
	forms(t, func(t *testing.T, make func(uint64) Input) {
		a, b, c := make(1), make(2), make(3)
		for _, op := range []func(...Input) (*Result, error){Merge, Mean} {
			all := made(t, "abc")(op(a, b, c))
			requireSame(t, all, made(t, "cab")(op(c, a, b)))
			requireSame(t, all, made(t, "(ab)c")(op(made(t, "ab")(op(a, b)), c)))
			requireSame(t, all, made(t, "a(bc)")(op(a, made(t, "bc")(op(b, c)))))
		}
	})
}

func TestCutKeepsSums(t *testing.T) {
	forms(t, func(t *testing.T, make func(uint64) Input) {
		a := make(1)
		child := a.Cube.Roots[0].Children[0]
		cut := made(t, "cut")(Cut(a, CutOptions{Prune: []string{child.Region.Name}}))
		require.Less(t, len(cut.Cube.Paths()), len(a.Cube.Paths()))
		for _, name := range []string{"time", "wait", "incl"} {
			require.Equal(t, total(t, a, name), total(t, cut, name), name)
			for _, p := range cut.Cube.Paths() {
				q, err := findPaths(a.Cube, "/"+pathName(p))
				require.NoError(t, err)
				require.Equal(t, sums(t, a.Cube.Metric(name), q[0]), sums(t, cut.Cube.Metric(name), p), "%s at %s", name, pathName(p))
			}
		}
		root := made(t, "root")(Cut(a, CutOptions{Root: "/" + pathName(child)}))
		require.Equal(t, sums(t, a.Cube.Metric("time"), child), total(t, root, "time"))
		requireSame(t, a, made(t, "all")(Cut(a, CutOptions{})))
	})
}

// sums returns the inclusive value of all locations together.
func sums(t *testing.T, m *cube.Metric, p *cube.CallPath) float64 {
	list, err := m.Values(p, true)
	require.NoError(t, err)
	sum := 0.0
	for _, v := range list {
		sum += v.Float64()
	}
	return sum
}

func TestResultsAreReports(t *testing.T) {
	forms(t, func(t *testing.T, make func(uint64) Input) {
		a, b, c, d := make(1), make(2), make(3), make(4)
		ab, cd := made(t, "ab")(Mean(a, b)), made(t, "cd")(Mean(c, d))
		left := made(t, "means")(Diff(ab, cd))
		right := made(t, "differences")(Mean(made(t, "ac")(Diff(a, c)), made(t, "bd")(Diff(b, d))))
		for _, name := range []string{"time", "wait", "incl"} {
			require.InDelta(t, total(t, left, name), total(t, right, name), 1e-9, name)
		}
		child := "/" + pathName(a.Cube.Roots[0].Children[0])
		one, other := made(t, "1")(Cut(left, CutOptions{Prune: []string{child}})), made(t, "2")(Cut(ab, CutOptions{Prune: []string{child}}))
		require.InDelta(t, total(t, one, "time"), total(t, left, "time"), 1e-9)
		_ = made(t, "3")(Diff(one, other))
		_ = made(t, "4")(Diff(left, right))
		_ = made(t, "5")(Merge(one, left, right))
	})
}
