package algebra

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
	"tracerec/report/query"
)

const shared = "../../../shared/data/cube" // reports of other tools, not part of this tree

// stored opens a report of another tool.
func stored(t *testing.T, name string) Input {
	t.Helper()
	file := filepath.Join(shared, name)
	if _, err := os.Stat(file); err != nil {
		t.Skipf("no shared data: %v", err)
	}
	c, err := cube.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return Input{Name: filepath.Base(filepath.Dir(name)), Cube: c}
}

func TestLawsOnReportsOfOthers(t *testing.T) {
	for _, names := range [][3]string{
		{"extrap/single_parameter/mm.x10y1z1.r1/profile.cubex", "extrap/single_parameter/mm.x100y1z1.r1/profile.cubex", "extrap/single_parameter/mm.x500y1z1.r1/profile.cubex"},
		{"epcc/scorep_tea_leaf_baseline_8x12_trace/scout.cubex", "epcc/scorep_tea_leaf_optimized_8x12_trace/scout.cubex", "epcc/scorep_bt-mz_C_8x6_sum.hwc/profile.cubex"},
	} {
		a, b, c := stored(t, names[0]), stored(t, names[1]), stored(t, names[2])
		zero, err := Diff(a, a)
		require.NoError(t, err)
		for _, m := range zero.Cube.AllMetrics() {
			if !m.Ghost {
				require.Empty(t, m.Stored(), m.Name)
			}
		}
		d, e := made(t, "d")(Diff(a, b)), made(t, "e")(Diff(b, a))
		negate(t, d.Cube)
		same(t, d, e)
		same(t, a, made(t, "copies")(Mean(a, a)))
		same(t, a, made(t, "all")(Cut(a, CutOptions{})))
		same(t, made(t, "(ab)c")(Merge(made(t, "ab")(Merge(a, b)), c)), made(t, "c(ba)")(Merge(c, made(t, "ba")(Merge(b, a)))))
	}
}

// same requires that reports are the same but for metrics that cannot be added and so are not in results.
func same(t *testing.T, a, b Input) {
	t.Helper()
	var composite []*cube.Metric
	for _, m := range a.Cube.AllMetrics() {
		if !m.Kind.Derived() && !m.DType.Numeric() {
			composite = append(composite, m)
		}
	}
	c, err := compare(a, b, true)
	require.NoError(t, err)
	require.LessOrEqual(t, c.Count, len(composite), "%q", c.Differences)
	require.Positive(t, c.Values)
}

func TestTeaLeaf(t *testing.T) {
	a := stored(t, "epcc/scorep_tea_leaf_baseline_8x12_trace/scout.cubex")
	b := stored(t, "epcc/scorep_tea_leaf_optimized_8x12_trace/scout.cubex")
	d := made(t, "d")(Diff(a, b))
	require.Equal(t, "scorep_tea_leaf_optimized_8x12_trace − scorep_tea_leaf_baseline_8x12_trace", cube.ValueOf(d.Cube.Attrs, query.DifferenceAttr))
	for _, m := range a.Cube.AllMetrics() {
		require.InDelta(t, total(t, b, m.Name)-total(t, a, m.Name), total(t, d, m.Name), 1e-9*(1+total(t, a, m.Name)), m.Name)
	}
	x, err := ChangesOf(d.Cube)
	require.NoError(t, err)
	require.Empty(t, x.Gone)
	require.Empty(t, x.New)
	first := x.Calls[0]
	require.Equal(t, "!$omp do @tea_leaf_cg.f90:294", first.Path.Region.Name)
	require.InDelta(t, -252.487, first.Delta(), 0.001)
	sum := 0.0
	for _, c := range x.Calls {
		sum += c.Delta()
	}
	require.InDelta(t, total(t, b, "time")-total(t, a, "time"), sum, 1e-6, "the changes of calls are all of the change")
	var text bytes.Buffer
	require.NoError(t, x.Text(&text, TextOptions{Top: 3}))
	require.Contains(t, text.String(), "B takes 4.4 % less time than A: 95.5 s instead of 99.9 s.")
}

// What CUBE's own tests hold for equal and for different.
func TestEqualAsCubeSays(t *testing.T) {
	template := stored(t, "cubelib-4.6-tests/test1.1/template.cube")
	for name, equal := range map[string]bool{"equal": true, "not_equal1": false, "not_equal2": false} {
		c, err := Compare(template, stored(t, "cubelib-4.6-tests/test1.1/"+name+".cube"))
		require.NoError(t, err)
		require.Equal(t, equal, c.Equal, "%s: %q", name, c.Differences)
	}
}
