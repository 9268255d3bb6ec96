package query

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
)

// with makes a model of a random cube with other derived metrics.
func with(t *testing.T, metrics ...*cube.Metric) *Model {
	c := random(t, 3)
	var roots []*cube.Metric
	for _, m := range c.Metrics {
		if !m.Kind.Derived() {
			copied := *m
			copied.Children = nil
			roots = append(roots, &copied)
		}
	}
	for i, m := range metrics {
		m.ID, m.DType = 100+i, "DOUBLE"
		roots = append(roots, m)
	}
	d, err := c.WithMetrics(roots)
	require.NoError(t, err)
	m, err := New(d)
	require.NoError(t, err)
	return m
}

func post(name, expression string, more ...cube.Expression) *cube.Metric {
	return &cube.Metric{Name: name, Kind: cube.PostDerived, Expressions: append(more, cube.Expression{Element: "cubepl", Text: expression})}
}

func pre(name, expression string, more ...cube.Expression) *cube.Metric {
	m := post(name, expression, more...)
	m.Kind = cube.PreDerivedExclusive
	return m
}

// What cannot be evaluated has an error in place of values; the rest of the report is none the worse for it.
func TestErrors(t *testing.T) {
	initial := func(text string) cube.Expression { return cube.Expression{Element: "cubeplinit", Text: text} }
	m := with(t,
		post("syntax", "1 +"), post("none", ""), post("lacking", "metric::nothing() + 1"), post("lackingsum", "metric::nothing()"),
		pre("lackingrow", "2 * metric::nothing()"), post("a", "metric::b()"), post("b", "metric::c() + 1"), post("c", "metric::a() / 2"), post("d", "1 / metric::b()"),
		post("self", "metric::self(e)"), post("root", "sqrt(0 - 1 - metric::work())"), pre("rootcell", "sqrt(0 - 1 - metric::work())"),
		post("list", "${cube::stn::children}[0]"), post("sets", `{ cube::metric::set::time("value", "VOID"); return 1; }`),
		pre("aggregated", "metric::time()", cube.Expression{Element: "cubeplaggr", Options: []cube.Attr{{Key: "cubeplaggrtype", Value: "odd"}}, Text: "arg1"}),
		pre("badly", "metric::time()", cube.Expression{Element: "cubeplaggr", Text: "sqrt(0 - 1 - arg1)"}),
		post("fine", "metric::work() * 2"), post("parent", "metric::work()"),
		post("place", "metric::call::time(99, i)"), post("part", "metric::call::time(0, i, 99, i)"))
	eager := map[string]string{
		"syntax": "syntax: offset", "none": "none: the metric is derived, but has no expression", "lackingsum": "lackingsum: the report has no metric nothing",
		"a": "a: metrics that are computed from each other: a, b, c", "c": "computed from each other", "self": "self: metrics that are computed from each other: self",
		"list": "list: ${cube::stn::children} is not supported", "sets": "sets: properties of metrics can only be set by initialisation",
		"aggregated": "aggregated: an aggregation of an unknown type",
	}
	late := map[string]string{
		"lacking": "metric nothing: the report has no such metric", "lackingrow": "lackingrow: the report has no metric nothing", "d": "computed from each other",
		"root": "is not a number", "rootcell": "is not a number",
		"place": "there is no call path 99", "part": "there is no part 99 of the system",
	}
	for name, want := range eager {
		require.ErrorContains(t, m.Metric(name).Err, want, name)
		late[name] = want
	}
	for name, want := range late {
		w := What{Metric: m.Metric(name)}
		_, err := m.Total(w)
		require.ErrorContains(t, err, want, name)
		_, _, err = m.ByPath(w, nil)
		require.ErrorContains(t, err, want, name)
		_, _, err = m.ByRegion(w, m.Resources[1])
		require.ErrorContains(t, err, want, name)
		_, err = m.ByResource(w, nil, true)
		require.ErrorContains(t, err, want, name)
		_, err = m.RegionByResource(w, m.Cube.Paths()[0].Region, false)
		require.ErrorContains(t, err, want, name)
	}
	_, err := m.Total(What{Metric: m.Metric("badly")})
	require.ErrorContains(t, err, "badly: aggregation")
	fine, err := m.Total(What{Metric: m.Metric("fine")})
	require.NoError(t, err)
	work, err := m.Total(What{Metric: m.Metric("work")})
	require.NoError(t, err)
	require.Equal(t, 2*work.Int64(), fine.Int64())
	require.True(t, fine.Integer(), "sums of integers are integers")

	_, err = m.RegionByResource(What{Metric: m.Metric("work")}, &cube.Region{Name: "alien"}, true)
	require.ErrorContains(t, err, "region alien is not of this report")

	// A failed initialisation is an error of the metrics that need what it sets.
	m = with(t, post("needs", "${x} * metric::work()", initial(`{ global(x); ${x} = sqrt(0 - 1); }`)), post("own", "{ ${y} = 2; return ${y}; }"),
		post("early", "${z}", initial(`{ global(z); ${z} = metric::work(); }`)))
	require.ErrorContains(t, m.Metric("needs").Err, "initialisation of needs")
	require.NoError(t, m.Metric("own").Err)
}

// What has no operands is evaluated all the same: it may fail, though its value would be 0.
func TestZeroThatCannotBeEvaluated(t *testing.T) {
	for text, want := range map[string]string{
		"{ while (true) { ${i} = 1; }; return 0; }": "evaluation takes too long",
		"{ ${x} = sqrt(0 - 1); return 0; }":         "is not a number",
	} {
		m := with(t, post("post", text), pre("pre", text), post("none", "0"))
		for _, name := range []string{"post", "pre"} {
			w := What{Metric: m.Metric(name)}
			_, err := m.Total(w)
			require.ErrorContains(t, err, name+": ", text)
			require.ErrorContains(t, err, want, text)
			_, _, err = m.ByPath(w, nil)
			require.ErrorContains(t, err, want, text)
			_, err = m.ByResource(w, nil, true)
			require.ErrorContains(t, err, want, text)
		}
		zero, err := m.Total(What{Metric: m.Metric("none")})
		require.NoError(t, err)
		require.True(t, zero.Zero())
	}
}

// A specification that is none is refused, with the place.
func TestRemapErrors(t *testing.T) {
	c := random(t, 1)
	for spec, want := range map[string]string{
		"":                    "remapping.spec: offset 0: no metrics",
		"<metrics></metrics>": "no metrics",
		"<metrics><metric>":   "remapping.spec: offset 17: </cube> ends <metric>",
		"<metrics></metric>":  "remapping.spec: offset 9: </metric> ends <metrics>",
		"<metrics><metric type=\"x\"></metric></metrics>":                                                       `type "x" of a metric is not known`,
		"<metrics><metric><uniq_name>a</uniq_name></metric><metric><uniq_name>a</uniq_name></metric></metrics>": `metric "a" is described twice`,
		"<metrics>" + strings.Repeat("<metric>", 100_001):                                                       "more than 10000 levels",
	} {
		_, err := Remap(c, spec)
		require.ErrorContains(t, err, want)
		var format *cube.FormatError
		require.ErrorAs(t, err, &format)
	}
	// A hierarchy that is broken in its expressions only is shown, but for the metrics that need them.
	d, err := Remap(c, `<metrics><metric type="POSTDERIVED"><uniq_name>a</uniq_name><dtype>FLOAT</dtype><cubepl>1 +</cubepl></metric></metrics>`)
	require.NoError(t, err)
	m, err := New(d)
	require.NoError(t, err)
	require.ErrorContains(t, m.Metrics[0].Err, "a: offset 3")
	_, err = m.Total(What{Metric: m.Metric("time")})
	require.NoError(t, err)
}

// Values that are several numbers are no sums.
func TestComposite(t *testing.T) {
	m := with(t, post("of", "metric::tuple()"))
	tuple := &cube.Metric{ID: 200, Name: "tuple", DType: "TAU_ATOMIC"}
	d, err := m.Cube.WithMetrics(append(m.Cube.Metrics, tuple))
	require.NoError(t, err)
	m, err = New(d)
	require.NoError(t, err)
	require.ErrorIs(t, m.Metric("tuple").Err, cube.ErrComposite)
	require.ErrorIs(t, m.Metric("of").Err, cube.ErrComposite)
}

// An expression may define metrics beside its own value.
func TestDefinitions(t *testing.T) {
	m := with(t, post("both", `{ cube::metric::postderived::helper << metric::work() * ${k} >>; cube::init::metric::helper << { global(k); ${k} = 3; } >>;
		cube::metric::prederived::cells(e) << metric::work() >>; cube::metric::plus::cells << max(arg1, arg2) >>; return metric::helper() + 0 * metric::cells(); }`))
	require.NoError(t, m.Metric("both").Err)
	require.Equal(t, -1, m.Metric("helper").Index)
	work, err := m.Total(What{Metric: m.Metric("work")})
	require.NoError(t, err)
	both, err := m.Total(What{Metric: m.Metric("both")})
	require.NoError(t, err)
	require.Equal(t, 3*work.Int64(), both.Int64())
	most := int64(0)
	for _, p := range m.Cube.Paths() {
		r, err := m.Metric("work").Row(p)
		require.NoError(t, err)
		for _, v := range r.All() {
			most = max(most, v.Int64())
		}
	}
	cells, err := m.Total(What{Metric: m.Metric("cells")})
	require.NoError(t, err)
	require.Equal(t, most, cells.Int64())
}

// Initialisation may change what is shown of a metric; the cube stays as it is.
func TestProperties(t *testing.T) {
	m := with(t, post("x", `1`, cube.Expression{Element: "cubeplinit",
		Text: `{ cube::metric::set::work("value", "VOID"); if (cube::metric::get::work("value") eq "VOID") { cube::metric::set::time("unit", "h"); }; }`}))
	require.Equal(t, -1, m.Metric("work").Index)
	require.Equal(t, "h", m.Metric("time").Unit)
	require.Equal(t, "s", m.Cube.Metric("time").Unit)
	require.Empty(t, m.Cube.Metric("work").Val)
}

// Any number of goroutines may ask.
func TestConcurrentQuestions(t *testing.T) {
	m, err := New(random(t, 5))
	require.NoError(t, err)
	want, err := New(m.Cube)
	require.NoError(t, err)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for k := range m.all {
				q := (k + i) % len(m.all)
				got, _, err := m.ByPath(What{Metric: m.all[q], Self: i%2 == 0}, nil)
				if err != nil {
					t.Error(err)
				}
				expected, _, _ := want.ByPath(What{Metric: want.all[q], Self: i%2 == 0}, nil)
				for j := range got {
					if got[j] != expected[j] {
						t.Errorf("%s at %d: %v, %v expected", m.all[q].Name, j, got[j], expected[j])
					}
				}
				if _, err := m.ByResource(What{Metric: m.all[q]}, m.Cube.Paths()[0], true); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

// A selection of many call paths does not keep all that was ever asked for.
func TestForgetting(t *testing.T) {
	var c cache[int, int]
	for i := range 100 {
		_, err := c.get(i, keep/10, i == 0, func() (int, error) { return i, nil })
		require.NoError(t, err)
	}
	require.LessOrEqual(t, len(c.entries), 11)
	require.NotNil(t, c.entries[0], "pinned")
	require.NotNil(t, c.entries[99])
}
