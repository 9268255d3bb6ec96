package algebra

import (
	"slices"
	"strconv"
	"strings"

	"tracerec/report/cube"
)

// Stored says where the values of a metric are: in its own rows, or, if it is of several runs, in those of a hidden metric
// with their sums, which have to be divided by n. It returns false for a metric that is computed of others.
func Stored(c *cube.Cube, m *cube.Metric) (rows *cube.Metric, n int, ok bool) {
	x, ok := measure(c, m)
	return x.rows, x.n, ok
}

// Runs returns the report of the runs of which a report was made, nil if it is of one: it has the same call paths, its locations are
// the runs, and values are of all locations of a run together.
func Runs(c *cube.Cube) (*cube.Cube, error) { return runsOf(c) }

// SetRuns replaces the report of the runs.
func SetRuns(c, runs *cube.Cube) error {
	c.Members = slices.DeleteFunc(slices.Clone(c.Members), func(m *cube.Member) bool { return m.Name == runsMember })
	u := &union{cube: c}
	return u.keep(runs)
}

// Unmeasured lists the runs, by column, that did not measure a metric of the report of the runs.
func Unmeasured(m *cube.Metric) (columns []int) {
	for _, word := range strings.Fields(cube.ValueOf(m.Attrs, unmeasuredAttr)) {
		if n, err := strconv.Atoi(word); err == nil {
			columns = append(columns, n)
		}
	}
	return columns
}

// SetUnmeasured notes which runs did not measure a metric.
func SetUnmeasured(m *cube.Metric, columns []int) {
	var words []string
	for _, n := range columns {
		words = append(words, strconv.Itoa(n))
	}
	setAttr(&m.Attrs, unmeasuredAttr, strings.Join(words, " "))
}

// RunWall returns how long the run in a column of the report of the runs took from start to end, in ns, false if that is not known.
func RunWall(run *cube.Location) (int64, bool) {
	ns, err := strconv.ParseInt(cube.ValueOf(run.Attrs, wallAttr), 10, 64)
	return ns, err == nil && ns > 0
}
