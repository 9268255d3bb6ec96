package cube

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Specifications are no XML: expressions stand in them as they are.
func TestReadMetrics(t *testing.T) {
	c, err := ReadMetrics("spec", `<doc><mirrors><murl>http://a/</murl></mirrors></doc>
<metrics><metric type="POSTDERIVED"><!-- <cubepl> --><disp_name>A &amp; B</disp_name><uniq_name>a</uniq_name><dtype>FLOAT</dtype>
<cubeplinit/><cubepl rowwise="false">{ if (metric::b() < 1 & 2) { ${x} = "a" &lt; "b"; }; }</cubepl>
<metric><uniq_name>b</uniq_name></metric></metric></metrics>`)
	require.NoError(t, err)
	require.Equal(t, []string{"http://a/"}, c.Mirrors)
	require.Len(t, c.AllMetrics(), 2)
	a, b := c.AllMetrics()[0], c.AllMetrics()[1]
	require.Equal(t, "A & B", a.Title)
	require.Equal(t, PostDerived, a.Kind)
	require.Equal(t, []Expression{{Element: "cubeplinit"}, {"cubepl", []Attr{{"rowwise", "false"}}, `{ if (metric::b() < 1 & 2) { ${x} = "a" < "b"; }; }`}}, a.Expressions)
	require.Equal(t, a, b.Parent)
	require.Equal(t, 1, b.ID)
	require.Empty(t, c.Problems)

	spec := `<metrics><metric type="X"></metric></metrics>`
	_, err = ReadMetrics("spec", `<metrics><metric><cubepl>1 < 2 < 3</cubepl></metric></metrics>`+spec)
	require.EqualError(t, err, `spec: offset 71: type "X" of a metric is not known`)
	_, err = ReadMetrics("spec", "nothing")
	require.ErrorContains(t, err, "no metrics")
	_, err = ReadMetrics("spec", "<metrics><metric>")
	require.Error(t, err)
}

// A cube with other metrics shares the rows, and is written with them.
func TestWithMetrics(t *testing.T) {
	c := small(t)
	old := c.Metrics[0]
	stored := *old
	stored.Title, stored.Children = "Another title", nil
	root := &Metric{ID: 77, Name: "root", DType: "DOUBLE", Kind: PostDerived, Children: []*Metric{&stored},
		Expressions: []Expression{{Element: "cubepl", Text: "metric::" + old.Name + "()"}}}
	d, err := c.WithMetrics([]*Metric{root})
	require.NoError(t, err)
	require.Equal(t, root, stored.Parent)
	require.Nil(t, old.Parent)
	require.Equal(t, c.Metrics[0], old)

	path := filepath.Join(t.TempDir(), "d.cubex")
	require.NoError(t, d.Save(path))
	e, err := Open(path)
	require.NoError(t, err)
	defer e.Close()
	for _, p := range c.Paths() {
		want, err := old.Row(p)
		require.NoError(t, err)
		got, err := e.Metric(old.Name).Row(e.Paths()[p.Index()])
		require.NoError(t, err)
		for i := range c.Locations() {
			require.Equal(t, want.Value(i), got.Value(i))
		}
	}
	_, err = c.WithMetrics([]*Metric{root, {ID: 77}})
	require.Error(t, err)
}
