//go:build linux && (amd64 || arm64)

package main

import (
	"flag"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/metric/spec"
	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/composite"
	"tracerec/report/cube"
	"tracerec/report/query"
)

var recordings = flag.Int("recordings", 2, "recordings of a program with known counts, of which each has to hold the truth")

// computed are metrics of the stores, and how the truth gives them.
const computed = `compute SUM = "mem:main.A/8:w" + "mem:main.B/8:w"
compute DIFF = "mem:main.A/8:w" - "mem:main.B/8:w"
compute BACK = "mem:main.B/8:w" - "mem:main.A/8:w"
ratio PART [unit=x least=1] = "mem:main.A/8:w" / ("mem:main.A/8:w" + "mem:main.B/8:w")
`

var ofStores = map[string]func(a, b float64) float64{
	variableA: func(a, _ float64) float64 { return a },
	variableB: func(_, b float64) float64 { return b },
	"SUM":     func(a, b float64) float64 { return a + b },
	"DIFF":    func(a, b float64) float64 { return a - b },
	"BACK":    func(a, b float64) float64 { return b - a },
	"PART":    func(a, b float64) float64 { return a / (a + b) },
}

// recorded is a recording of the migrants with the truth about its stores, of every region by the call path.
type recorded struct {
	*report.Experiment
	cube   *cube.Cube
	stores map[string][2]float64
	clock  map[string][2]int64
}

func recordMigrants(t *testing.T, app string) *recorded {
	t.Helper()
	e, stores, clock := runMigrants(t, app, 20, variableA+","+variableB+",task-clock")
	s, err := spec.Parse("stores", []byte(computed))
	require.NoError(t, err)
	require.NoError(t, composite.DeriveExperiment(e, s))
	c, err := e.Report("")
	require.NoError(t, err)
	return &recorded{e, c, stores, clock}
}

// found is what a report says of a region.
type found struct {
	value float64
	in    spec.Interval
}

// ask asks a report for a metric of every call path by itself.
func ask(t *testing.T, c *cube.Cube, metric string) map[string]found {
	t.Helper()
	m, err := query.New(c)
	require.NoError(t, err)
	q := m.Metric(metric)
	require.NotNil(t, q, metric)
	own := func(w query.What) ([]cube.Value, error) {
		_, values, err := m.ByPath(w, nil)
		return values, err
	}
	values, err := own(query.What{Metric: q})
	require.NoError(t, err)
	in, err := m.Bounds(query.What{Metric: q}, own)
	require.NoError(t, err)
	all := map[string]found{}
	for i, p := range c.Paths() {
		var names []string
		for ; p != nil; p = p.Parent {
			names = append([]string{p.Region.Name}, names...)
		}
		v := found{values[i].Float64(), spec.Point(values[i].Float64())}
		if in != nil {
			v.in = in[i]
		}
		all[strings.Join(names, "/")] = v
	}
	return all
}

// holds requires that a report says of every region what is true, and returns how wide the bounds are of it, in ascending order, where
// goroutines change threads.
func holds(t *testing.T, c *cube.Cube, truth func(path string, of func(a, b float64) float64) float64, paths []string) (widths []float64) {
	t.Helper()
	for _, metric := range slices.Sorted(maps.Keys(ofStores)) {
		say := ask(t, c, metric)
		for _, path := range paths {
			v, x := say[path], truth(path, ofStores[metric])
			if math.IsNaN(v.in.Low) || math.IsNaN(x) {
				continue // it has no value there
			}
			require.LessOrEqual(t, v.in.Low, x+1e-9, "%s in %s", metric, path)
			require.GreaterOrEqual(t, v.in.High, x-1e-9, "%s in %s", metric, path)
			if (metric == variableA || metric == variableB) && !strings.Contains(path, "/locked") {
				widths = append(widths, (v.in.High-v.in.Low)/max(1, x))
			}
		}
	}
	slices.Sort(widths)
	return widths
}

func (r *recorded) is(path string, of func(a, b float64) float64) float64 {
	return of(r.stores[path][0], r.stores[path][1])
}

// TestCheapCounters: the truth of every region of goroutines that change threads all the time, are collected and switch to coroutines lies
// within the bounds of every counter, of what is computed of them, and of the difference of two recordings, unless the report says that nothing is known of some.
func TestCheapCounters(t *testing.T) {
	testkit.NeedDescriptors(t, 1000)
	app := program(t, "migrants")
	var before *recorded
	var medians []float64
	open := 0
	for range *recordings {
		r := recordMigrants(t, app)
		if slices.ContainsFunc(r.Warnings, func(w string) bool {
			return strings.Contains(w, "nothing is known of a counter") || strings.Contains(w, refusedReadings)
		}) {
			t.Log(r.Warnings)
			for path := range r.stores { // there is no most
				require.LessOrEqual(t, float64(amountsBy(r.Experiment, variableA)[path]), r.stores[path][0], path)
				require.LessOrEqual(t, float64(amountsBy(r.Experiment, variableB)[path]), r.stores[path][1], path)
			}
			open++
			continue
		}
		paths := slices.Sorted(maps.Keys(r.stores))
		widths := holds(t, r.cube, r.is, paths)
		require.Positive(t, widths[len(widths)-1], "the program does not show what it is to show: nothing is uncertain")
		medians = append(medians, widths[len(widths)/2])
		certain, uncertain := amountsBy(r.Experiment, "task-clock"), amountsBy(r.Experiment, "task-clock_uncertain")
		for path, n := range r.clock { // by the program's own event of the kernel, which is started and stopped beside
			require.GreaterOrEqual(t, certain[path]+uncertain[path], n[0]-n[0]/100, path)
			require.LessOrEqual(t, certain[path], n[1]+n[1]/100, path)
		}
		if before != nil {
			d, err := algebra.Diff(algebra.Input{Name: "before", Cube: before.cube}, algebra.Input{Name: "after", Cube: r.cube})
			require.NoError(t, err)
			holds(t, d.Cube, func(path string, of func(a, b float64) float64) float64 { return r.is(path, of) - before.is(path, of) }, paths)
		}
		before = r
	}
	t.Logf("%d recordings, of which %d say that nothing is known of some stretches", *recordings, open)
	if slices.Sort(medians); medians != nil {
		t.Logf("the median width of bounds is %.3f of the truth", medians[len(medians)/2])
	}
}
