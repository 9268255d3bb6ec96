package query

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/cubetest"
	"tracerec/report/cube"
)

// What it takes to select a metric that nobody has asked for: its values by call path and by part of the system.
func BenchmarkSelect(b *testing.B) {
	c := cubetest.Synthetic(4, 500, 10_000, 1)
	for _, name := range []string{"metric0", "metric2"} {
		b.Run(string(c.Metric(name).DType), func(b *testing.B) {
			for b.Loop() {
				m, err := New(c)
				require.NoError(b, err)
				w := What{Metric: m.Metric(name)}
				_, _, err = m.ByPath(w, nil)
				require.NoError(b, err)
				_, err = m.ByResource(w, nil, true)
				require.NoError(b, err)
			}
		})
	}
}

// What it takes to select a part of the system, or a call path, when the metric is selected.
func BenchmarkSelectPart(b *testing.B) {
	c := cubetest.Synthetic(2, 500, 10_000, 1)
	m, err := New(c)
	require.NoError(b, err)
	w := What{Metric: m.Metrics[0]}
	b.Run("group", func(b *testing.B) {
		for b.Loop() {
			m.values = store{}
			_, _, err := m.ByPath(w, m.Resources[5])
			require.NoError(b, err)
		}
	})
	b.Run("path", func(b *testing.B) {
		for b.Loop() {
			m.values = store{}
			_, err := m.ByResource(w, c.Paths()[1], true)
			require.NoError(b, err)
		}
	})
}

// Scalasca's display hierarchy of its largest report here: the model, and all visible metrics by call path.
func BenchmarkDisplayHierarchy(b *testing.B) {
	c := open(b, shared+"/cube/epcc/scorep_tea_leaf_baseline_8x12_trace/scout.cubex")
	require.NoError(b, c.Load())
	spec, ok := Embedded(open(b, shared+"/oracle/partdiff1/scout.cubex"))
	require.True(b, ok)
	for _, what := range []string{"model", "values"} {
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				shown, err := Remap(c, spec)
				require.NoError(b, err)
				m, err := New(shown)
				require.NoError(b, err)
				for _, q := range m.Metrics {
					if what == "values" {
						_, _, err := m.ByPath(What{Metric: q}, nil)
						require.NoError(b, err)
					}
				}
			}
		})
	}
}

// Derived metrics on a large report.
func BenchmarkDerived(b *testing.B) {
	c := cubetest.Synthetic(4, 500, 10_000, 1)
	for name, x := range map[string]struct {
		kind cube.Kind
		text string
	}{
		"ratio":  {cube.PostDerived, "metric::metric0() / metric::metric2()"},
		"masked": {cube.PreDerivedExclusive, "(${calculation::callpath::id} < 250) * (metric::metric0(e) - metric::metric1(e))"},
		"cells":  {cube.PreDerivedExclusive, "max(0, metric::metric0(e) - metric::fixed::metric0(e) / ${cube::#locations})"},
	} {
		b.Run(name, func(b *testing.B) {
			d, err := define(c, "x", "", "", "1")
			require.NoError(b, err)
			last := d.Metrics[len(d.Metrics)-1]
			last.Kind, last.Expressions[0].Text = x.kind, x.text
			for b.Loop() {
				m, err := New(d)
				require.NoError(b, err)
				w := What{Metric: m.Metric("x")}
				_, _, err = m.ByPath(w, nil)
				require.NoError(b, err)
				_, err = m.ByResource(w, nil, true)
				require.NoError(b, err)
			}
		})
	}
}
