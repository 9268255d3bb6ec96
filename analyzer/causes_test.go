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

// A reader waits for a writer that waits for an earlier reader since before: what that one does causes both waits.
func TestCausesOfWaitInProgress(t *testing.T) {
	x := analyzeText(t, `
rwmutex rw @s.go:1
location main
  0 enter main
  0 create r @a.go:1
  0 create w @a.go:2
  0 create g @a.go:3
  400 exit
location r
  0 begin r by main
  1 lock rw shared @r.go:1
  1 leave
  1 sleep @r.go:2
  100 leave
  100 unlock rw shared
  110 sleep @r.go:9
  112 leave
  112 lock rw shared @r.go:1
  112 leave
  112 sleep @r.go:2
  200 leave
  200 unlock rw shared
  300 end
location w
  0 begin w by main
  10 lock rw @w.go:1
  10 blocked
  100 leave
  101 unlock rw
  101 sleep @w.go:5
  115 leave
  115 lock rw @w.go:1
  115 blocked
  200 leave
  201 unlock rw
  300 end
location g
  0 begin g by main
  20 lock rw shared @g.go:1
  20 blocked
  101 leave
  101 unlock rw shared
  101 sleep @g.go:5
  118 leave
  118 lock rw shared @g.go:1
  118 blocked
  201 leave
  201 unlock rw shared
  300 end
`)
	total := func(name string) int64 { return x.Total(x.MetricIndex(name)) }
	require.EqualValues(t, 90+85, total("rw_writer_wait"), "for the first reader, which sleeps")
	require.EqualValues(t, 81+83, total("rw_reader_wait"), "for the writer, which waits until 100 and 200")
	require.EqualValues(t, 80+82, total("go_indirect"))
	require.EqualValues(t, 80+82, total("go_propagating"))
	slept := int64(0)
	for _, c := range x.Cells(x.MetricIndex("delay_go_longterm")) {
		require.Equal(t, "r.go", x.Regions[x.Paths[c.Path].Region].File)
		slept += c.Value
	}
	require.EqualValues(t, 80+82, slept)
}

// A writer waits for the writer before it also while that waits for readers.
func TestWriterWaitsForPendingWriter(t *testing.T) {
	x := analyzeText(t, `
rwmutex rw @s.go:1
location main
  0 enter main
  0 create r @a.go:1
  0 create first @a.go:2
  0 create second @a.go:3
  100 exit
location r
  0 begin r by main
  1 lock rw shared @r.go:1
  1 leave
  1 sleep @r.go:2
  50 leave
  50 unlock rw shared
  51 end
location first
  0 begin first by main
  10 lock rw @w.go:1
  10 blocked
  50 leave
  60 unlock rw
  61 end
location second
  0 begin second by main
  20 lock rw @w.go:5
  20 blocked
  60 leave
  61 unlock rw
  62 end
`)
	total := func(name string) int64 { return x.Total(x.MetricIndex(name)) }
	require.EqualValues(t, 50-10, total("rw_writer_wait"))
	require.EqualValues(t, 60-20, total("lock_competition")-total("rw_writer_wait")-total("rw_reader_wait"))
}
