package analyzer_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/analyzer"
	"tracerec/metric"
	"tracerec/patterns"
	"tracerec/report"
	"tracerec/report/cube"
)

// TestCausesLeftOut: where there are too many waits, the report says that their causes were not looked for, and is whole without: it is written and read again. Told to, the analysis finds them.
func TestCausesLeftOut(t *testing.T) {
	a := shapeArchive(t, "locks", 150_000)
	o := analyzer.Options{Patterns: patterns.All()}
	x, err := analyzer.Analyze(a, o)
	require.NoError(t, err)
	require.True(t, x.Header.Uncaused)
	for _, name := range []string{metric.Delays, "delay_go", metric.IndirectWait, "go_terminal"} {
		require.Negative(t, x.MetricIndex(name), name)
	}
	var text, again bytes.Buffer
	require.NoError(t, report.Text(&text, x, report.TextOptions{Top: 5}))
	require.Contains(t, text.String(), "expert analyze --causes")
	file := written(t, x)
	c, err := cube.Read("report", strings.NewReader(file), int64(len(file)))
	require.NoError(t, err)
	y, err := report.Read(c)
	require.NoError(t, err)
	require.NoError(t, report.Text(&again, y, report.TextOptions{Top: 5}))
	require.Equal(t, text.String(), again.String())

	o.Causes = true
	x, err = analyzer.Analyze(a, o)
	require.NoError(t, err)
	require.False(t, x.Header.Uncaused)
	require.Positive(t, x.Total(x.MetricIndex("delay_go_aggregate")))
	require.Equal(t, x.Total(x.MetricIndex(metric.WaitsByCause)), x.Total(x.MetricIndex("go_by_effect")))
}
